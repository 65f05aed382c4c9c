#define _GNU_SOURCE
#include "views/query/event_merge.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"

/* Steps to a nearby event that are tried before a jump: a page of a list, and one more for every
 * few lanes that a jump would have to look at. */
enum { NEAR_STEPS = 128, LANES_A_STEP = 8 };

/* ---- the trees ---- */

static int64_t no_time(const struct merge_side *side)
{
	return side->behind ? INT64_MIN : INT64_MAX;
}

/* The lane of a and b, a < b, whose event comes first; at equal times the lower one. */
static uint32_t winner(const struct merge_side *side, uint32_t a, uint32_t b)
{
	if (side->behind)
		return side->times[b] >= side->times[a] ? b : a;
	return side->times[a] <= side->times[b] ? a : b;
}

static uint32_t child(const struct merge_side *side, uint32_t leaves, uint32_t node)
{
	return node < leaves ? side->winners[node] : node - leaves;
}

static void play(struct merge_side *side, uint32_t leaves, uint32_t node)
{
	side->winners[node] =
		winner(side, child(side, leaves, 2 * node), child(side, leaves, 2 * node + 1));
}

/* Sets a lane's time; above the first game that the lane neither won nor wins, nothing changes. */
static void set_time(struct merge_side *side, uint32_t leaves, uint32_t lane, int64_t time)
{
	side->times[lane] = time;
	for (uint32_t node = (lane + leaves) / 2; node > 0; node /= 2) {
		const uint32_t old = side->winners[node];
		play(side, leaves, node);
		if (old != lane && side->winners[node] != lane)
			break;
	}
}

static uint32_t top(const struct merge_side *side)
{
	return side->winners[1];
}

static bool has_more(const struct merge_side *side)
{
	return side->times[top(side)] != no_time(side);
}

static void side_init(struct merge_side *side, uint32_t leaves, bool behind)
{
	side->times = xcalloc(leaves, sizeof *side->times);
	side->winners = xcalloc(leaves, sizeof *side->winners);
	side->behind = behind;
	side->made = false;
}

static void side_fini(struct merge_side *side)
{
	free_all(side->times, side->winners);
}

/* Asks every lane for its next event on this side. */
static void side_make(struct event_merge *m, struct merge_side *side)
{
	for (uint32_t i = 0; i < m->leaves; i++)
		side->times[i] = no_time(side);
	for (uint32_t i = 0; i < m->n_lanes; i++) {
		const struct merge_lane *lane = &m->lanes[i];
		if (side->behind)
			m->scratch[i] = lane->at > lane->begin ? lane->at - 1 : NTH_NONE;
		else
			m->scratch[i] = lane->at < lane->end ? lane->at : NTH_NONE;
	}
	trace_nth_times(m->trace, m->base, m->locations, m->scratch, m->n_lanes, side->times);
	for (uint32_t node = m->leaves - 1; node > 0; node--)
		play(side, m->leaves, node);
	side->made = true;
}

/* ---- lanes ---- */

static void lane_set(struct merge_lane *lane, uint64_t at)
{
	lane->at = at;
	lane->path_known = false;
}

/* Puts a lane's cursor on an event of it. */
static void lane_point(struct event_merge *m, uint32_t i, uint64_t nth)
{
	struct merge_lane *lane = &m->lanes[i];

	if (lane->on == nth)
		return;
	if (nth == lane->on + 1 && lane->on != UINT64_MAX)
		cursor_next(&lane->cursor);
	else if (nth + 1 == lane->on)
		cursor_prev(&lane->cursor);
	else
		cursor_nth(&lane->cursor, m->trace, m->base, m->locations[i], nth);
	lane->on = nth;
}

static int compare_locations(const void *pa, const void *pb, void *context)
{
	const uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
	const struct location *a = trace_location(context, ia), *b = trace_location(context, ib);

	ORDER_BY(a->rank, b->rank);
	ORDER_BY(a->thread, b->thread);
	ORDER_BY(a->process, b->process);
	return ORDER(ia, ib);
}

/* Limits every lane to what the window shows. */
static void cut_lanes(struct event_merge *m, const struct query *query)
{
	int64_t begin, end;

	trace_span(m->trace, m->base, &begin, &end);
	if (query->t0 > begin)
		trace_events_before(m->trace, m->base, m->locations, m->n_lanes, query->t0,
				    m->scratch);
	for (uint32_t i = 0; i < m->n_lanes; i++)
		m->lanes[i].begin = query->t0 > begin ? m->scratch[i] : 0;
	if (query->t1 <= end)
		trace_events_before(m->trace, m->base, m->locations, m->n_lanes, query->t1,
				    m->scratch);
	for (uint32_t i = 0; i < m->n_lanes; i++) {
		struct merge_lane *lane = &m->lanes[i];
		lane->end = query->t1 <= end ? m->scratch[i]
					     : trace_location(m->trace, m->locations[i])->events;
		if (lane->end < lane->begin)
			lane->end = lane->begin;
		lane->on = UINT64_MAX;
		m->events += lane->end - lane->begin;
	}
}

