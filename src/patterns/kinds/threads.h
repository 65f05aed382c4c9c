/* threads: OpenMP and POSIX threads (A26): barriers of teams, how long a thread took to start after
 * the fork, locks, and the time of threads that no team used. */
#pragma once

#include "base/vec.h"
#include "patterns/analysis/analysis.h"
#include "patterns/analysis/pattern.h"

/* A location in a team, the outermost one. Ticks. */
struct team_span {
	int64_t begin, end;
	int64_t fork;   /* when it could have begun; = begin if unknown */
	uint32_t event; /* its begin */
	uint32_t path;  /* canonical: open around it */
};

/* What a location keeps. */
struct own_threads {
	VEC(struct team_span) spans;
	uint32_t depth; /* of teams, while it is gone over */
};

/* [locations] the first location of each one's process, by rank, else by the process that owns it;
 * itself if unknown. The caller's. O(locations). */
uint32_t *threads_masters(const struct trace *trace);

extern const struct pattern threads_pattern;
