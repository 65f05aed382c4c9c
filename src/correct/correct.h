/* correct: times that can be trusted. Computes time bases from the measured one:
 *
 *	measured -> linear   offsets that were measured (or given)              timebase.c
 *	         -> fitted   clocks fitted to the messages                      fit.h
 *	         -> clc      controlled logical clock, the safety net           clc.h
 *	         -> compensated, lower, upper: without measurement overhead      overhead.h
 *	         -> virtual  the same, as the ranks knew it while they ran    virtual_base.h
 *
 * Each step starts from the best base before it and is checked before and after (clock_check.h);
 * `struct corrections` says what it did. The measured times never change.
 *
 *	struct correct_options options = CORRECT_DEFAULTS;
 *	struct corrections *corrections = correct_run(trace, &options, progress, &err);
 *
 * After a fit the minimum latencies are at most the smallest latency that the fit left
 * (fit.min_slack): else the logical clock would move events that are right.
 *
 * Errors: NULL with err (an offsets file that cannot be read, no memory for a column), NULL with
 * err untouched where progress dropped it; the trace is as it was then. What cannot be corrected is
 * reported (notes), never an error. Results are kept with the trace and in its cache file: a second
 * run with the same options costs nothing. Threads: no other one may use the trace meanwhile. */
#pragma once

#include "base/progress.h"
#include "correct/clc/clc.h"
#include "correct/clocks/clock_check.h"
#include "correct/clocks/lmin.h"
#include "correct/correct_room.h"
#include "correct/fit/fit.h"
#include "correct/overhead/overhead.h"
#include "correct/virtual/virtual_base.h"
#include "correct/virtual/virtual_compare.h"
#include "model/trace/trace.h"

enum presync {
	PRESYNC_AUTO, /* fitted to messages and offsets, whichever is better */
	PRESYNC_OFFSETS,
	PRESYNC_MESSAGES, /* clocks with messages in both directions: by these alone */
};

struct correct_options {
	enum presync presync;
	const char *offsets; /* file of offset measurements instead of the trace's, NULL none */
	double gamma;        /* control variable of the logical clock; 0: by pass (clc.h) */
	int passes;          /* at most; 0: one */
	struct lmin_options lmin;
	struct overhead_options overhead;
	/* Which bases to make: those up to and including this one in the order of enum time_base;
	 * BASE_COUNT: all that the trace allows. BASE_CLC is the best clock (what is shown by
	 * default). Measured and linear need no more than the offsets. */
	enum time_base want;
};
#define CORRECT_DEFAULTS                                                                 \
	{                                                                                \
		.lmin = LMIN_DEFAULTS, .overhead = OVERHEAD_DEFAULTS, .want = BASE_COUNT \
	}

enum { CORRECT_NOTES = 8, CORRECT_NOTE = 200 };

struct corrections {
	struct logical_counts counts; /* messages and collectives that take part, or cannot */
	struct lmin lmin;
	enum presync presync; /* what was done: OFFSETS or MESSAGES */
	bool offsets_given;   /* from --offsets */
	/* The state of the clock condition in each base that was made and checked. */
	bool checked[BASE_COUNT];
	struct check check[BASE_COUNT];
	struct fit_report fit;  /* .done false: not fitted, .why says why */
	struct clock_room room; /* of the best times before the logical clock */
	struct clc_report clc;
	struct overhead_report overhead;
	struct virtual_report virtual_time;
	struct virtual_comparison compared;      /* of compensated and virtual times */
	char notes[CORRECT_NOTES][CORRECT_NOTE]; /* whole sentences, clean; "" ends */
	bool borrowed;                           /* arrays are in the trace's cache file */
};

struct corrections *correct_run(struct trace *trace, const struct correct_options *options,
				const struct progress *progress, struct err *err);
void corrections_free(struct corrections *corrections);
