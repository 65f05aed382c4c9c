/* view_compared: two traces subtracted: severities by metric, call path and rank, before and now. The
 * view "difference" where there are two traces. */
#include <math.h>
#include <stdlib.h>

#include "ui/other.h"
#include "ui/table_list.h"
#include "ui/view_common.h"

enum {
	C_METRIC,
	C_CALLPATH,
	C_RANK,
	C_OLD,
	C_NEW,
	C_DIFFERENCE,
	C_PERCENT,
	C_UNIT,
	C_NOISE,
	C_SAYS,
	C_COLUMNS
};

static const struct column columns[C_COLUMNS] = {
	[C_METRIC] = { "metric", "metric", COLUMN_TEXT, 24, true, true },
	[C_CALLPATH] = { "callpath", "call path", COLUMN_TEXT, 0, true, true },
	[C_RANK] = { "rank", "rank", COLUMN_TEXT, 6, true, true },
	[C_OLD] = { "old", "old", COLUMN_REAL, 12, true, true },
	[C_NEW] = { "new", "new", COLUMN_REAL, 12, true, true },
	[C_DIFFERENCE] = { "difference", "difference", COLUMN_REAL, 12, true, true },
	[C_PERCENT] = { "percent", "per cent", COLUMN_REAL, 9, true, true },
	[C_UNIT] = { "unit", "unit", COLUMN_TEXT, 6, true, true },
	[C_NOISE] = { "noise", "noise", COLUMN_REAL, 12, true, true },
	[C_SAYS] = { "says", "", COLUMN_TEXT, 8, true, true },
};

struct compared_table {
	struct list_table list;
	const struct delta *delta; /* NULL: there is no other trace, and no rows */
	struct delta_rows rows;
	struct str path, place; /* scratch */
};

/* What is to be said of a difference. */
static const char *says(const struct alignment *a, const struct delta_row *row)
{
	const struct aligned_path *path = &a->paths[row->path != ALIGN_NONE ? row->path : 0];
	const struct aligned_place *place =
		row->place != ALIGN_NONE ? &a->places[row->place] : NULL;

	if (delta_difference(row) == 0)
		return "same";
	if (path->path[ALIGN_OLD] == ALIGN_NONE || (place && !place->n[ALIGN_OLD]))
		return "new";
	if (path->path[ALIGN_NEW] == ALIGN_NONE || (place && !place->n[ALIGN_NEW]))
		return "gone";
	if (delta_is_noise(row))
		return "noise";
	return delta_difference(row) > 0 ? "more" : "less";
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct compared_table *t = (struct compared_table *)list;
	const struct alignment *a = delta_alignment(t->delta);
	const struct delta_row *row = &t->rows.list.data[item];
	const double old = row->value[ALIGN_OLD];

	str_clear(&t->path);
	str_clear(&t->place);
	if (row->path != ALIGN_NONE)
		align_path_text(a, row->path, &t->path);
	if (row->place != ALIGN_NONE)
		align_place_ranks(a, row->place, &t->place);
	v[C_METRIC] = value_text(cube_metric_info(row->metric)->name);
	v[C_CALLPATH] = value_text(t->path.text);
	v[C_RANK] = value_text(t->place.text);
	v[C_OLD] = value_real(true, old);
	v[C_NEW] = value_real(true, row->value[ALIGN_NEW]);
	v[C_DIFFERENCE] = value_real(true, delta_difference(row));
	v[C_PERCENT] = value_real(old != 0, old != 0 ? 100 * delta_difference(row) / old : 0);
	v[C_UNIT] = value_text(delta_unit(row->metric));
	v[C_NOISE] = value_real(true, row->noise);
	v[C_SAYS] = value_text(says(a, row));
}

static void fini(struct list_table *list)
{
	struct compared_table *t = (struct compared_table *)list;

	vec_fini(&t->rows.list);
	str_fini(&t->path);
	str_fini(&t->place);
}

static bool add_rows(struct compared_table *t, const struct query *query, unsigned by,
		     struct err *err)
{
	t->delta = other_delta(query->other, query, err);
	for (int m = 0; t->delta && m < CUBE_METRICS; m++) {
		struct delta_rows of = { VEC_INIT };
		const enum cube_metric metric = (enum cube_metric)m;
		if (!delta_has(t->delta, metric) ||
		    (query->metric != CUBE_NONE && query->metric != metric))
			continue;
		if (query_stopped(query))
			return false;
		delta_rows(t->delta, metric, by, &of);
		delta_sort(&of);
		for (size_t i = 0; i < of.list.n; i++)
			vec_push(&t->rows.list, of.list.data[i]);
		vec_fini(&of.list);
	}
	return t->delta != NULL;
}

struct table *compared_table_new(const struct query *query, unsigned by, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .fini = fini };
	struct compared_table *t = xcalloc(1, sizeof *t);

	list_table_init(&t->list, &ops, columns, C_COLUMNS, trace_scale(query->trace));
	if (query->other && !add_rows(t, query, by, err)) {
		table_free(&t->list.table);
		return NULL;
	}
	for (uint32_t i = 0; i < t->rows.list.n; i++)
		list_table_add(&t->list, i);
	return &t->list.table;
}

const struct delta_row *compared_row(const struct table *table, uint64_t row)
{
	const struct compared_table *t = (const struct compared_table *)table;

	return &t->rows.list.data[list_table_item(&t->list, row)];
}
