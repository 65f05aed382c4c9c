/* The bounds of all clocks: how far they can drift, the parts, offset records, shortest paths. */
#include <math.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/room/room_state.h"

/* What the bounds say of drift is wrong by 20 ppm. */
#define DRIFT_NOISE 2e-5

/* ---- one solution ---- */

struct solution {
	struct room *room;
	const uint32_t *root;
	const bool *used;
	struct room_clock *of;   /* [clocks] drifts, the solution's */
	struct room_span *spans; /* [clocks * ROOM_WINDOWS] */
	struct room_edges *kept; /* gets the edges; NULL: they are not asked for */
};

/* What is known before: what the shown times made of the clocks' rates. */
static struct room_clock prior(const struct solution *s, uint32_t clock)
{
	const uint32_t root = s->root[clock];
	const double mean = s->room->mean[clock] - s->room->mean[root];
	const double bend = root ? 2 * s->room->bend : s->room->bend;

	if (clock == root)
		return (struct room_clock){ .part = root };
	return (struct room_clock){ .part = root,
				    .low = -s->room->drift - mean - bend,
				    .high = s->room->drift - mean + bend };
}

/* Lengths >= 0 that make the same paths the shortest. */
static void lengthen(room_edge_vec *edges, const double *value)
{
	struct path_edge *e;

	vec_each (e, edges)
		e->length = fmax(e->length + value[e->from] - value[e->to], 0);
}

/* Of lengthened edges: shortest paths from each root, backwards for the lower side. */
static void find_side(const struct solution *s, const struct room_graph *graph, const double *value,
		      bool low)
{
	OWNED double *distance = xmalloc((graph->nodes + 1u) * sizeof *distance);
	const uint32_t clocks = s->room->clocks;

	for (uint32_t i = 0; i < graph->nodes; i++)
		distance[i] = INFINITY;
	for (uint32_t c = 0; c < clocks; c++)
		if (s->root[c] == c)
			distance[(size_t)c * ROOM_WINDOWS] = 0;
	shortest_paths(graph->edges.data, graph->edges.n, graph->nodes, low, distance, NULL);
	for (uint32_t c = 0; c < clocks; c++)
		for (uint32_t w = 0; w < ROOM_WINDOWS; w++) {
			struct room_span *span = &s->spans[(size_t)c * ROOM_WINDOWS + w];
			const uint32_t node = room_node(graph, c, w);
			const double moved = value[node] - value[(size_t)s->root[c] * ROOM_WINDOWS];
			if (low)
				span->low = moved - distance[node];
			else
				span->high = moved + distance[node];
		}
}

enum { TRIES = 200, TRIES_BY_WINDOW = 100 };
#define LOOSER 4 /* times, each time */

static void let_move(const struct room *room, size_t node)
{
	room->loose[node] = fmax(LOOSER * room->loose[node], DRIFT_MOST * room->windows.length);
	room->is_loose[node / ROOM_WINDOWS] = true;
}

/* The clocks on a cycle of bounds that contradict each other were set there, or drift more than was
 * thought; which of them is not known, so all may. False: nothing helps. */
static bool loosen(const struct solution *s, const room_node_vec *cycle, bool everywhere)
{
	const uint32_t *node;
	bool any = false;

	vec_each (node, cycle) {
		const uint32_t clock = *node / ROOM_WINDOWS;
		if (clock >= s->room->clocks || s->root[clock] == clock)
			continue;
		any = true;
		for (uint32_t w = 0; w < ROOM_WINDOWS; w++)
			if (everywhere || w == *node % ROOM_WINDOWS)
				let_move(s->room, (size_t)clock * ROOM_WINDOWS + w);
	}
	return any;
}

/* A graph whose bounds can all be true. */
static bool make_graph(const struct solution *s, struct room_graph *graph, double **value)
{
	room_node_vec cycle = VEC_INIT;
	bool ok = false, more = true;

	for (int i = 0; i < TRIES && more && !ok; i++) {
		room_graph_make(graph, s->room);
		*value = xrealloc(*value, (graph->nodes + 1u) * sizeof **value);
		ok = room_potentials(&graph->edges, graph->nodes, *value, &cycle);
		more = ok || loosen(s, &cycle, i >= TRIES_BY_WINDOW);
	}
	vec_fini(&cycle);
	return ok;
}

