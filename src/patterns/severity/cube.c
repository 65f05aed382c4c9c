/* While values are added, cells are hashed by location, so that threads with different locations
 * never meet; cube_settle() then sorts them by metric, call path and location. */
#include "patterns/severity/cube.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/fixed.h"
#include "base/mem.h"
#include "base/order.h"
#include "patterns/severity/region_metric.h"

enum { FIRST_SLOTS = 64 };

/* A cell that is being added to. */
struct cube_slot {
	uint32_t path;
	uint8_t metric;
	bool used;
	fixed value;
};

struct cube_row {
	struct cube_slot *slots;
	uint32_t size, n; /* a power of two or 0; used ones */
};

/* Where a metric's values come from. */
enum rule {
	RULE_CELLS, /* its own cells */
	RULE_TIME,  /* cells of `time` whose call path belongs to it */
	RULE_SUM    /* its children */
};

struct cube {
	const struct trace *trace;
	struct cube_row *rows; /* [locations]; NULL once settled */
	struct cube_cell *cells;
	size_t first[CUBE_METRICS + 1]; /* cells of a metric, then those of the next */
	uint8_t *path_metric;           /* [call paths] region_metric() */
	uint8_t rules[CUBE_METRICS];    /* enum rule */
	double totals[CUBE_METRICS];
	bool has[CUBE_METRICS];
	bool moves[CUBE_METRICS]; /* it has cells in call paths of other classes */
};

/* A metric of the time tree is made of `time` where regions are classed under it. */
static enum rule rule_of(enum cube_metric metric)
{
	if (cube_metric_info(metric)->source == SOURCE_FOUND)
		return RULE_CELLS;
	for (int m = 0; m < CUBE_METRICS; m++)
		if (cube_metric_info((enum cube_metric)m)->source == SOURCE_REGION &&
		    cube_metric_within((enum cube_metric)m, metric))
			return RULE_TIME;
	return RULE_SUM;
}

struct cube *cube_new(const struct trace *trace)
{
	struct cube *cube = xcalloc(1, sizeof *cube);

	cube->trace = trace;
	cube->rows = xcalloc(trace_location_count(trace) + 1, sizeof *cube->rows);
	cube->path_metric = region_metric_by_path(trace);
	for (int m = 0; m < CUBE_METRICS; m++)
		cube->rules[m] = (uint8_t)rule_of((enum cube_metric)m);
	return cube;
}

static void free_rows(struct cube *cube)
{
	for (uint32_t l = 0; cube->rows && l < trace_location_count(cube->trace); l++)
		free(cube->rows[l].slots);
	free(cube->rows);
	cube->rows = NULL;
}

void cube_free(struct cube *cube)
{
	if (!cube)
		return;
	free_rows(cube);
	free_all(cube->cells, cube->path_metric, cube);
}

/* ---- adding ---- */

static struct cube_slot *find_slot(const struct cube_row *row, uint32_t path, uint8_t metric)
{
	uint32_t at = (path * CUBE_METRICS + metric) * 0x9e3779b1u;

	for (at ^= at >> 15;; at++) {
		struct cube_slot *slot = &row->slots[at & (row->size - 1)];
		if (!slot->used || (slot->path == path && slot->metric == metric))
			return slot;
	}
}

static void grow(struct cube_row *row)
{
	const struct cube_row old = *row;

	row->size = old.size ? 2 * old.size : FIRST_SLOTS;
	row->slots = xcalloc(row->size, sizeof *row->slots);
	for (uint32_t i = 0; i < old.size; i++)
		if (old.slots[i].used)
			*find_slot(row, old.slots[i].path, old.slots[i].metric) = old.slots[i];
	free(old.slots);
}

static void add_fixed(struct cube *cube, uint8_t metric, uint32_t path, uint32_t location,
		      fixed value)
{
	struct cube_row *row = &cube->rows[location];
	struct cube_slot *slot;

	if (2 * (row->n + 1) > row->size)
		grow(row);
	slot = find_slot(row, path, metric);
	if (!slot->used) {
		*slot = (struct cube_slot){ path, metric, true, 0 };
		row->n++;
	}
	slot->value += value;
}

