/* The graph of a solution: bounds between clocks at windows. */
#include <math.h>

#include "base/mem.h"
#include "correct/room/room_state.h"

/* A message takes time, in which a root other than the reference drifts. */
#define ROOT_DRIFT 1e-3

struct making {
	struct room_graph *graph;
	const struct room *room;
	uint32_t spare; /* the next node after those of clocks */
};

static bool is_root(const struct room_graph *graph, uint32_t clock)
{
	return graph->root[clock] == clock;
}

static double drift(const struct room_graph *graph, uint32_t clock)
{
	const struct room_clock *of = &graph->of[clock];

	return is_root(graph, clock) ? 0 : fmax(fabs(of->low), fabs(of->high));
}

/* x_to <= x_from + length. */
static void bound(const struct making *m, uint32_t from, uint32_t to, double length)
{
	if (from != to)
		vec_push(&m->graph->edges, ((struct path_edge){ from, to, length }));
}

/* How far a clock may be in a window from its middle, and what a root drifts meanwhile. */
static double margin(const struct making *m, uint32_t clock, uint32_t window, double slack)
{
	return m->room->windows.length / 2 * drift(m->graph, clock) +
	       m->room->loose[(size_t)clock * ROOM_WINDOWS + window] +
	       (m->graph->root[clock] ? ROOT_DRIFT * fabs(slack) : 0);
}

/* What clocks may drift outside of the windows. */
static double drift_outside(const struct making *m, uint32_t clock, double time)
{
	return time > 0 ? fmax(drift(m->graph, clock), DRIFT_OUTSIDE) * time : 0;
}

static void add_rows(const struct making *m)
{
	const struct room_graph *graph = m->graph;
	const struct room_row *row;

	vec_each (row, &m->room->rows)
		if (graph->root[row->from] == graph->root[row->to])
			bound(m, room_node(graph, row->to, row->received),
			      room_node(graph, row->from, row->sent),
			      row->slack + m->room->grain +
				      margin(m, row->from, row->sent, row->slack) +
				      margin(m, row->to, row->received, 0) +
				      drift_outside(m, row->from, row->outside) +
				      drift_outside(m, row->to, row->outside));
}

/* ---- carry ---- */

/* What steps add to the drift between a window and the next one, of each clock. A step of a root is
 * one of all clocks against it. */
static double *find_jumps(const struct making *m)
{
	const struct room_windows *windows = &m->room->windows;
	const struct room_graph *graph = m->graph;
	double *jumps = xcalloc((size_t)m->room->clocks * ROOM_WINDOWS + 1, sizeof *jumps);

	for (size_t i = 0; i < windows->n; i++) {
		const struct room_set *set = &windows->sets[i];
		const bool root = is_root(graph, set->clock);
		const uint32_t first = root ? 0 : set->clock;
		const uint32_t end = root ? m->room->clocks : first + 1;
		for (uint32_t c = first; c < end; c++)
			if (c == set->clock || graph->root[c] == set->clock)
				jumps[(size_t)c * ROOM_WINDOWS + set->window - 1] += set->spread;
	}
	return jumps;
}

static void add_carry(const struct making *m)
{
	const double window = m->room->windows.length;
	OWNED double *jumps = find_jumps(m);

	for (uint32_t c = 0; c < m->room->clocks; c++) {
		const struct room_clock *of = &m->graph->of[c];
		for (uint32_t w = 0; w + 1 < ROOM_WINDOWS && !is_root(m->graph, c); w++) {
			const uint32_t node = room_node(m->graph, c, w);
			const double jump = jumps[(size_t)c * ROOM_WINDOWS + w];
			const double loose = jump + m->room->loose[(size_t)c * ROOM_WINDOWS + w] +
					     m->room->loose[(size_t)c * ROOM_WINDOWS + w + 1];
			bound(m, node, node + 1, fmax(of->high, 0) * window + loose);
			bound(m, node + 1, node, fmax(-of->low, 0) * window + loose);
		}
	}
}

/* ---- large collectives ---- */

