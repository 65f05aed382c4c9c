/* iterations: the steps of a run, found by themselves.
 *
 * An iteration is delimited by an *anchor*: a call that every location makes once in each. Calls
 * that strictly alternate with it form its class; a class is a *level*. This needs counting and one
 * pass, and it does not matter what else happens in an iteration. Calls of MPI are known by
 * operation and source line, functions by their call path, and only where all of them were
 * recorded.
 *
 * The method, its bounds and what it finds in real programs: doc/patterns.md, "Iterations".
 *
 *	struct iterations *it = iterations_new(trace, base, jobs, progress);
 *	const int64_t *begin = iterations_of(it, location);
 *	for (k = 0; begin && k < iterations_main(it)->n; k++)
 *		use(begin[k], begin[k + 1]);
 *	iterations_free(it);
 *
 * Boundaries are per location: ranks really are in different iterations at the same time.
 * Time: O(events). Memory: 12 to 16 bytes for each call of a location while it is looked at, and 12
 * for each number of visits of a call that differs from those on other locations.
 * Threads: made, any number may read. Where several processes share the trace all call
 * iterations_new(); each has the boundaries of its own locations, and all the same levels. */
#pragma once

#include "base/progress.h"
#include "model/trace/trace.h"

struct iteration_level {
	uint32_t n;      /* iterations */
	uint32_t visits; /* of its anchor: n, and what does not count */
	uint32_t warm;   /* leading ones that are not like the others */
	uint32_t path;   /* a call path of the anchor, as on most locations */
	bool closing;    /* an iteration ends with the anchor's leave, else begins with its enter */
	double similar;  /* 0..1: how alike neighbouring iterations are, by what is called */
	double cover;    /* 0..1: share of the run between MPI_Init and MPI_Finalize */
	uint32_t members; /* calls that alternate with the anchor, it included */
	bool loop;        /* one of several that come one after the other on each location */
};

struct iterations;

/* NULL: progress stopped it. Borrows the trace. */
struct iterations *iterations_new(const struct trace *trace, enum time_base base, unsigned jobs,
				  const struct progress *progress);
/* The same where the iterations begin at visits of a region, or at marks, of a name
 * (iteration_named.h): one level, or none. */
struct iterations *iterations_named(const struct trace *trace, enum time_base base,
				    const char *name, const struct progress *progress);
void iterations_free(struct iterations *iterations);
/* The name that they were made of; NULL: they were found. Borrowed from the caller that gave it. */
const char *iterations_anchor(const struct iterations *iterations);
/* All levels that may be iterations, the outermost first, then the loops that come before or after
 * the main one, by time; *main is the one to show, *n when there
 * is none. */
const struct iteration_level *iterations_levels(const struct iterations *iterations, size_t *n,
						size_t *main);
/* The one to show; NULL: the ranks do not repeat the same calls. */
const struct iteration_level *iterations_main(const struct iterations *iterations);
/* Where the iterations of a level begin on a location, ticks: n + 1 of them, the last is their end.
 * NULL: it has none, or is in another process. */
const int64_t *iterations_at(const struct iterations *iterations, size_t level, uint32_t location);
/* Whether a location has the level, whose process ever it is in. */
bool iterations_has(const struct iterations *iterations, size_t level, uint32_t location);
/* The same of the main level. */
const int64_t *iterations_of(const struct iterations *iterations, uint32_t location);
