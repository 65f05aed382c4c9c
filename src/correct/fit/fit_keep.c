/* Which edges are kept, and which process has them: each those that touch its clocks. */
#include <math.h>
#include <stdlib.h>

#include "base/components.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/fit_state.h"

/* Of the run, for the thinning: a fraction of the time between two knots, in which no clock goes
 * far. */
enum { INTERVALS = 8 * FIT_KNOTS, INTERVALS_LEAST = 2 * FIT_KNOTS };

void edges_init(struct fit_edges *edges, const struct clocks *clocks, size_t limit)
{
	*edges = (struct fit_edges){
		.limit = limit, .room = limit, .intervals = INTERVALS, .length = clocks->length
	};
	edges->clocks = clocks->n;
	edges->of_clock = xcalloc(clocks->n + 1, sizeof *edges->of_clock);
	edges->begin = xcalloc(clocks->n + 1, sizeof *edges->begin);
	edges->met = xcalloc(clocks->n + 1, sizeof *edges->met);
	for (uint32_t c = 0; c < clocks->n; c++)
		edges->begin[c] = clocks->line[c].offset;
}

void edges_fini(struct fit_edges *edges)
{
	free_all(edges->data, edges->flags, edges->of_clock, edges->begin, edges->met, edges->part);
	*edges = (struct fit_edges){ 0 };
}

ORDERING(by_pair_time, struct fit_edge, from, to, recv, send)

void edges_order(struct fit_edges *edges)
{
	vec_sort(edges, by_pair_time);
}

/* By the receiver's own time: clocks may be days apart. */
static uint32_t interval_of(const struct fit_edges *edges, const struct fit_edge *edge)
{
	const double width = fmax(edges->length / edges->intervals, 1e-3);
	const double u = (edge->recv - edges->begin[edge->to]) / width;

	return u <= 0 ? 0 : u >= edges->intervals ? edges->intervals - 1 : (uint32_t)u;
}

static double latency(const struct fit_edge *edge)
{
	return edge->recv - edge->send;
}

/* Keeps the tightest edge of each pair and interval. */
static void thin(struct fit_edges *edges)
{
	size_t kept = 0;

	edges_order(edges);
	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *edge = &edges->data[i];
		struct fit_edge *last = kept > 0 ? &edges->data[kept - 1] : NULL;
		if (!last || last->from != edge->from || last->to != edge->to ||
		    interval_of(edges, last) != interval_of(edges, edge))
			edges->data[kept++] = *edge;
		else if (latency(edge) < latency(last))
			*last = *edge;
	}
	edges->n = kept;
}

/* Widens the intervals while more than half of the limit is kept; which ones that leaves does not
 * depend on the order in which edges came. */
static void thin_to_limit(struct fit_edges *edges)
{
	thin(edges);
	while (edges->n > edges->limit / 2 && edges->intervals > INTERVALS_LEAST) {
		edges->intervals /= 2;
		thin(edges);
	}
}

void edges_add(struct fit_edges *edges, const struct fit_edge *edge)
{
	if (edges->n >= edges->room) {
		thin_to_limit(edges);
		while (edges->n > edges->room / 2)
			edges->room *= 2;
	}
	vec_push(edges, *edge);
	edges->seen++;
	edges->reversed += edge->recv < edge->send;
	edges->of_clock[edge->from]++;
	edges->of_clock[edge->to]++;
	edges->met[edge->from] = edges->met[edge->to] = true;
}

static void add_edge(void *context, const struct fit_edge *edge)
{
	edges_add(context, edge);
}

/* ---- all processes ---- */

static void share_counts(struct fit_edges *edges, const struct fit_share *share)
{
	const size_t n = edges->clocks;
	OWNED int128 *sums = xmalloc((n + 2) * sizeof *sums);

	for (size_t c = 0; c < n; c++)
		sums[c] = edges->of_clock[c];
	sums[n] = edges->seen;
	sums[n + 1] = edges->reversed;
	exchange_sum(share->job, sums, n + 2);
	edges->of_clock = xrealloc(edges->of_clock, (share->own + 1u) * sizeof *edges->of_clock);
	for (uint32_t c = 0; c < share->own; c++)
		edges->of_clock[c] = (uint64_t)sums[share_begin(share) + c];
	edges->seen = (uint64_t)sums[n];
	edges->reversed = (uint64_t)sums[n + 1];
}

