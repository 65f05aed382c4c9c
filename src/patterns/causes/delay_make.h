/* delay_make: what the files that find the delays share: delay.c (since when), delay_compare.c
 * (what one did more), delay_far.c (of locations in other processes). */
#pragma once

#include <stdatomic.h>

#include "base/jobs.h"
#include "patterns/causes/delay.h"

/* A set of locations that was met, and the last point at which it was. The latest come first. */
struct recent {
	uint32_t set, point;
};

/* When a location last met each other one, while its points are walked. */
struct last {
	uint32_t *point; /* [locations] met alone; valid where `mark` equals `now` */
	uint32_t *mark;
	uint32_t now;
	VEC(struct recent) sets;
};

struct delay_maker {
	struct delays *delays;
	const struct trace *trace;
	const struct progress *progress;
	unsigned jobs;
	struct last last[JOBS_MOST];
	struct path_sheet theirs[JOBS_MOST], mine[JOBS_MOST], longest[JOBS_MOST];
	struct path_sheet estimated[JOBS_MOST];
	uint32_t **since; /* [locations][points] of the one waited for: the start of the longest
			     interval of a collective */
	struct delay_share *share; /* delay_far.c, NULL: all locations are here */
	const char *what;
	atomic_uint done;
	atomic_bool stopped;
};

/* Counts a location that a stage comes to; false: stop. */
bool delay_step(struct delay_maker *m, unsigned worker);

/* The delay of a waiter; those after it are prefetched. */
static inline struct delay *delay_of(const struct delays *d, uint32_t waiter)
{
	if (waiter + DELAYS_AHEAD < d->n_waiters)
		__builtin_prefetch(&d->data[d->waiters[waiter + DELAYS_AHEAD].row], 1);
	return &d->data[d->waiters[waiter].row];
}

/* ---- delay_compare.c ---- */

/* Whatever waited for points of a location: a job. */
void delay_compare_location(void *context, unsigned worker, size_t location);
/* Compares a waiter of this process with `theirs`, the other's profile in its interval. `waited`:
 * P. `longest`: the profile of a collective's longest interval, or NULL. m->estimated has the
 * other's estimated part. */
void delay_compare(struct delay_maker *m, unsigned worker, struct delay *delay,
		   const struct path_sheet *theirs, const struct path_sheet *longest,
		   int64_t waited);
/* The sheets of a worker, made when first asked for. */
void delay_sheets(struct delay_maker *m, unsigned worker);

/* ---- delay_far.c ---- */

struct delay_share *delay_share_new(const struct delays *delays);
void delay_share_free(struct delay_share *share);
/* Notes what the other did in the interval of a delay whose waiter is in another process. */
void delay_share_add(struct delay_share *share, const struct delay *delay,
		     const struct path_sheet *theirs, const struct path_sheet *longest,
		     const struct path_sheet *estimated, int64_t waited);
/* Sends what was noted, compares what came, and tells the scales. All processes call it. */
void delay_share_compare(struct delay_maker *m);
