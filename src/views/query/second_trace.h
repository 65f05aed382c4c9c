/* other: another trace that the one that is open is compared with: an older run of the program, and
 * repeated runs of it, which say how much of a difference is noise (patterns/delta.h).
 *
 *	struct other *other = other_new(old_trace, corrections, base);
 *	other_repeat(other, trace, corrections, base);
 *	const struct delta *delta = other_delta(other, &query, &err);
 *
 * What is subtracted is the query's window in its base, less the same window of the other traces:
 * as long after their first events, in their own bases. Threads: one asks. */
#pragma once

#include "patterns/causes/causes.h"
#include "patterns/compare/delta.h"
#include "views/query/view.h"

/* One of those that are compared with; owned with all in it. */
struct other_trace {
	struct trace *trace;
	struct corrections *corrections; /* may be NULL */
	struct analyses *analyses;
	enum time_base base; /* made */
	struct cube *cube;   /* of the window that was asked for last */
	bool *chosen;        /* [locations] of the ranks that were chosen then; NULL: all */
};

struct other {
	struct trace *trace; /* these are of the first of `all`, borrowed from there */
	struct corrections *corrections;
	struct analyses *analyses;
	enum time_base base;
	struct other_trace all[1 + DELTA_REPEATED]; /* the old one, then repeated ones */
	unsigned n;
	/* The last answer, and what it is of. */
	struct delta *delta;
	struct cube *cube; /* of the trace that is open */
	bool *chosen;      /* [locations], NULL: all */
	const struct trace *of;
	enum time_base of_base;
	int64_t t0, t1;
};

struct other *other_new(struct trace *trace /* taken */,
			struct corrections *corrections /* taken */,
			enum time_base base /* made */);
void other_free(struct other *other);
/* Adds a repeated run of the old program. False where there are too many; what was given is
 * freed. */
bool other_repeat(struct other *other, struct trace *trace /* taken */,
		  struct corrections *corrections /* taken */, enum time_base base);

/* The trace of the query, of its locations, less the others, of the same ranks (the filter is not
 * asked); good until another window or base is asked for. NULL with err, or untouched where the
 * query's progress stopped it. */
const struct delta *other_delta(struct other *other, const struct query *query, struct err *err);
/* The window of one of the others that the query's corresponds to. */
struct span_of_other {
	int64_t t0, t1;
};
struct span_of_other other_window(const struct other_trace *trace, const struct query *query);
/* The efficiencies of both for the query's window; false as above. */
bool other_efficiencies(struct other *other, const struct query *query,
			struct efficiency of[ALIGN_SIDES], struct err *err);

/* Values in per cent of the other trace: other_delta(), then delta_old_by_path() and delta_total():
 * in seconds, counts, bytes. */
