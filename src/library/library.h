/* library: what the files of libtview share (include/tview/trace.h). */
#pragma once

#include <tview/trace.h>

#include <pthread.h>

#include "ui/options/opened.h"

/* Texts that options borrow, the last one first. */
struct library_words;
/* Clean copies of strings (library_definitions.c). */
struct library_texts;

struct tview_trace {
	struct opened opened;
	struct options options;
	struct library_words *words;
	struct library_texts *texts;
	struct str damage;
	pthread_mutex_t making; /* held while a table is made, which may make bases and analyses */
};

/* The options and choice of one question to a trace. */
struct library_choice {
	struct choice choice;
	struct options options;
	struct library_words *words;
};

/* Those of the trace and, in addition, the texts given. False with err; library_choice_fini() is
 * due in any case. To be called, as what makes bases and analyses, with `making` held. */
bool library_choose(struct library_choice *choice, tview_trace *trace, const char *const *options,
		    struct err *err);
void library_choice_fini(struct library_choice *choice);

struct library_texts *library_texts_new(void);
void library_texts_free(struct library_texts *texts);

/* Hands an error over; `error` may be NULL. */
void library_tell(struct tview_error *error, const struct err *err);
