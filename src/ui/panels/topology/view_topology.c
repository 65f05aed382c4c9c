/* view_topology: the severity of a metric by place on a grid: sizes, coordinates, rank, value. */
#include <stdlib.h>

#include "ui/panels/topology/topology_page.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

enum {
	T_DIMS,
	T_COORDS,
	T_RANK,
	T_METRIC,
	T_VALUE,
	T_UNIT,
	T_SHARE,
	T_SOURCE,
	T_SCORE,
	T_GRID,
	T_COLUMNS
};

static const struct column columns[T_COLUMNS] = {
	[T_DIMS] = { "dims", "grid", COLUMN_TEXT, 10, true, true },
	[T_COORDS] = { "coords", "at", COLUMN_TEXT, 10, true, true },
	[T_RANK] = { "rank", "rank", COLUMN_RANK, 6, true, true },
	[T_METRIC] = { "metric", "metric", COLUMN_TEXT, 20, true, true },
	[T_VALUE] = { "value", "value", COLUMN_REAL, 14, true, true },
	[T_UNIT] = { "unit", "unit", COLUMN_TEXT, 6, true, true },
	[T_SHARE] = { "share", "share", COLUMN_SHARE, 7, true, true },
	[T_SOURCE] = { "source", "source", COLUMN_TEXT, 9, true, false },
	[T_GRID] = { "grid", "grid", COLUMN_INT, 4, true, false },
	[T_SCORE] = { "score", "score", COLUMN_REAL, 6, true, false },
};

struct topology_row {
	uint32_t grid, location;
};

struct topology_table {
	struct list_table list;
	struct topology_values values;
	struct topology_range *ranges; /* [grids] */
};

static double in_unit(const struct topology_values *v, double value)
{
	return cube_metric_info(v->metric)->unit == UNIT_TICKS
		       ? value / (double)trace_scale(v->trace)->per_second
		       : value;
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	static const char *const units[] = { "s", "occ", "bytes" };
	static const char *const sources[] = { [GRID_GIVEN] = "given",
					       [GRID_TRACE] = "trace",
					       [GRID_GUESSED] = "guessed",
					       [GRID_PHYSICAL] = "physical" };
	struct topology_table *t = (struct topology_table *)list;
	const struct topology_row *row = list_table_row(list, item);
	const struct grid *grid = &t->values.grids->grid[row->grid];
	const struct cube_metric_info *metric = cube_metric_info(t->values.metric);
	const int32_t *at = grid_at(grid, row->location);
	const double sum = t->ranges[row->grid].sum;
	struct str *dims = list_table_text(list), *coords = list_table_text(list);
	double value;

	for (uint32_t d = 0; d < grid->dims; d++) {
		str_add_fmt(dims, "%s%u", d ? "x" : "", grid->size[d]);
		str_add_fmt(coords, "%s%d", d ? " " : "", at[d]);
	}
	topology_value_at(&t->values, grid, at, &value);
	v[T_DIMS] = value_text(dims->text);
	v[T_COORDS] = value_text(coords->text);
	v[T_RANK] = value_rank(trace_location(t->values.trace, row->location)->rank);
	v[T_METRIC] = value_text(metric->name);
	v[T_VALUE] = value_real(true, in_unit(&t->values, value));
	v[T_UNIT] = value_text(units[metric->unit]);
	v[T_SHARE] = value_real(sum > 0, sum > 0 ? value / sum : 0);
	v[T_SOURCE] = value_text(sources[grid->source]);
	v[T_GRID] = value_integer(true, row->grid + 1);
	v[T_SCORE] = value_real(grid->source == GRID_GUESSED, grid->score);
}

static void fini(struct list_table *list)
{
	struct topology_table *t = (struct topology_table *)list;

	topology_values_fini(&t->values);
	free(t->ranges);
}

static const struct list_ops ops = { .cells = cells,
				     .fini = fini,
				     .row_size = sizeof(struct topology_row) };

/* Adds places in order; several locations at one place are one row. */
static void add_grid(struct topology_table *t, uint32_t which)
{
	const struct grid *grid = &t->values.grids->grid[which];

	t->ranges[which] = topology_range(&t->values, grid);
	for (uint32_t i = 0; i < grid->places;) {
		const int32_t *at = grid_at(grid, grid->order[i]);
		const uint32_t *found;
		double value;
		if (topology_value_at(&t->values, grid, at, &value))
			list_table_add_row(&t->list,
					   &(struct topology_row){ which, grid->order[i] });
		i += grid_locations(grid, at, &found);
	}
}

struct table *topology_table_new(const struct query *query, struct err *err)
{
	struct topology_values values;
	struct topology_table *t;

	if (!topology_values_make(&values, query, err)) {
		topology_values_fini(&values);
		return NULL;
	}
	t = list_table_new(sizeof *t, &ops, columns, T_COLUMNS, query->trace);
	t->values = values;
	t->ranges = xcalloc(values.grids ? values.grids->n + 1 : 1, sizeof *t->ranges);
	for (uint32_t i = 0; values.grids && i < values.grids->n; i++)
		add_grid(t, i);
	return &t->list.table;
}

bool topology_text(const struct query *query, int width, int height, bool ascii, struct str *out,
		   struct err *err)
{
	struct topology_values values;
	const bool ok = topology_values_make(&values, query, err);

	/* The one that is best, and where it is not certain the others. */
	for (uint32_t i = 0; ok && values.grids && i < values.grids->n; i++) {
		const struct topology_page page = { &values, i, { .ascii = ascii }, NULL };
		if (i > 0 && values.grids->grid[i].source == GRID_PHYSICAL)
			break;
		if (i > 0)
			str_add_char(out, '\n');
		topology_page_text(&page, width, height, ascii, out);
	}
	topology_values_fini(&values);
	return ok;
}
