#define _GNU_SOURCE
#include "ui/event_merge.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

/* ---- the heap: earliest on top when moving forward, latest when moving backward ---- */

static bool comes_first(const struct event_merge *m, struct merge_seat a, struct merge_seat b)
{
	const bool less = a.time != b.time ? a.time < b.time : a.lane < b.lane;

	return less != m->backward;
}

static void sift_down(struct event_merge *m, uint32_t i)
{
	const struct merge_seat seat = m->heap[i];

	for (uint32_t child; (child = 2 * i + 1) < m->n_heap; i = child) {
		if (child + 1 < m->n_heap && comes_first(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!comes_first(m, m->heap[child], seat))
			break;
		m->heap[i] = m->heap[child];
	}
	m->heap[i] = seat;
}

static bool lane_has_more(const struct merge_lane *lane)
{
	return lane->at >= lane->begin && lane->at < lane->end;
}

/* Seats every lane whose cursor stands on an event of the window. */
static bool rebuild(struct event_merge *m)
{
	m->n_heap = 0;
	for (uint32_t i = 0; i < m->n_lanes; i++)
		if (lane_has_more(&m->lanes[i]))
			m->heap[m->n_heap++] =
				(struct merge_seat){ cursor_time(&m->lanes[i].cursor), i };
	for (uint32_t i = m->n_heap / 2; i-- > 0;)
		sift_down(m, i);
	return m->n_heap != 0;
}

/* ---- lanes ---- */

/* Puts the lane on the n-th event of its location; outside of the window it has no more. Ordinal
 * UINT64_MAX stands for "before the first". */
static void lane_set(struct event_merge *m, struct merge_lane *lane, uint64_t ordinal)
{
	lane->at = ordinal;
	if (!lane_has_more(lane))
		return;
	cursor_nth(&lane->cursor, m->trace, m->base, lane->location, ordinal);
	if (!m->backward)
		lane->path = cursor_path_before(&lane->cursor);
}

static void lane_forward(struct event_merge *m, struct merge_lane *lane)
{
	const uint32_t what = cursor_what(&lane->cursor);

	if (what_kind(what) == EV_ENTER)
		lane->path = what_id(what);
	else if (what_kind(what) == EV_LEAVE)
		lane->path = trace_callpath(m->trace, what_id(what))->parent;
	lane->at++;
	if (lane_has_more(lane))
		cursor_next(&lane->cursor);
}

static void lane_backward(struct merge_lane *lane)
{
	lane->at--;
	if (lane_has_more(lane))
		cursor_prev(&lane->cursor);
}

/* How many events of a location have a time before t. */
static uint64_t events_before(const struct event_merge *m, uint32_t location, int64_t t)
{
	struct cursor c;

	if (t == INT64_MIN)
		return 0;
	if (!cursor_seek(&c, m->trace, m->base, location, t))
		return trace_location(m->trace, location)->events;
	return cursor_ordinal(&c);
}

static int compare_locations(const void *pa, const void *pb, void *context)
{
	const uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
	const struct location *a = trace_location(context, ia), *b = trace_location(context, ib);

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (ia > ib) - (ia < ib);
}

void event_merge_init(struct event_merge *m, const struct query *query)
{
	const uint32_t n = query_location_count(query);
	const uint32_t all = trace_location_count(query->trace);
	uint32_t *locations = xcalloc(n, sizeof *locations);

	*m = (struct event_merge){ .trace = query->trace, .base = query->base, .n_lanes = n };
	for (uint32_t i = 0; i < n; i++)
		locations[i] = query_location(query, i);
	qsort_r(locations, n, sizeof *locations, compare_locations, query->trace);
	m->lanes = xcalloc(n, sizeof *m->lanes);
	m->heap = xcalloc(n, sizeof *m->heap);
	m->lane_of = xcalloc(all, sizeof *m->lane_of);
	for (uint32_t i = 0; i < all; i++)
		m->lane_of[i] = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++) {
		struct merge_lane *lane = &m->lanes[i];
		lane->location = locations[i];
		lane->begin = events_before(m, lane->location, query->t0);
		lane->end = query->t1 == INT64_MAX
				    ? trace_location(m->trace, lane->location)->events
				    : events_before(m, lane->location, query->t1);
		if (lane->end < lane->begin)
			lane->end = lane->begin;
		m->events += lane->end - lane->begin;
		m->lane_of[lane->location] = i;
	}
	free(locations);
}

void event_merge_fini(struct event_merge *m)
{
	free(m->lanes);
	free(m->heap);
	free(m->lane_of);
	*m = (struct event_merge){ 0 };
}

/* ---- moving ---- */

