/* Lines from messages: a forest over the pairs of clocks, those inside a strongly connected part
 * and the strongest traffic first, and along it one straight line for each clock, in the middle of
 * the room that the pair's messages leave in both directions. The fit then only has to correct
 * that. Roots are the clocks whose offsets place a part. Along a path of very many clocks errors of
 * lines add up: there clocks begin where their offsets put them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/fit_state.h"

/* A pair that exchanges messages, a < b. */
struct component_pair {
	uint32_t a, b;
	uint64_t there, back; /* a -> b, b -> a */
	uint64_t across;      /* 1: between two strongly connected parts */
};

typedef VEC(struct component_pair) pair_vec;

static int by_clocks(const void *left, const void *right)
{
	const struct component_pair *x = left, *y = right;

	ORDER_BY(x->a, y->a);
	return ORDER(x->b, y->b);
}

/* Inside a part, then most in the weaker direction, then most in all, first. */
static int by_strength(const void *left, const void *right)
{
	const struct component_pair *x = left, *y = right;
	const uint64_t weak_x = x->there < x->back ? x->there : x->back;
	const uint64_t weak_y = y->there < y->back ? y->there : y->back;

	ORDER_BY(x->across, y->across);
	ORDER_BY(weak_y, weak_x);
	ORDER_BY(y->there + y->back, x->there + x->back);
	return by_clocks(left, right);
}

/* In the process that has clock a. */
static void find_pairs(const struct fit_edges *edges, const struct fit_share *share,
		       pair_vec *pairs)
{
	size_t kept = 0;

	for (size_t i = 0, end; i < edges->n; i = end) {
		const uint32_t from = share_clock(share, edges->data[i].from);
		const uint32_t to = share_clock(share, edges->data[i].to);
		const bool across = edges->part[from] != edges->part[to], up = from < to;
		uint64_t n = 0;
		end = edges_pair_end(edges, i);
		for (size_t j = i; j < end; j++)
			n += across || !edges->data[j].bound;
		if (n > 0 && (up ? from : to) - share_begin(share) < share->own)
			vec_push(pairs,
				 ((struct component_pair){ up ? from : to, up ? to : from,
							   up ? n : 0, up ? 0 : n, across }));
	}
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
}

static uint32_t root_of(uint32_t *parent, uint32_t clock)
{
	while (parent[clock] != clock) {
		parent[clock] = parent[parent[clock]];
		clock = parent[clock];
	}
	return clock;
}

/* Keeps the pairs that join two trees (Kruskal), in the order of their strength. No pair joins two
 * roots. */
static void keep_tree(pair_vec *pairs, uint32_t clocks, const bool *root)
{
	OWNED uint32_t *parent = xcalloc(clocks + 1, sizeof *parent);
	size_t kept = 0;

	vec_sort(pairs, by_strength);
	for (uint32_t c = 0; c < clocks; c++)
		parent[c] = root[c] ? 0 : c;
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

/* Clocks whose lines are being set: edges of the tree's pairs, by clock. */
struct aligning {
	struct clocks *clocks;
	const struct fit_edges *edges;
	const struct lists *tree;
	const uint32_t *part;
	struct clock_line *was;
	uint32_t *queue;
	bool *done;
	struct line_room room;
};

static void set_line_from(struct aligning *a, uint32_t parent, uint32_t child)
{
	a->room.rate = a->clocks->rate[child];
	a->room.exchanged = a->part[parent] == a->part[child];
	a->room.measured = a->clocks->records[child] > 1;
	line_between(&a->room, a->edges, a->was, a->clocks->line, parent, child);
}

/* The lines of all that the tree leads to from a root. */
static void set_lines_of(struct aligning *a, uint32_t root)
{
	uint32_t n = 0;

	a->done[root] = true;
	a->queue[n++] = root;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = a->queue[i];
		for (uint32_t j = a->tree->start[at]; j < a->tree->start[at + 1]; j++) {
			const uint32_t child = a->tree->list[j];
			if (a->done[child])
				continue;
			if (!clocks_keep_records(a->clocks, child))
				set_line_from(a, at, child);
			clocks_use_measured(a->clocks, child);
			a->done[child] = true;
			a->queue[n++] = child;
		}
	}
}

/* Lines of all clocks, from the roots on; islands without one stay where they are. */
static void set_lines_along(struct clocks *clocks, const struct fit_edges *edges,
			    const uint32_t *part, const struct lists *tree, const bool *root,
			    bool *stays)
{
	struct aligning a = { .clocks = clocks,
			      .edges = edges,
			      .part = part,
			      .tree = tree,
			      .was = xcalloc(clocks->n + 1, sizeof *a.was),
			      .queue = xcalloc(clocks->n + 1, sizeof *a.queue),
			      .done = xcalloc(clocks->n + 1, sizeof *a.done) };

	memcpy(a.was, clocks->line, clocks->n * sizeof *a.was);
	for (uint32_t c = 0; c < clocks->n; c++)
		if (root[c])
			set_lines_of(&a, c);
	for (uint32_t c = 0; c < clocks->n; c++)
		if (!a.done[c]) {
			stays[c] = true;
			set_lines_of(&a, c);
		}
	line_room_fini(&a.room);
	free_all(a.was, a.queue, a.done);
}

