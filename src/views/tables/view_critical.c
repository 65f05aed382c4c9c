/* view_critical: the critical path as a table, one row for each stretch, by time. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/trace/halo.h"
#include "model/trace/piece.h"
#include "patterns/causes/critical_keep.h"
#include "patterns/causes/critical_stretch.h"
#include "views/query/analyses.h"
#include "views/query/table_gather.h"
#include "views/query/table_kept.h"
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
	const struct path_stretch *path; /* of item 0 */
	struct path_stretch *shared;     /* owned; NULL: the path is the analysis' */
	uint32_t *callpaths;             /* [items] */
	uint8_t *metrics; /* [items] of the wait on the next location at which the path left this
			     one, enum cube_metric; CUBE_NONE: none */
	int64_t t0, t1;   /* window */
	int64_t run;      /* ticks */
};

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct critical_table *t = (struct critical_table *)list;
	const struct path_stretch *s = &t->path[item];
	const struct location *location = trace_location(list->trace, s->location);
	const int64_t from = s->from > t->t0 ? s->from : t->t0, to = s->to < t->t1 ? s->to : t->t1;
	const uint8_t left_at = to == s->to ? t->metrics[item] : CUBE_NONE;
	const struct cube_metric_info *metric =
		left_at != CUBE_NONE ? cube_metric_info((enum cube_metric)left_at) : NULL;
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
	v[C_PARTNER] = metric ? value_rank(trace_location(list->trace, s->wait_location)->rank)
			      : value_integer(false, 0);
	v[C_CALLPATH] = value_text(text->text);
}

static void fini(struct list_table *list)
{
	struct critical_table *t = (struct critical_table *)list;

	free_all(t->shared, t->callpaths, t->metrics);
}

static const struct list_ops ops = { .cells = cells, .fini = fini };

struct left_at {
	uint32_t item, metric;
};

/* Of n stretches: what each wait is, its process knows. */
static void find_metrics(struct critical_table *t, const struct analysis *analysis, size_t n)
{
	OWNED_VEC(struct left_at) found = VEC_INIT;
	const struct left_at *at;

	for (uint32_t i = 0; i < n; i++) {
		const struct path_stretch *s = &t->path[i];
		const struct wait *waits;
		size_t n_waits;
		if (s->wait_location == UINT32_MAX ||
		    !trace_has_location(t->list.trace, s->wait_location))
			continue;
		waits = analysis_waits(analysis, s->wait_location, &n_waits);
		if (s->wait < n_waits)
			vec_push(&found, ((struct left_at){ i, waits[s->wait].metric }));
	}
	exchange_rows(trace_exchange(t->list.trace), &found);
	memset(t->metrics, CUBE_NONE, n);
	vec_each (at, &found)
		t->metrics[at->item] = (uint8_t)at->metric;
}

typedef VEC(struct row_key) row_keys;

static int64_t run_of(const struct path_stretch *path, size_t n)
{
	return n ? path[n - 1].to - path[0].from : 0;
}

/* ---- with the trace ---- */

static const char keep_name[] = "critical-calls";

static void keep_path(const struct critical_table *t, const struct query *query, size_t n)
{
	struct piece piece = { VEC_INIT };

	if (!query_keeps(query))
		return;
	critical_path_keep(query->trace, query->base, t->path, n);
	piece_add(&piece, t->callpaths, n, sizeof *t->callpaths);
	piece_add(&piece, t->metrics, n, sizeof *t->metrics);
	piece_keep(&piece, query->trace, keep_name, query->base);
}

static bool hold(const struct trace *trace, const uint32_t *callpaths, const uint8_t *metrics,
		 size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (callpaths[i] >= trace_callpath_count(trace) ||
		    (metrics[i] >= CUBE_METRICS && metrics[i] != CUBE_NONE))
			return false;
	/* No wait follows the last stretch. */
	return n == 0 || metrics[n - 1] == CUBE_NONE;
}

/* The path of the whole run, and what its stretches are mostly in. */
static bool take_kept(struct critical_table *t, const struct query *query, size_t *n)
{
	struct piece_reader reader;
	const uint32_t *callpaths;
	const uint8_t *metrics;
	size_t n_callpaths, n_metrics;

	t->path = query_keeps(query) ? analyses_critical_path(query->analyses, query->base, true, n)
				     : NULL;
	if (!t->path || !piece_find(&reader, query->trace, keep_name, query->base))
		return false;
	callpaths = piece_next(&reader, sizeof *callpaths, &n_callpaths);
	metrics = piece_next(&reader, sizeof *metrics, &n_metrics);
	if (!piece_ends(&reader) || n_callpaths != *n || n_metrics != *n ||
	    !hold(query->trace, callpaths, metrics, *n))
		return false;
	t->callpaths =
		memcpy(xcalloc(*n + 1, sizeof *callpaths), callpaths, *n * sizeof *callpaths);
	t->metrics = memcpy(xcalloc(*n + 1, sizeof *metrics), metrics, *n * sizeof *metrics);
	return true;
}

/* ---- rows ---- */

/* The stretches inside the window. */
static bool find(struct critical_table *t, const struct query *query,
		 const struct analysis *analysis, const struct causes *causes, size_t *stretches)
{
	const struct path_stretch *path;
	size_t n, first, last;

	path = causes_critical_path(causes, &n);
	if (trace_exchange(query->trace))
		path = t->shared = causes_shared_path(causes, &n);
	t->run = run_of(path, n);
	/* A whole run includes stretches that are empty at its begin. */
	first = t->t0 == INT64_MIN ? 0 : critical_stretch_at(path, n, t->t0);
	for (last = first; last < n && (t->t1 == INT64_MAX || path[last].from < t->t1);)
		last++;
	*stretches = n = last - first;
	t->path = path + first;
	t->callpaths = xcalloc(n + 1, sizeof *t->callpaths);
	t->metrics = xcalloc(n + 1, sizeof *t->metrics);
	find_metrics(t, analysis, n);
	return critical_stretch_callpaths(causes, t->path, n, t->t0, t->t1, t->callpaths,
					  query->progress);
}

static void add_rows(struct critical_table *t, const struct query *query, size_t n, row_keys *keys)
{
	OWNED bool *chosen = query_chosen(query);

	for (uint32_t i = 0; i < n; i++)
		if (chosen[t->path[i].location] &&
		    trace_has_location(query->trace, t->path[i].location)) {
			list_table_add(&t->list, i);
			vec_push(keys, ((struct row_key){ { i } }));
		}
}

static bool fill(struct critical_table *t, const struct query *query, row_keys *keys,
		 struct err *err)
{
	struct analysis *analysis;
	const struct causes *causes;
	size_t n = 0;

	if (take_kept(t, query, &n)) {
		t->run = run_of(t->path, n);
		add_rows(t, query, n, keys);
		return true;
	}
	if (!query_analysis(query, &analysis, err))
		return false;
	causes = analysis ? causes_of(analysis, query->progress, err) : NULL;
	if (causes && !find(t, query, analysis, causes, &n))
		return false;
	if (causes)
		keep_path(t, query, n);
	add_rows(t, query, n, keys);
	return causes || !analysis;
}

struct table *critical_path_table_new(const struct query *query, struct err *err)
{
	struct critical_table *t;
	row_keys keys = VEC_INIT;
	struct table *table;

	t = list_table_new(sizeof *t, &ops, columns, C_COLUMNS, query->trace);
	t->t0 = query->t0;
	t->t1 = query->t1;
	table = list_table_done(&t->list, fill(t, query, &keys, err));
	table = table_gather(table, trace_exchange(query->trace), keys.data);
	vec_fini(&keys);
	return table;
}