bool event_merge_first(struct event_merge *m)
{
	m->backward = false;
	for (uint32_t i = 0; i < m->n_lanes; i++)
		lane_set(m, &m->lanes[i], m->lanes[i].begin);
	return rebuild(m);
}

bool event_merge_last(struct event_merge *m)
{
	m->backward = true;
	for (uint32_t i = 0; i < m->n_lanes; i++)
		lane_set(m, &m->lanes[i], m->lanes[i].end - 1);
	return rebuild(m);
}

/* Takes the top on by one event and finds the new top. */
static bool advance(struct event_merge *m)
{
	struct merge_lane *lane = &m->lanes[m->heap[0].lane];

	if (m->backward)
		lane_backward(lane);
	else
		lane_forward(m, lane);
	if (lane_has_more(lane))
		m->heap[0].time = cursor_time(&lane->cursor);
	else
		m->heap[0] = m->heap[--m->n_heap];
	if (m->n_heap)
		sift_down(m, 0);
	return m->n_heap != 0;
}

/* Turns round on the spot: every lane but the top's stands on the far side of the current event,
 * so its next event in the other direction is one step away. */
static void turn(struct event_merge *m)
{
	const uint32_t top = m->heap[0].lane;

	m->backward = !m->backward;
	for (uint32_t i = 0; i < m->n_lanes; i++) {
		struct merge_lane *lane = &m->lanes[i];
		if (i != top)
			lane_set(m, lane, m->backward ? lane->at - 1 : lane->at + 1);
		else if (!m->backward)
			lane->path = cursor_path_before(&lane->cursor);
	}
	rebuild(m);
	assert(m->heap[0].lane == top);
}

bool event_merge_next(struct event_merge *m)
{
	if (!m->n_heap)
		return false;
	if (m->backward)
		turn(m);
	return advance(m);
}

bool event_merge_prev(struct event_merge *m)
{
	if (!m->n_heap)
		return false;
	if (!m->backward)
		turn(m);
	return advance(m);
}

static uint64_t clamp(const struct merge_lane *lane, uint64_t ordinal)
{
	if (ordinal < lane->begin)
		return lane->begin;
	return ordinal > lane->end ? lane->end : ordinal;
}

bool event_merge_seek(struct event_merge *m, int64_t t)
{
	m->backward = false;
	for (uint32_t i = 0; i < m->n_lanes; i++) {
		struct merge_lane *lane = &m->lanes[i];
		lane_set(m, lane, clamp(lane, events_before(m, lane->location, t)));
	}
	return rebuild(m);
}

bool event_merge_go(struct event_merge *m, uint32_t event)
{
	const uint32_t top = m->lane_of[trace_event_location(m->trace, event)];
	struct cursor c;
	uint64_t ordinal;
	int64_t t;

	m->n_heap = 0;
	if (top == UINT32_MAX)
		return false;
	cursor_at(&c, m->trace, m->base, event);
	ordinal = cursor_ordinal(&c);
	if (ordinal < m->lanes[top].begin || ordinal >= m->lanes[top].end)
		return false;
	t = cursor_time(&c);
	m->backward = false;
	for (uint32_t i = 0; i < m->n_lanes; i++) {
		struct merge_lane *lane = &m->lanes[i];
		/* At equal times the lanes before this one have been passed. */
		const uint64_t at =
			i == top ? ordinal : events_before(m, lane->location, t + (i < top));
		lane_set(m, lane, clamp(lane, at));
	}
	return rebuild(m);
}

/* ---- here ---- */

const struct cursor *event_merge_cursor(const struct event_merge *m)
{
	return &m->lanes[m->heap[0].lane].cursor;
}

uint32_t event_merge_event(const struct event_merge *m)
{
	return m->n_heap ? event_merge_cursor(m)->id : EVENT_NONE;
}

uint32_t event_merge_path(const struct event_merge *m)
{
	const struct merge_lane *lane = &m->lanes[m->heap[0].lane];
	const uint32_t what = cursor_what(&lane->cursor);

	if (what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE)
		return what_id(what);
	return m->backward ? cursor_path_before(&lane->cursor) : lane->path;
}

uint64_t event_merge_position(const struct event_merge *m)
{
	const uint32_t top = m->n_heap ? m->heap[0].lane : UINT32_MAX;
	uint64_t before = 0;

	for (uint32_t i = 0; i < m->n_lanes; i++) {
		const struct merge_lane *lane = &m->lanes[i];
		/* Backward, the lane's cursor stands on its last event that is not passed, which
		 * itself lies before the current one unless it is the current one. */
		const uint64_t at = lane->at + (m->backward && i != top);
		before += at - lane->begin;
	}
	return before;
}