uint32_t *align_roots(const struct clocks *clocks, const uint32_t *part)
{
	uint32_t *root = xmalloc((clocks->n + 1u) * sizeof *root);

	for (uint32_t c = 0; c < clocks->n; c++)
		root[c] = UINT32_MAX;
	for (uint32_t c = 0; c < clocks->n; c++) {
		uint32_t *of = &root[part[c]];
		const uint32_t n = clocks->records[c] < 2 ? clocks->records[c] : 2;
		if (*of == UINT32_MAX ||
		    (*of != 0 && n > (clocks->records[*of] < 2 ? clocks->records[*of] : 2)))
			*of = c;
	}
	return root;
}

/* root[c]: its offsets place a part. */
static bool *find_roots(const struct clocks *clocks, const uint32_t *part)
{
	OWNED uint32_t *of = align_roots(clocks, part);
	bool *root = xcalloc(clocks->n + 1u, sizeof *root);

	for (uint32_t c = 0; c < clocks->n; c++)
		root[c] = c == 0 || (of[part[c]] == c && clocks->records[c] > 0);
	return root;
}

/* ---- several processes: the first one makes the tree and the lines ---- */

/* What it makes the tree of, and for. */
struct tree_asked {
	uint32_t clocks;
	pair_vec tree;
	const bool *root;
};

/* Of each pair, whether it is in the tree. */
static void *answer(void *context, const void *rows, size_t n)
{
	struct tree_asked *asked = context;
	OWNED_VEC(struct component_pair) sorted = VEC_INIT;
	const struct component_pair *pairs = rows;
	char *said = xcalloc(n + 1, 1);

	for (size_t i = 0; i < n; i++)
		vec_push(&asked->tree, pairs[i]);
	keep_tree(&asked->tree, asked->clocks, asked->root);
	for (size_t i = 0; i < asked->tree.n; i++)
		vec_push(&sorted, asked->tree.data[i]);
	vec_sort(&sorted, by_clocks);
	for (size_t i = 0; i < n && sorted.n; i++)
		said[i] = bsearch(&pairs[i], sorted.data, sorted.n, sizeof *sorted.data,
				  by_clocks) != NULL;
	return said;
}

/* The edges of this process' pairs of the tree go to the first process. */
static void send_edges(const struct fit_edges *edges, const struct fit_share *share,
		       const pair_vec *pairs, const char *in_tree, struct fit_edges *out)
{
	OWNED uint32_t *to = NULL;

	for (size_t i = 0, end; i < edges->n; i = end) {
		const uint32_t from = share_clock(share, edges->data[i].from);
		const uint32_t other = share_clock(share, edges->data[i].to);
		const struct component_pair key = { from < other ? from : other,
						    from < other ? other : from, 0, 0, 0 };
		size_t at = 0, high = pairs->n;
		end = edges_pair_end(edges, i);
		BISECT(at, high, middle, by_clocks(&pairs->data[middle], &key) < 0);
		if (at == pairs->n || by_clocks(&pairs->data[at], &key) != 0 || !in_tree[at])
			continue;
		for (size_t j = i; j < end; j++)
			vec_push(out, ((struct fit_edge){ edges->data[j].send, edges->data[j].recv,
							  from, other, edges->data[j].bound }));
	}
	to = xcalloc(out->n + 1, sizeof *to);
	exchange_deal_rows(share->job, out, to);
}

/* Edges of the tree's pairs alone: what the first process then has grows with the clocks. */
static void align_together(struct clocks *clocks, const struct fit_edges *edges,
			   const struct fit_share *share, pair_vec *pairs, const bool *root,
			   bool *stays)
{
	struct exchange *x = share->job;
	struct tree_asked asked = { clocks->n, VEC_INIT, root };
	struct fit_edges of_tree = { .clocks = clocks->n };
	OWNED uint32_t *first = NULL;
	OWNED char *in_tree = NULL;
	struct lists tree;

	keep_tree(pairs, clocks->n, root);
	vec_sort(pairs, by_clocks);
	first = xcalloc(pairs->n + 1, sizeof *first);
	in_tree = exchange_ask(x, pairs->data, pairs->n, sizeof *pairs->data, first, answer, &asked,
			       sizeof *in_tree);
	send_edges(edges, share, pairs, in_tree, &of_tree);
	edges_order(&of_tree);
	if (x->process == 0) {
		tree_make(&tree, &asked.tree, clocks->n);
		set_lines_along(clocks, &of_tree, edges->part, &tree, root, stays);
		lists_fini(&tree);
	}
	exchange_from(x, 0, clocks->line, clocks->n * sizeof *clocks->line);
	exchange_from(x, 0, clocks->plain, clocks->n * sizeof *clocks->plain);
	exchange_from(x, 0, stays, clocks->n * sizeof *stays);
	vec_fini(&asked.tree);
	edges_fini(&of_tree);
}

void align_run(struct clocks *clocks, const struct fit_edges *edges, const struct fit_share *share,
	       bool *stays)
{
	OWNED bool *root = find_roots(clocks, edges->part);
	pair_vec pairs = VEC_INIT;
	struct lists tree;

	find_pairs(edges, share, &pairs);
	if (share->job) {
		align_together(clocks, edges, share, &pairs, root, stays);
	} else {
		keep_tree(&pairs, clocks->n, root);
		tree_make(&tree, &pairs, clocks->n);
		set_lines_along(clocks, edges, edges->part, &tree, root, stays);
		lists_fini(&tree);
	}
	vec_fini(&pairs);
}
