/* view_patterns: severities as rows: metric, call path, rank, severity, unit; and statistics of the
 * instances of wait states: how many, how long, the worst ones. */
#include <stdlib.h>

#include "base/str.h"
#include "model/trace/program.h"
#include "views/facts/severity_rows.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"
#include "views/tables/patterns_records.h"

#define COLUMNS(ROW)                                                          \
	ROW(P_METRIC, "metric", "metric", COLUMN_TEXT, 24, true, true)        \
	ROW(P_CALLPATH, "callpath", "call path", COLUMN_NAME, 0, true, true)  \
	ROW(P_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)               \
	ROW(P_SEVERITY, "severity", "severity", COLUMN_EXACT, 14, true, true) \
	ROW(P_UNIT, "unit", "unit", COLUMN_TEXT, 6, true, true)               \
	ROW(P_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)         \
	ROW(P_PATH, "callpath_id", "path", COLUMN_INT, 8, true, false)        \
	ROW(P_FILE, "file", "file", COLUMN_TEXT, 12, true, false)             \
	ROW(P_LINE, "line", "line", COLUMN_INT, 5, true, false)               \
	ROW(P_LOWER, "lower", "lower", COLUMN_EXACT, 14, true, true)          \
	ROW(P_UPPER, "upper", "upper", COLUMN_EXACT, 14, true, true)
enum { COLUMNS(COLUMN_ID) P_COLUMNS };
static const struct column columns[P_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct patterns_table {
	struct list_table list;
	enum severity_by by;
};

/* A severity in its unit: seconds, occurrences, bytes. */
static double in_unit(const struct trace *trace, enum cube_unit unit, double value)
{
	return unit == UNIT_TICKS ? value / (double)trace_scale(trace)->per_second : value;
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	static const char *const units[] = { "s", "occ", "bytes" };
	struct patterns_table *t = (struct patterns_table *)list;
	const struct trace *trace = list->trace;
	const struct severity *s = list_table_row(list, item);
	const struct cube_metric_info *metric = cube_metric_info(s->metric);
	const struct location *location =
		s->location != UINT32_MAX ? trace_location(trace, s->location) : NULL;
	const struct site *site = s->path != UINT32_MAX && s->path
					  ? trace_site(trace, trace_callpath(trace, s->path)->site)
					  : NULL;
	struct str *path = list_table_text(list);

	if (s->path != UINT32_MAX)
		trace_callpath_text(trace, s->path, path);
	v[P_METRIC] = value_text(metric->name);
	v[P_CALLPATH] = value_text(path->text);
	v[P_RANK] = value_rank(location ? location->rank : RANK_UNKNOWN);
	v[P_SEVERITY] = value_real(true, in_unit(trace, metric->unit, s->value));
	v[P_UNIT] = value_text(units[metric->unit]);
	v[P_THREAD] = value_integer(location && t->by == SEVERITY_BY_ALL,
				    location ? location->thread : 0);
	/* Call paths of one name may differ by the line of a call. */
	v[P_PATH] = value_integer(s->path != UINT32_MAX, s->path);
	v[P_FILE] = value_text(site ? trace_string(trace, site->file) : NULL);
	v[P_LINE] = value_integer(site && site->line, site ? site->line : 0);
	v[P_LOWER] = value_real(true, in_unit(trace, metric->unit, s->lower));
	v[P_UPPER] = value_real(true, in_unit(trace, metric->unit, s->upper));
}

/* Those here of the metrics that are asked for. */
static void list_rows(struct severity_rows *s, enum cube_metric chosen, struct severity_list *list)
{
	for (int m = 0; m < CUBE_METRICS; m++) {
		const struct severity *rows;
		size_t n;
		if (!severity_rows_has(s, (enum cube_metric)m) ||
		    (chosen != CUBE_NONE && !cube_metric_within((enum cube_metric)m, chosen)))
			continue;
		n = severity_rows_of(s, (enum cube_metric)m, &rows);
		vec_reserve(list, n);
		for (size_t i = 0; i < n; i++)
			vec_push(list, rows[i]);
	}
}

struct table *patterns_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .row_size = sizeof(struct severity) };
	struct patterns_table *t;
	struct severity_rows s;
	struct severity_list rows = VEC_INIT;

	if (trace_records_alone(query->trace))
		return patterns_records_new(query, err);
	if (!severity_rows_init(&s, query, (enum severity_by)query->export.severity_by, err)) {
		severity_rows_fini(&s);
		return NULL;
	}
	list_rows(&s, (enum cube_metric)query->metric, &rows);
	t = list_table_new(sizeof *t, &ops, columns,
			   severity_rows_bounded(&s) ? P_COLUMNS : (unsigned)P_LOWER, query->trace);
	t->by = s.by;
	if (s.by == SEVERITY_BY_ALL && trace_exchange(query->trace)) {
		severity_rows_deal(&s, &rows);
		t->list.table.stretch = true;
	}
	list_table_take_rows(&t->list, rows.data, rows.n);
	severity_rows_fini(&s);
	return &t->list.table;
}