/* Shortest paths with the drifts. */
static void find_spans(const struct solution *s, struct room_graph *graph)
{
	const size_t n = (size_t)s->room->clocks * ROOM_WINDOWS;
	OWNED double *value = NULL;

	graph->of = s->of;
	graph->root = s->root;
	graph->used = s->used;
	if (make_graph(s, graph, &value)) {
		lengthen(&graph->edges, value);
		if (s->kept)
			room_edges_keep(s->kept, &graph->edges, graph->nodes, value);
		find_side(s, graph, value, false);
		find_side(s, graph, value, true);
		return;
	}
	if (s->kept)
		room_edges_fini(s->kept);
	for (size_t i = 0; i < n; i++)
		s->spans[i] = s->root[i / ROOM_WINDOWS] == i / ROOM_WINDOWS
				      ? (struct room_span){ 0, 0 }
				      : (struct room_span){ -INFINITY, INFINITY };
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
	const size_t n = (size_t)clocks * ROOM_WINDOWS;
	OWNED double *before = xmalloc((n + 1) * sizeof *before);

	memcpy(before, s->room->loose, n * sizeof *before);
	for (uint32_t c = 0; c < clocks; c++) {
		s->of[c] = prior(s, c);
		if (s->root[c] != c) {
			s->of[c].low = fmin(s->of[c].low, -s->room->drift);
			s->of[c].high = fmax(s->of[c].high, s->room->drift);
		}
	}
	find_spans(s, &graph);
	for (uint32_t c = 0; c < clocks; c++) {
		const bool held = s->room->is_set[c] || s->room->is_set[s->root[c]] ||
				  s->room->is_loose[c] || s->root[c] == c;
		s->of[c] = held ? prior(s, c) : narrowed(s, c);
		s->of[c].low = fmin(s->of[c].low, 0);
		s->of[c].high = fmax(s->of[c].high, 0);
	}
	/* The least that contradicts nothing is not all that there was. */
	for (size_t i = 0; i < n; i++)
		if (s->room->loose[i] > before[i])
			let_move(s->room, i);
	find_spans(s, &graph);
	vec_fini(&graph.edges);
}

void room_spans(struct room *room, const uint32_t *root, struct room_clock *of,
		struct room_span *spans)
{
	struct room_graph graph = { .nodes = 0 };

	find_spans(&(struct solution){ room, root, NULL, of, spans, NULL }, &graph);
	vec_fini(&graph.edges);
}

/* ---- all ---- */

ORDERING_OF_NUMBERS(ascending, double)

/* How far beyond what messages allow a record is, in halves of its round trip. */
static double beyond(const struct room *room, const struct room_bounds *bounds,
		     const struct room_measure *r)
{
	const struct room_span *span = &bounds->all[(size_t)r->clock * ROOM_WINDOWS +
						    room_window(&room->windows, r->clock, r->time)];
	const double drift = room_record_half(room, bounds->of, r) - room->trust * r->half;

	return fmax(fmax(span->low - r->error, r->error - span->high) - drift, 0) / r->half;
}

/* Where more than a tenth of the records are farther off than their round trip allows, all may be,
 * and by three times as much. */
enum { RECORDS_TO_JUDGE = 4 };

static void trust_records(struct room *room, const struct room_bounds *bounds)
{
	OWNED double *wrong = xmalloc((room->records.n + 1) * sizeof *wrong);
	size_t n = 0;

	for (size_t i = 0; i < room->records.n; i++)
		if (room->records.data[i].half > 0)
			wrong[n++] = beyond(room, bounds, &room->records.data[i]);
	SORT(wrong, n, ascending);
	if (n >= RECORDS_TO_JUDGE)
		room->trust = fmax(room->trust, 3 * wrong[n - 1 - n / 10]);
}

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

/* Of an even number the larger of the middle ones: no bound is claimed to be tighter than half of
 * them. */
static double median(double *values)
{
	SORT(values, ROOM_WINDOWS, ascending);
	return values[ROOM_WINDOWS / 2];
}

/* The median of each side. */
static struct room_span median_span(const struct room_span *spans)
{
	double low[ROOM_WINDOWS], high[ROOM_WINDOWS];

