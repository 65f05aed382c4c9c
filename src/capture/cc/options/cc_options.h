/* cc_options: the options of tvcc, tvcxx and tvfc themselves, in one table from which reading them,
 * --help and doc/man/tvcc.1 come.
 *
 * They may be anywhere on a compiler's command line, in TVIEW_CC_OPTIONS (read first), or in a
 * response file, and are removed before the compiler sees the rest. GCC and Clang have no options
 * of these names; a word that a compiler option takes (-Xlinker --only) is the compiler's. */
#pragma once

#include "capture/cc/options/rules.h"
#include "capture/cc/options/words.h"

/* Environment variable that hands the options to the stages and to tvinstrument (words_join). */
#define CC_OPTIONS_VARIABLE "TVIEW_CC_STAGE"

struct cc_options {
	struct rules *rules;
	struct words given; /* as they were given, for cc_options_take() of another process */
	bool plain;         /* --no-instrument */
	bool all;           /* small procedures and short loops have probes, too */
	bool verbose;
	bool quiet;
	bool help;
};

void cc_options_init(struct cc_options *options);
void cc_options_fini(struct cc_options *options);

/* Takes our options off argv (NULL-terminated, without the program's name); what is left is
 * appended to `rest`. Response files are opened only where one has an option of ours in it. */
bool cc_options_take(struct cc_options *options, char *const *argv, struct words *rest,
		     struct err *err);
/* The same for a text that has nothing but our options; `place` names it in messages. NULL is
 * nothing. */
bool cc_options_take_text(struct cc_options *options, const char *text, const char *place,
			  struct err *err);

/* Whether the word after this one belongs to it, on a command line of GCC or of one of its
 * compilers proper. */
bool cc_option_takes_next(const char *word);

/* The options as text for people, and as lines of troff. */
void cc_options_help(struct str *out, const char *program);
void cc_options_man(struct str *out);
