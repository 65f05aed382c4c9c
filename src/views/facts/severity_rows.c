#include "views/facts/severity_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/fixed.h"
#include "base/mem.h"
#include "base/radix.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"

/* Lists the children of each parent, later ones first, so that the walk needs no recursion. */
uint32_t *callpath_tree(const struct trace *trace, uint32_t *n)
{
	const uint32_t all = trace_callpath_count(trace);
	uint32_t *child = xcalloc(all, sizeof *child), *sibling = xcalloc(all, sizeof *sibling);
	uint32_t *tree = xcalloc(all, sizeof *tree);
	OWNED_VEC(uint32_t) open = VEC_INIT;

	for (uint32_t p = 1; p < all; p++) {
		const struct callpath *path = trace_callpath(trace, p);
		const uint32_t parent = trace_callpath(trace, path->parent)->canon;
		if (path->canon != p)
			continue;
		sibling[p] = child[parent];
		child[parent] = p;
	}
	*n = 0;
	vec_push(&open, 0);
	while (open.n) {
		const uint32_t p = open.data[--open.n];
		tree[(*n)++] = p;
		/* The list begins with the last sibling, which goes to the bottom of the stack. */
		for (uint32_t c = child[p]; c; c = sibling[c])
			vec_push(&open, c);
	}
	free_all(child, sibling);
	return tree;
}

static uint32_t *places(const struct trace *trace, const uint32_t *tree, uint32_t n)
{
	uint32_t *place = xcalloc(trace_callpath_count(trace), sizeof *place);

	for (uint32_t i = 0; i < n; i++)
		place[tree[i]] = i;
	return place;
}

/* Threads share the seat of their rank's first location. */
static uint32_t *seats(const struct query *query)
{
	const uint32_t n = query_location_count(query);
	uint32_t *seat = xcalloc(trace_location_count(query->trace), sizeof *seat);
	OWNED uint32_t *by_rank = query_by_rank(query);

	for (uint32_t i = 0, end; i < n; i = end) {
		end = query_rank_end(query, by_rank, i);
		for (uint32_t k = i; k < end; k++)
			seat[by_rank[k]] = by_rank[i];
	}
	return seat;
}

/* The window is the same in the compensated base and in its bounds. */
static bool add_bounds(struct severity_rows *s, struct err *err)
{
	static const enum time_base bases[2] = { BASE_LOWER, BASE_UPPER };
	const struct query *q = s->query;

	if (q->base != BASE_COMPENSATED || !trace_has_base(q->trace, BASE_LOWER) ||
	    !trace_has_base(q->trace, BASE_UPPER))
		return true;
	for (int i = 0; i < 2; i++) {
		if (!trace_base_make(q->trace, bases[i], q->progress, err))
			return false;
		s->cubes[1 + i] =
			analyses_cube(q->analyses, bases[i], q->t0, q->t1, q->progress, err);
		if (!s->cubes[1 + i])
			return false;
	}
	return true;
}

bool severity_rows_init(struct severity_rows *s, const struct query *query, enum severity_by by,
			struct err *err)
{
	*s = (struct severity_rows){ .query = query, .by = by };
	if (!query->analyses)
		return true;
	s->cubes[0] = analyses_cube(query->analyses, query->base, query->t0, query->t1,
				    query->progress, err);
	if (!s->cubes[0] || !add_bounds(s, err))
		return false;
	s->chosen = query->locations ? query_chosen(query) : NULL;
	s->tree = callpath_tree(query->trace, &s->paths);
	s->place = places(query->trace, s->tree, s->paths);
	s->seat = by == SEVERITY_BY_RANK ? seats(query) : NULL;
	return true;
}

void severity_rows_fini(struct severity_rows *s)
{
	free_all(s->chosen, s->tree, s->place, s->seat);
	vec_fini(&s->cells);
	vec_fini(&s->spare);
	vec_fini(&s->keys);
	vec_fini(&s->rows);
}

bool severity_rows_bounded(const struct severity_rows *s)
{
	return s->cubes[1] && s->cubes[2];
}

bool severity_rows_has(const struct severity_rows *s, enum cube_metric metric)
{
	for (int i = 0; i < SEVERITY_CUBES; i++)
		if (s->cubes[i] && cube_has(s->cubes[i], metric))
			return true;
	return false;
}

