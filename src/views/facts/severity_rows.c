#include "views/facts/severity_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
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

/* Sorts the cells of one place by value, so that a sum does not depend on the order in which the
 * cube was filled. */
ORDERING(compare, struct severity_cell, path_place, location, which, value)

static bool same_place(const struct severity_cell *a, const struct severity_cell *b)
{
	return a->path_place == b->path_place && a->location == b->location;
}

size_t severity_rows_of(struct severity_rows *s, enum cube_metric metric,
			const struct severity **rows)
{
	s->cells.n = s->rows.n = 0;
	for (uint8_t i = 0; i < 3; i++)
		if (s->cubes[i])
			cube_visit(s->cubes[i], metric, visit, &(struct visit){ s, i });
	vec_sort(&s->cells, compare);
	for (size_t i = 0, end; i < s->cells.n; i = end) {
		const struct severity_cell *first = &s->cells.data[i];
		double sum[3] = { 0, 0, 0 };
		struct severity row = { .path = first->path, .location = first->location };
		for (end = i; end < s->cells.n && same_place(first, &s->cells.data[end]); end++)
			sum[s->cells.data[end].which] += s->cells.data[end].value;
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
