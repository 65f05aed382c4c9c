/* opened: from options to what is looked at: a trace, what was corrected in it, and the choice of
 * base, ranks, time and filter. */
#pragma once

#include "ui/options/choose.h"

struct opened {
	struct trace *trace;
	struct corrections *corrections;
	struct choice choice;
};

/* Reads the trace, as far as the options want it. */
bool opened_read(struct opened *opened, const char *path, const struct options *options,
		 struct err *err);
/* Corrects its times (all: as far as it can be done, else as far as what is shown needs) and makes
 * the choice. Where either fails, nothing has to be closed. */
bool opened_correct(struct opened *opened, const struct options *options, bool all,
		    struct err *err);
void opened_close(struct opened *opened);

/* How a program opens one of its traces, and what it says of it; `all` as above. */
typedef bool opened_load(void *context, struct opened *opened, const char *path,
			 const struct options *options, bool all, struct err *err);
/* The traces of the command line from args[first] on: one, or an older one, which the query's
 * `other` becomes with those of --baseline, and the one that is looked at; of one, --baseline names
 * figures that were kept. *others is the caller's, also after a failure. */
struct other;
bool opened_compared(struct opened *opened, struct other **others, const struct options *options,
		     int first, bool all, opened_load *load, void *context, struct err *err);
/* The reading's options with ranks and time. False with err where those are none;
 * choice_part_fini(&how->part) is due in any case. */
bool opened_how(struct load_options *how, const struct options *options, struct err *err);
