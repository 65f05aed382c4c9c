/* colouring: what the colours of the timeline are: the classes of time and kinds of waiting, or the
 * functions that take most time; and which are hidden. A value; the session owns one, a query
 * borrows it.
 *
 * The functions are chosen once, for the session: those with the most exclusive time of the whole
 * run, MPI's as well, but no tool's own and none that starts or ends MPI. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/progress.h"
#include "model/trace/trace.h"

enum { COLOURED_FUNCTIONS = 8 };

struct colouring {
	bool by_function;
	bool chosen;                           /* the functions are */
	uint32_t function[COLOURED_FUNCTIONS]; /* regions, most time first */
	unsigned n;
	uint32_t hidden; /* bit of each state (timeline_shade.h) that is not shown */
};

/* Chooses the functions if they are not yet. False with err, or untouched if stopped. */
bool colouring_choose(struct colouring *colouring, const struct trace *trace, enum time_base base,
		      const struct progress *progress, struct err *err);
