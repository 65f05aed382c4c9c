/* Points of collectives are noted while the groups are evaluated; those of messages are derived
 * from the waits (points_order.c). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "patterns/analysis/calls.h"
#include "patterns/analysis/groups.h"
#include "patterns/causes/points_far.h"

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
	if (g->loose && g->meets != CUBE_NONE)
		return g->meets == CUBE_MPI_COMM_WAIT ? DELAY_CREATION : DELAY_FILE;
	switch (g->cls) {
	case LOGICAL_BARRIER: return DELAY_BARRIER;
	case LOGICAL_N_TO_N:
	case LOGICAL_NEIGHBOURS: return DELAY_N_TO_N;
	case LOGICAL_PREFIX: return DELAY_PREFIX;
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
	const bool late = g->blame < g->n && party == &g->parties[g->blame];
	struct point point;

	if (party->end_event == EVENT_NONE || party->location >= p->locations)
		return;
	const struct call_span call = calls_of(analysis_calls(a), party->end_event);
	point = point_in(analysis_trace(a), party->end_event, &call);
	point.w = g->init || late || party->w < 0 ? 0 : party->w;
	point.used = call.lv - call.en - party->k;
	point.peer = sync->directed && !late ? sync->blame : PEER_SYNC | (uint32_t)(p->syncs.n - 1);
	if (sync->blame != PEER_NONE && !late && !g->init)
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

/* All parties meet. */
static void keep_members(struct points *p, const struct sync_group *g, struct sync *sync)
{
	const size_t first = p->pool.n;

	for (uint32_t i = 0; i < g->n; i++)
		vec_push(&p->pool, g->parties[i].location);
	sync->members = sync->met = points_keep_set(p, first);
}

static void keep_sets(struct points *p, const struct sync_group *g, struct sync *sync)
{
	keep_members(p, g, sync);
	const size_t first = p->pool.n;
	for (uint32_t i = 0; i < g->n; i++)
		if (g->parties[i].sync && !(sync->directed && i == g->blame))
			vec_push(&p->pool, g->parties[i].location);
	sync->met = points_keep_set(p, first);
}

static void add_neighbours(struct points *p, const struct trace *trace, const struct sync_group *g,
			   const uint32_t *list, uint32_t n)
{
	const struct sync_far *far = g->far;

	for (uint32_t i = 0; i < n; i++)
		vec_push(&p->pool,
			 !far ? g->parties[list[i]].location
			 : far->members
				 ? far->members[list[i]]
				 : groups_location(trace, trace_comm(trace, g->comm), list[i]));
}

/* Those that a party receives from, those that receive from it, and itself. On a graph some may be
 * there twice. */
static uint32_t keep_neighbours(struct points *p, const struct trace *trace,
				const struct sync_group *g, const struct sync_party *party)
{
	const size_t first = p->pool.n;
	uint32_t n;
	const uint32_t *list = neighbours_of(g->neighbourhood, party->place, &n);

	vec_push(&p->pool, party->location);
	add_neighbours(p, trace, g, list, n);
	if (g->neighbourhood->first_after) {
		list = neighbours_after(g->neighbourhood, party->place, &n);
		add_neighbours(p, trace, g, list, n);
	}
	return points_keep_set(p, first);
}

/* Each waits for one of its own. All parties meet, or neighbours. */
static void note_single(struct points *p, struct analysis *a, const struct sync_group *g)
{
	const struct trace *trace = analysis_trace(a);
	struct sync sync = { .blame = PEER_NONE };
	const bool neighbours = g->cls == LOGICAL_NEIGHBOURS;

	if (!neighbours && g->far)
		points_far_sets(p, trace, g, &sync);
	else if (!neighbours)
		keep_members(p, g, &sync);
	for (uint32_t i = 0; i < g->n; i++) {
		const struct sync_party *party = &g->parties[i];
		const struct sync_party *blame = party->sync ? &g->parties[party->blame] : NULL;
		if (party->end_event == EVENT_NONE)
			continue;
		if (neighbours)
			sync.members = sync.met = keep_neighbours(p, trace, g, party);
		sync.blame = blame ? blame->location : PEER_NONE;
		vec_push(&p->syncs, sync);
		note_party(p, a, g, party, &sync, blame ? end_place(trace, blame) : POINT_NONE);
	}
}

static void note_group(struct points *p, struct analysis *a, const struct sync_group *g)
{
	struct sync sync = { .blame = PEER_NONE, .directed = sync_is_rooted(g) };
	uint32_t late_at = POINT_NONE;

	if (sync_is_single(g)) {
		note_single(p, a, g);
		return;
	}
	if (sync.directed && g->blame >= g->n)
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

/* A location has a point for each collective that it took part in, and two of the world: there is
 * room for these from the start, as groups come in the order of time, and each adds to many. */
void points_make_room(struct points *p, const struct trace *trace)
{
	OWNED size_t *n = NULL;

	p->locations = trace_location_count(trace);
	p->of = xcalloc((size_t)p->locations + 1, sizeof *p->of);
	n = xcalloc((size_t)p->locations + 1, sizeof *n);
	for (uint32_t i = 0; i < trace_collective_count(trace); i++) {
		const struct collective *c = trace_collective(trace, i);
		for (uint32_t m = 0; m < c->members; m++) {
			const uint32_t end = trace_member(trace, c->first + m)->end;
			if (end != EVENT_NONE)
				n[trace_event_location(trace, end)]++;
		}
	}
	for (uint32_t l = 0; l < p->locations; l++)
		if (n[l] > 0)
			vec_reserve(&p->of[l], n[l] + 2);
}

static void on_notice(struct analysis *a, void *local, const struct notice *notice)
{
	struct points *p = analysis_whole(a, &points_pattern);

	(void)local;
	if (!p->of)
		points_make_room(p, analysis_trace(a));
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

/* ---- queries ---- */

uint32_t points_before(const struct points *p, uint32_t location, uint64_t at)
{
	const struct location_points *of = &p->of[location];
	size_t low = 1, high = of->n;

	BISECT(low, high, middle, of->data[middle].at <= at);
	return (uint32_t)low - 1;
}

uint32_t points_first(const struct location_points *of, uint32_t at, uint32_t *near)
{
	size_t low = 0, high = of->n;

	if (near && *near < of->n)
		/* Widens the range around the last result. */
		for (size_t step = 1, middle = *near;; step *= 2) {
			low = middle > step ? middle - step : 0;
			high = middle + step < of->n ? middle + step : of->n;
			if ((low == 0 || of->data[low].at < at) &&
			    (high == of->n || of->data[high].at >= at))
				break;
		}
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
	return points_first(&p->of[*other], point->match, near ? &near[*other] : NULL);
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

uint32_t points_of_wait(const struct points *p, const struct trace *trace, uint32_t location,
			uint32_t wait, uint32_t event)
{
	const struct location_points *of = &p->of[location];

	for (uint32_t row = points_find(p, trace, event);
	     row < of->n && of->data[row].event == event; row++)
		if (of->data[row].wait == wait)
			return row;
	return POINT_NONE;
}

bool points_meets(const struct points *p, uint32_t location, const struct point *point,
		  uint32_t other)
{
	if (point->peer == PEER_NONE || !(point->peer & PEER_SYNC))
		return point->peer == other;
	(void)location;
	return sync_set_has(p, p->syncs.data[point->peer & ~PEER_SYNC].met, other);
}
