/* Clocks of which no offsets were measured: a tree over the pairs of clocks, the strongest traffic
 * first, and along it one straight line for each clock, in the middle of the room that the pair's
 * messages leave in both directions. The fit then only has to correct that. */
#include <math.h>
#include <stdlib.h>

#include "base/lists.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/fit_state.h"

/* A pair that exchanges messages, a < b. */
struct component_pair {
	uint32_t a, b;
	uint64_t there, back; /* a -> b, b -> a */
};

typedef VEC(struct component_pair) pair_vec;

static int by_clocks(const void *left, const void *right)
{
	const struct component_pair *x = left, *y = right;

	ORDER_BY(x->a, y->a);
	return ORDER(x->b, y->b);
}

/* Most in the weaker direction, then most in all, first. */
static int by_strength(const void *left, const void *right)
{
	const struct component_pair *x = left, *y = right;
	const uint64_t weak_x = x->there < x->back ? x->there : x->back;
	const uint64_t weak_y = y->there < y->back ? y->there : y->back;

	ORDER_BY(weak_y, weak_x);
	ORDER_BY(y->there + y->back, x->there + x->back);
	return by_clocks(left, right);
}

static void find_pairs(const struct fit_edges *edges, pair_vec *pairs)
{
	size_t kept = 0;

	for (size_t i = 0, end; i < edges->n; i = end) {
		const uint32_t from = edges->data[i].from, to = edges->data[i].to;
		end = edges_pair_end(edges, i);
		vec_push(pairs, ((struct component_pair){
					from < to ? from : to, from < to ? to : from,
					from < to ? end - i : 0, from < to ? 0 : end - i }));
	}
	if (pairs->n == 0)
		return;
	vec_sort(pairs, by_clocks);
	for (size_t i = 0; i < pairs->n; i++) {
		if (kept > 0 && by_clocks(&pairs->data[kept - 1], &pairs->data[i]) == 0) {
			pairs->data[kept - 1].there += pairs->data[i].there;
			pairs->data[kept - 1].back += pairs->data[i].back;
		} else {
			pairs->data[kept++] = pairs->data[i];
		}
	}
	pairs->n = kept;
	vec_sort(pairs, by_strength);
}

static uint32_t root_of(uint32_t *parent, uint32_t clock)
{
	while (parent[clock] != clock) {
		parent[clock] = parent[parent[clock]];
		clock = parent[clock];
	}
	return clock;
}

/* Keeps the pairs that join two trees (Kruskal). */
static void keep_tree(pair_vec *pairs, uint32_t clocks)
{
	OWNED uint32_t *parent = xcalloc(clocks + 1, sizeof *parent);
	size_t kept = 0;

	for (uint32_t c = 0; c < clocks; c++)
		parent[c] = c;
	for (size_t i = 0; i < pairs->n; i++) {
		const uint32_t a = root_of(parent, pairs->data[i].a);
		const uint32_t b = root_of(parent, pairs->data[i].b);
		if (a == b)
			continue;
		parent[a > b ? a : b] = a < b ? a : b;
		pairs->data[kept++] = pairs->data[i];
	}
	pairs->n = kept;
}

/* ---- a pair's line ---- */

/* One message's bound: offset + drift * local is above (or below) it. */
struct component_bound {
	double local, bound;
};

typedef VEC(struct component_bound) bound_vec;

struct component_room {
	bound_vec low, high;
	double middle; /* mean of local */
};

/* Rates differ by some ten ppm. If few messages leave the line free to turn, each turn must pay
 * this price. */
#define DRIFT_MOST  1e-2
#define DRIFT_USUAL 1e-4
#define DRIFT_PRICE 5e3 /* ns, of DRIFT_USUAL */

/* Highest lower, and lowest upper bound of the offset at a drift. */
static void room_at(const struct component_room *room, double drift, double *low, double *high)
{
	*low = -INFINITY;
	*high = INFINITY;
	for (size_t i = 0; i < room->low.n; i++)
		*low = fmax(*low, room->low.data[i].bound - drift * room->low.data[i].local);
	for (size_t i = 0; i < room->high.n; i++)
		*high = fmin(*high, room->high.data[i].bound - drift * room->high.data[i].local);
}

/* The value to maximise: the room between the bounds; with bounds from one side only, how near the
 * line is to all of them. */
static double worth(const struct component_room *room, double drift)
{
	const double unusual = drift / DRIFT_USUAL;
	double low, high;

	room_at(room, drift, &low, &high);
	if (room->high.n == 0)
		high = -drift * room->middle;
	else if (room->low.n == 0)
		low = -drift * room->middle;
	return high - low - DRIFT_PRICE * unusual * unusual;
}

