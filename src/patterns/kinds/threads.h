/* threads: OpenMP and POSIX threads (specs: correction and patterns, sections 6.2 and 11, A26): barriers
 * of teams, how long a thread took to start after the fork, locks, and the time of threads that no team
 * used. */
#ifndef TVIEW_PATTERNS_KINDS_THREADS_H
#define TVIEW_PATTERNS_KINDS_THREADS_H

#include "base/vec.h"
#include "patterns/analysis/analysis.h"
#include "patterns/analysis/pattern.h"

/* A location in a team, the outermost one. Ticks. */
struct team_span {
	int64_t begin, end;
	int64_t fork;   /* when it could have begun; = begin where nobody knows */
	uint32_t event; /* its begin */
	uint32_t path;  /* canonical: open around it */
};

/* What a location keeps. */
struct own_threads {
	VEC(struct team_span) spans;
	VEC(uint32_t) locks; /* events: acquired, released */
	uint32_t depth;      /* of teams, while it is gone over */
};

/* Adds omp_idle_threads and omp_limited_parallelism of [t0, t1), and to `time` what of that lies outside
 * the location's own events: a worker costs from the begin to the end of its process. Idle are threads of
 * a process that were in a team, while they are in none; of that, limited parallelism while the process'
 * first thread is in one. O(spans). */
bool threads_add_idle(struct analysis *analysis, struct cube *cube, int64_t t0, int64_t t1,
		      const struct progress *progress, struct err *err);

/* threads_lock.c: contention of all locks, when the walk has ended. */
void threads_find_contention(struct analysis *analysis, void *const *locals);

/* [locations] the first location of each one's process, by rank, else by the process that owns it; itself
 * where nobody knows. The caller's. O(locations). */
uint32_t *threads_masters(const struct trace *trace);

extern const struct pattern threads_pattern;

#endif