static struct exchange *exchange_of(const struct severity_rows *s)
{
	return trace_exchange(s->query->trace);
}

/* Adds a row unless all its sums, of each cube, are 0. */
static void add_row(struct severity_rows *s, struct severity row, const fixed *sums)
{
	row.value = row.lower = row.upper = fixed_value(sums[0]);
	for (int k = 1; k < SEVERITY_CUBES && severity_rows_bounded(s); k++) {
		row.lower = fmin(row.lower, fixed_value(sums[k]));
		row.upper = fmax(row.upper, fixed_value(sums[k]));
	}
	if (row.lower != 0 || row.upper != 0)
		vec_push(&s->rows, row);
}

/* ---- sums over one dimension, or both ---- */

struct summing {
	const struct severity_rows *s;
	fixed *sums; /* [places][SEVERITY_CUBES] */
	unsigned cube;
};

static void add_cell(void *context, const struct cube_cell *cell)
{
	const struct summing *to = context;
	const struct severity_rows *s = to->s;
	const uint32_t place = s->by == SEVERITY_BY_CALLPATH ? s->place[cell->path]
			       : s->by == SEVERITY_BY_RANK   ? s->seat[cell->location]
							     : 0;

	if (!s->chosen || s->chosen[cell->location])
		to->sums[(size_t)place * SEVERITY_CUBES + to->cube] += fixed_of(cell->value);
}

static void sum_cells(struct severity_rows *s, enum cube_metric metric)
{
	const size_t n = s->by == SEVERITY_BY_CALLPATH ? s->paths
			 : s->by == SEVERITY_BY_RANK   ? trace_location_count(s->query->trace)
						       : 1;
	OWNED fixed *sums = xcalloc(n * SEVERITY_CUBES, sizeof *sums);

	for (unsigned i = 0; i < SEVERITY_CUBES; i++)
		if (s->cubes[i])
			cube_visit(s->cubes[i], metric, add_cell, &(struct summing){ s, sums, i });
	exchange_sum(exchange_of(s), sums, n * SEVERITY_CUBES);
	for (uint32_t i = 0; i < n; i++)
		add_row(s,
			(struct severity){ .metric = metric,
					   .path = s->by == SEVERITY_BY_CALLPATH ? s->tree[i]
										 : UINT32_MAX,
					   .location = s->by == SEVERITY_BY_RANK ? i : UINT32_MAX },
			sums + (size_t)i * SEVERITY_CUBES);
}

/* ---- single cells ---- */

struct keeping {
	struct severity_rows *s;
	uint8_t cube;
};

static void keep_cell(void *context, const struct cube_cell *cell)
{
	const struct keeping *to = context;
	struct severity_rows *s = to->s;

	if (!s->chosen || s->chosen[cell->location])
		vec_push(&s->cells, ((struct severity_cell){ s->place[cell->path], cell->location,
							     to->cube, cell->value }));
}

static bool same_place(const struct severity_cell *a, const struct severity_cell *b)
{
	return a->path_place == b->path_place && a->location == b->location;
}

static bool in_order(const struct severity_cells *cells)
{
	for (size_t i = 1; i < cells->n; i++) {
		const struct severity_cell *a = &cells->data[i - 1], *b = &cells->data[i];
		if (a->path_place > b->path_place ||
		    (a->path_place == b->path_place && a->location > b->location))
			return false;
	}
	return true;
}

static void sort_by_keys(struct severity_rows *s)
{
	const struct severity_cells sorted = s->spare;

	radix_sort(s->keys.data, s->keys.n, 32);
	s->spare = s->cells;
	s->cells = sorted;
	for (size_t i = 0; i < s->keys.n; i++)
		vec_push(&s->cells, s->spare.data[(uint32_t)s->keys.data[i]]);
	s->keys.n = s->spare.n = 0;
}

/* By place in the tree, then location. */
static void sort_cells(struct severity_rows *s)
{
	if (in_order(&s->cells))
		return;
	for (size_t i = 0; i < s->cells.n; i++)
		vec_push(&s->keys, (uint64_t)s->cells.data[i].location << 32 | i);
	sort_by_keys(s);
	for (size_t i = 0; i < s->cells.n; i++)
		vec_push(&s->keys, (uint64_t)s->cells.data[i].path_place << 32 | i);
	sort_by_keys(s);
}