/* The latest begin so far is a node: its clock's error then. */
static void from_begin(const struct making *m, const struct room_party *party, uint32_t node,
		       double last)
{
	const struct room_windows *windows = &m->room->windows;
	const double slack = last - party->begin;
	uint32_t w;

	if (isnan(party->begin))
		return;
	w = room_window(windows, party->clock, party->begin);
	bound(m, node, room_node(m->graph, party->clock, w),
	      slack + margin(m, party->clock, w, slack) +
		      drift_outside(m, party->clock, room_outside(windows, party->begin)));
}

static void to_end(const struct making *m, const struct room_party *party, uint32_t node,
		   double last)
{
	const struct room_windows *windows = &m->room->windows;
	const double slack = party->end - last;
	uint32_t w;

	if (isnan(party->end) || isinf(last))
		return;
	w = room_window(windows, party->clock, party->end);
	bound(m, room_node(m->graph, party->clock, w), node,
	      slack + m->room->grain + margin(m, party->clock, w, slack) +
		      drift_outside(m, party->clock, room_outside(windows, party->end)));
}

static void add_hub(struct making *m, const struct room_party *parties, uint32_t n)
{
	const uint32_t root = m->graph->root[parties[0].clock];
	const uint32_t node = m->spare++;
	double last = -INFINITY;

	for (uint32_t i = 0; i < n; i++)
		last = fmax(last, parties[i].begin);
	for (uint32_t i = 0; i < n; i++) {
		if (m->graph->root[parties[i].clock] != root)
			continue;
		from_begin(m, &parties[i], node, last);
		to_end(m, &parties[i], node, last);
	}
}

static void add_chain(struct making *m, const struct room_party *parties, uint32_t n)
{
	const uint32_t root = m->graph->root[parties[0].clock];
	double last = -INFINITY;

	for (uint32_t i = 0; i < n; i++) {
		const bool same = m->graph->root[parties[i].clock] == root;
		const double before = last;
		if (same && i > 0)
			to_end(m, &parties[i], m->spare - 1, before);
		if (same)
			last = fmax(last, parties[i].begin);
		if (same)
			from_begin(m, &parties[i], m->spare, last);
		if (i > 0 && !isinf(before))
			bound(m, m->spare, m->spare - 1, last - before);
		m->spare++;
	}
}

static uint32_t hub_nodes(const struct room *room)
{
	const struct room_bucket *bucket;
	uint32_t nodes = 0;

	vec_each (bucket, &room->buckets)
		nodes += bucket->kept * (bucket->kind == ROOM_PREFIX ? bucket->n : 1);
	return nodes;
}

static void add_groups(struct making *m)
{
	const struct room_bucket *bucket;

	vec_each (bucket, &m->room->buckets)
		for (uint32_t i = 0; i < bucket->kept; i++)
			(bucket->kind == ROOM_PREFIX ? add_chain : add_hub)(m, bucket->parties[i],
									    bucket->n);
}

/* ---- offset records ---- */

/* One that excludes 0 says no more than 0: records may be wrong, messages may not. */
static void add_records(const struct making *m)
{
	const struct room *room = m->room;

	for (size_t i = 0; m->graph->used && i < room->records.n; i++) {
		const struct room_measure *r = &room->records.data[i];
		const uint32_t node = room_node(m->graph, r->clock,
						room_window(&room->windows, r->clock, r->time));
		const double half = room_record_half(room, m->graph->of, r);
		if (!m->graph->used[i])
			continue;
		bound(m, 0, node, fmax(r->error + half, 0));
		bound(m, node, 0, fmax(half - r->error, 0));
	}
}

double room_record_half(const struct room *room, const struct room_clock *of,
			const struct room_measure *record)
{
	return room->trust * record->half +
	       (room_outside(&room->windows, record->time) + room->windows.length) *
		       fmax(of[record->clock].high, -of[record->clock].low);
}

void room_graph_make(struct room_graph *graph, const struct room *room)
{
	struct making m = { graph, room, room->clocks * ROOM_WINDOWS };

	graph->edges.n = 0;
	graph->nodes = m.spare + hub_nodes(room);
	add_rows(&m);
	add_carry(&m);
	add_groups(&m);
	add_records(&m);
}
