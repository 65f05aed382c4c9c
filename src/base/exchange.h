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
	/* Gives each process its part of `mine`; *theirs, what each has for this one, is the
	 * caller's. */
	void (*swap)(struct exchange *x, const struct exchange_parts *mine,
		     struct exchange_parts *theirs);
	/* The same where the sizes are known: theirs->first is set, and *theirs and *all are in
	 * the caller's memory. *all has the bytes that each process has for all, this one's in
	 * their place. What a process has for itself stays where it is. NULL: nothing of it. */
	void (*trade)(struct exchange *x, const struct exchange_parts *mine,
		      struct exchange_parts *theirs, struct exchange_parts *all);
	/* For base/stream.h: these do not wait. Sends bytes, which the exchange frees. */
	void (*post)(struct exchange *x, uint32_t to, void *data, size_t bytes);
	/* Bytes that were posted to this process, those of one sender in its order; the caller's.
	 * NULL: none are here. */
	void *(*arrived)(struct exchange *x, size_t *bytes, uint32_t *from);
	/* Begins a sum, or asks whether it is complete: one at a time. */
	void (*vote)(struct exchange *x, const int128 *values, size_t n);
	bool (*voted)(struct exchange *x, int128 *values, size_t n);
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

/* The same of counts; the sums must fit. */
void exchange_sums(struct exchange *x, uint64_t *values, size_t n);

static inline uint64_t exchange_count(struct exchange *x, uint64_t mine)
{
	int128 sum = mine;

	exchange_sum(x, &sum, 1);
	return (uint64_t)sum;
}

/* Replaces each value by the least one of the processes. */
void exchange_least(struct exchange *x, uint64_t *values, size_t n);

/* The largest value of the processes. */
int64_t exchange_latest(struct exchange *x, int64_t mine);

/* The largest and the smallest value. */
double exchange_most(struct exchange *x, double mine);
double exchange_fewest(struct exchange *x, double mine);

/* Gives all processes the value of one of them. */
void exchange_from(struct exchange *x, uint32_t process, void *value, size_t bytes);

/* The sum over the processes before this one. */
uint64_t exchange_before(struct exchange *x, uint64_t mine);

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

/* The places of n rows for the processes to[i] among those of all, one process after the other:
 * first[p] is where those for p begin [processes + 1]. */
void exchange_places(uint32_t processes, const uint32_t *to, size_t n, size_t *first,
		     size_t *place);

/* Sends n rows to the processes to[i]. Those that a process gets are in the order of their senders,
 * of one sender in its order; *theirs is the caller's. x is not NULL. */
void exchange_deal(struct exchange *x, const void *rows, size_t n, size_t size, const uint32_t *to,
		   struct exchange_parts *theirs);

/* The same of a vector, whose rows are replaced by those that this process gets: to[i] is for row
 * i. x is not NULL. */
#define exchange_deal_rows(x, v, to) \
	((v)->data = exchange_deal_vector(x, (v)->data, &(v)->n, &(v)->cap, sizeof *(v)->data, to))

/* For exchange_deal_rows(). */
void *exchange_deal_vector(struct exchange *x, void *rows, size_t *n, size_t *cap, size_t size,
			   const uint32_t *to);

/* Swaps rows that are in the order of the processes: first[p] is where those for p begin. */
void exchange_swap(struct exchange *x, const void *rows, size_t size, const size_t *first,
		   struct exchange_parts *theirs);

/* Asks the processes to[i] about n rows: answer() makes what a process says of all the rows that it
 * was sent, in their order, in memory that it allocates. Gives the answers of `said` bytes each, in
 * the order of the rows; the caller's. */
typedef void *exchange_answer(void *context, const void *rows, size_t n);
void *exchange_ask(struct exchange *x, const void *rows, size_t n, size_t size, const uint32_t *to,
		   exchange_answer *answer, void *context, size_t said);

static inline void exchange_parts_fini(struct exchange_parts *parts)
{
	free(parts->data);
	free(parts->first);
}
