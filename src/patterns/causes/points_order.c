/* The points of messages, found in the lists of waits; the order of all points of a location. */
#include <stdlib.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/radix.h"
#include "model/trace/halo.h"
#include "patterns/analysis/calls.h"
#include "patterns/analysis/wait_numbers.h"
#include "patterns/causes/points_far.h"

/* How many waits ahead to prefetch: their partners are scattered in memory. */
enum { WAITS_AHEAD = 8 };

struct meet {
	const struct analysis *analysis;
	const struct points *points;
	bool literal;
	struct point_pairs *of; /* [locations] of the waiter */
	uint64_t *first;        /* trace_first_numbers() */
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

static enum delay_class class_of(const struct wait *wait)
{
	switch (wait->metric) {
	case CUBE_MPI_LATESENDER: return DELAY_LATE_SENDER;
	case CUBE_MPI_LATERECEIVER: return DELAY_LATE_RECEIVER;
	case CUBE_MPI_PROBE_WAIT: return DELAY_PROBE;
	case CUBE_MPI_POLLING: return DELAY_POLLING;
	case CUBE_MPI_RMA_WAIT_AT_CREATE:
	case CUBE_MPI_RMA_WAIT_AT_FREE: return DELAY_WINDOW;
	case CUBE_MPI_RMA_WAIT_AT_FENCE: return DELAY_FENCE;
	case CUBE_MPI_RMA_SYNC_LATE_POST:
	case CUBE_MPI_RMA_COMM_LATE_POST:
	case CUBE_MPI_RMA_EARLY_WAIT: return DELAY_EPOCH;
	case CUBE_MPI_RMA_SYNC_LOCK_COMPETITION:
	case CUBE_MPI_RMA_COMM_LOCK_COMPETITION: return DELAY_LOCK;
	default: return DELAY_NONE;
	}
}

/* Polling begins in a call before the one that the wait was found in; the last call used its own
 * time without the waiting. */
static void meet_polling(const struct analysis *a, uint32_t location, const struct wait *wait,
			 struct point *point)
{
	struct cursor c;

