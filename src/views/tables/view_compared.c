/* view_compared: severities by metric, call path and rank, old and new: of two traces, or of two
 * time bases of one (paper 3: which metric, call path and rank the removed overhead was in). The
 * view "difference" if there are two traces, or such rows are asked for. */
#include <math.h>
#include <stdlib.h>

#include "views/facts/difference.h"
#include "views/query/analyses.h"
#include "views/query/second_trace.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

enum { VALUE_WIDTH = 10, BAR_WIDTH = 8 };

/* Columns from `title` on are for the screen, with units. */
#define COLUMNS(ROW)                                                                             \
	ROW(C_METRIC, "metric", "metric", COLUMN_TEXT, 24, true, false)                          \
	ROW(C_CALLPATH, "callpath", "call path", COLUMN_NAME, 0, true, false)                    \
	ROW(C_RANK, "rank", "rank", COLUMN_TEXT, 6, true, true)                                  \
	ROW(C_OLD, "old", "old", COLUMN_REAL, 12, true, false)                                   \
	ROW(C_NEW, "new", "new", COLUMN_REAL, 12, true, false)                                   \
	ROW(C_DIFFERENCE, "difference", "difference", COLUMN_REAL, 12, true, false)              \
	ROW(C_PERCENT, "percent", "per cent", COLUMN_REAL, 9, true, false)                       \
	ROW(C_OF_DIFFERENCE, "of_difference", "of difference", COLUMN_REAL, 9, true, false)      \
	ROW(C_UNIT, "unit", "unit", COLUMN_TEXT, 6, true, false)                                 \
	ROW(C_NOISE, "noise", "noise", COLUMN_REAL, 12, true, false)                             \
	ROW(C_SAYS, "says", "", COLUMN_TEXT, 8, true, false)                                     \
	ROW(C_TITLE, "title", "metric", COLUMN_NAME, 24, false, true)                            \
	ROW(C_CALLPATH_TEXT, "callpath_text", "call path", COLUMN_NAME, 0, false, true)          \
	ROW(C_OLD_TEXT, "old_text", "       old", COLUMN_TEXT, VALUE_WIDTH, false, true)         \
	ROW(C_NEW_TEXT, "new_text", "       new", COLUMN_TEXT, VALUE_WIDTH, false, true)         \
	ROW(C_DIFFERENCE_TEXT, "difference_text", "difference", COLUMN_TEXT, VALUE_WIDTH, false, \
	    true)                                                                                \
	ROW(C_CHANGE_TEXT, "change_text", "    change", COLUMN_TEXT, VALUE_WIDTH, false, true)   \
	ROW(C_OF_DIFFERENCE_TEXT, "of_difference_text", "   of all", COLUMN_TEXT, VALUE_WIDTH,   \
	    false, true)                                                                         \
	ROW(C_BAR, "bar", "", COLUMN_TEXT, BAR_WIDTH, false, true)                               \
	ROW(C_SAYS_TEXT, "says_text", "", COLUMN_TEXT, 5, false, true)