	for (size_t w = 0; w < ROOM_WINDOWS; w++) {
		low[w] = -spans[w].low;
		high[w] = spans[w].high;
	}
	return (struct room_span){ -median(low), median(high) };
}

static void begin_anew(struct room *room)
{
	memset(room->loose, 0, (size_t)room->clocks * ROOM_WINDOWS * sizeof *room->loose);
	memset(room->is_loose, 0, room->clocks * sizeof *room->is_loose);
}

static void solve_all(struct room *room, struct room_bounds *bounds)
{
	const uint32_t clocks = room->clocks;
	OWNED struct room_clock *drifts = xcalloc(clocks + 1u, sizeof *drifts);
	OWNED uint32_t *part = xcalloc(clocks + 1u, sizeof *part);
	OWNED uint32_t *zero = xcalloc(clocks + 1u, sizeof *zero);
	OWNED bool *used = NULL;
	const double trust = room->trust;
	const struct room_mean *mean;
	struct solution s = { room, part, NULL, bounds->of, bounds->inside, NULL };

	begin_anew(room);
	vec_each (mean, &room->means) {
		room->mean[mean->clock] = mean->mean;
		room->own[mean->clock] = mean->bend;
	}
	room_parts(room, part);
	if (room->watched)
		room_look_at_drift(room, part, drifts, bounds->inside);
	begin_anew(room);
	solve(&s);
	s = (struct solution){ room, zero, NULL, bounds->of, bounds->all, &bounds->edges };
	solve(&s);
	trust_records(room, bounds);
	used = find_used(room, bounds);
	s.used = used;
	if (bounds->records > bounds->dropped)
		solve(&s);
	for (uint32_t c = 0; c < clocks; c++) {
		bounds->of[c].part = part[c];
		bounds->of[c].is_loose = room->is_loose[c];
		bounds->of[c].usual = median_span(&bounds->all[(size_t)c * ROOM_WINDOWS]);
		bounds->of[c].usual_inside = median_span(&bounds->inside[(size_t)c * ROOM_WINDOWS]);
		bounds->of[c].drift = drifts[c].drift;
		if (room->is_loose[c] && drifts[c].drift != DRIFT_EXCEEDED)
			bounds->of[c].drift = DRIFT_DOUBTED;
		bounds->of[c].least = drifts[c].least;
		bounds->of[c].most = drifts[c].most;
	}
	bounds->drift = room->drift;
	memcpy(bounds->loose, room->loose, (size_t)clocks * ROOM_WINDOWS * sizeof *bounds->loose);
	room->trust = trust;
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
	bounds->loose = xcalloc(spans + 1, sizeof *bounds->loose);
	bounds->of = xcalloc(room->clocks + 1u, sizeof *bounds->of);
	if (exchange_process(x) == 0)
		solve_all(room, bounds);
	exchange_from(x, 0, bounds->all, spans * sizeof *bounds->all);
	exchange_from(x, 0, bounds->inside, spans * sizeof *bounds->inside);
	exchange_from(x, 0, bounds->loose, spans * sizeof *bounds->loose);
	room_edges_share(&bounds->edges, x);
	exchange_from(x, 0, bounds->of, room->clocks * sizeof *bounds->of);
	exchange_from(x, 0, &bounds->drift, sizeof bounds->drift);
	exchange_from(x, 0, &bounds->records, sizeof bounds->records);
	exchange_from(x, 0, &bounds->dropped, sizeof bounds->dropped);
}

void room_bounds_fini(struct room_bounds *bounds)
{
	room_edges_fini(&bounds->edges);
	free_all(bounds->windows.sets, bounds->all, bounds->inside, bounds->loose, bounds->of);
	*bounds = (struct room_bounds){ 0 };
}

/* ---- figures of the bounds ---- */

double room_half(const struct room_bounds *bounds, uint32_t clock)
{
	double half[ROOM_WINDOWS];

	for (size_t w = 0; w < ROOM_WINDOWS; w++) {
		const struct room_span *span = &bounds->inside[(size_t)clock * ROOM_WINDOWS + w];
		half[w] = (span->high - span->low) / 2;
	}
	return median(half);
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
