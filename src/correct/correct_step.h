/* correct_step: what the steps of a correction share (correct.h). */
#pragma once

#include "base/vec.h"
#include "correct/correct.h"

struct correct_step {
	struct trace *trace;
	const struct correct_options *options;
	const struct progress *progress;
	struct err *err;
	struct corrections *out;
	struct logical *logical;
	enum time_base best;      /* synchronised so far */
	VEC(struct clc_gap) gaps; /* after steps of clocks */
};

/* Appends a note; drops it if there is no room left. */
void correct_note(struct corrections *corrections, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Checks the clock condition in a base. False: dropped. */
bool correct_check(struct correct_step *r, enum time_base base);
void correct_drop(struct correct_step *r, enum time_base base);

/* ---- correct_clocks.c: false where progress dropped it or with err ---- */

bool correct_linear(struct correct_step *r);
/* Fits the clocks, says how certain they are, and mends what is left by the logical clock, each if
 * it is wanted and of use. */
bool correct_clocks(struct correct_step *r);

/* ---- correct_overhead.c: the same ---- */

/* Without overhead, by its model and as the ranks knew it. */
bool correct_overhead(struct correct_step *r);
