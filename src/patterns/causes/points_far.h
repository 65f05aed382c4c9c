/* points_far: the synchronisation points of a trace that several processes share
 * (base/exchange.h). Each process has those of its own locations. What waited for a point elsewhere
 * is known on both sides: here to the one that waited, as asked; there to the one that was waited
 * for, as told. The process that asks and the one that is told have them in the same order. */
#pragma once

#include "model/trace/halo.h"
#include "patterns/causes/points.h"

/* A wait of this process for a point of another one. */
struct asked_point {
	uint32_t location, point; /* who waited, and where */
};

/* A wait of another process' location for a point of this one. */
struct told_point {
	uint32_t location;           /* who waited */
	uint32_t other, other_point; /* for whom, and where; POINT_NONE: it has no such point */
	uint8_t cls;                 /* enum delay_class */
};

struct far_points {
	struct exchange *exchange;
	const struct trace *trace;
	struct asked_point *asked;
	struct told_point *told;
	size_t *asked_first, *told_first; /* [processes + 1] by process */
};

void points_far_free(struct far_points *far);

static inline bool points_are_far(const struct points *p, uint32_t location)
{
	return p->far && !trace_has_location(p->far->trace, location);
}

/* ---- for points.c and points_order.c ---- */

/* Makes the lists of points, once, with room for those of collectives. */
void points_make_room(struct points *p, const struct trace *trace);

/* `used` of a point that another process makes: all of its call. */
#define USED_CALL INT64_MAX

/* Both points of a wait for one rank: the one that waited, the one it waited for. */
struct point_pair {
	uint32_t location; /* of `other` */
	struct point waiter, other;
};

struct point_pairs {
	struct point_pair *data;
	size_t n, cap;
};

/* The set of locations added after `first` in the pool; it is removed again if an equal one
 * exists. */
uint32_t points_keep_set(struct points *p, size_t first);
/* A point at an event, in its call, without a partner yet. */
struct point point_in(const struct trace *trace, uint32_t event, const struct call_span *call);
/* The first of the points at an event, which several may share, by its index on its location.
 * POINT_NONE: there is none. *near (may be NULL) is where the search begins, and becomes its place,
 * or the next one's. O(log points), without NULL of those between. */
uint32_t points_first(const struct location_points *of, uint32_t at, uint32_t *near);
/* The sets of a group whose parties are in several processes. */
void points_far_sets(struct points *p, const struct trace *trace, const struct sync_group *g,
		     struct sync *sync);
/* The points that other processes' waits have on locations of this one: *n of them, the caller's.
 * NULL where the trace is not shared. All processes call it. */
struct located_point {
	uint32_t location;
	struct point point;
};
struct located_point *points_far_meet(const struct points *p, const struct analysis *a,
				      const struct point_pairs *of, size_t *n);
/* Finds the points that were waited for in other processes, when all are in order. NULL where the
 * trace is not shared. All processes call it. */
struct far_points *points_far_match(struct points *p, const struct trace *trace);
