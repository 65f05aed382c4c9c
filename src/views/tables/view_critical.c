/* view_critical: the critical path as a table, one row for each stretch, by time. */
#include <stdlib.h>

#include "base/str.h"
#include "patterns/causes/critical_stretch.h"
#include "views/query/analyses.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                         \
	ROW(C_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)              \
	ROW(C_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)        \
	ROW(C_FROM, "from_s", "from [s]", COLUMN_TIME, 13, true, true)       \
	ROW(C_TO, "to_s", "to [s]", COLUMN_TIME, 13, true, true)             \
	ROW(C_LENGTH, "length_s", "length", COLUMN_DURATION, 10, true, true) \
	ROW(C_SHARE, "share", "of run", COLUMN_SHARE, 7, true, true)         \
	ROW(C_KIND, "left_at", "ends a wait", COLUMN_TEXT, 20, true, true)   \
	ROW(C_PARTNER, "next_rank", "of rank", COLUMN_RANK, 7, true, true)   \
	ROW(C_METRIC, "metric", "metric", COLUMN_TEXT, 0, true, false)       \
	ROW(C_CALLPATH, "callpath", "mostly in", COLUMN_NAME, 0, true, true)
enum { COLUMNS(COLUMN_ID) C_COLUMNS };
static const struct column columns[C_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct critical_table {
	struct list_table list;
	const struct analysis *analysis;
	const struct path_stretch *path;
	size_t first;        /* item 0 */
	uint32_t *callpaths; /* [items] */
	int64_t t0, t1;      /* window */
	int64_t run;         /* ticks */
};

/* The wait on the next location at which the path left this one; NULL at the end. */
static const struct wait *left_at(const struct critical_table *t, const struct path_stretch *s)
{
	size_t n;
	const struct wait *waits;

	if (s->wait_location == UINT32_MAX)
		return NULL;
	waits = analysis_waits(t->analysis, s->wait_location, &n);
	return s->wait < n ? &waits[s->wait] : NULL;
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct critical_table *t = (struct critical_table *)list;
	const struct path_stretch *s = &t->path[t->first + item];
	const struct location *location = trace_location(list->trace, s->location);
	const int64_t from = s->from > t->t0 ? s->from : t->t0, to = s->to < t->t1 ? s->to : t->t1;
	const struct wait *wait = to == s->to ? left_at(t, s) : NULL;
	const struct cube_metric_info *metric =
		wait ? cube_metric_info((enum cube_metric)wait->metric) : NULL;
	const uint32_t path = t->callpaths[item];
	struct str *text = list_table_text(list);

	if (path)
		trace_callpath_text(list->trace, path, text);
	v[C_RANK] = value_rank(location->rank);
	v[C_THREAD] = value_integer(true, location->thread);
	v[C_FROM] = value_integer(true, from);
	v[C_TO] = value_integer(true, to);
	v[C_LENGTH] = value_integer(true, to - from);
	v[C_SHARE] = value_real(t->run > 0, (double)(to - from) / (double)t->run);
	v[C_KIND] = value_text(metric ? metric->title : NULL);
	v[C_METRIC] = value_text(metric ? metric->name : NULL);
	v[C_PARTNER] = wait ? value_rank(trace_location(list->trace, s->wait_location)->rank)
			    : value_integer(false, 0);
	v[C_CALLPATH] = value_text(text->text);
}

static void fini(struct list_table *list)
{
	free(((struct critical_table *)list)->callpaths);
}

static const struct list_ops ops = { .cells = cells, .fini = fini };

static bool fill(struct critical_table *t, const struct query *query, const struct causes *causes)
{
	OWNED bool *chosen = query_chosen(query);
	size_t n, last;

	t->path = causes_critical_path(causes, &n);
	t->run = n ? t->path[n - 1].to - t->path[0].from : 0;
	/* A whole run includes stretches that are empty at its begin. */
	t->first = t->t0 == INT64_MIN ? 0 : critical_stretch_at(t->path, n, t->t0);
	for (last = t->first; last < n && (t->t1 == INT64_MAX || t->path[last].from < t->t1);)
		last++;
	t->callpaths = xcalloc(last - t->first + 1, sizeof *t->callpaths);
	const bool all = critical_stretch_callpaths(causes, t->first, last - t->first, t->t0, t->t1,
						    t->callpaths, query->progress);
	for (size_t i = t->first; all && i < last; i++)
		if (chosen[t->path[i].location])
			list_table_add(&t->list, (uint32_t)(i - t->first));
	return all;
}

struct table *critical_path_table_new(const struct query *query, struct err *err)
{
	struct critical_table *t;
	const struct causes *causes;
	struct analysis *analysis;

	if (!query_analysis(query, &analysis, err))
		return NULL;
	causes = analysis ? analyses_causes(query->analyses, query->base) : NULL;
	t = list_table_new(sizeof *t, &ops, columns, C_COLUMNS, query->trace);
	t->analysis = analysis;
	t->t0 = query->t0;
	t->t1 = query->t1;
	return list_table_done(&t->list, !causes || fill(t, query, causes));
}