void cube_add(struct cube *cube, enum cube_metric metric, uint32_t path, uint32_t location,
	      double value)
{
	if (value != 0)
		add_fixed(cube, (uint8_t)metric, trace_callpath(cube->trace, path)->canon, location,
			  fixed_of(value));
}

ORDERING(compare_cells, struct cube_cell, path, location)

/* [call paths] whether a canonical one is `path` or below it; the caller owns the array. Parents
 * have smaller numbers than their children, so one pass is enough, however deep a recursion is. */
static bool *subtree_of(const struct trace *trace, uint32_t path)
{
	const uint32_t n = trace_callpath_count(trace);
	bool *within = xcalloc(n + 1, sizeof *within);

	within[path] = true;
	for (uint32_t p = path + 1; p < n; p++) {
		const struct callpath *callpath = trace_callpath(trace, p);
		within[p] = callpath->canon == p &&
			    within[trace_callpath(trace, callpath->parent)->canon];
	}
	return within;
}

/* Waiting is a part of the time of the call path that it is found in, and below the class of that.
 * Where it is not (a thread starts, or is idle, while no region of that sort is open; a
 * nonblocking collective is waited for in MPI_Wait), its time goes from that class to its own. Of
 * a metric made of `time`: 1: it gets that time, -1: it loses it, 0 else. */
static int move_of(const struct cube *cube, enum cube_metric metric, enum cube_metric found,
		   uint32_t path)
{
	return cube_metric_within(found, metric) -
	       cube_metric_within((enum cube_metric)cube->path_metric[path], metric);
}

/* A metric of waiting that may have cells in call paths of other classes, and is not a part of
 * another metric. */
static bool is_movable(enum cube_metric metric)
{
	enum cube_metric up = cube_metric_info(metric)->parent;

	if (metric == CUBE_TIME || !cube_metric_within(metric, CUBE_TIME) ||
	    cube_metric_info(metric)->source != SOURCE_FOUND)
		return false;
	while (up != CUBE_TIME && cube_metric_info(up)->source != SOURCE_FOUND)
		up = cube_metric_info(up)->parent;
	return up == CUBE_TIME;
}

/* Which metrics have cells that move: for most traces none. */
static void find_moved(struct cube *cube)
{
	for (int m = 0; m < CUBE_METRICS; m++) {
		const enum cube_metric parent = cube_metric_info((enum cube_metric)m)->parent;
		cube->moves[m] = false;
		if (!is_movable((enum cube_metric)m))
			continue;
		for (size_t i = cube->first[m]; i < cube->first[m + 1] && !cube->moves[m]; i++)
			cube->moves[m] = cube->path_metric[cube->cells[i].path] != parent;
	}
}

static void visit_moved(const struct cube *cube, enum cube_metric metric, cube_visitor *each,
			void *context)
{
	for (int m = 0; m < CUBE_METRICS; m++) {
		if (!cube->moves[m])
			continue;
		for (size_t i = cube->first[m]; i < cube->first[m + 1]; i++) {
			struct cube_cell cell = cube->cells[i];
			const int move = move_of(cube, metric, (enum cube_metric)m, cell.path);
			cell.value *= move;
			if (move)
				each(context, &cell);
		}
	}
}

void cube_visit(const struct cube *cube, enum cube_metric metric, cube_visitor *each, void *context)
{
	const enum cube_metric from = cube->rules[metric] == RULE_TIME ? CUBE_TIME : metric;

	if (cube->rules[metric] == RULE_SUM) {
		for (int m = (int)metric + 1; m < CUBE_METRICS; m++)
			if (cube_metric_info((enum cube_metric)m)->parent == metric)
				cube_visit(cube, (enum cube_metric)m, each, context);
		return;
	}
	for (size_t i = cube->first[from]; i < cube->first[from + 1]; i++)
		if (from == metric ||
		    cube_metric_within((enum cube_metric)cube->path_metric[cube->cells[i].path],
				       metric))
			each(context, &cube->cells[i]);
	if (from != metric)
		visit_moved(cube, metric, each, context);
}

