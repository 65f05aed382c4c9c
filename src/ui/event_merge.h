/* event_merge: a finger that moves along the events of all chosen locations in one order: time,
 * then rank, thread, and the order of the file within a location.
 *
 * Nothing is sorted or collected: one cursor a location stands in a heap, so any number of events
 * is walked in memory proportional to the locations. A step costs O(log locations); a change of
 * direction or a jump costs a step on every location. Only events in the query's window are met;
 * its filter is not looked at.
 *
 *	struct event_merge merge;
 *	event_merge_init(&merge, &query);
 *	for (bool ok = event_merge_first(&merge); ok; ok = event_merge_next(&merge))
 *		use(event_merge_event(&merge), event_merge_path(&merge));
 *	event_merge_fini(&merge);
 */
#ifndef TVIEW_UI_EVENT_MERGE_H
#define TVIEW_UI_EVENT_MERGE_H

#include "ui/view.h"

struct merge_lane {
	struct cursor cursor; /* the first event not passed yet (forward), or the last one not
				 passed yet (backward) */
	uint64_t begin, end;  /* ordinals of the location's events in the window: [begin, end) */
	uint64_t at;          /* ordinal of the cursor; out of [begin, end): the lane has no more */
	uint32_t path;        /* open before the cursor's event; valid when moving forward */
	uint32_t location;
};

struct merge_seat {
	int64_t time;
	uint32_t lane;
};

struct event_merge {
	const struct trace *trace;
	enum time_base base;
	struct merge_lane *lanes; /* by rank, thread, process */
	uint32_t n_lanes;
	uint32_t *lane_of;       /* [location], UINT32_MAX where it is not chosen */
	struct merge_seat *heap; /* the next event of every lane that has one; the top is here */
	uint32_t n_heap;
	bool backward;
	uint64_t events; /* in the window, of all chosen locations */
};

void event_merge_init(struct event_merge *merge, const struct query *query);
void event_merge_fini(struct event_merge *merge);

/* Move to the first or last event, one on or one back, to the first event with time >= t, or to a
 * given event. False: there is none, and only first, last, seek and go may follow. */
bool event_merge_first(struct event_merge *merge);
bool event_merge_last(struct event_merge *merge);
bool event_merge_next(struct event_merge *merge);
bool event_merge_prev(struct event_merge *merge);
bool event_merge_seek(struct event_merge *merge, int64_t t);
bool event_merge_go(struct event_merge *merge, uint32_t event);

/* The event it stands on; EVENT_NONE after a false. */
uint32_t event_merge_event(const struct event_merge *merge);
const struct cursor *event_merge_cursor(const struct event_merge *merge);
/* Its call path, as trace_event_path() gives it, but without a walk when moving forward. */
uint32_t event_merge_path(const struct event_merge *merge);
/* How many events stand before it. O(locations). */
uint64_t event_merge_position(const struct event_merge *merge);

#endif
