/* Points of collectives are noted while the groups are evaluated; those of messages are derived
 * from the waits. */
#include "patterns/causes/points_far.h"

#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/radix.h"
#include "patterns/analysis/calls.h"

/* ---- sets of locations ---- */

ORDERING_OF_NUMBERS(compare_ids, uint32_t)

static uint64_t hash_ids(const uint32_t *ids, uint32_t n)
{
	uint64_t h = n;

	for (uint32_t i = 0; i < n; i++)
		h = (h ^ ids[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
	return h;
}

static bool is_set(const struct points *p, uint32_t row, const uint32_t *ids, uint32_t n)
{
	const struct sync_set *set = &p->sets.data[row];

	return set->n == n &&
	       (n == 0 || memcmp(p->pool.data + set->first, ids, n * sizeof *ids) == 0);
}

uint32_t points_keep_set(struct points *p, size_t first)
{
	const uint32_t n = (uint32_t)(p->pool.n - first);
	uint32_t *ids = p->pool.data + first;
	bool ascending = true;

	for (uint32_t i = 1; i < n && ascending; i++)
		ascending = ids[i - 1] < ids[i];
	if (!ascending)
		SORT(ids, n, compare_ids);
	const uint64_t hash = hash_ids(ids, n);
	for (uint32_t same = 0;; same++) {
		uint32_t row;
		if (keymap_new(&p->by_hash, KEY_OF((uint32_t)hash, (uint32_t)(hash >> 32), n, same),
			       (uint32_t)p->sets.n, &row)) {
			vec_push(&p->sets, ((struct sync_set){ first, n }));
			return row;
		}
		if (is_set(p, row, ids, n)) {
			p->pool.n = first;
			return row;
		}
	}
}

bool sync_set_has(const struct points *p, uint32_t set, uint32_t location)
{
	const struct sync_set *s = &p->sets.data[set];

	return s->n > 0 && bsearch(&location, p->pool.data + s->first, s->n, sizeof location,
				   compare_ids) != NULL;
}

/* ---- collectives ---- */

static enum delay_class class_of(const struct sync_group *g)
{
	switch (g->cls) {
	case LOGICAL_BARRIER: return DELAY_BARRIER;
	case LOGICAL_N_TO_N: return DELAY_N_TO_N;
	case LOGICAL_ONE_TO_N: return DELAY_ONE_TO_N;
	case LOGICAL_N_TO_ONE: return DELAY_N_TO_ONE;
	case LOGICAL_TEAM: return DELAY_TEAM;
	default: return DELAY_NONE;
	}
}

struct point point_in(const struct trace *trace, uint32_t event, const struct call_span *call)
{
	return (struct point){ .at = (uint32_t)trace_event_ordinal(trace, event),
			       .event = event,
			       .path = call->path,
			       .enter = call->enter == EVENT_NONE
						? 0
						: (uint32_t)trace_event_ordinal(trace, call->enter),
			       .en = call->en,
			       .peer = PEER_NONE,
			       .match = POINT_NONE,
			       .wait = POINT_NONE,
			       .delay = POINT_NONE,
			       .cls = DELAY_NONE };
}

/* The point of a party is at its end; in MPI_Init and MPI_Finalize at the leave of the call.
 * `late_at`: that of the one waited for, POINT_NONE where the trace has none. */
static void note_party(struct points *p, struct analysis *a, const struct sync_group *g,
		       const struct sync_party *party, const struct sync *sync, uint32_t late_at)
{
	const struct sync_party *blame = g->blame < g->n ? &g->parties[g->blame] : NULL;
	const bool late = blame && party == blame;
	struct point point;

	if (party->end_event == EVENT_NONE || party->location >= p->locations)
		return;
	const struct call_span call = calls_of(analysis_calls(a), party->end_event);
	point = point_in(analysis_trace(a), party->end_event, &call);
	point.w = g->init || late || party->w < 0 ? 0 : party->w;
	point.used = call.lv - call.en - party->k;
	point.peer = sync->directed && !late ? sync->blame : PEER_SYNC | (uint32_t)(p->syncs.n - 1);
	if (blame && !late && !g->init)
		point.match = late_at;
	point.cls = (uint8_t)class_of(g);
	point.init = g->init;
	point.finalize = g->finalize;
	vec_push(&p->of[party->location], point);
}

static uint32_t end_place(const struct trace *trace, const struct sync_party *party)
{
	return party->end_event == EVENT_NONE
		       ? party->end_at
		       : (uint32_t)trace_event_ordinal(trace, party->end_event);
}

static void keep_sets(struct points *p, const struct sync_group *g, struct sync *sync)
{
	size_t first = p->pool.n;

	for (uint32_t i = 0; i < g->n; i++)
		vec_push(&p->pool, g->parties[i].location);
	sync->members = points_keep_set(p, first);
	first = p->pool.n;
	for (uint32_t i = 0; i < g->n; i++)
		if (g->parties[i].sync && !(sync->directed && i == g->blame))
			vec_push(&p->pool, g->parties[i].location);
	sync->met = points_keep_set(p, first);
}

/* A prefix reduction has no points. */
static void note_group(struct points *p, struct analysis *a, const struct sync_group *g)
{
	struct sync sync = { .blame = PEER_NONE,
			     .directed = g->cls == LOGICAL_ONE_TO_N || g->cls == LOGICAL_N_TO_ONE };
	uint32_t late_at = POINT_NONE;

	if (g->cls == LOGICAL_PREFIX || (sync.directed && g->blame >= g->n))
		return;
	if (g->blame < g->n) {
		sync.blame = g->parties[g->blame].location;
		late_at = end_place(analysis_trace(a), &g->parties[g->blame]);
	}
	if (g->far)
		points_far_sets(p, analysis_trace(a), g, &sync);
	else
		keep_sets(p, g, &sync);
	vec_push(&p->syncs, sync);
	for (uint32_t i = 0; i < g->n; i++)
		if (g->parties[i].sync)
			note_party(p, a, g, &g->parties[i], &sync, late_at);
}

/* The threads of a team begin together when it is forked: a point like MPI_Init's, at the fork and
 * at the begin of each thread. */
static void note_fork(struct points *p, struct analysis *a, const struct sync_group *g)
{
	const struct trace *trace = analysis_trace(a);
	struct sync sync = { .blame = PEER_NONE };
	const size_t first = p->pool.n;

	for (uint32_t i = 0; i < g->n; i++)
		vec_push(&p->pool, g->parties[i].location);
	sync.members = sync.met = points_keep_set(p, first);
	vec_push(&p->syncs, sync);
	for (uint32_t i = 0; i < g->n; i++) {
		const struct sync_party *party = &g->parties[i];
		const uint32_t event =
			party->end_event != EVENT_NONE ? party->end_event : party->begin_event;
		if (event == EVENT_NONE || party->location >= p->locations)
			continue;
		const struct call_span call = {
			.enter = event,
			.en = trace_event_time(trace, analysis_base(a), event),
			.path = party->path,
		};
		struct point point = point_in(trace, event, &call);
		point.peer = PEER_SYNC | (uint32_t)(p->syncs.n - 1);
		vec_push(&p->of[party->location], point);
	}
}

static void on_notice(struct analysis *a, void *local, const struct notice *notice)
{
	struct points *p = analysis_whole(a, &points_pattern);

	(void)local;
	if (!p->of) {
		p->locations = trace_location_count(analysis_trace(a));
		p->of = xcalloc((size_t)p->locations + 1, sizeof *p->of);
	}
	if (notice->subject == SUBJECT_SYNC)
		note_group(p, a, notice->group);
	else if (notice->group->cls == LOGICAL_FORK)
		note_fork(p, a, notice->group);
}

static void release_whole(void *whole)
{
	struct points *p = whole;

	for (uint32_t l = 0; p->of && l < p->locations; l++)
		vec_fini(&p->of[l]);
	free(p->of);
	keymap_fini(&p->by_hash);
	keymap_fini(&p->by_comm);
	points_far_free(p->far);
	vec_fini(&p->syncs);
	vec_fini(&p->sets);
	vec_fini(&p->pool);
}

const struct pattern points_pattern = {
	.name = "points",
	.subjects = 1u << SUBJECT_SYNC | 1u << SUBJECT_GROUP,
	.whole = sizeof(struct points),
	.on_notice = on_notice,
	.release_whole = release_whole,
};

/* ---- messages ---- */

struct meet {
	const struct analysis *analysis;
	const struct points *points;
	bool literal;
	struct point_pairs *of; /* [locations] of the waiter */
};

static struct point point_at(const struct analysis *a, uint32_t event, struct call_span *call)
{
	*call = calls_meeting(analysis_calls(a), event);
	return point_in(analysis_trace(a), event, call);
}

/* max(0, lv(one) - lv(other)): how long a call continued after the other side had ended. */
static int64_t longer(const struct call_span *one, const struct call_span *other)
{
	return one->lv > other->lv ? one->lv - other->lv : 0;
}

static void meet_one(const struct meet *meet, uint32_t location, const struct wait *wait,
		     uint32_t index)
{
	const struct trace *trace = analysis_trace(meet->analysis);
	const bool receiver = wait->metric == CUBE_MPI_LATESENDER;
	struct point_pair m = { .location = trace_event_location(trace, wait->partner) };
	struct call_span mine, other;

	if (m.location == location)
		return;
	m.waiter = point_at(meet->analysis, wait->event, &mine);
	m.other = point_at(meet->analysis, wait->partner, &other);
	/* A12: SCOUT uses the wrong sign for the sender's completion time in a Late Receiver. */
	const int64_t k =
		receiver || !meet->literal ? longer(&mine, &other) : -longer(&other, &mine);
	m.waiter.w = wait->length;
	m.waiter.used = mine.lv - mine.en - k;
	m.waiter.peer = m.location;
	m.waiter.match = m.other.at;
	m.waiter.wait = index;
	m.waiter.cls = receiver ? DELAY_LATE_SENDER : DELAY_LATE_RECEIVER;
	m.other.used = other.lv - other.en - longer(&other, &mine);
	m.other.peer = location;
	vec_push(&meet->of[location], m);
}

static void meet_all(void *context, unsigned worker, size_t location)
{
	const struct meet *meet = context;
	size_t n;
	const struct wait *waits = analysis_waits(meet->analysis, (uint32_t)location, &n);

	(void)worker;
	for (size_t i = 0; i < n; i++)
		if ((waits[i].metric == CUBE_MPI_LATESENDER ||
		     waits[i].metric == CUBE_MPI_LATERECEIVER) &&
		    waits[i].partner != EVENT_NONE)
			meet_one(meet, (uint32_t)location, &waits[i], (uint32_t)i);
}

/* ---- sorting ---- */

/* At the same event the point that waited comes first; a late sender comes before a late receiver
 * (stages of 8). */
static int compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if ((x->w > 0) != (y->w > 0))
		return x->w > 0 ? -1 : 1;
	ORDER_BY(x->cls, y->cls);
	return ORDER(x->peer, y->peer);
}

/* Whether this is the wait of a collective's point. Completion and the like have points of their
 * own. */
static bool waits_here(const struct wait *wait)
{
	switch (wait->metric) {
	case CUBE_MPI_LATESENDER:
	case CUBE_MPI_LATERECEIVER:
	case CUBE_MPI_INIT_COMPLETION:
	case CUBE_MPI_BARRIER_COMPLETION:
	case CUBE_MPI_NXN_COMPLETION: return false;
	default: return !(wait->flags & WAIT_PART);
	}
}

/* The row of the wait at each point of a collective. */
static void find_waits(const struct analysis *a, struct points *p, uint32_t location)
{
	size_t n;
	const struct wait *waits = analysis_waits(a, location, &n);

	for (size_t i = 0; i < n; i++) {
		if (!waits_here(&waits[i]))
			continue;
		const uint32_t row = points_find(p, analysis_trace(a), waits[i].event);
		if (row != POINT_NONE && p->of[location].data[row].w > 0)
			p->of[location].data[row].wait = (uint32_t)i;
	}
}

/* The last point, the beginning, comes first; the others by their events. Few share one, so their
 * places are sorted, and points move once. */
static void sort_points(struct location_points *of)
{
	const size_t n = of->n - 1;
	uint64_t *keys = xmalloc((n + 1) * sizeof *keys);
	struct point *sorted = xmalloc((of->n + 1) * sizeof *sorted);

	for (size_t i = 0; i < n; i++)
		keys[i] = (uint64_t)of->data[i].at << 32 | i;
	radix_sort(keys, n, 32);
	sorted[0] = of->data[n];
	for (size_t i = 0; i < n; i++)
		sorted[i + 1] = of->data[(uint32_t)keys[i]];
	for (size_t from = 1, to; from < of->n; from = to) {
		for (to = from + 1; to < of->n && sorted[to].at == sorted[from].at;)
			to++;
		SORT(sorted + from, to - from, compare_points);
	}
	free_all(keys, of->data);
	of->data = sorted;
	of->cap = of->n + 1;
}

struct point_order {
	const struct analysis *analysis;
	struct points *points;
};

static void order_location(void *context, unsigned worker, size_t location)
{
	const struct point_order *order = context;
	struct location_points *of = &order->points->of[location];
	const struct trace *trace = analysis_trace(order->analysis);
	struct cursor c;

	(void)worker;
	if (!trace_has_location(trace, (uint32_t)location))
		return;
	vec_push(of, ((struct point){ .event = EVENT_NONE,
				      .peer = PEER_NONE,
				      .match = POINT_NONE,
				      .wait = POINT_NONE,
				      .delay = POINT_NONE,
				      .cls = DELAY_NONE }));
	if (cursor_first(&c, trace, analysis_base(order->analysis), (uint32_t)location))
		vec_last(of)->en = cursor_time(&c);
	sort_points(of);
	find_waits(order->analysis, order->points, (uint32_t)location);
}

static void take_meetings(struct points *p, const struct trace *trace, const struct point_pairs *of)
{
	OWNED size_t *more = xcalloc((size_t)p->locations + 1, sizeof *more);

	for (uint32_t l = 0; l < p->locations; l++) {
		more[l] += of[l].n + 1; /* the beginning */
		for (size_t i = 0; i < of[l].n; i++)
			more[of[l].data[i].location]++;
	}
	for (uint32_t l = 0; l < p->locations; l++)
		if (trace_has_location(trace, l))
			vec_reserve(&p->of[l], more[l]);
	for (uint32_t l = 0; l < p->locations; l++)
		for (size_t i = 0; i < of[l].n; i++) {
			vec_push(&p->of[l], of[l].data[i].waiter);
			if (trace_has_location(trace, of[l].data[i].location))
				vec_push(&p->of[of[l].data[i].location], of[l].data[i].other);
		}
}

struct points *points_finish(struct analysis *a, bool literal, unsigned jobs,
			     const struct progress *progress)
{
	struct points *p = analysis_whole(a, &points_pattern);
	const uint32_t n = trace_location_count(analysis_trace(a));
	struct meet meet = { a, p, literal, xcalloc((size_t)n + 1, sizeof *meet.of) };
	struct point_order order = { a, p };

	if (!p->of) {
		p->locations = n;
		p->of = xcalloc((size_t)n + 1, sizeof *p->of);
	}
	if (!p->finished && progress_step(progress, "searching for causes", 0, 4)) {
		jobs_run(jobs, n, meet_all, &meet);
		take_meetings(p, analysis_trace(a), meet.of);
		points_far_meet(p, a, meet.of);
		jobs_run(jobs, n, order_location, &order);
		p->far = points_far_match(p, analysis_trace(a));
		p->finished = true;
	}
	for (uint32_t l = 0; l < n; l++)
		vec_fini(&meet.of[l]);
	free(meet.of);
	return p->finished ? p : NULL;
}

/* ---- queries ---- */

uint32_t points_before(const struct points *p, uint32_t location, uint64_t at)
{
	const struct location_points *of = &p->of[location];
	size_t low = 1, high = of->n;

	BISECT(low, high, middle, of->data[middle].at <= at);
	return (uint32_t)low - 1;
}

uint32_t points_first(const struct location_points *of, uint32_t at, size_t low, size_t high,
		      uint32_t *near)
{
	BISECT(low, high, middle, of->data[middle].at < at || middle == 0);
	if (near)
		*near = (uint32_t)low;
	return low < of->n && of->data[low].at == at ? (uint32_t)low : POINT_NONE;
}

uint32_t points_match(const struct points *p, const struct point *point, uint32_t *other,
		      uint32_t *near)
{
	if (point->match == POINT_NONE)
		return POINT_NONE;
	*other = points_peer(p, point);
	if (points_are_far(p, *other))
		return point->match;
	const struct location_points *of = &p->of[*other];
	size_t low = 0, high = of->n;
	if (near && near[*other] < of->n) {
		/* Widens the range around the last result. */
		const size_t middle = near[*other];
		for (size_t step = 1;; step *= 2) {
			low = middle > step ? middle - step : 0;
			high = middle + step < of->n ? middle + step : of->n;
			if ((low == 0 || of->data[low].at < point->match) &&
			    (high == of->n || of->data[high].at >= point->match))
				break;
		}
	}
	return points_first(of, point->match, low, high, near ? &near[*other] : NULL);
}

uint32_t points_peer(const struct points *p, const struct point *point)
{
	return point->peer & PEER_SYNC ? p->syncs.data[point->peer & ~PEER_SYNC].blame
				       : point->peer;
}

uint32_t points_find(const struct points *p, const struct trace *trace, uint32_t event)
{
	const uint32_t location = trace_event_location(trace, event);
	uint32_t row = points_before(p, location, trace_event_ordinal(trace, event));

	if (row == 0 || p->of[location].data[row].event != event)
		return POINT_NONE;
	while (row > 1 && p->of[location].data[row - 1].event == event)
		row--;
	return row;
}

bool points_meets(const struct points *p, uint32_t location, const struct point *point,
		  uint32_t other)
{
	if (point->peer == PEER_NONE || !(point->peer & PEER_SYNC))
		return point->peer == other;
	(void)location;
	return sync_set_has(p, p->syncs.data[point->peer & ~PEER_SYNC].met, other);
}