/* Each edge to the process that has its sender's clock. */
static void deal(struct fit_edges *edges, const struct fit_share *share)
{
	OWNED uint32_t *to = xmalloc((edges->n + 1) * sizeof *to);

	for (size_t i = 0; i < edges->n; i++)
		to[i] = share_process(share, edges->data[i].from);
	exchange_deal_rows(share->job, edges, to);
}

/* As thin_to_limit(), by the edges of all processes. */
static void thin_all(struct fit_edges *edges, struct exchange *x)
{
	uint64_t intervals = edges->intervals;

	/* Where one process has too many for its intervals, so have all together. */
	exchange_least(x, &intervals, 1);
	edges->intervals = (uint32_t)intervals;
	thin(edges);
	while (exchange_count(x, edges->n) > edges->limit / 2 &&
	       edges->intervals > INTERVALS_LEAST) {
		edges->intervals /= 2;
		thin(edges);
	}
}

/* ---- components ---- */

struct clock_pair {
	uint32_t from, to;
};

typedef VEC(struct clock_pair) clock_pair_vec;

/* How many messages of a pair, from i on, are not those of MPI_Init and MPI_Finalize. */
static size_t count_exchanged(const struct fit_edges *edges, size_t i, size_t end)
{
	size_t n = 0;

	for (; i < end; i++)
		n += !edges->data[i].bound;
	return n;
}

/* Strongly connected components of the graph of clocks: component[c], ids from 0. edges are sorted.
 * A pair needs JOINED_BY messages to be joined. One process has the pairs of all for that. */
static void find_components(const struct fit_edges *edges, struct exchange *x, uint32_t *component)
{
	clock_pair_vec pairs = VEC_INIT;
	uint32_t *from, *to;

	for (size_t i = 0, end; i < edges->n; i = end) {
		const struct fit_edge *e = &edges->data[i];
		end = edges_pair_end(edges, i);
		if (count_exchanged(edges, i, end) >= JOINED_BY)
			vec_push(&pairs, ((struct clock_pair){ e->from, e->to }));
	}
	if (x) {
		OWNED uint32_t *first = xcalloc(pairs.n + 1, sizeof *first);
		exchange_deal_rows(x, &pairs, first);
	}
	from = xmalloc((pairs.n + 1) * sizeof *from);
	to = xmalloc((pairs.n + 1) * sizeof *to);
	for (size_t i = 0; i < pairs.n; i++) {
		from[i] = pairs.data[i].from;
		to[i] = pairs.data[i].to;
	}
	if (exchange_process(x) == 0)
		components_find(edges->clocks, from, to, pairs.n, component);
	exchange_from(x, 0, component, edges->clocks * sizeof *component);
	free_all(from, to);
	vec_fini(&pairs);
}

/* Predictions reach so far beyond messages, times as long as these last. */
#define REACH 0.1

/* Of edges that are neither of MPI_Init nor of MPI_Finalize, and what they can predict. */
static void find_reach(const struct fit_edges *edges, struct exchange *x, double *from, double *to)
{
	double first = INFINITY, last = -INFINITY;

	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *e = &edges->data[i];
		if (e->bound)
			continue;
		first = fmin(first, fmin(e->send, e->recv));
		last = fmax(last, fmax(e->send, e->recv));
	}
	first = exchange_fewest(x, first);
	last = exchange_most(x, last);
	*from = first - REACH * (last - first);
	*to = last + REACH * (last - first);
}

