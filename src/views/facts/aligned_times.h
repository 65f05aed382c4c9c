/* aligned_times: where two traces are put one above the other: at their first events, at a
 * collective that a rank called in both, or at the begin of an iteration.
 *
 * A collective is the same one in both if the rank called a function of that name equally often
 * before; they are aligned where it ends. Iterations are those of a level of the new run and of the
 * corresponding level of the old one (iteration_pairs.h), by number. */
#pragma once

#include "views/facts/phrases.h"
#include "views/query/second_trace.h"

enum times_alignment { ALIGNED_BY_TIME, ALIGNED_BY_COLLECTIVE, ALIGNED_BY_ITERATION, ALIGNMENTS };

/* "time", "collective", "iteration". */
const char *times_alignment_name(enum times_alignment by);

struct aligned_times {
	enum times_alignment by; /* ALIGNED_BY_TIME where nothing else is common to both */
	struct other_point at;
	uint32_t location; /* of the query's trace */
	uint32_t nth;      /* of the collectives of that name, or iterations, from 1 */
	uint32_t region;   /* of the collective */
};

/* Collectives of a location and of the same rank in the other trace, kept from one question to the
 * next; zeroed at first. */
struct aligned_collective;
struct aligned_function;
struct aligned_memory {
	const struct trace *of[2]; /* old, new */
	uint8_t base[2];
	uint32_t location;
	VEC(struct aligned_collective) list[2];
	VEC(struct aligned_function) functions; /* of the new run */
};
void aligned_memory_fini(struct aligned_memory *memory);

/* The last common point of the location at or before `t` (the first one after it, where there is
 * none), in the query's base. `level` as in iteration_sums.h. Waits for the iterations of both
 * traces; where its progress stops that, they are aligned by time. */
struct aligned_times aligned_times_find(const struct query *query, const struct other_trace *other,
					enum times_alignment by, uint32_t location, int64_t t,
					int level, struct aligned_memory *memory);
/* "aligned at the end of MPI_Allreduce 14 of rank 0". */
const char *aligned_times_text(struct phrases *phrases, const struct aligned_times *aligned);
/* The location of another trace with the rank and thread of this one; UINT32_MAX: none. */
uint32_t aligned_location(const struct trace *other, const struct location *location);
