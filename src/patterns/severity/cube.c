/* While values are added, cells are hashed by location, so that threads with different locations
 * never meet; cube_settle() then sorts them by metric, call path and location. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "patterns/severity/cube_state.h"
#include "patterns/severity/region_metric.h"

enum { FIRST_SLOTS = 64 };

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

void cube_free_rows(struct cube *cube)
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
	cube_free_rows(cube);
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

void cube_add_fixed(struct cube *cube, uint8_t metric, uint32_t path, uint32_t location,
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
		cube_add_fixed(cube, (uint8_t)metric, trace_callpath(cube->trace, path)->canon,
			       location, fixed_of(value));
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

void cube_visit_moved(const struct cube *cube, enum cube_metric metric, cube_visitor *each,
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

void cube_find_within(enum cube_metric metric, bool within[CUBE_METRICS])
{
	for (int m = 0; m < CUBE_METRICS; m++)
		within[m] = cube_metric_within((enum cube_metric)m, metric);
}

static void visit_time(const struct cube *cube, enum cube_metric metric, cube_visitor *each,
		       void *context)
{
	bool within[CUBE_METRICS];

	cube_find_within(metric, within);
	for (size_t i = cube->first[CUBE_TIME]; i < cube->first[CUBE_TIME + 1]; i++)
		if (within[cube->path_metric[cube->cells[i].path]])
			each(context, &cube->cells[i]);
	cube_visit_moved(cube, metric, each, context);
}

void cube_visit(const struct cube *cube, enum cube_metric metric, cube_visitor *each, void *context)
{
	switch ((enum rule)cube->rules[metric]) {
	case RULE_CELLS:
		for (size_t i = cube->first[metric]; i < cube->first[metric + 1]; i++)
			each(context, &cube->cells[i]);
		break;
	case RULE_TIME: visit_time(cube, metric, each, context); break;
	case RULE_SUM:
		for (int m = (int)metric + 1; m < CUBE_METRICS; m++)
			if (cube_metric_info((enum cube_metric)m)->parent == metric)
				cube_visit(cube, (enum cube_metric)m, each, context);
		break;
	}
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

struct cube_sum {
	const bool *chosen;
	fixed total;
};

static void add_total(void *context, const struct cube_cell *cell)
{
	struct cube_sum *sum = context;

	if (!sum->chosen || sum->chosen[cell->location])
		sum->total += fixed_of(cell->value);
}

double cube_total(const struct cube *cube, enum cube_metric metric, const bool *chosen)
{
	struct cube_sum sum = { .chosen = chosen };

	if (!chosen)
		return cube->totals[metric];
	cube_visit(cube, metric, add_total, &sum);
	exchange_sum(trace_exchange(cube->trace), &sum.total, 1);
	return fixed_value(sum.total);
}

struct by {
	const bool *chosen;
	uint32_t path;
	const bool *within; /* [call paths] instead of `path`; NULL */
	fixed *sums;
};

/* Of this process, which become those of all. */
static void take_values(const struct cube *cube, fixed *sums, uint32_t n, double *values)
{
	exchange_sum(trace_exchange(cube->trace), sums, n);
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
	take_values(cube, sums, n, values);
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
	take_values(cube, sums, n, values);
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
