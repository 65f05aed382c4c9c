/* profile_sums: the sums of superblocks of a location, from which profile.c makes profiles.
 *
 * A superblock is 1,024 events of a location. It reaches from its first event's time to that of the
 * next superblock (the last one: to the location's last event). Its sums are sparse: one row for
 * each call path that has time of its own there or visits that begin there. All of it adds up over
 * superblocks: own time because time does, visits because each belongs, with its whole duration, to
 * the superblock in which it begins. Inclusive time needs no sums: a call path's is the own time of
 * all paths from it downwards.
 *
 * If a window cuts a superblock its events are walked instead. The walk cannot see the ends of
 * visits that go on after the superblock, so those times are stored, too.
 *
 * Memory: a row is 40 bytes, 0.2 to 2 B an event for 6 to 50 call paths in a superblock. One with
 * more than MOST_SUMS rows keeps none and is walked whenever it is asked for, so that rows are at
 * most 5 B an event; the ends are 8 bytes a visit that crosses from one superblock into another, at
 * worst (every other superblock enters, the next leaves) 4 B an event. */
#pragma once

#include "model/sums/profile.h"
#include "model/trace/store.h"

enum { MOST_SUMS = 128, SUMS_BLOCKS = 16 };

enum sum_kind {
	SUM_PATH,     /* call path: own traced time, visits */
	SUM_UNTRACED, /* call path: time in which it was innermost and nothing was traced */
	SUM_MARK,     /* site: marks */
	SUM_KINDS
};

struct profile_sum {
	uint32_t key; /* kind << WHAT_ID_BITS | id */
	uint32_t count;
	int64_t self;      /* ticks */
	int64_t min, max;  /* ticks; undefined without visits */
	int64_t visit_sum; /* ticks */
};

struct super {
	uint64_t first_sum; /* the next superblock's is where they end */
	uint64_t first_end;
	uint32_t level; /* depth of the call path whose visit first_end ends; the deeper follow */
	bool walked;    /* no rows: too many */
};

struct profile_sums {
	VEC(struct profile_sum) sums;
	VEC(int64_t) ends;        /* ticks */
	VEC(struct super) supers; /* of a location together, in order, and one more after them */
	uint64_t *super_of;       /* [location] its first superblock; UINT64_MAX: not made yet */
	uint8_t *outermost;       /* [call path] 1: no ancestor has the same region */
};

/* The sums of a base, as yet without those of any location. */
struct profile_sums *profile_sums_new(const struct trace *trace);
void profile_sums_free(struct profile_sums *sums);

/* Makes the sums of locations that have none yet: one pass over the events of each. */
struct sums_maker;
struct sums_maker *sums_maker_new(struct profile_sums *sums, const struct trace *trace,
				  enum time_base base);
void sums_maker_add(struct sums_maker *maker, uint32_t location);
void sums_maker_free(struct sums_maker *maker);

/* *sum += time, for time >= 0. Sums may pass 64 bits where a hostile file's times are at the
 * limits: they stay at the largest value then. */
static inline void add_time(int64_t *sum, int64_t time)
{
	if (__builtin_add_overflow(*sum, time, sum))
		*sum = INT64_MAX;
}

/* Adds `count` visits to a row: shortest, longest and sum of their lengths, ticks. */
static inline void add_visits(struct profile_row *row, uint64_t count, int64_t min, int64_t max,
			      int64_t sum)
{
	if (row->count == 0 || min < row->min)
		row->min = min;
	if (row->count == 0 || max > row->max)
		row->max = max;
	row->count += count;
	add_time(&row->visit_sum, sum);
}