void event_merge_init(struct event_merge *m, const struct query *query)
{
	const uint32_t chosen = query_location_count(query);
	const uint32_t all = trace_location_count(query->trace);
	uint32_t n = 0;

	*m = (struct event_merge){ .trace = query->trace, .base = query->base };
	m->locations = xcalloc(chosen, sizeof *m->locations);
	for (uint32_t i = 0; i < chosen; i++)
		if (trace_has_location(query->trace, query_location(query, i)))
			m->locations[n++] = query_location(query, i);
	m->n_lanes = n;
	for (m->leaves = 2; m->leaves < n;)
		m->leaves *= 2;
	qsort_r(m->locations, n, sizeof *m->locations, compare_locations, query->trace);
	m->lanes = xcalloc(n, sizeof *m->lanes);
	m->scratch = xcalloc(n, sizeof *m->scratch);
	m->lane_of = xcalloc(all, sizeof *m->lane_of);
	for (uint32_t i = 0; i < all; i++)
		m->lane_of[i] = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++)
		m->lane_of[m->locations[i]] = i;
	side_init(&m->ahead, m->leaves, false);
	side_init(&m->behind, m->leaves, true);
	cut_lanes(m, query);
}

void event_merge_fini(struct event_merge *m)
{
	free_all(m->lanes, m->locations, m->scratch, m->lane_of);
	side_fini(&m->ahead);
	side_fini(&m->behind);
	*m = (struct event_merge){ 0 };
}

/* ---- steps ---- */

/* Makes the first event ahead the current one, if there is any. */
static bool stand(struct event_merge *m)
{
	m->here = has_more(&m->ahead);
	if (m->here)
		lane_point(m, top(&m->ahead), m->lanes[top(&m->ahead)].at);
	return m->here;
}

bool event_merge_next(struct event_merge *m)
{
	if (!m->here)
		return false;
	const uint32_t i = top(&m->ahead);
	struct merge_lane *lane = &m->lanes[i];
	const uint32_t what = cursor_what(&lane->cursor);
	if (what_kind(what) == EV_ENTER) {
		lane->path = what_id(what);
		lane->path_known = true;
	} else if (what_kind(what) == EV_LEAVE) {
		lane->path = trace_callpath(m->trace, what_id(what))->parent;
		lane->path_known = true;
	}
	if (++m->onward > NEAR_STEPS + m->n_lanes)
		m->behind.made = false;
	if (m->behind.made)
		set_time(&m->behind, m->leaves, i, m->ahead.times[i]);
	m->before++;
	if (++lane->at < lane->end)
		lane_point(m, i, lane->at);
	set_time(&m->ahead, m->leaves, i,
		 lane->at < lane->end ? cursor_time(&lane->cursor) : no_time(&m->ahead));
	return stand(m);
}

/* The last event before the finger becomes the current one. */
static bool step_back(struct event_merge *m)
{
	if (!m->behind.made)
		side_make(m, &m->behind);
	m->onward = 0;
	m->here = has_more(&m->behind);
	if (!m->here)
		return false;
	const uint32_t i = top(&m->behind);
	struct merge_lane *lane = &m->lanes[i];
	const int64_t time = m->behind.times[i];
	int64_t earlier = no_time(&m->behind);
	lane_set(lane, lane->at - 1);
	m->before--;
	if (lane->at > lane->begin) {
		lane_point(m, i, lane->at - 1);
		earlier = cursor_time(&lane->cursor);
	}
	set_time(&m->behind, m->leaves, i, earlier);
	set_time(&m->ahead, m->leaves, i, time);
	return stand(m);
}

bool event_merge_prev(struct event_merge *m)
{
	return m->here && step_back(m);
}

/* ---- jumps ---- */

/* Updates what depends on the lanes, after all of them were set. */
static void arrive(struct event_merge *m)
{
	m->before = 0;
	for (uint32_t i = 0; i < m->n_lanes; i++)
		m->before += m->lanes[i].at - m->lanes[i].begin;
	m->behind.made = false;
	side_make(m, &m->ahead);
}

