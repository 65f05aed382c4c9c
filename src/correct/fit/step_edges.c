/* The messages in which steps are looked for. */
#include <math.h>

#include "base/keymap.h"
#include "base/order.h"
#include "correct/fit/step_state.h"

/* From this many on they are thinned: of each pair, direction and interval of the run the tightest
 * one. */
enum { EDGES_MOST = 1 << 18, INTERVALS = 1024, INTERVALS_LEAST = 128 };

struct step_edges {
	step_edge_vec edges;
	const struct clocks *clocks;
	struct keymap cells; /* number of the edge of a pair, direction and interval */
	uint32_t intervals;
	bool thin;
	size_t most; /* at which to thin */
	uint64_t seen;
};

static uint32_t interval_of(const struct step_edges *e, const struct fit_edge *edge)
{
	const struct clocks *clocks = e->clocks;
	const double width = fmax(clocks->length / e->intervals, 1e-3);
	const double u = (edge->recv - clocks->line[edge->to].offset) / width;

	return u <= 0 ? 0 : u >= e->intervals ? e->intervals - 1 : (uint32_t)u;
}

/* Ties are decided by time, so that their order does not matter. */
static bool is_tighter(const struct fit_edge *a, const struct fit_edge *b)
{
	const double x = a->recv - a->send, y = b->recv - b->send;

	return x < y || (x == y && a->recv < b->recv);
}

static void put(struct step_edges *e, const struct fit_edge *edge)
{
	uint32_t row;

	if (keymap_new(&e->cells, KEY_OF(edge->from, edge->to, interval_of(e, edge)), e->edges.n,
		       &row))
		vec_push(&e->edges, *edge);
	else if (is_tighter(edge, &e->edges.data[row]))
		e->edges.data[row] = *edge;
}

static void thin(struct step_edges *e)
{
	const size_t n = e->edges.n;

	e->thin = true;
	e->edges.n = 0;
	keymap_fini(&e->cells);
	for (size_t i = 0; i < n; i++) {
		const struct fit_edge edge = e->edges.data[i];
		put(e, &edge);
	}
}

/* Which edges are left in the end does not depend on the order in which they came: intervals are
 * halved only where the end does it as well. */
static void add(void *context, const struct fit_edge *edge)
{
	struct step_edges *e = context;

	e->seen++;
	if (e->thin)
		put(e, edge);
	else
		vec_push(&e->edges, *edge);
	if (e->edges.n < e->most)
		return;
	if (e->thin && e->intervals > INTERVALS_LEAST)
		e->intervals /= 2;
	else if (e->thin)
		e->most *= 2;
	thin(e);
}

static int by_pair(const void *a, const void *b)
{
	const struct fit_edge *x = a, *y = b;
	const uint32_t xi = x->from < x->to ? x->from : x->to, xj = x->from ^ x->to ^ xi;
	const uint32_t yi = y->from < y->to ? y->from : y->to, yj = y->from ^ y->to ^ yi;

	ORDER_BY(xi, yi);
	ORDER_BY(xj, yj);
	ORDER_BY(x->from == xi ? x->send : x->recv, y->from == yi ? y->send : y->recv);
	ORDER_BY(x->from, y->from);
	ORDER_BY(x->send, y->send);
	return ORDER(x->recv, y->recv);
}

/* Each pair to one process. */
static void deal(struct step_edges *e, struct exchange *x)
{
	OWNED_VEC(uint32_t) to = VEC_INIT;
	const struct fit_edge *edge;
	uint64_t intervals = e->intervals;

	if (!x)
		return;
	vec_each (edge, &e->edges) {
		const uint32_t i = edge->from < edge->to ? edge->from : edge->to;
		vec_push(&to,
			 key_share(KEY_OF(i, edge->from ^ edge->to ^ i), exchange_processes(x)));
	}
	exchange_deal_rows(x, &e->edges, to.data);
	exchange_least(x, &intervals, 1);
	e->intervals = (uint32_t)intervals;
}

static void settle(struct step_edges *e, struct exchange *x)
{
	deal(e, x);
	if (exchange_count(x, e->seen) > EDGES_MOST) {
		thin(e);
		while (exchange_count(x, e->edges.n) > EDGES_MOST / 2 &&
		       e->intervals > INTERVALS_LEAST) {
			e->intervals /= 2;
			thin(e);
		}
	}
	vec_sort(&e->edges, by_pair);
}

bool step_edges_collect(step_edge_vec *edges, struct clocks *clocks, const struct logical *logical,
			const struct progress *progress)
{
	struct step_edges e = { .clocks = clocks, .intervals = INTERVALS, .most = EDGES_MOST };
	const bool ok = edges_each(clocks, logical, progress, add, &e);

	if (ok)
		settle(&e, trace_exchange(clocks->trace));
	keymap_fini(&e.cells);
	*edges = e.edges;
	return ok;
}
