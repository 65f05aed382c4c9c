/* view_patterns: severities as rows: metric, call path, rank, severity, unit. */
#include <stdlib.h>

#include "base/str.h"
#include "ui/analyses.h"
#include "ui/table_list.h"
#include "ui/view_common.h"

enum { P_METRIC, P_CALLPATH, P_RANK, P_SEVERITY, P_UNIT, P_COLUMNS };

static const struct column columns[P_COLUMNS] = {
	[P_METRIC] = { "metric", "metric", COLUMN_TEXT, 24, true, true },
	[P_CALLPATH] = { "callpath", "call path", COLUMN_TEXT, 0, true, true },
	[P_RANK] = { "rank", "rank", COLUMN_RANK, 5, true, true },
	[P_SEVERITY] = { "severity", "severity", COLUMN_REAL, 14, true, true },
	[P_UNIT] = { "unit", "unit", COLUMN_TEXT, 6, true, true },
};

struct row {
	enum cube_metric metric;
	struct cube_cell cell;
};

struct patterns_table {
	struct list_table list;
	const struct trace *trace;
	VEC(struct row) rows;
	struct str path; /* scratch */
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct patterns_table *t = (struct patterns_table *)list;
	const struct row *row = &t->rows.data[item];
	const struct cube_metric_info *metric = cube_metric_info(row->metric);
	static const char *const units[] = { "s", "occ", "bytes" };
	double value = row->cell.value;

	str_clear(&t->path);
	trace_callpath_text(t->trace, row->cell.path, &t->path);
	if (metric->unit == UNIT_TICKS)
		value /= (double)trace_scale(t->trace)->per_second;
	v[P_METRIC] = value_text(metric->name);
	v[P_CALLPATH] = value_text(t->path.text);
	v[P_RANK] = value_rank(trace_location(t->trace, row->cell.location)->rank);
	v[P_SEVERITY] = value_real(true, value);
	v[P_UNIT] = value_text(units[metric->unit]);
}

static void fini(struct list_table *list)
{
	struct patterns_table *t = (struct patterns_table *)list;

	vec_fini(&t->rows);
	str_fini(&t->path);
}

static const struct list_ops ops = { .cells = cells, .fini = fini };

struct table *patterns_table_new(const struct query *query, struct err *err)
{
	const struct cube *cube = NULL;
	struct patterns_table *t;

	if (query->analyses) {
		cube = analyses_cube(query->analyses, query->base, query->t0, query->t1,
				     query->progress, err);
		if (!cube)
			return NULL;
	}
	t = xcalloc(1, sizeof *t);
	list_table_init(&t->list, &ops, columns, P_COLUMNS, trace_scale(query->trace));
	t->trace = query->trace;
	for (int m = 0; cube && m < CUBE_METRICS; m++) {
		size_t n;
		const struct cube_cell *cell = cube_cells(cube, (enum cube_metric)m, &n);
		for (size_t i = 0; i < n; i++) {
			vec_push(&t->rows, ((struct row){ (enum cube_metric)m, cell[i] }));
			list_table_add(&t->list, (uint32_t)(t->rows.n - 1));
		}
	}
	return &t->list.table;
}
