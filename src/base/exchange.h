/* exchange: what several processes that each have a part of a trace tell each other.
 *
 * All processes call the same functions in the same order, with arrays of the same length. NULL is
 * the exchange of a process that has all of the trace: its calls change nothing. What fails ends
 * the job, so that none waits for one that is gone. Threads: one of each process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "base/vec.h"

/* The bytes of each process, one after the other: those of process p are
 * data[first[p] .. first[p + 1] - 1]. */
struct exchange_parts {
	char *data;
	size_t *first; /* [processes + 1] */
};

struct exchange {
	uint32_t processes, process; /* how many, and which of them this is */
	/* Replaces each value by the sum over the processes. */
	void (*sum)(struct exchange *x, int128 *values, size_t n);
	/* Gives every process the bytes of all; *all is the caller's. */
	void (*gather)(struct exchange *x, const void *mine, size_t bytes,
		       struct exchange_parts *all);
};

static inline uint32_t exchange_processes(const struct exchange *x)
{
	return x ? x->processes : 1;
}

static inline uint32_t exchange_process(const struct exchange *x)
{
	return x ? x->process : 0;
}

static inline void exchange_sum(struct exchange *x, int128 *values, size_t n)
{
	if (x && n)
		x->sum(x, values, n);
}

static inline void exchange_pairs(struct exchange *x, struct fixed_pair *pairs, size_t n)
{
	exchange_sum(x, &pairs->sum, n * (sizeof *pairs / sizeof pairs->sum));
}

/* Sums past 64 bits are the largest value. */
void exchange_ticks(struct exchange *x, int64_t *values, size_t n);

static inline uint64_t exchange_count(struct exchange *x, uint64_t mine)
{
	int128 sum = mine;

	exchange_sum(x, &sum, 1);
	return (uint64_t)sum;
}

/* Whether it is true of one of them. */
static inline bool exchange_any(struct exchange *x, bool mine)
{
	return exchange_count(x, mine) > 0;
}

/* The rows of all, in the order of the processes: they replace those of the vector, whose rows are
 * of plain data. */
#define exchange_rows(x, v)                                                          \
	((x) ? (void)((v)->data = exchange_replace(x, (v)->data, &(v)->n, &(v)->cap, \
						   sizeof *(v)->data))               \
	     : (void)0)

/* For exchange_rows(). */
void *exchange_replace(struct exchange *x, void *rows, size_t *n, size_t *cap, size_t size);

static inline void exchange_parts_fini(struct exchange_parts *parts)
{
	free(parts->data);
	free(parts->first);
}
