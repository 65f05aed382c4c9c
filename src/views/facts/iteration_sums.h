/* iteration_sums: what each location did in each iteration of a level: time, waiting, waiting that
 * it caused, messages.
 *
 * Work is the time that is not waiting, inside MPI, too: duration = work + waiting. Waiting is that
 * of wait states, each in the iterations in which it is. What a location caused is charged to the
 * time between two of its points of synchronisation (patterns/causes); it is dealt out to the
 * iterations there by their work. A message counts where it is sent.
 *
 *	struct iteration_sums *s = iteration_sums_new(&query, LEVEL_MAIN, &err);
 *	const struct iteration_sum *of = s->of[location];	NULL: it has no iterations
 *	use(of[k].waiting);					k from 0 to s->n - 1
 *	iteration_sums_free(s);
 *
 * O(waits + messages x log iterations). Memory: 40 bytes for each iteration of a location, of which
 * there are fewer than visits of a call. Borrows iterations and trace. Where several processes
 * share the trace all make them; each has those of its own locations. */
#pragma once

#include "patterns/iterations/iterations.h"
#include "views/query/view.h"

enum { LEVEL_MAIN = -1 };

struct iteration_sum {
	int64_t begin, end; /* ticks */
	uint64_t waiting;   /* ticks */
	uint64_t core;      /* ticks, at most: of the rest without a core (trace/core_wait.h) */
	double caused;      /* ticks of waiting, anywhere */
	uint64_t bytes;     /* of the messages */
	uint32_t messages;  /* sent */
};

struct iteration_sums {
	const struct iterations *iterations;
	size_t level;                           /* in the list of levels */
	const struct iteration_level *of_level; /* NULL: there are no iterations; then n is 0 */
	uint32_t n;                             /* iterations */
	uint32_t locations;
	struct iteration_sum **of; /* [locations][n], NULL: has none, or is elsewhere */
};

/* The iterations of the query's base, which its analyses own, with the begins of those of a level,
 * or LEVEL_MAIN; true with NULL where it has no analyses. False with err, or untouched if
 * stopped. */
bool query_iterations(const struct query *query, int level, const struct iterations **iterations,
		      struct err *err);

/* Where the iterations of a level, or LEVEL_MAIN, begin on a location, and how many there are: as
 * iterations_at(). */
const int64_t *iterations_begins(const struct iterations *iterations, int level, uint32_t location,
				 uint32_t *n);

/* True if those of the level are kept with the trace: they need no analysis. */
bool iteration_sums_are_kept(const struct query *query, int level);
/* Of the whole run, whatever the query's window is. `level`: an index of the levels, or LEVEL_MAIN,
 * which is taken where there is no such level, too.
 * NULL with err, or untouched if stopped. */
struct iteration_sums *iteration_sums_new(const struct query *query, int level, struct err *err);
void iteration_sums_free(struct iteration_sums *sums);

/* What views show of an iteration, ticks or numbers. */
enum iteration_quantity {
	ITERATION_WORK,
	ITERATION_WAITING,
	ITERATION_CAUSED,
	ITERATION_DURATION,
	ITERATION_MESSAGES,
	ITERATION_BYTES,
	ITERATION_QUANTITIES
};
double iteration_value(const struct iteration_sum *sum, enum iteration_quantity quantity);
/* Appends it as people read it: "2.00 ms", "12", "1.0 KiB"; of a difference with its sign. */
void iteration_value_text(enum iteration_quantity quantity, double value, bool difference,
			  const struct timescale *scale, struct str *out);

static inline int64_t iteration_work(const struct iteration_sum *sum)
{
	return sum->end - sum->begin - (int64_t)sum->waiting;
}

/* The part of it that is the location's own, whatever else its core was given to. */
static inline int64_t iteration_work_done(const struct iteration_sum *sum)
{
	const int64_t work = iteration_work(sum);

	return (int64_t)sum->core < work ? work - (int64_t)sum->core : 0;
}
