/* points: synchronisation points: the events at which a location met others (C11).
 *
 * A location's points are in the order of its events; point 0 is the beginning of its trace and has
 * no event. Two points that a waiter and a delayer have in common bound what both did meanwhile.
 *
 * Who is met: a single location; or with a collective a set of locations, which is kept once
 * however many collectives have it; so a collective of n members costs O(n) and no more.
 *
 * Collectives come from the groups stage (points_pattern subscribes to SUBJECT_SYNC and forked
 * teams), messages from the lists of waits, when points_finish() puts everything in order.
 * Ownership: the points are the pattern's state, and live as long as the analysis. Threads:
 * finished ones may be read by any number. */
#pragma once

#include "base/keymap.h"
#include "base/vec.h"
#include "patterns/analysis/pattern.h"

#define POINT_NONE UINT32_MAX
#define PEER_NONE  UINT32_MAX
#define PEER_SYNC  (1u << 31) /* with it: the row of a struct sync */

/* What waiting is charged as: pairs of metrics, short- and long-term. */
enum delay_class {
	DELAY_LATE_SENDER,
	DELAY_LATE_RECEIVER,
	DELAY_PROBE,
	DELAY_POLLING,
	DELAY_WINDOW, /* one-sided: created, freed */
	DELAY_FENCE,
	DELAY_EPOCH, /* late post, early wait */
	DELAY_LOCK,
	DELAY_OF_TWO = DELAY_LOCK, /* it and those before: between two ranks */
	DELAY_BARRIER,
	DELAY_N_TO_N,
	DELAY_ONE_TO_N,
	DELAY_N_TO_ONE,
	DELAY_PREFIX,
	DELAY_CREATION, /* of a communicator */
	DELAY_FILE,
	DELAY_TEAM, /* barriers of OpenMP: by the obvious extension */
	DELAY_CLASSES,
	DELAY_NONE = DELAY_CLASSES
};

struct point {
	uint32_t at;    /* index of the event on its location */
	uint32_t event; /* EVENT_NONE: the beginning */
	uint32_t path;  /* of its call, canonical */
	uint32_t enter; /* index of its call's enter; 0 where the trace has none */
	int64_t en;     /* ticks: when its call was entered */
	int64_t w;      /* ticks waited */
	int64_t used;   /* ticks: T - K, time in its call that no rank chose (8.2) */
	uint32_t peer;  /* location, PEER_SYNC | row, PEER_NONE */
	uint32_t match; /* of the one that was waited for: index of its event on its location; of
			   one in another process, once all is finished, its point there;
			   POINT_NONE */
	uint32_t wait;  /* index in its location's list of waits, POINT_NONE */
	uint32_t delay; /* row of the delay that explains the wait (delay.h), POINT_NONE */
	uint8_t cls;    /* enum delay_class: what the wait is charged as */
	bool init, finalize;
};

/* A set of locations: pool[first .. first + n), ascending. */
struct sync_set {
	size_t first;
	uint32_t n;
};

/* A collective, or MPI_Init or MPI_Finalize. */
struct sync {
	uint32_t members; /* set: all that took part */
	uint32_t met;     /* set: those that meet each other; directed: those that meet `blame` */
	uint32_t blame;   /* location that was waited for, PEER_NONE */
	bool directed;    /* 1-to-N, N-to-1: everybody meets `blame` alone */
};

struct location_points {
	struct point *data;
	size_t n, cap;
};

struct points {
	uint32_t locations;
	struct location_points *of; /* [locations] */
	VEC(struct sync) syncs;
	VEC(struct sync_set) sets;
	VEC(uint32_t) pool;
	struct keymap by_hash; /* (hash, locations, how many with the same before it) -> set */
	struct keymap by_comm; /* communicator -> set of its members, where parties are elsewhere */
	struct far_points *far; /* points_far.h, NULL: all locations are here */
	bool finished;
};

extern const struct pattern points_pattern;

/* The points of an analysis that has ended. `literal`: the completion time of a Late Receiver as
 * SCOUT has it, negative (A12), to compare with it. NULL: progress stopped it; may then be asked
 * again. */
struct points *points_finish(struct analysis *analysis, bool literal, unsigned jobs,
			     const struct progress *progress);

/* By the number of an event in its location: the last point at or before it. O(log points). */
uint32_t points_before(const struct points *points, uint32_t location, uint64_t at);
/* The point that was waited for at a point, and its location; POINT_NONE where there is none.
 * `near` [locations], may be NULL: where the last one was found; the next is not far. */
uint32_t points_match(const struct points *points, const struct point *point, uint32_t *other,
		      uint32_t *near);
/* The location that was waited for at a point, PEER_NONE where there is none. */
uint32_t points_peer(const struct points *points, const struct point *point);
/* The point at an event, POINT_NONE. O(log points). */
uint32_t points_find(const struct points *points, const struct trace *trace, uint32_t event);
/* The point of a wait, by its index in the list of its location and its event; POINT_NONE. O(log
 * points + points at the event). */
uint32_t points_of_wait(const struct points *points, const struct trace *trace, uint32_t location,
			uint32_t wait, uint32_t event);
/* Is `other` one of those that this point of `location` met? O(log members). */
bool points_meets(const struct points *points, uint32_t location, const struct point *point,
		  uint32_t other);
bool sync_set_has(const struct points *points, uint32_t set, uint32_t location);
