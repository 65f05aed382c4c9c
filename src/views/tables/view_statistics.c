/* view_statistics: the instances of wait states in numbers: how many and how long of each kind, and
 * the longest ones with their place and the location waited for. */

#include "base/mem.h"
#include "base/str.h"
#include "views/query/analyses.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

enum { WORST = 5 }; /* instances of a kind that have rows of their own */

#define COLUMNS(ROW)                                                              \
	ROW(S_METRIC, "metric", "metric", COLUMN_TEXT, 24, true, true)            \
	ROW(S_WHAT, "what", "what", COLUMN_TEXT, 8, true, true)                   \
	ROW(S_COUNT, "count", "count", COLUMN_COUNT, 9, true, true)               \
	ROW(S_SUM, "sum_s", "sum", COLUMN_DURATION, 10, true, true)               \
	ROW(S_MIN, "min_s", "min", COLUMN_DURATION, 10, true, true)               \
	ROW(S_LOWER, "lower_quartile_s", "25 %", COLUMN_DURATION, 10, true, true) \
	ROW(S_MEDIAN, "median_s", "median", COLUMN_DURATION, 10, true, true)      \
	ROW(S_UPPER, "upper_quartile_s", "75 %", COLUMN_DURATION, 10, true, true) \
	ROW(S_MAX, "max_s", "max", COLUMN_DURATION, 10, true, true)               \
	ROW(S_MEAN, "mean_s", "mean", COLUMN_EXACT, 12, true, false)              \
	ROW(S_VARIANCE, "variance_s2", "variance", COLUMN_EXACT, 12, true, false) \
	ROW(S_TIME, "time_s", "at", COLUMN_TIME, 14, true, true)                  \
	ROW(S_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                   \
	ROW(S_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)             \
	ROW(S_PARTNER, "partner", "waits for", COLUMN_RANK, 9, true, true)        \
	ROW(S_CALLPATH, "callpath", "call path", COLUMN_NAME, 0, true, true)      \
	ROW(S_EVENT, "event", "event", COLUMN_INT, 10, true, false)
enum { COLUMNS(COLUMN_ID) S_COLUMNS };
static const struct column columns[S_COLUMNS] = { COLUMNS(COLUMN_ROW) };

/* A kind, or one of its longest instances. */
struct statistics_row {
	enum cube_metric metric;
	bool instance;
	uint32_t location;
	struct wait wait;
	struct wait_statistics statistics;
};

struct worst {
	uint32_t n, location[WORST];
	struct wait wait[WORST]; /* longest first; ties: lower location, then earlier */
};

static void sum_cells(const struct list_table *list, const struct wait_statistics *s,
		      struct value *v)
{
	const double second = (double)trace_scale(list->trace)->per_second;

	v[S_WHAT] = value_text("all");
	v[S_COUNT] = value_count(s->count);
	v[S_SUM] = value_duration(true, s->sum);
	v[S_MIN] = value_integer(true, s->min);
	v[S_LOWER] = value_integer(true, s->lower);
	v[S_MEDIAN] = value_integer(true, s->median);
	v[S_UPPER] = value_integer(true, s->upper);
	v[S_MAX] = value_integer(true, s->max);
	v[S_MEAN] = value_real(true, s->mean / second);
	v[S_VARIANCE] = value_real(true, s->variance / second / second);
}

static void instance_cells(struct list_table *list, const struct statistics_row *row,
			   struct value *v)
{
	const struct location *location = trace_location(list->trace, row->location);
	const struct wait *wait = &row->wait;
	struct str *path = list_table_text(list);

	trace_callpath_text(list->trace, wait->path, path);
	v[S_WHAT] = value_text("longest");
	v[S_MAX] = value_integer(true, wait->length);
	v[S_TIME] = value_integer(true, wait->begin);
	v[S_RANK] = value_rank(location->rank);
	v[S_THREAD] = value_integer(true, location->thread);
	v[S_PARTNER] = value_partner(list->trace, wait->partner);
	v[S_CALLPATH] = value_text(path->text);
	v[S_EVENT] = value_integer(true, wait->event);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct statistics_row *row = list_table_row(list, item);

	for (int c = 0; c < S_COLUMNS; c++)
		v[c] = (struct value){ .known = false };
	v[S_METRIC] = value_text(cube_metric_info(row->metric)->name);
	if (row->instance)
		instance_cells(list, row, v);
	else
		sum_cells(list, &row->statistics, v);
}

static void note(struct worst *worst, uint32_t location, const struct wait *wait)
{
	uint32_t place = worst->n;

	while (place && worst->wait[place - 1].length < wait->length)
		place--;
	if (place == WORST)
		return;
	if (worst->n < WORST)
		worst->n++;
	for (uint32_t i = worst->n - 1; i > place; i--) {
		worst->wait[i] = worst->wait[i - 1];
		worst->location[i] = worst->location[i - 1];
	}
	worst->wait[place] = *wait;
	worst->location[place] = location;
}

/* A late sender of messages in the wrong order counts for that kind, too. */
static void note_all(struct worst *worst, uint32_t location, const struct wait *wait)
{
	note(&worst[wait->metric], location, wait);
	if (!(wait->flags & WAIT_WRONG_ORDER))
		return;
	note(&worst[CUBE_MPI_LATESENDER_WO], location, wait);
	note(&worst[wait->flags & WAIT_SAME_SOURCE ? CUBE_MPI_LSWO_SAME : CUBE_MPI_LSWO_DIFFERENT],
	     location, wait);
}

/* One pass over the instances in the window; false if stopped. */
static bool find_worst(const struct query *query, const struct analysis *analysis,
		       const bool *chosen, struct worst *worst)
{
	for (uint32_t l = 0; l < trace_location_count(query->trace); l++) {
		size_t n;
		const struct wait *waits = analysis_waits(analysis, l, &n);
		if (query_stopped(query))
			return false;
		if (!chosen[l])
			continue;
		for (size_t i = analysis_wait_at(analysis, l, query->t0); i < n; i++)
			if (waits[i].begin >= query->t0 && waits[i].begin < query->t1)
				note_all(worst, l, &waits[i]);
	}
	return true;
}

static void add_rows(struct list_table *list, enum cube_metric metric,
		     const struct wait_statistics *statistics, const struct worst *worst)
{
	list_table_add_row(list,
			   &(struct statistics_row){ .metric = metric, .statistics = *statistics });
	for (uint32_t i = 0; i < worst->n; i++)
		list_table_add_row(list, &(struct statistics_row){ .metric = metric,
								   .instance = true,
								   .location = worst->location[i],
								   .wait = worst->wait[i] });
}

struct table *statistics_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .row_size = sizeof(struct statistics_row) };
	struct list_table *list;
	struct worst *worst;
	struct analysis *analysis;
	bool *chosen, ok = true;

	if (!query_analysis(query, &analysis, err))
		return NULL;
	list = list_table_new(sizeof *list, &ops, columns, S_COLUMNS, query->trace);
	chosen = query_chosen(query);
	worst = xcalloc(CUBE_METRICS, sizeof *worst);
	ok = !analysis || find_worst(query, analysis, chosen, worst);
	for (int m = 0; ok && m < CUBE_METRICS; m++) {
		struct wait_statistics statistics;
		if (!worst[m].n)
			continue;
		analysis_statistics(analysis, (enum cube_metric)m, chosen, query->t0, query->t1,
				    &statistics);
		add_rows(list, (enum cube_metric)m, &statistics, &worst[m]);
	}
	free_all(worst, chosen);
	return list_table_done(list, ok);
}