static void list_cells(struct severity_rows *s, enum cube_metric metric)
{
	s->cells.n = 0;
	for (unsigned i = 0; i < SEVERITY_CUBES; i++)
		if (s->cubes[i])
			cube_visit(s->cubes[i], metric, keep_cell,
				   &(struct keeping){ s, (uint8_t)i });
	sort_cells(s);
	for (size_t i = 0, end; i < s->cells.n; i = end) {
		const struct severity_cell *first = &s->cells.data[i];
		fixed sums[SEVERITY_CUBES] = { 0 };
		for (end = i; end < s->cells.n && same_place(first, &s->cells.data[end]); end++)
			sums[s->cells.data[end].cube] += fixed_of(s->cells.data[end].value);
		add_row(s,
			(struct severity){ .metric = metric,
					   .path = s->tree[first->path_place],
					   .location = first->location },
			sums);
	}
}

size_t severity_rows_of(struct severity_rows *s, enum cube_metric metric,
			const struct severity **rows)
{
	s->rows.n = 0;
	if (s->by == SEVERITY_BY_ALL)
		list_cells(s, metric);
	else
		sum_cells(s, metric);
	*rows = s->rows.data;
	return s->rows.n;
}

/* ---- several processes ---- */

static void sort_by(struct severity_list *rows, const uint64_t *keys)
{
	OWNED struct severity *unordered = rows->data;

	rows->data = xmalloc((rows->n + 1) * sizeof *rows->data);
	rows->cap = rows->n + 1;
	for (size_t i = 0; i < rows->n; i++)
		rows->data[i] = unordered[(uint32_t)keys[i]];
}

/* Rows of several processes get the order of one. */
static void merge_rows(const struct severity_rows *s, struct severity_list *rows)
{
	OWNED uint64_t *keys = xmalloc((rows->n + 1) * sizeof *keys);

	for (size_t i = 0; i < rows->n; i++)
		keys[i] = (uint64_t)rows->data[i].location << 32 | i;
	radix_sort(keys, rows->n, 32);
	sort_by(rows, keys);
	for (size_t i = 0; i < rows->n; i++)
		keys[i] = ((uint64_t)rows->data[i].metric * s->paths + s->place[rows->data[i].path])
				  << 32 |
			  i;
	radix_sort(keys, rows->n, 32);
	sort_by(rows, keys);
}

void severity_rows_gather(const struct severity_rows *s, struct severity_list *rows)
{
	OWNED uint32_t *to = xcalloc(rows->n + 1, sizeof *to);

	if (!exchange_of(s))
		return;
	exchange_deal_rows(exchange_of(s), rows, to);
	merge_rows(s, rows);
}

/* Those of a metric and call path go to one process, by how many rows of all are before them. */
void severity_rows_deal(const struct severity_rows *s, struct severity_list *rows)
{
	struct exchange *x = exchange_of(s);
	OWNED uint32_t *to = xmalloc((rows->n + 1) * sizeof *to);
	OWNED uint64_t *counts = xmalloc((s->paths + 1u) * sizeof *counts);
	uint64_t of_metric[CUBE_METRICS] = { 0 }, before = 0, all;
	size_t at = 0;

	if (!x)
		return;
	for (size_t i = 0; i < rows->n; i++)
		of_metric[rows->data[i].metric]++;
	exchange_sums(x, of_metric, CUBE_METRICS);
	all = exchange_count(x, rows->n);
	for (int m = 0; m < CUBE_METRICS; m++) {
		if (!of_metric[m])
			continue;
		memset(counts, 0, s->paths * sizeof *counts);
		for (size_t i = at; i < rows->n && rows->data[i].metric == (enum cube_metric)m; i++)
			counts[s->place[rows->data[i].path]]++;
		exchange_sums(x, counts, s->paths);
		for (uint32_t p = 0; p < s->paths; before += counts[p++])
			for (; at < rows->n && rows->data[at].metric == (enum cube_metric)m &&
			       s->place[rows->data[at].path] == p;
			     at++)
				to[at] = (uint32_t)((unsigned __int128)before * x->processes / all);
	}
	exchange_deal_rows(x, rows, to);
	merge_rows(s, rows);
}
