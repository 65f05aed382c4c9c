/* The bounds of all clocks: how far they can drift, the parts, offset records, shortest paths. */
#include <math.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/room/room_state.h"

/* Clocks run within 200 ppm of each other; and what the bounds say of that is wrong by 20. */
#define DRIFT_MOST  2e-4
#define DRIFT_NOISE 2e-5

/* ---- one solution ---- */

struct solution {
	struct room *room;
	const uint32_t *root;
	const bool *used;
	struct room_clock *of;   /* [clocks] drifts, the solution's */
	struct room_span *spans; /* [clocks * ROOM_WINDOWS] */
};

/* What is known before: what the shown times made of the clocks' rates. */
static struct room_clock prior(const struct solution *s, uint32_t clock)
{
	const uint32_t root = s->root[clock];
	const double mean = s->room->mean[clock] - s->room->mean[root];
	const double bend = root ? 2 * s->room->bend : s->room->bend;

	if (clock == root)
		return (struct room_clock){ .part = root };
	return (struct room_clock){ root, -DRIFT_MOST - mean - bend, DRIFT_MOST - mean + bend };
}

/* Shortest paths with the drifts. */
static void find_spans(const struct solution *s, struct room_graph *graph)
{
	const uint32_t clocks = s->room->clocks;
	OWNED double *distance = NULL;

	graph->of = s->of;
	graph->root = s->root;
	graph->used = s->used;
	room_graph_make(graph, s->room);
	distance = xmalloc((graph->nodes + 1u) * sizeof *distance);
	for (int low = 0; low < 2; low++) {
		for (uint32_t i = 0; i < graph->nodes; i++)
			distance[i] = INFINITY;
		for (uint32_t c = 0; c < clocks; c++)
			if (s->root[c] == c)
				distance[(size_t)c * ROOM_WINDOWS] = 0;
		room_paths(&graph->edges, graph->nodes, low, distance);
		for (uint32_t c = 0; c < clocks; c++)
			for (uint32_t w = 0; w < ROOM_WINDOWS; w++) {
				struct room_span *span = &s->spans[(size_t)c * ROOM_WINDOWS + w];
				const double d = distance[room_node(graph, c, w)];
				if (low)
					span->low = -d;
				else
					span->high = d;
			}
	}
}

/* The bounds at the ends of the run say how far the clock can have drifted between them. */
static struct room_clock narrowed(const struct solution *s, uint32_t clock)
{
	static const uint32_t pairs[][2] = {
		{ 0, ROOM_WINDOWS - 1 },
		{ ROOM_WINDOWS / 8, ROOM_WINDOWS - 1 - ROOM_WINDOWS / 8 },
		{ ROOM_WINDOWS / 4, ROOM_WINDOWS - 1 - ROOM_WINDOWS / 4 }
	};
	const struct room *room = s->room;
	const struct room_span *spans = &s->spans[(size_t)clock * ROOM_WINDOWS];
	const double noise = 2 * fmax(DRIFT_NOISE, room->bend / 2);
	struct room_clock of = prior(s, clock);
	double low = -INFINITY, high = INFINITY;

	for (int i = 0; i < 3; i++) {
		const struct room_span *a = &spans[pairs[i][0]], *b = &spans[pairs[i][1]];
		const double time = (pairs[i][1] - pairs[i][0]) * room->windows.length;
		if (isinf(a->low) || isinf(a->high) || isinf(b->low) || isinf(b->high) ||
		    !(time > 0))
			continue;
		low = fmax(low, (b->low - a->high) / time - noise);
		high = fmin(high, (b->high - a->low) / time + noise);
	}
	if (fmax(low, of.low) <= fmin(high, of.high)) {
		of.low = fmax(low, of.low);
		of.high = fmin(high, of.high);
	} else if (low <= high) {
		of.low = low;
		of.high = high;
	}
	return of;
}

/* Twice: with what drift there may be at most, then with what the bounds leave of it. */
static void solve(const struct solution *s)
{
	struct room_graph graph = { .nodes = 0 };
	const uint32_t clocks = s->room->clocks;

	for (uint32_t c = 0; c < clocks; c++) {
		s->of[c] = prior(s, c);
		if (s->root[c] != c) {
			s->of[c].low = fmin(s->of[c].low, -DRIFT_MOST);
			s->of[c].high = fmax(s->of[c].high, DRIFT_MOST);
		}
	}
	find_spans(s, &graph);
	for (uint32_t c = 0; c < clocks; c++) {
		const bool set = s->room->is_set[c] || s->room->is_set[s->root[c]];
		s->of[c] = set || s->root[c] == c ? prior(s, c) : narrowed(s, c);
		s->of[c].low = fmin(s->of[c].low, 0);
		s->of[c].high = fmax(s->of[c].high, 0);
	}
	find_spans(s, &graph);
	vec_fini(&graph.edges);
}

