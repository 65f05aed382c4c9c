/* second_trace: the other traces that the open one is compared with (struct other): an older run of
 * the program, and repeated runs of it, which show how much of a difference is noise
 * (patterns/compare/delta.h).
 *
 *	struct other *other = other_new(old_trace, corrections, base);
 *	other_repeat(other, trace, corrections, base);
 *	const struct delta *delta = other_delta(other, &query, &err);
 *
 * The difference is the query's window in its base, less the corresponding window of the other
 * traces: at the same distance from their first events, in their own bases. Threads: one calls. */
#pragma once

#include "patterns/causes/causes.h"
#include "patterns/compare/delta.h"
#include "patterns/compare/figures.h"
#include "views/query/view.h"

/* One of the other traces, or its figures; owns its members. */
struct other_trace {
	struct trace *trace;
	struct corrections *corrections; /* may be NULL */
	struct analyses *analyses;       /* NULL: only figures of the whole run were kept, */
	struct figures figures;          /* these, whose trace this is */
	enum time_base base;             /* made */
	struct cube *cube;               /* severities of the last window asked for */
	bool *chosen; /* [locations] of the ranks that were chosen then; NULL: all */
};

struct other {
	char *name;          /* of the baseline; NULL: these are traces */
	struct trace *trace; /* these four are those of all[0], borrowed */
	struct corrections *corrections;
	struct analyses *analyses;
	enum time_base base;
	struct other_trace all[1 + DELTA_REPEATED]; /* the old one, then repeated ones */
	unsigned n;
	/* The last answer, and its query. */
	struct delta *delta;
	struct cube *cube; /* of the open trace */
	bool *chosen;      /* [locations], NULL: all */
	const struct trace *of;
	enum time_base of_base;
	int64_t t0, t1;
};

struct other *other_new(struct trace *trace /* taken */,
			struct corrections *corrections /* taken */,
			enum time_base base /* made */);
/* Runs of which figures were kept, one or more (taken). */
struct other *other_of_figures(const char *name, struct figures *figures, unsigned n);
void other_free(struct other *other);
/* Adds a repeated run of the old program. False if there are too many; the arguments are freed. */
bool other_repeat(struct other *other, struct trace *trace /* taken */,
		  struct corrections *corrections /* taken */, enum time_base base);

/* The query's trace, on its locations, less the others, on the same ranks (the filter is ignored);
 * good until another window or base is asked for. NULL with err, or with err untouched if the
 * query's progress stopped it. */
const struct delta *other_delta(struct other *other, const struct query *query, struct err *err);
/* The window of one of the others that the query's corresponds to. */
struct span_of_other {
	int64_t t0, t1;
};
struct span_of_other other_window(const struct other_trace *trace, const struct query *query);
/* A time of the query's trace, and the one of another trace that it corresponds to, each in its own
 * base. */
struct other_point {
	int64_t here, there; /* ticks */
};
/* The first events of both. */
struct other_point other_begin(const struct other_trace *trace, const struct query *query);
/* The window at the same distance from the point. */
struct span_of_other other_window_at(const struct other_trace *trace, const struct query *query,
				     const struct other_point *point);
/* Efficiencies in the query's window: the means of the other traces, those of the open one, and the
 * differences that are noise (0: nothing is known of it). */
struct other_efficiencies {
	struct efficiency of[ALIGN_SIDES], noise;
};
/* False with err, or with err untouched if stopped. */
bool other_efficiencies(struct other *other, const struct query *query,
			struct other_efficiencies *efficiencies, struct err *err);