struct cube_sum {
	const bool *chosen;
	fixed total;
	bool any;
};

static void add_total(void *context, const struct cube_cell *cell)
{
	struct cube_sum *sum = context;

	sum->any = true;
	if (!sum->chosen || sum->chosen[cell->location])
		sum->total += fixed_of(cell->value);
}

/* A cell, for the processes that share the trace. */
struct cube_share {
	fixed value;
	uint32_t path, location;
	uint8_t metric;
};

void cube_share(struct cube *cube)
{
	struct exchange *x = trace_exchange(cube->trace);
	const uint32_t locations = trace_location_count(cube->trace);
	OWNED_VEC(struct cube_share) cells = VEC_INIT;
	const struct cube_share *cell;

	if (!x)
		return;
	for (uint32_t l = 0; l < locations; l++) {
		struct cube_row *row = &cube->rows[l];
		for (uint32_t i = 0; i < row->size; i++)
			if (row->slots[i].used)
				vec_push(&cells, ((struct cube_share){ row->slots[i].value,
								       row->slots[i].path, l,
								       row->slots[i].metric }));
		free(row->slots);
		*row = (struct cube_row){ 0 };
	}
	exchange_rows(x, &cells);
	vec_each (cell, &cells)
		add_fixed(cube, cell->metric, cell->path, cell->location, cell->value);
}

void cube_settle(struct cube *cube)
{
	const uint32_t locations = trace_location_count(cube->trace);
	size_t at[CUBE_METRICS];

	memset(cube->first, 0, sizeof cube->first);
	for (uint32_t l = 0; l < locations; l++)
		for (uint32_t i = 0; i < cube->rows[l].size; i++)
			if (cube->rows[l].slots[i].used)
				cube->first[cube->rows[l].slots[i].metric + 1]++;
	for (int m = 0; m < CUBE_METRICS; m++) {
		at[m] = cube->first[m];
		cube->first[m + 1] += cube->first[m];
	}
	cube->cells = xmalloc((cube->first[CUBE_METRICS] + 1) * sizeof *cube->cells);
	for (uint32_t l = 0; l < locations; l++)
		for (uint32_t i = 0; i < cube->rows[l].size; i++) {
			const struct cube_slot *slot = &cube->rows[l].slots[i];
			if (slot->used)
				cube->cells[at[slot->metric]++] =
					(struct cube_cell){ slot->path, l,
							    fixed_value(slot->value) };
		}
	free_rows(cube);
	for (int m = 0; m < CUBE_METRICS; m++)
		qsort(cube->cells + cube->first[m], cube->first[m + 1] - cube->first[m],
		      sizeof *cube->cells, compare_cells);
	find_moved(cube);
	for (int m = CUBE_METRICS - 1; m >= 0; m--) {
		struct cube_sum sum = { 0 };
		cube_visit(cube, (enum cube_metric)m, add_total, &sum);
		cube->totals[m] = fixed_value(sum.total);
		cube->has[m] = cube->has[m] || sum.any;
		if (cube->has[m] && cube_metric_info((enum cube_metric)m)->parent != CUBE_NONE)
			cube->has[cube_metric_info((enum cube_metric)m)->parent] = true;
	}
}

void cube_reopen(struct cube *cube)
{
	OWNED struct cube_cell *cells = cube->cells;

	cube->cells = NULL;
	cube->rows = xcalloc(trace_location_count(cube->trace) + 1, sizeof *cube->rows);
	for (int m = 0; m < CUBE_METRICS; m++)
		for (size_t i = cube->first[m]; i < cube->first[m + 1]; i++)
			cube_add(cube, (enum cube_metric)m, cells[i].path, cells[i].location,
				 cells[i].value);
	memset(cube->has, 0, sizeof cube->has);
}

/* ---- queries ---- */

const struct trace *cube_trace(const struct cube *cube)
{
	return cube->trace;
}

