/* view_statistics: the instances of wait states in numbers: how many and how long of each kind, and
 * the longest ones with their place and the location waited for. */

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/trace/program.h"
#include "views/query/analyses.h"
#include "views/query/table_kept.h"
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

/* A wait, as all processes know it. */
struct instance {
	enum cube_metric metric; /* the kind that it is listed for */
	uint32_t location, path;
	uint32_t row;     /* among the waits of the location */
	uint32_t partner; /* location, UINT32_MAX unknown */
	uint32_t unused;
	uint64_t event; /* trace_event_number() */
	int64_t begin, length;
};

/* A kind, or one of its longest instances. */
struct statistics_row {
	enum cube_metric metric;
	uint32_t is_instance; /* 1: `wait` is what the row shows */
	struct instance wait;
	struct wait_statistics statistics;
};

struct worst {
	uint32_t n;
	struct instance wait[WORST]; /* longest first; ties: lower location, then earlier */
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
	const struct instance *wait = &row->wait;
	const struct location *location = trace_location(list->trace, wait->location);
	struct str *path = list_table_text(list);

	trace_callpath_text(list->trace, wait->path, path);
	v[S_WHAT] = value_text("longest");
	v[S_MAX] = value_integer(true, wait->length);
	v[S_TIME] = value_integer(true, wait->begin);
	v[S_RANK] = value_rank(location->rank);
	v[S_THREAD] = value_integer(true, location->thread);
	v[S_PARTNER] = value_partner(list->trace, wait->partner);
	v[S_CALLPATH] = value_text(path->text);
	v[S_EVENT] = value_event_number(list->trace, wait->event);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct statistics_row *row = list_table_row(list, item);

	for (int c = 0; c < S_COLUMNS; c++)
		v[c] = (struct value){ .known = false };
	v[S_METRIC] = value_text(cube_metric_info(row->metric)->name);
	if (row->is_instance)
		instance_cells(list, row, v);
	else
		sum_cells(list, &row->statistics, v);
}

static void note(struct worst *worst, const struct instance *wait)
{
	uint32_t place = worst->n;

	while (place && worst->wait[place - 1].length < wait->length)
		place--;
	if (place == WORST)
		return;
	if (worst->n < WORST)
		worst->n++;
	for (uint32_t i = worst->n - 1; i > place; i--)
		worst->wait[i] = worst->wait[i - 1];
	worst->wait[place] = *wait;
}

/* A late sender of messages in the wrong order counts for that kind, too. */
static void note_all(struct worst *worst, const struct wait *wait, struct instance *instance)
{
	const enum cube_metric metrics[] = {
		(enum cube_metric)wait->metric,
		CUBE_MPI_LATESENDER_WO,
		wait->flags & WAIT_SAME_SOURCE ? CUBE_MPI_LSWO_SAME : CUBE_MPI_LSWO_DIFFERENT,
	};

	for (int i = 0; i < (wait->flags & WAIT_WRONG_ORDER ? 3 : 1); i++) {
		instance->metric = metrics[i];
		note(&worst[metrics[i]], instance);
	}
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
				note_all(worst, &waits[i],
					 &(struct instance){ .location = l,
							     .path = waits[i].path,
							     .row = (uint32_t)i,
							     .begin = waits[i].begin,
							     .length = waits[i].length });
	}
	return true;
}

ORDERING(in_order, struct instance, location, row, metric)

/* What only the process of a wait can look up; then the longest of all processes. */
static void share_worst(const struct trace *trace, const struct analysis *analysis,
			struct worst *worst)
{
	OWNED_VEC(struct instance) rows = VEC_INIT;
	const struct instance *row;
	size_t n;

	for (int m = 0; m < CUBE_METRICS; m++) {
		for (uint32_t i = 0; i < worst[m].n; i++) {
			struct instance *instance = &worst[m].wait[i];
			const struct wait *wait =
				&analysis_waits(analysis, instance->location, &n)[instance->row];
			instance->partner = wait_partner(trace, wait);
			instance->event = trace_event_number(trace, wait->event);
			vec_push(&rows, *instance);
		}
		worst[m].n = 0;
	}
	exchange_rows(trace_exchange(trace), &rows);
	vec_sort(&rows, in_order);
	vec_each (row, &rows)
		note(&worst[row->metric], row);
}

static void add_rows(struct list_table *list, enum cube_metric metric,
		     const struct wait_statistics *statistics, const struct worst *worst)
{
	list_table_add_row(list,
			   &(struct statistics_row){ .metric = metric, .statistics = *statistics });
	for (uint32_t i = 0; i < worst->n; i++)
		list_table_add_row(list, &(struct statistics_row){ .metric = metric,
								   .is_instance = 1,
								   .wait = worst->wait[i] });
}

static void add_all(struct list_table *list, const struct query *query,
		    const struct analysis *analysis, const bool *chosen, const struct worst *worst)
{
	struct wait_statistics statistics[CUBE_METRICS];
	enum cube_metric metrics[CUBE_METRICS];
	size_t n = 0;

	for (int m = 0; m < CUBE_METRICS; m++)
		if (worst[m].n)
			metrics[n++] = (enum cube_metric)m;
	analysis_statistics(analysis, metrics, n, chosen, query->t0, query->t1, statistics);
	for (size_t i = 0; i < n; i++)
		add_rows(list, metrics[i], &statistics[i], &worst[metrics[i]]);
}

/* ---- with the trace ---- */

static const char keep_name[] = "statistics";

static bool is_time(int64_t ticks)
{
	return ticks >= -RECORD_TIME_MAX && ticks <= RECORD_TIME_MAX;
}

static bool holds(const struct trace *trace, const void *kept)
{
	const struct statistics_row *row = kept;
	const struct instance *wait = &row->wait;
	const struct wait_statistics *s = &row->statistics;

	if (row->metric >= CUBE_METRICS)
		return false;
	if (!row->is_instance)
		return is_time(s->min) && is_time(s->lower) && is_time(s->median) &&
		       is_time(s->upper) && is_time(s->max) && s->count <= INT64_MAX;
	return wait->location < trace_location_count(trace) &&
	       wait->path < trace_callpath_count(trace) &&
	       (wait->partner == UINT32_MAX || wait->partner < trace_location_count(trace)) &&
	       is_time(wait->begin) && is_time(wait->length) && wait->event <= INT64_MAX;
}

struct table *statistics_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .row_size = sizeof(struct statistics_row) };
	struct list_table *list;
	struct worst *worst;
	struct analysis *analysis;
	bool *chosen, ok = true;

	list = list_table_new(sizeof *list, &ops, columns, S_COLUMNS, query->trace);
	if (list_table_take_kept(list, query, keep_name, holds))
		return list_table_done(list, true);
	if (!query_analysis(query, &analysis, err))
		return list_table_done(list, false);
	chosen = query_chosen(query);
	worst = xcalloc(CUBE_METRICS, sizeof *worst);
	ok = !analysis || find_worst(query, analysis, chosen, worst);
	if (ok && analysis)
		share_worst(query->trace, analysis, worst);
	if (ok && analysis)
		add_all(list, query, analysis, chosen, worst);
	if (ok && analysis)
		list_table_keep(list, query, keep_name);
	free_all(worst, chosen);
	return list_table_done(list, ok);
}