static void set_flags(struct fit_edges *edges, struct exchange *x)
{
	uint32_t *component = xcalloc(edges->clocks + 1u, sizeof *component);
	const uint64_t before = x ? exchange_before(x, edges->n) : 0;
	double from, to;

	find_reach(edges, x, &from, &to);
	find_components(edges, x, component);
	free_all(edges->flags, edges->part);
	edges->part = component;
	edges->flags = xcalloc(edges->n + 1, 1);
	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *e = &edges->data[i];
		const bool odd = (uint32_t)(before + i) * 2654435761u >> 31;
		const bool far = fmin(e->send, e->recv) < from || fmax(e->send, e->recv) > to;
		edges->flags[i] |= far ? EDGE_ODD | EDGE_EVEN : odd ? EDGE_ODD : EDGE_EVEN;
		if (component[e->from] == component[e->to] && !e->bound)
			edges->flags[i] |= EDGE_TWO_SIDED;
	}
}

/* ---- to both clocks ---- */

struct flagged_edge {
	struct fit_edge edge;
	uint64_t flags;
};

/* What a process gets is in the order that one would have: by process, and those of one process in
 * its order. */
static void send_to_both(struct fit_edges *edges, const struct fit_share *share)
{
	VEC(struct flagged_edge) rows = VEC_INIT;
	OWNED_VEC(uint32_t) to = VEC_INIT;

	for (size_t i = 0; i < edges->n; i++) {
		const struct flagged_edge row = { edges->data[i], edges->flags[i] };
		const uint32_t from = share_process(share, row.edge.from);
		const uint32_t other = share_process(share, row.edge.to);
		vec_push(&rows, row);
		vec_push(&to, from);
		if (from == other)
			continue;
		vec_push(&rows, row);
		vec_push(&to, other);
	}
	exchange_deal_rows(share->job, &rows, to.data);
	edges->n = edges->cap = rows.n;
	edges->data = xrealloc(edges->data, (rows.n + 1) * sizeof *edges->data);
	edges->flags = xrealloc(edges->flags, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++) {
		edges->data[i] = rows.data[i].edge;
		edges->flags[i] = (uint8_t)rows.data[i].flags;
	}
	vec_fini(&rows);
}

ORDERING_OF_NUMBERS(ascending, uint32_t)

/* The other clocks at the ends of edges. */
static void find_guests(const struct fit_edges *edges, struct fit_share *share)
{
	VEC(uint32_t) guests = VEC_INIT;
	size_t kept = 0;

	for (size_t i = 0; i < edges->n; i++) {
		const uint32_t ends[2] = { edges->data[i].from, edges->data[i].to };
		for (int end = 0; end < 2; end++)
			if (ends[end] - share_begin(share) >= share->own &&
			    (guests.n == 0 || *vec_last(&guests) != ends[end]))
				vec_push(&guests, ends[end]);
	}
	vec_sort(&guests, ascending);
	for (size_t i = 0; i < guests.n; i++)
		if (kept == 0 || guests.data[i] != guests.data[kept - 1])
			guests.data[kept++] = guests.data[i];
	share_set_guests(share, guests.data, (uint32_t)kept);
}

void edges_spread(struct fit_edges *edges, struct fit_share *share)
{
	if (share->job)
		send_to_both(edges, share);
	find_guests(edges, share);
	for (size_t i = 0; share->job && i < edges->n; i++) {
		edges->data[i].from = share_slot(share, edges->data[i].from);
		edges->data[i].to = share_slot(share, edges->data[i].to);
	}
}

void edges_settle(struct fit_edges *edges, struct fit_share *share)
{
	struct exchange *x = share->job;

	share_counts(edges, share);
	if (x) {
		if (edges->seen > edges->limit)
			thin_to_limit(edges);
		deal(edges, share);
	}
	if (edges->seen > edges->limit)
		thin_all(edges, x);
	else
		edges_order(edges);
	free(edges->begin);
	edges->begin = NULL;
	edges->kept = exchange_count(x, edges->n);
	set_flags(edges, x);
	edges_spread(edges, share);
}

bool edges_collect(struct fit_edges *edges, struct fit_share *share, struct clocks *clocks,
		   const struct logical *logical, const struct progress *progress)
{
	if (!edges_each(clocks, logical, progress, add_edge, edges))
		return false;
	clocks->large = exchange_any(share->job, clocks->large);
	edges_settle(edges, share);
	return true;
}