	if (!cursor_seek(&c, analysis_trace(a), analysis_base(a), location, wait->begin))
		return;
	point->enter = (uint32_t)cursor_ordinal(&c);
	point->used += point->en - wait->begin - wait->length;
	if (point->used < 0)
		point->used = 0;
	point->en = wait->begin;
}

/* Of one-sided communication: what was waited for may be in another process, which knows its call.
 * The waiter's call went on by itself after the wait; the other's is not its work. */
static void meet_one_sided(const struct meet *meet, uint32_t location, const struct wait *wait,
			   uint32_t index)
{
	const struct analysis *a = meet->analysis;
	const bool elsewhere = wait->flags & WAIT_ELSEWHERE;
	struct point_pair m = { .location = wait_partner(analysis_trace(a), wait) };
	struct call_span mine, other;

	if (m.location == location)
		return;
	m.waiter = point_at(a, wait->event, &mine);
	if (elsewhere) {
		m.other.at = (uint32_t)(wait_number_elsewhere(a, location, wait->event) -
					meet->first[m.location]);
		m.other.used = USED_CALL;
	} else {
		m.other = point_at(a, wait->partner, &other);
		m.other.used = other.lv - other.en;
	}
	m.waiter.w = wait->length;
	m.waiter.used = wait->begin + wait->length - mine.en;
	m.waiter.peer = m.location;
	m.waiter.match = m.other.at;
	m.waiter.wait = index;
	m.waiter.cls = (uint8_t)class_of(wait);
	m.other.peer = location;
	vec_push(&meet->of[location], m);
}

static void meet_one(const struct meet *meet, uint32_t location, const struct wait *wait,
		     uint32_t index)
{
	const struct trace *trace = analysis_trace(meet->analysis);
	const bool receiver = class_of(wait) != DELAY_LATE_RECEIVER;
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
	m.waiter.cls = (uint8_t)class_of(wait);
	if (m.waiter.cls == DELAY_POLLING)
		meet_polling(meet->analysis, location, wait, &m.waiter);
	m.other.used = other.lv - other.en - longer(&other, &mine);
	m.other.peer = location;
	vec_push(&meet->of[location], m);
}

static bool is_of_two(const struct wait *wait)
{
	return class_of(wait) != DELAY_NONE && wait->partner != EVENT_NONE;
}

static void meet_all(void *context, unsigned worker, size_t location)
{
	const struct meet *meet = context;
	size_t n, of_messages = 0;
	const struct wait *waits = analysis_waits(meet->analysis, (uint32_t)location, &n);

	(void)worker;
	for (size_t i = 0; i < n; i++)
		of_messages += is_of_two(&waits[i]);
	vec_reserve(&meet->of[location], of_messages);
	for (size_t i = 0; i < n; i++) {
		if (i + WAITS_AHEAD < n && is_of_two(&waits[i + WAITS_AHEAD]) &&
		    !(waits[i + WAITS_AHEAD].flags & WAIT_ELSEWHERE))
			trace_event_near(analysis_trace(meet->analysis),
					 analysis_base(meet->analysis),
					 waits[i + WAITS_AHEAD].partner);
		if (is_of_two(&waits[i]) && class_of(&waits[i]) > DELAY_POLLING)
			meet_one_sided(meet, (uint32_t)location, &waits[i], (uint32_t)i);
		else if (is_of_two(&waits[i]))
			meet_one(meet, (uint32_t)location, &waits[i], (uint32_t)i);
	}
}

/* ---- those of each location ---- */

/* Points of messages by location, in the order in which they were found: those of location l are
 * all[first[l]] .. all[first[l + 1] - 1]. */
struct found_points {
	size_t *first;            /* [locations + 1] */
	const struct point **all; /* borrowed */
};

/* Calls take() for each; it gets the place of the location's next one. */
static void
each_found(const struct points *p, const struct trace *trace, const struct point_pairs *of,
	   const struct located_point *far, size_t n_far, struct found_points *found,
	   void (*take)(struct found_points *found, uint32_t location, const struct point *point))
{
	for (uint32_t l = 0; l < p->locations; l++)
		for (size_t i = 0; i < of[l].n; i++) {
			const struct point_pair *pair = &of[l].data[i];
			take(found, l, &pair->waiter);
			if (trace_has_location(trace, pair->location))
				take(found, pair->location, &pair->other);
		}
	for (size_t i = 0; i < n_far; i++)
		take(found, far[i].location, &far[i].point);
}

/* Two entries later: place_found() then moves the entry before to where the next ones begin. */
static void count_found(struct found_points *found, uint32_t location, const struct point *point)
{
	(void)point;
	found->first[location + 2]++;
}

static void place_found(struct found_points *found, uint32_t location, const struct point *point)
{
	found->all[found->first[location + 1]++] = point;
}

static struct found_points find_all(const struct points *p, const struct trace *trace,
				    const struct point_pairs *of, const struct located_point *far,
				    size_t n_far)
{
	struct found_points found = { .first = NULL };

	found.first = xcalloc((size_t)p->locations + 2, sizeof *found.first);
	each_found(p, trace, of, far, n_far, &found, count_found);
	for (uint32_t l = 0; l < p->locations; l++)
		found.first[l + 2] += found.first[l + 1];
	found.all = xmalloc((found.first[p->locations + 1] + 1) * sizeof *found.all);
	each_found(p, trace, of, far, n_far, &found, place_found);
	return found;
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
	if (class_of(wait) != DELAY_NONE)
		return false;
	switch (wait->metric) {
	case CUBE_MPI_INIT_COMPLETION:
	case CUBE_MPI_BARRIER_COMPLETION:
	case CUBE_MPI_NXN_COMPLETION: return false;
	default: return !(wait->flags & WAIT_PART);
	}
}

/* The row of the wait at each point of a collective. */
static void find_waits(const struct analysis *a, struct points *p, uint32_t location)
{
	const struct trace *trace = analysis_trace(a);
	struct location_points *of = &p->of[location];
	uint32_t near = 0;
	size_t n;
	const struct wait *waits = analysis_waits(a, location, &n);

	for (size_t i = 0; i < n; i++) {
		if (!waits_here(&waits[i]))
			continue;
		const uint32_t at = (uint32_t)trace_event_ordinal(trace, waits[i].event);
		const uint32_t row = points_first(of, at, &near);
		if (row != POINT_NONE && of->data[row].w > 0)
			of->data[row].wait = (uint32_t)i;
	}
}

static const struct point *point_of(const struct location_points *of,
				    const struct point *const *found, size_t i)
{
	return i < of->n ? &of->data[i] : found[i - of->n];
}

/* The beginning comes first; then, by their events, those that are there and those that were found.
 * Few share one, so their places are sorted, and points move once. */
static void sort_points(struct location_points *of, const struct point *begin,
			const struct point *const *found, size_t n_found)
{
	const size_t n = of->n + n_found;
	uint64_t *keys = xmalloc((n + 1) * sizeof *keys);
	struct point *sorted = xmalloc((n + 1) * sizeof *sorted);

	for (size_t i = 0; i < n; i++)
		keys[i] = (uint64_t)point_of(of, found, i)->at << 32 | i;
	radix_sort(keys, n, 32);
	sorted[0] = *begin;
	for (size_t i = 0; i < n; i++)
		sorted[i + 1] = *point_of(of, found, (uint32_t)keys[i]);
	for (size_t from = 1, to; from <= n; from = to) {
		for (to = from + 1; to <= n && sorted[to].at == sorted[from].at;)
			to++;
		SORT(sorted + from, to - from, compare_points);
	}
	free_all(keys, of->data);
	*of = (struct location_points){ sorted, n + 1, n + 1 };
}

struct point_order {
	const struct analysis *analysis;
	struct points *points;
	struct found_points found;
};

static void order_location(void *context, unsigned worker, size_t location)
{
	const struct point_order *order = context;
	struct location_points *of = &order->points->of[location];
	const struct trace *trace = analysis_trace(order->analysis);
	const size_t first = order->found.first[location];
	struct point begin = { .event = EVENT_NONE,
			       .peer = PEER_NONE,
			       .match = POINT_NONE,
			       .wait = POINT_NONE,
			       .delay = POINT_NONE,
			       .cls = DELAY_NONE };
	struct cursor c;

	(void)worker;
	if (!trace_has_location(trace, (uint32_t)location))
		return;
	if (cursor_first(&c, trace, analysis_base(order->analysis), (uint32_t)location))
		begin.en = cursor_time(&c);
	sort_points(of, &begin, order->found.all + first, order->found.first[location + 1] - first);
	find_waits(order->analysis, order->points, (uint32_t)location);
}

static void put_in_order(struct points *p, struct analysis *a, const struct meet *meet,
			 unsigned jobs)
{
	const struct trace *trace = analysis_trace(a);
	struct point_order order = { .analysis = a, .points = p };
	OWNED struct located_point *far = NULL;
	size_t n_far;

	far = points_far_meet(p, a, meet->of, &n_far);
	order.found = find_all(p, trace, meet->of, far, n_far);
	jobs_run(jobs, p->locations, order_location, &order);
	free_all(order.found.first, order.found.all);
}

struct points *points_finish(struct analysis *a, bool literal, unsigned jobs,
			     const struct progress *progress)
{
	struct points *p = analysis_whole(a, &points_pattern);
	const uint32_t n = trace_location_count(analysis_trace(a));
	struct meet meet = { .analysis = a, .points = p, .literal = literal };

	meet.of = xcalloc((size_t)n + 1, sizeof *meet.of);
	meet.first = trace_first_numbers(analysis_trace(a));
	if (!p->of)
		points_make_room(p, analysis_trace(a));
	if (!p->finished && progress_step(progress, "searching for causes", 0, 4)) {
		jobs_run(jobs, n, meet_all, &meet);
		put_in_order(p, a, &meet, jobs);
		p->far = points_far_match(p, analysis_trace(a));
		p->finished = true;
	}
	for (uint32_t l = 0; l < n; l++)
		vec_fini(&meet.of[l]);
	free_all(meet.of, meet.first);
	return p->finished ? p : NULL;
}
