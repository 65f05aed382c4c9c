#include "views/facts/severity_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static uint32_t *places(const struct trace *trace)
{
	uint32_t *place = xcalloc(trace_callpath_count(trace), sizeof *place);
	uint32_t n, *tree = callpath_tree(trace, &n);

	for (uint32_t i = 0; i < n; i++)
		place[tree[i]] = i;
	free(tree);
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
	s->place = places(query->trace);
	s->seat = by == SEVERITY_BY_RANK ? seats(query) : NULL;
	return true;
}

void severity_rows_fini(struct severity_rows *s)
{
	free_all(s->chosen, s->place, s->seat);
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
	for (int i = 0; i < 3; i++)
		if (s->cubes[i] && cube_has(s->cubes[i], metric))
			return true;
	return false;
}

struct visit {
	struct severity_rows *s;
	uint8_t which;
};

static void visit(void *context, const struct cube_cell *cell)
{
	const struct visit *v = context;
	struct severity_rows *s = v->s;
	const bool by_path = s->by == SEVERITY_BY_ALL || s->by == SEVERITY_BY_CALLPATH;
	struct severity_cell kept = { .path = by_path ? cell->path : UINT32_MAX,
				      .path_place = by_path ? s->place[cell->path] : 0,
				      .location = s->by == SEVERITY_BY_ALL ? cell->location
						  : s->by == SEVERITY_BY_RANK
							  ? s->seat[cell->location]
							  : UINT32_MAX,
				      .which = v->which,
				      .value = cell->value };

	if (!s->chosen || s->chosen[cell->location])
		vec_push(&s->cells, kept);
}

/* ---- the order of the cells ---- */

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

/* ---- sums ---- */

static const uint64_t sign = (uint64_t)1 << 63;

/* Numbers in the order of the values, and back. */
static uint64_t key_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits & sign ? ~bits : bits | sign;
}

static double value_of(uint64_t key)
{
	const uint64_t bits = key & sign ? key ^ sign : ~key;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* The values of a cube in the cells of a place, the smallest first: the sum does not depend on the
 * order in which the cube was filled. */
static double sum_of(struct severity_rows *s, size_t from, size_t to, uint8_t which)
{
	double sum = 0;

	s->keys.n = 0;
	for (size_t i = from; i < to; i++)
		if (s->cells.data[i].which == which)
			vec_push(&s->keys, key_of(s->cells.data[i].value));
	if (s->keys.n > 2) /* else one order is as good as the other */
		radix_sort(s->keys.data, s->keys.n, 0);
	for (size_t i = 0; i < s->keys.n; i++)
		sum += value_of(s->keys.data[i]);
	s->keys.n = 0;
	return sum;
}

size_t severity_rows_of(struct severity_rows *s, enum cube_metric metric,
			const struct severity **rows)
{
	s->cells.n = s->rows.n = 0;
	for (uint8_t i = 0; i < 3; i++)
		if (s->cubes[i])
			cube_visit(s->cubes[i], metric, visit, &(struct visit){ s, i });
	sort_cells(s);
	for (size_t i = 0, end; i < s->cells.n; i = end) {
		const struct severity_cell *first = &s->cells.data[i];
		double sum[3];
		struct severity row = { .path = first->path, .location = first->location };
		for (end = i + 1; end < s->cells.n && same_place(first, &s->cells.data[end]);)
			end++;
		for (uint8_t k = 0; k < 3; k++)
			sum[k] = s->cubes[k] ? sum_of(s, i, end, k) : 0;
		row.value = row.lower = row.upper = sum[0];
		if (severity_rows_bounded(s)) {
			row.lower = fmin(sum[0], fmin(sum[1], sum[2]));
			row.upper = fmax(sum[0], fmax(sum[1], sum[2]));
		}
		if (row.lower != 0 || row.upper != 0)
			vec_push(&s->rows, row);
	}
	*rows = s->rows.data;
	return s->rows.n;
}