/* The drift with the largest worth, which is concave in it. */
static double best_drift(const struct component_room *room)
{
	const double golden = (sqrt(5) - 1) / 2;
	double a = -DRIFT_MOST, b = DRIFT_MOST;
	double c = b - golden * (b - a), d = a + golden * (b - a);
	double at_c = worth(room, c), at_d = worth(room, d);

	for (int i = 0; i < 60; i++) {
		if (at_c >= at_d) {
			b = d;
			d = c;
			at_d = at_c;
			c = b - golden * (b - a);
			at_c = worth(room, c);
		} else {
			a = c;
			c = d;
			at_c = at_d;
			d = a + golden * (b - a);
			at_d = worth(room, d);
		}
	}
	return (a + b) / 2;
}

/* The first of the sorted edges from one clock to another. */
static size_t first_edge(const struct fit_edges *edges, uint32_t from, uint32_t to)
{
	size_t low = 0, high = edges->n;

	BISECT(low, high, middle,
	       edges->data[middle].from < from ||
		       (edges->data[middle].from == from && edges->data[middle].to < to));
	return low;
}

/* A time as the edges have it, on the clock's new line. */
static double moved(const struct clock_line *was, const struct clock_line *is, double t)
{
	return is->offset + (1 + is->drift) * (t - was->offset);
}

/* Bounds of `child` from the messages with a clock that has its line. */
static void find_room(struct component_room *room, const struct fit_edges *edges,
		      const struct clock_line *was, const struct clock_line *is, uint32_t parent,
		      uint32_t child)
{
	double sum = 0;

	room->low.n = room->high.n = 0;
	for (size_t i = first_edge(edges, parent, child);
	     i < edges->n && edges->data[i].from == parent && edges->data[i].to == child; i++) {
		const double local = edges->data[i].recv - was[child].offset;
		const double t = moved(&was[parent], &is[parent], edges->data[i].send);
		vec_push(&room->low, ((struct component_bound){ local, t - local }));
		sum += local;
	}
	for (size_t i = first_edge(edges, child, parent);
	     i < edges->n && edges->data[i].from == child && edges->data[i].to == parent; i++) {
		const double local = edges->data[i].send - was[child].offset;
		const double t = moved(&was[parent], &is[parent], edges->data[i].recv);
		vec_push(&room->high, ((struct component_bound){ local, t - local }));
		sum += local;
	}
	room->middle = sum / (double)(room->low.n + room->high.n);
}

static void set_line(struct clock_line *line, const struct component_room *room)
{
	double low, high;

	line->drift = best_drift(room);
	room_at(room, line->drift, &low, &high);
	line->offset = room->high.n == 0 ? low : room->low.n == 0 ? high : low + (high - low) / 2;
}

/* ---- the tree ---- */

static void tree_make(struct lists *tree, const pair_vec *pairs, uint32_t clocks)
{
	OWNED uint32_t *ends = xmalloc((2 * pairs->n + 1) * sizeof *ends);

	for (size_t i = 0; i < pairs->n; i++) {
		ends[2 * i] = pairs->data[i].a;
		ends[2 * i + 1] = pairs->data[i].b;
	}
	lists_of_neighbours(tree, clocks, ends, (uint32_t)pairs->n);
}

void align_run(struct clocks *clocks, const struct fit_edges *edges, bool *fixed)
{
	pair_vec pairs = VEC_INIT;
	struct clock_line *was = xcalloc(clocks->n + 1, sizeof *was);
	uint32_t *queue = xcalloc(clocks->n + 1, sizeof *queue);
	bool *done = xcalloc(clocks->n + 1, sizeof *done);
	struct component_room room = { .low = VEC_INIT, .high = VEC_INIT };
	struct lists tree;

	find_pairs(edges, &pairs);
	keep_tree(&pairs, clocks->n);
	tree_make(&tree, &pairs, clocks->n);
	for (uint32_t c = 0; c < clocks->n; c++)
		was[c] = clocks->line[c];
	for (uint32_t root = 0; root < clocks->n; root++) {
		uint32_t n = 0;
		if (done[root])
			continue;
		fixed[root] = done[root] = true;
		queue[n++] = root;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = tree.start[queue[i]]; j < tree.start[queue[i] + 1]; j++) {
				const uint32_t child = tree.list[j];
				if (done[child])
					continue;
				find_room(&room, edges, was, clocks->line, queue[i], child);
				set_line(&clocks->line[child], &room);
				done[child] = true;
				queue[n++] = child;
			}
	}
	vec_fini(&room.low);
	vec_fini(&room.high);
	vec_fini(&pairs);
	lists_fini(&tree);
	free_all(was, queue, done);
}
