/* What pairs of clocks, and ways around, show of the room that messages leave. */
#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/fit_level_state.h"
#include "model/trace/store.h"

typedef VEC(struct level_pair) level_pairs;

static uint32_t node_of(const struct clocks *clocks, uint32_t clock)
{
	return trace_location(clocks->trace, clocks->location[clock])->node;
}

static uint32_t window_of(const struct leveling *l, double t)
{
	const double u = ((t - l->middle) / l->half + 1) / 2 * LEVEL_WINDOWS;

	return u <= 0 ? 0 : u >= LEVEL_WINDOWS ? LEVEL_WINDOWS - 1 : (uint32_t)u;
}

/* Adds the messages of a pair in one direction, those before `end`. */
static void add_direction(struct leveling *l, level_pairs *pairs, size_t i, size_t end)
{
	const uint32_t from = share_clock(l->share, l->edges->data[i].from);
	const uint32_t to = share_clock(l->share, l->edges->data[i].to);
	const bool up = from < to;
	struct level_pair pair = { up ? from : to, up ? to : from, .near = false };
	bool any = false;

	if (pair.i - share_begin(l->share) >= l->share->own)
		return;
	pair.near = node_of(l->clocks, pair.i) == node_of(l->clocks, pair.j);
	for (int w = 0; w < LEVEL_WINDOWS; w++)
		pair.up[w] = pair.down[w] = INFINITY;
	for (; i < end; i++) {
		const struct fit_edge *e = &l->edges->data[i];
		double *least = &(up ? pair.up : pair.down)[window_of(l, e->recv)];
		if (!(l->edges->flags[i] & EDGE_TWO_SIDED) || l->edges->flags[i] & EDGE_DROPPED)
			continue;
		const struct term term = model_term(l->model, e, true);
		*least = fmin(*least, term_slack(&term, l->x));
		any = true;
	}
	if (any)
		vec_push(pairs, pair);
}

ORDERING(by_pair, struct level_pair, i, j)

/* The least slack over the run: clocks bend little. */
static void add_hop(struct leveling *l, uint32_t from, uint32_t to,
		    const double slack[LEVEL_WINDOWS])
{
	struct level_hop hop = { from, to, INFINITY };

	for (int w = 0; w < LEVEL_WINDOWS; w++)
		hop.slack = fmin(hop.slack, slack[w]);
	hop.slack = fmax(hop.slack, 0);
	if (!isinf(hop.slack))
		vec_push(&l->hops, hop);
}

/* Gives the first process what each has of its pairs. */
static void deal_pairs(struct leveling *l)
{
	OWNED uint32_t *first = NULL;

	if (!l->share->job)
		return;
	first = xcalloc(l->shapes.n + l->hops.n + 1, sizeof *first);
	exchange_deal_rows(l->share->job, &l->shapes, first);
	exchange_deal_rows(l->share->job, &l->hops, first);
}

/* Of the pairs whose first clock is this process'. */
static void find_pairs(struct leveling *l)
{
	level_pairs pairs = VEC_INIT;

	for (size_t i = 0, end; i < l->edges->n; i = end) {
		end = edges_pair_end(l->edges, i);
		add_direction(l, &pairs, i, end);
	}
	vec_sort(&pairs, by_pair);
	for (size_t i = 0; i < pairs.n; i++) {
		const struct level_pair *p = &pairs.data[i];
		add_hop(l, p->i, p->j, p->up);
		add_hop(l, p->j, p->i, p->down);
	}
	for (size_t i = 0; i + 1 < pairs.n; i++) {
		struct level_pair *a = &pairs.data[i], *b = a + 1;
		struct level_shape shape;
		if (by_pair(a, b) != 0)
			continue;
		for (int w = 0; w < LEVEL_WINDOWS; w++) {
			a->up[w] = fmin(a->up[w], b->up[w]);
			a->down[w] = fmin(a->down[w], b->down[w]);
		}
		shape = level_shape_of(a);
		if (shape.windows >= 2)
			vec_push(&l->shapes, shape);
	}
	vec_fini(&pairs);
	deal_pairs(l);
}

/* When messages go both ways: their errors are those of a line over this time. */
static void find_span(struct leveling *l)
{
	double first = INFINITY, last = -INFINITY;

	for (size_t i = 0; i < l->edges->n; i++) {
		const struct fit_edge *e = &l->edges->data[i];
		if (!(l->edges->flags[i] & EDGE_TWO_SIDED))
			continue;
		first = fmin(first, fmin(e->send, e->recv));
		last = fmax(last, fmax(e->send, e->recv));
	}
	first = exchange_fewest(l->share->job, first);
	last = exchange_most(l->share->job, last);
	if (!(last > first)) {
		first = l->model->first;
		last = first + l->model->step * (l->model->knots - 1);
	}
	l->middle = (first + last) / 2;
	l->half = (last - first) / 2;
}

void leveling_find_pairs(struct leveling *l)
{
	find_span(l);
	find_pairs(l);
}