bool event_merge_first(struct event_merge *m)
{
	for (uint32_t i = 0; i < m->n_lanes; i++)
		lane_set(&m->lanes[i], m->lanes[i].begin);
	arrive(m);
	return stand(m);
}

bool event_merge_last(struct event_merge *m)
{
	for (uint32_t i = 0; i < m->n_lanes; i++)
		lane_set(&m->lanes[i], m->lanes[i].end);
	arrive(m);
	return step_back(m);
}

/* Skips the events before t on the lanes [from, to). */
static void pass(struct event_merge *m, uint32_t from, uint32_t to, int64_t t)
{
	trace_events_before(m->trace, m->base, m->locations + from, to - from, t, m->scratch);
	for (uint32_t i = from; i < to; i++) {
		struct merge_lane *lane = &m->lanes[i];
		const uint64_t n = m->scratch[i - from];
		lane_set(lane, n < lane->begin ? lane->begin : n > lane->end ? lane->end : n);
	}
}

bool event_merge_seek(struct event_merge *m, int64_t t)
{
	pass(m, 0, m->n_lanes, t);
	arrive(m);
	return stand(m);
}

/* Position of an event in the order. */
struct place {
	int64_t time;
	uint64_t nth;
	uint32_t lane;
};

/* False if the event is not in the window or not on a lane. */
static bool find_place(const struct event_merge *m, uint32_t event, struct place *place)
{
	const uint32_t lane = m->lane_of[trace_event_location(m->trace, event)];
	struct cursor c;

	if (lane == UINT32_MAX)
		return false;
	cursor_at(&c, m->trace, m->base, event);
	*place = (struct place){ cursor_time(&c), cursor_ordinal(&c), lane };
	return place->nth >= m->lanes[lane].begin && place->nth < m->lanes[lane].end;
}

/* Compares a place with that of the current event. */
static int compare_to_here(const struct event_merge *m, const struct place *place)
{
	const uint32_t lane = top(&m->ahead);
	const int64_t time = m->ahead.times[lane];

	if (place->lane == lane)
		return ORDER(place->nth, m->lanes[lane].at);
	ORDER_BY(place->time, time);
	return place->lane < lane ? -1 : 1;
}

static bool walk_to(struct event_merge *m, const struct place *place)
{
	for (uint32_t left = NEAR_STEPS + m->n_lanes / LANES_A_STEP; m->here && left > 0; left--) {
		const int way = compare_to_here(m, place);
		if (way == 0)
			return true;
		if (way > 0)
			event_merge_next(m);
		else
			event_merge_prev(m);
	}
	return false;
}

bool event_merge_near(struct event_merge *m, uint32_t event)
{
	struct place place;

	return find_place(m, event, &place) && walk_to(m, &place);
}

bool event_merge_go(struct event_merge *m, uint32_t event)
{
	struct place place;

	if (!find_place(m, event, &place)) {
		m->here = false;
		return false;
	}
	if (walk_to(m, &place))
		return true;
	/* The lanes before this one come first at equal times. */
	pass(m, 0, place.lane, place.time + 1);
	pass(m, place.lane + 1, m->n_lanes, place.time);
	lane_set(&m->lanes[place.lane], place.nth);
	arrive(m);
	return stand(m);
}

static uint64_t apart(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

bool event_merge_nearer(const struct event_merge *a, const struct event_merge *b, uint32_t event)
{
	struct place place;

	if (!a->here || !b->here || !find_place(a, event, &place))
		return a->here && !b->here;
	const uint32_t la = top(&a->ahead), lb = top(&b->ahead);
	const uint64_t ta = apart(a->ahead.times[la], place.time);
	const uint64_t tb = apart(b->ahead.times[lb], place.time);
	return ta != tb ? ta < tb : apart(la, place.lane) < apart(lb, place.lane);
}

/* ---- here ---- */

const struct cursor *event_merge_cursor(const struct event_merge *m)
{
	return &m->lanes[top(&m->ahead)].cursor;
}

uint32_t event_merge_event(const struct event_merge *m)
{
	return m->here ? event_merge_cursor(m)->id : EVENT_NONE;
}

uint32_t event_merge_path(struct event_merge *m)
{
	struct merge_lane *lane = &m->lanes[top(&m->ahead)];
	const uint32_t what = cursor_what(&lane->cursor);

	if (what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE)
		return what_id(what);
	if (!lane->path_known)
		lane->path = cursor_path_before(&lane->cursor);
	lane->path_known = true;
	return lane->path;
}

uint64_t event_merge_position(const struct event_merge *m)
{
	return m->before;
}