/* ---- all ---- */

/* A record that messages exclude is not used. */
static bool *find_used(const struct room *room, struct room_bounds *bounds)
{
	bool *used = xcalloc(room->records.n + 1, sizeof *used);

	for (size_t i = 0; i < room->records.n; i++) {
		const struct room_measure *r = &room->records.data[i];
		const double half = room_record_half(room, bounds->of, r);
		const struct room_span *span =
			&bounds->all[(size_t)r->clock * ROOM_WINDOWS +
				     room_window(&room->windows, r->clock, r->time)];
		used[i] = r->error - half <= span->high && r->error + half >= span->low;
		bounds->dropped += !used[i];
	}
	bounds->records = room->records.n;
	return used;
}

static void solve_all(struct room *room, struct room_bounds *bounds)
{
	const uint32_t clocks = room->clocks;
	OWNED uint32_t *part = xcalloc(clocks + 1u, sizeof *part);
	OWNED uint32_t *zero = xcalloc(clocks + 1u, sizeof *zero);
	OWNED bool *used = NULL;
	const struct room_mean *mean;
	struct solution s = { room, part, NULL, bounds->of, bounds->inside };

	vec_each (mean, &room->means)
		room->mean[mean->clock] = mean->mean;
	room_parts(room, part);
	solve(&s);
	s = (struct solution){ room, zero, NULL, bounds->of, bounds->all };
	solve(&s);
	used = find_used(room, bounds);
	s.used = used;
	if (bounds->records > bounds->dropped)
		solve(&s);
	for (uint32_t c = 0; c < clocks; c++)
		bounds->of[c].part = part[c];
}

void room_solve(struct room *room, struct exchange *x, struct room_bounds *bounds)
{
	const size_t spans = (size_t)room->clocks * ROOM_WINDOWS;

	*bounds = (struct room_bounds){ .clocks = room->clocks,
					.windows = room->windows,
					.reversed = room->reversed };
	bounds->windows.sets = xmalloc((room->windows.n + 1) * sizeof *bounds->windows.sets);
	if (room->windows.n)
		memcpy(bounds->windows.sets, room->windows.sets,
		       room->windows.n * sizeof *bounds->windows.sets);
	bounds->all = xcalloc(spans + 1, sizeof *bounds->all);
	bounds->inside = xcalloc(spans + 1, sizeof *bounds->inside);
	bounds->of = xcalloc(room->clocks + 1u, sizeof *bounds->of);
	if (exchange_process(x) == 0)
		solve_all(room, bounds);
	exchange_from(x, 0, bounds->all, spans * sizeof *bounds->all);
	exchange_from(x, 0, bounds->inside, spans * sizeof *bounds->inside);
	exchange_from(x, 0, bounds->of, room->clocks * sizeof *bounds->of);
	exchange_from(x, 0, &bounds->records, sizeof bounds->records);
	exchange_from(x, 0, &bounds->dropped, sizeof bounds->dropped);
}

void room_bounds_fini(struct room_bounds *bounds)
{
	free_all(bounds->windows.sets, bounds->all, bounds->inside, bounds->of);
	*bounds = (struct room_bounds){ 0 };
}

/* ---- figures of the bounds ---- */

ORDERING_OF_NUMBERS(ascending, double)

/* Of an even number the larger of the middle ones: no bound is claimed to be tighter than half of
 * them. */
static double median(double *values)
{
	SORT(values, ROOM_WINDOWS, ascending);
	return values[ROOM_WINDOWS / 2];
}

double room_half(const struct room_bounds *bounds, uint32_t clock)
{
	double half[ROOM_WINDOWS];

	for (size_t w = 0; w < ROOM_WINDOWS; w++) {
		const struct room_span *span = &bounds->inside[(size_t)clock * ROOM_WINDOWS + w];
		half[w] = (span->high - span->low) / 2;
	}
	return median(half);
}

struct room_span room_median(const struct room_span *spans)
{
	double low[ROOM_WINDOWS], high[ROOM_WINDOWS];

	for (size_t w = 0; w < ROOM_WINDOWS; w++) {
		low[w] = -spans[w].low;
		high[w] = spans[w].high;
	}
	return (struct room_span){ -median(low), median(high) };
}

struct room_span room_worst(const struct room_span *spans)
{
	struct room_span worst = { 0, 0 };

	for (size_t w = 0; w < ROOM_WINDOWS; w++) {
		worst.low = fmin(worst.low, spans[w].low);
		worst.high = fmax(worst.high, spans[w].high);
	}
	return worst;
}
