/* event_merge: a cursor over the events of all chosen locations in one order: time, then rank,
 * thread, and the order of the file within a location.
 *
 * Nothing is sorted or collected: every location has a lane, and two winner trees above the lanes
 * know which has the next event and which the previous one. So any number of events is walked in
 * memory proportional to the locations, and a step either way costs O(log locations). A jump
 * searches every location; one to a nearby event is walked. The tree of earlier events is made by a
 * step back, and dropped after many steps forward. Only events in the query's window are visited;
 * its filter is ignored. Of a trace that is shared (model/trace/halo.h), those of this process.
 *
 *	struct event_merge merge;
 *	event_merge_init(&merge, &query);
 *	for (bool ok = event_merge_first(&merge); ok; ok = event_merge_next(&merge))
 *		use(event_merge_event(&merge), event_merge_path(&merge));
 *	event_merge_fini(&merge);
 */
#pragma once

#include "views/query/view.h"

struct merge_lane {
	struct cursor cursor; /* on the event with ordinal `on` */
	uint64_t on;          /* UINT64_MAX: the cursor is nowhere */
	uint64_t begin, end;  /* ordinals of the location's events in the window: [begin, end) */
	uint64_t at;          /* ordinal of the first one that is not before the current position */
	uint32_t path;        /* open before event `at`, where it is known */
	bool path_known;
};

/* One direction from the current position: the next event's time of every lane, and the tree. */
struct merge_side {
	int64_t *times;    /* [leaves]; a time beyond all others where the lane has no more */
	uint32_t *winners; /* [leaves], a heap of lanes from 1 on: whose event comes first */
	bool behind;       /* the latest comes first */
	bool made;         /* times and winners are valid */
};

struct event_merge {
	const struct trace *trace;
	enum time_base base;
	struct merge_lane *lanes; /* by rank, thread, process */
	uint32_t *locations;      /* [lane] */
	uint32_t n_lanes;
	uint32_t leaves;   /* of the trees: a power of two, >= 2 */
	uint32_t *lane_of; /* [location], UINT32_MAX where it is not chosen */
	uint64_t *scratch; /* [lane] */
	struct merge_side ahead, behind;
	bool here;       /* there is a current event */
	uint64_t before; /* events before it */
	uint64_t onward; /* steps forward since the last one back */
	uint64_t events; /* in the window, of all chosen locations */
};

void event_merge_init(struct event_merge *merge, const struct query *query);
void event_merge_fini(struct event_merge *merge);

/* Move to the first or last event, one forward or back, to the first event with time >= t, or to a
 * given event. False: there is none, and only first, last, seek and go may follow. */
bool event_merge_first(struct event_merge *merge);
bool event_merge_last(struct event_merge *merge);
bool event_merge_next(struct event_merge *merge);
bool event_merge_prev(struct event_merge *merge);
bool event_merge_seek(struct event_merge *merge, int64_t t);
bool event_merge_go(struct event_merge *merge, uint32_t event);
/* Moves to a given event if it is close enough to be walked to, which takes no longer than a jump.
 * False: it is not, and the current event is any one, or none. */
bool event_merge_near(struct event_merge *merge, uint32_t event);

/* For two cursors of the same query: a is nearer to the event than b is, by time and then by
 * location. */
bool event_merge_nearer(const struct event_merge *a, const struct event_merge *b, uint32_t event);

/* The current event; EVENT_NONE after a false. */
uint32_t event_merge_event(const struct event_merge *merge);
/* Only while there is a current event. */
const struct cursor *event_merge_cursor(const struct event_merge *merge);
/* Its call path, as trace_event_path() gives it, but without a walk when moving forward. */
uint32_t event_merge_path(struct event_merge *merge);
/* The number of events before the current one. */
uint64_t event_merge_position(const struct event_merge *merge);