const struct cube_cell *cube_cells(const struct cube *cube, enum cube_metric metric, size_t *n)
{
	*n = cube->first[metric + 1] - cube->first[metric];
	return cube->cells + cube->first[metric];
}

bool cube_has(const struct cube *cube, enum cube_metric metric)
{
	return cube->has[metric];
}

double cube_total(const struct cube *cube, enum cube_metric metric, const bool *chosen)
{
	struct cube_sum sum = { .chosen = chosen };

	if (!chosen)
		return cube->totals[metric];
	cube_visit(cube, metric, add_total, &sum);
	return fixed_value(sum.total);
}

struct by {
	const bool *chosen;
	uint32_t path;
	const bool *within; /* [call paths] instead of `path`; NULL */
	fixed *sums;
};

static void take_values(const fixed *sums, uint32_t n, double *values)
{
	for (uint32_t i = 0; i < n; i++)
		values[i] = fixed_value(sums[i]);
}

static void add_path(void *context, const struct cube_cell *cell)
{
	const struct by *by = context;

	if (!by->chosen || by->chosen[cell->location])
		by->sums[cell->path] += fixed_of(cell->value);
}

void cube_by_path(const struct cube *cube, enum cube_metric metric, const bool *chosen,
		  double *values)
{
	const uint32_t n = trace_callpath_count(cube->trace);
	OWNED fixed *sums = xcalloc(n + 1u, sizeof *sums);
	struct by by = { .chosen = chosen, .sums = sums };

	cube_visit(cube, metric, add_path, &by);
	take_values(sums, n, values);
}

static void add_location(void *context, const struct cube_cell *cell)
{
	const struct by *by = context;

	if (by->within ? by->within[cell->path] : cell->path == by->path)
		by->sums[cell->location] += fixed_of(cell->value);
}

void cube_by_location(const struct cube *cube, enum cube_metric metric, uint32_t path, bool subtree,
		      double *values)
{
	const uint32_t n = trace_location_count(cube->trace);
	const uint32_t canon = trace_callpath(cube->trace, path)->canon;
	OWNED bool *within = subtree ? subtree_of(cube->trace, canon) : NULL;
	OWNED fixed *sums = xcalloc(n + 1u, sizeof *sums);
	struct by by = { .path = canon, .within = within, .sums = sums };

	cube_visit(cube, metric, add_location, &by);
	take_values(sums, n, values);
}

static double own_cell(const struct cube *cube, enum cube_metric metric, struct cube_cell key)
{
	const struct cube_cell *cell =
		bsearch(&key, cube->cells + cube->first[metric],
			cube->first[metric + 1] - cube->first[metric], sizeof key, compare_cells);

	return cell ? cell->value : 0;
}

double cube_value(const struct cube *cube, enum cube_metric metric, uint32_t path,
		  uint32_t location)
{
	const struct cube_cell key = { trace_callpath(cube->trace, path)->canon, location, 0 };
	double value = 0;

	switch ((enum rule)cube->rules[metric]) {
	case RULE_CELLS: return own_cell(cube, metric, key);
	case RULE_TIME:
		if (cube_metric_within((enum cube_metric)cube->path_metric[key.path], metric))
			value = own_cell(cube, CUBE_TIME, key);
		for (int m = 0; m < CUBE_METRICS; m++)
			if (cube->moves[m])
				value += move_of(cube, metric, (enum cube_metric)m, key.path) *
					 own_cell(cube, (enum cube_metric)m, key);
		return value;
	case RULE_SUM: break;
	}
	for (int m = (int)metric + 1; m < CUBE_METRICS; m++)
		if (cube_metric_info((enum cube_metric)m)->parent == metric)
			value += cube_value(cube, (enum cube_metric)m, path, location);
	return value;
}

void cube_include_paths(const struct trace *trace, double *values)
{
	/* Parents have smaller numbers than their children. */
	for (uint32_t p = trace_callpath_count(trace); p-- > 1;) {
		const uint32_t parent =
			trace_callpath(trace, trace_callpath(trace, p)->parent)->canon;
		values[parent] += values[p];
	}
}