enum { COLUMNS(COLUMN_ID) C_COLUMNS };
static const struct column columns[C_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct compared_table {
	struct list_table list;
	/* Owned: the table may still be shown when there is another one, and the cubes are gone.
	 * NULL: there is no other trace, and no rows. */
	struct delta *delta;
	bool bases; /* between two time bases */
	struct delta_rows rows;
	double all[CUBE_METRICS];    /* difference of each metric */
	double most[UNIT_BYTES + 1]; /* largest difference of a unit, for the bars */
};

/* The word that classifies a difference. */
static const char *says(const struct compared_table *t, const struct delta_row *row)
{
	const struct delta *delta = t->delta;
	const struct alignment *a = delta_alignment(delta);
	const struct aligned_path *path = &a->paths[row->path != ALIGN_NONE ? row->path : 0];
	const struct aligned_place *place =
		row->place != ALIGN_NONE ? &a->places[row->place] : NULL;

	if (delta_difference(row) == 0)
		return "same";
	if (delta_repeated(delta) && delta_is_noise(row))
		return "noise";
	if (path->path[ALIGN_OLD] == ALIGN_NONE || (place && !place->n[ALIGN_OLD]))
		return "new";
	if (path->path[ALIGN_NEW] == ALIGN_NONE || (place && !place->n[ALIGN_NEW]))
		return "gone";
	if (!t->bases && delta_is_noise(row))
		return "small";
	return delta_difference(row) > 0 ? "more" : "less";
}

static void add_value(struct str *out, enum cube_metric metric, double value, bool sign)
{
	const enum cube_unit unit = cube_metric_info(metric)->unit;

	if (value < 0 || (sign && value > 0))
		str_add_char(out, value < 0 ? '-' : '+');
	value = fabs(value);
	if (value > 9e9 && unit != UNIT_BYTES)
		str_add_fmt(out, "%.4g", value);
	else if (unit == UNIT_TICKS)
		units_human_time(out, llround(value * 1e9), &units_nanoseconds, 3);
	else if (unit == UNIT_BYTES)
		units_bytes(out, (uint64_t)fmin(value, 9e18));
	else
		units_count(out, (uint64_t)llround(value));
}

/* Right-aligns a number, as the column is text. */
static struct value aligned(struct list_table *list, const struct str *text)
{
	struct str *out = list_table_text(list);

	str_add_fmt(out, "%*s", VALUE_WIDTH, text->text);
	return value_text(out->text);
}

static struct value value_of(struct list_table *list, enum cube_metric metric, double value,
			     bool sign)
{
	OWNED_STR text = STR_INIT;

	add_value(&text, metric, value, sign);
	return aligned(list, &text);
}

/* Rows of metrics only are in the order of the metric tree, and indented like it. */
static void add_title(struct str *out, const struct delta_row *row)
{
	enum cube_metric above = cube_metric_info(row->metric)->parent;

	for (; row->path == ALIGN_NONE && row->place == ALIGN_NONE && above != CUBE_NONE;
	     above = cube_metric_info(above)->parent)
		str_add_char(out, ' ');
	str_add(out, cube_metric_info(row->metric)->title);
}

/* Fills the columns of the screen: numbers with units, and a bar relative to the largest difference
 * of the unit. */
static void add_texts(struct compared_table *t, const struct delta_row *row, struct value *v)
{
	const double most = t->most[cube_metric_info(row->metric)->unit];
	const double difference = delta_difference(row), old = row->value[ALIGN_OLD];
	const int bar = most > 0 ? (int)lround(BAR_WIDTH * fabs(difference) / most) : 0;
	struct list_table *list = &t->list;
	struct str *title = list_table_text(list), *bars = list_table_text(list);
	OWNED_STR text = STR_INIT;

	add_title(title, row);
	v[C_TITLE] = value_text(title->text);
	v[C_OLD_TEXT] = value_of(list, row->metric, old, false);
	v[C_NEW_TEXT] = value_of(list, row->metric, row->value[ALIGN_NEW], false);
	v[C_DIFFERENCE_TEXT] = value_of(list, row->metric, difference, true);
	if (old != 0)
		str_add_fmt(&text, "%+.1f %%", 100 * difference / fabs(old));
	v[C_CHANGE_TEXT] = aligned(list, &text);
	str_clear(&text);
	if (v[C_OF_DIFFERENCE].known)
		str_add_fmt(&text, "%.1f %%", v[C_OF_DIFFERENCE].real);
	v[C_OF_DIFFERENCE_TEXT] = aligned(list, &text);
	for (int i = 0; i < bar; i++)
		str_add_char(bars, difference > 0 ? '+' : '-');
	v[C_BAR] = (struct value){ .known = true, .text = bars->text };
	v[C_SAYS_TEXT] = v[C_SAYS];
	v[C_CALLPATH_TEXT] = v[C_CALLPATH];
}

/* What a row is a part of: of the time that differs, or of its metric. */
static double all_difference(const struct compared_table *t, enum cube_metric metric)
{
	return t->all[cube_metric_info(metric)->unit == UNIT_TICKS ? CUBE_TIME : metric];
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct compared_table *t = (struct compared_table *)list;
	const struct alignment *a = delta_alignment(t->delta);
	const struct delta_row *row = &t->rows.list.data[item];
	const double old = row->value[ALIGN_OLD], all = all_difference(t, row->metric);
	struct str *path = list_table_text(list), *place = list_table_text(list);

	if (row->path != ALIGN_NONE)
		align_path_text(a, row->path, path);
	if (row->place != ALIGN_NONE)
		align_place_ranks(a, row->place, place);
	v[C_METRIC] = value_text(cube_metric_info(row->metric)->name);
	v[C_CALLPATH] = value_text(path->text);
	v[C_RANK] = value_text(place->text);
	v[C_OLD] = value_real(true, old);
	v[C_NEW] = value_real(true, row->value[ALIGN_NEW]);
	v[C_DIFFERENCE] = value_real(true, delta_difference(row));
	v[C_PERCENT] = value_real(old != 0, old != 0 ? 100 * delta_difference(row) / old : 0);
	v[C_OF_DIFFERENCE] = value_real(all != 0, all != 0 && delta_difference(row) != 0
							  ? 100 * delta_difference(row) / all
							  : 0);
	v[C_UNIT] = value_text(delta_unit(row->metric));
	v[C_NOISE] = value_real(delta_repeated(t->delta) > 0, row->noise);
	v[C_SAYS] = value_text(says(t, row));
	add_texts(t, row, v);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct delta_row *row = &((const struct compared_table *)list)->rows.list.data[item];

	if (row->path == ALIGN_NONE && row->place == ALIGN_NONE)
		return (struct row_thing){ THING_METRIC, (uint32_t)row->metric, 0 };
	return (struct row_thing){ THING_ALIGNED, row->path, row->place };
}

static void fini(struct list_table *list)
{
	struct compared_table *t = (struct compared_table *)list;

	vec_fini(&t->rows.list);
	delta_free(t->delta);
}

static double total_difference(const struct compared_table *t, enum cube_metric metric)
{
	const struct delta_row all = delta_total(t->delta, metric);

	return delta_difference(&all);
}

static bool add_rows(struct compared_table *t, const struct query *query, unsigned by)
{
	if (t->delta)
		t->all[CUBE_TIME] = total_difference(t, CUBE_TIME);
	for (int m = 0; t->delta && m < CUBE_METRICS; m++) {
		struct delta_rows of = { VEC_INIT };
		const enum cube_metric metric = (enum cube_metric)m;
		if (!delta_has(t->delta, metric) ||
		    (query->metric != CUBE_NONE && query->metric != metric))
			continue;
		if (query_stopped(query))
			return false;
		t->all[m] = total_difference(t, metric);
		delta_rows(t->delta, metric, by, &of);
		delta_sort(&of);
		for (size_t i = 0; i < of.list.n; i++) {
			double *most = &t->most[cube_metric_info(metric)->unit];
			*most = fmax(*most, fabs(delta_difference(&of.list.data[i])));
			vec_push(&t->rows.list, of.list.data[i]);
		}
		vec_fini(&of.list);
	}
	return t->delta != NULL;
}

/* Of one trace: the base it is compared with, and the query's. */
static struct delta *between_bases(struct compared_table *t, const struct query *query,
				   struct err *err)
{
	const enum time_base against =
		query->difference
			? query->against
			: difference_reference(query->trace, query->corrections, query->base);
	const struct cube *old, *new;

	if (!query_is_whole(query)) {
		err_set(err, STATUS_USAGE,
			"two time bases are compared by metric or call path for the whole run "
			"(without --time)");
		return NULL;
	}
	old = trace_base_make(query->trace, against, query->progress, err)
		      ? analyses_cube(query->analyses, against, query->t0, query->t1,
				      query->progress, err)
		      : NULL;
	new = old ? analyses_cube(query->analyses, query->base, query->t0, query->t1,
				  query->progress, err)
		  : NULL;
	t->bases = new != NULL;
	return new ? delta_new(old, new, NULL, 0) : NULL;
}

struct table *compared_table_new(const struct query *query, unsigned by, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .fini = fini, .thing = thing };
	struct compared_table *t =
		list_table_new(sizeof *t, &ops, columns, C_COLUMNS, query->trace);
	bool ok;

	t->list.columns[C_CALLPATH_TEXT].on_screen = by & DELTA_BY_PATH;
	t->list.columns[C_TITLE].on_screen = query->metric == CUBE_NONE;
	t->list.columns[C_RANK].on_screen = by & DELTA_BY_PLACE;
	t->list.columns[C_OF_DIFFERENCE_TEXT].on_screen = !query->other;
	t->list.table.sorted_by = COLUMN_NONE;
	if (query->other)
		t->delta = delta_share(other_delta(query->other, query, err));
	else if (query->export.by_severity)
		t->delta = between_bases(t, query, err);
	ok = (!query->other && !query->export.by_severity) || add_rows(t, query, by);
	list_table_add_all(&t->list, t->rows.list.n);
	return list_table_done(&t->list, ok);
}
