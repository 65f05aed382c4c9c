/* view_profile: time and visits by region and by call path, over all chosen locations or by
 * rank; with what counters counted (profile_counters.h). Functions that were sampled outside of all
 * recorded regions have rows of their own, with sampled exclusive time alone. */
#include <stdlib.h>

#include "base/exchange.h"
#include "model/meaning/meaning.h"
#include "model/trace/detail.h"
#include "model/trace/gap.h"
#include "model/trace/program.h"
#include "views/facts/sample_sums.h"
#include "views/query/query_profile.h"
#include "views/query/table_list.h"
#include "views/query/time_share.h"
#include "views/query/view_common.h"
#include "views/tables/profile_counters.h"
#include "views/tables/profile_records.h"

/* Column sets: by region, by region and rank, by call path. */
enum { BY_REGION = 1, BY_RANK = 2, BY_PATH = 4, EVERY = 7 };

#define ALL_COLUMNS(ROW)                                                                        \
	ROW(P_RANK, BY_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                        \
	ROW(P_REGION, BY_REGION | BY_RANK, "region", "region", COLUMN_NAME, 24, true, true)     \
	ROW(P_PATH, BY_PATH, "callpath", "call path", COLUMN_NAME, 40, true, true)              \
	ROW(P_COUNT, EVERY, "count", "count", COLUMN_COUNT, 10, true, true)                     \
	ROW(P_INCLUSIVE, EVERY, "inclusive_s", "inclusive", COLUMN_DURATION, 10, true, true)    \
	ROW(P_EXCLUSIVE, EVERY, "exclusive_s", "exclusive", COLUMN_DURATION, 10, true, true)    \
	ROW(P_CHANGE, EVERY, "exclusive_change_s", "change", COLUMN_MOVE, 10, false, false)     \
	ROW(P_BEFORE, EVERY, "exclusive_before_s", "before", COLUMN_DURATION, 10, false, false) \
	ROW(P_MIN, EVERY, "min_s", "min", COLUMN_DURATION, 10, true, true)                      \
	ROW(P_MEAN, EVERY, "mean_s", "mean", COLUMN_DURATION, 10, true, true)                   \
	ROW(P_MAX, EVERY, "max_s", "max", COLUMN_DURATION, 10, true, true)                      \
	ROW(P_SHARE, EVERY, "exclusive_share", "share", COLUMN_SHARE, 7, true, true)            \
	ROW(P_CLASS, EVERY, "class", "class", COLUMN_TEXT, 11, true, false)                     \
	ROW(P_CLASS_TITLE, EVERY, "class_title", "class", COLUMN_TEXT, 17, false, true)         \
	ROW(P_FILE, EVERY, "file", "file", COLUMN_TEXT, 16, true, false)                        \
	ROW(P_LINE, EVERY, "line", "line", COLUMN_INT, 6, true, false)                          \
	ROW(P_APPROXIMATE, EVERY, "approximate", "approximate", COLUMN_INT, 3, true, false)     \
	ROW(P_REGION_ID, BY_REGION | BY_RANK, "region_id", "id", COLUMN_INT, 6, true, false)    \
	ROW(P_PATH_ID, BY_PATH, "callpath_id", "id", COLUMN_INT, 8, true, false)
enum { ALL_COLUMNS(COLUMN_ID) P_COLUMNS };
static const struct column_of all_columns[P_COLUMNS] = { ALL_COLUMNS(COLUMN_ROW_WITH) };

struct profile_table_row {
	struct profile_row sums;
	int64_t streams; /* exclusive time on devices' streams, ticks */
	int64_t before;  /* exclusive time in the base to compare with, ticks */
	uint32_t key;    /* region or call path; of samples region */
	int32_t rank;    /* with by_rank */
	bool sampled;
	size_t counts; /* of profile_counters, NO_COUNTS none */
};

struct profile_table {
	struct list_table list;
	struct timescale scale;  /* of the shown times: nanoseconds at least, so that the mean of
				   whole ticks is not rounded to a tick */
	int64_t factor;          /* ticks of `scale` in a tick of the trace */
	struct time_parts whole; /* 100 % */
	bool by_rank;
	bool by_path;
	uint32_t region; /* by path: only of this region; UINT32_MAX: all */
	bool difference;
	struct profile_counters counters;
};

/* ---- sums ---- */

/* `streams` and `before` are indexed like the rows; NULL: no streams, no difference. */
static void keep_rows(struct profile_table *t, const struct profile *profile,
		      const int64_t *streams, const int64_t *before, int32_t rank)
{
	/* Call path 0 is the root: the time in which no region was open. */
	for (uint32_t i = t->by_path; i < profile->n; i++)
		if (!profile_row_is_empty(&profile->rows[i]) || (before && before[i])) {
			const struct profile_table_row row = {
				.sums = profile->rows[i],
				.streams = streams ? streams[i] : 0,
				.before = before ? before[i] : 0,
				.key = i,
				.rank = rank,
				.counts = profile_counters_row(&t->counters, i)
			};
			if (t->region == UINT32_MAX ||
			    trace_callpath_region(t->list.trace, i) == t->region)
				list_table_add_row(&t->list, &row);
		}
}

/* Adds exclusive times of some locations. */
static bool add_exclusive(int64_t *sums, enum profile_key key, const struct query *query,
			  const uint32_t *locations, size_t n, struct err *err)
{
	struct profile profile;

	if (!query_profile(&profile, query, key, locations, n, err))
		return false;
	for (uint32_t i = 0; i < profile.n; i++)
		sums[i] += profile.rows[i].exclusive;
	profile_fini(&profile);
	return true;
}

/* Exclusive times in the other base. A window contains the same events there, and each location has
 * its own. NULL: stopped, or with err. */
static int64_t *times_before(enum profile_key key, const struct query *query,
			     const struct query_group *group, uint32_t rows, struct err *err)
{
	const uint32_t step = query_is_whole(query) ? group->n : 1;
	int64_t *before = xcalloc((size_t)rows + 1, sizeof *before);
	bool ok = true;

	for (uint32_t i = 0; ok && i < group->n; i += step) {
		const uint32_t *at = group->locations + i;
		const struct query other = query_in_base(query, query->against, *at);
		ok = add_exclusive(before, key, &other, at, step, err);
	}
	if (ok)
		exchange_ticks(group->exchange, before, rows);
	else
		free_all(before);
	return ok ? before : NULL;
}

/* Exclusive times on the streams of the group, or NULL if it has none. False: as above. */
static bool times_on_streams(int64_t **times, enum profile_key key, const struct query *query,
			     const struct query_group *group, uint32_t rows, struct err *err)
{
	OWNED uint32_t *streams = xmalloc((group->n + 1) * sizeof *streams);
	uint32_t n = 0;

	for (uint32_t i = 0; i < group->n; i++)
		if (!location_runs_code(trace_location(query->trace, group->locations[i])))
			streams[n++] = group->locations[i];
	*times = n ? xcalloc((size_t)rows + 1, sizeof **times) : NULL;
	if (n && !add_exclusive(*times, key, query, streams, n, err))
		return false;
	if (n)
		exchange_ticks(group->exchange, *times, rows);
	return true;
}

static bool add_profile(struct profile_table *t, const struct query *query,
			const struct query_group *group, struct err *err)
{
	const int32_t rank = trace_location(query->trace, group->locations[0])->rank;
	const enum profile_key key = t->by_path ? PROFILE_CALLPATH : PROFILE_REGION;
	struct profile profile;
	int64_t *before = NULL, *streams = NULL;
	bool ok;

	if (!query_profile(&profile, query, key, group->locations, group->n, err))
		return false;
	profile_share(&profile, group->exchange);
	ok = times_on_streams(&streams, key, query, group, profile.n, err);
	if (ok && t->difference)
		ok = (before = times_before(key, query, group, profile.n, err)) != NULL;
	ok = ok && profile_counters_add(&t->counters, query, key, group->locations, group->n,
					group->exchange);
	if (ok && group->has_rows)
		keep_rows(t, &profile, streams, before, rank);
	free_all(before, streams);
	profile_fini(&profile);
	return ok;
}

/* Samples inside recorded regions are part of these already. */
static void add_samples(struct profile_table *t, const struct query *query,
			const struct query_group *group)
{
	const int32_t rank = trace_location(query->trace, group->locations[0])->rank;
	const struct sample_sum *sum;
	struct sample_sums sums;

	sample_sums_make(&sums, query, group->locations, group->n, 0, group->exchange);
	if (!group->has_rows)
		sums.rows.n = 0;
	vec_each (sum, &sums.rows) {
		const int64_t time = (int64_t)(sum->time + 0.5);
		const struct profile_table_row row = { .sums = { .exclusive = time,
								 .estimated.exclusive = time },
						       .before = time,
						       .key = sum->region,
						       .rank = rank,
						       .sampled = true,
						       .counts = NO_COUNTS };
		if (sum->inside == UINT32_MAX && time > 0 &&
		    (t->region == UINT32_MAX || t->region == sum->region))
			list_table_add_row(&t->list, &row);
	}
	sample_sums_fini(&sums);
}

static int32_t rank_of(const void *row)
{
	return ((const struct profile_table_row *)row)->rank;
}

/* Of all processes, by rank. */
static void share_rows(struct profile_table *t, struct exchange *x)
{
	const size_t moved = profile_counters_share(&t->counters, x);

	for (uint32_t i = 0; i < list_table_row_count(&t->list); i++) {
		struct profile_table_row *row = list_table_row(&t->list, i);
		row->counts += row->counts == NO_COUNTS ? 0 : moved;
	}
	list_table_share(&t->list, x, rank_of);
}

/* Adds profiles of the chosen locations: one of all, or one for each rank. */
static bool add_profiles(struct profile_table *t, const struct query *query, struct err *err)
{
	const bool sampled = trace_has_detail(query->trace, DETAIL_SAMPLE);
	OWNED uint32_t *locations = query_by_rank(query);
	struct query_group group = { 0 };
	bool ok = true;

	while (ok && query_group_next(query, locations, t->by_rank, &group)) {
		ok = add_profile(t, query, &group, err);
		if (ok && sampled)
			add_samples(t, query, &group);
	}
	if (ok && t->by_rank)
		share_rows(t, trace_exchange(query->trace));
	return ok;
}

/* ---- cells ---- */

/* The mean to the nearest tick of the finer scale, half away from zero. */
static int64_t mean_of(const struct profile_table *t, const struct profile_row *sums)
{
	const __int128 sum = (__int128)sums->visit_sum * t->factor;
	const __int128 n = (__int128)sums->count;

	return (int64_t)(sum >= 0 ? (sum + n / 2) / n : -((-sum + n / 2) / n));
}

static void number_cells(const struct profile_table *t, const struct profile_table_row *row,
			 const struct region *region, struct value *v)
{
	const struct profile_row *sums = &row->sums;
	const bool visits = !row->sampled && meaning_counts_visits(region->paradigm);
	const bool each = visits && sums->count;
	const struct time_parts own = { .hosts = (double)(sums->exclusive - row->streams),
					.streams = (double)row->streams };

	v[P_COUNT] = value_integer(visits, (int64_t)sums->count);
	v[P_INCLUSIVE] = value_integer(!row->sampled, sums->inclusive * t->factor);
	v[P_EXCLUSIVE] = value_integer(true, sums->exclusive * t->factor);
	v[P_CHANGE] = value_integer(t->difference, (sums->exclusive - row->before) * t->factor);
	v[P_BEFORE] = value_integer(t->difference, row->before * t->factor);
	v[P_MIN] = value_integer(each, sums->min * t->factor);
	v[P_MEAN] = value_integer(each, each ? mean_of(t, sums) : 0);
	v[P_MAX] = value_integer(each, sums->max * t->factor);
	v[P_SHARE] = value_real(t->whole.hosts + t->whole.streams > 0, time_share(own, t->whole));
}

/* Marks times that were estimated in gaps. */
static void mark_cells(const struct profile_row *sums, struct value *v)
{
	static const uint8_t visits[] = { P_MIN, P_MEAN, P_MAX }, own[] = { P_EXCLUSIVE, P_SHARE };
	const struct profile_estimated *e = &sums->estimated;
	bool any = value_estimated(&v[P_INCLUSIVE], (double)e->inclusive, (double)sums->inclusive);

	for (size_t i = 0; i < ARRAY_SIZE(visits); i++)
		any |= value_estimated(&v[visits[i]], (double)e->visits, (double)sums->visit_sum);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		any |= value_estimated(&v[own[i]], (double)e->exclusive, (double)sums->exclusive);
	v[P_APPROXIMATE] = value_integer(true, any);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct profile_table *t = (struct profile_table *)list;
	const struct profile_table_row *row = list_table_row(list, item);
	const bool by_path = t->by_path && !row->sampled;
	const uint32_t id = by_path ? trace_callpath_region(list->trace, row->key) : row->key;
	const struct region *region = trace_region(list->trace, id);
	uint32_t file = region->file, line = region->line;
	struct str *path = list_table_text(list);

	if (t->by_path && row->sampled)
		str_add(path, trace_string(list->trace, region->name));
	if (by_path) {
		const struct callpath *callpath = trace_callpath(list->trace, row->key);
		const struct site *site = trace_site(list->trace, callpath->site);

		trace_callpath_text(list->trace, row->key, path);
		if (site->file || site->line) {
			file = site->file;
			line = site->line;
		}
	}
	v[P_RANK] = value_rank(row->rank);
	v[P_REGION] = value_text(trace_string(list->trace, region->name));
	v[P_PATH] = value_text(path->text);
	number_cells(t, row, region, v);
	mark_cells(&row->sums, v);
	v[P_CLASS] = value_text(region_class_name((enum region_class)region->cls));
	v[P_CLASS_TITLE] = value_text(region_class_title((enum region_class)region->cls));
	v[P_FILE] = value_text(trace_string(list->trace, file));
	v[P_LINE] = value_integer(line, line);
	v[P_REGION_ID] = value_region_id(id);
	v[P_PATH_ID] = value_callpath_id(list->trace, by_path ? row->key : 0);
	profile_counters_cells(&t->counters, row->counts, &t->scale, v + P_COLUMNS);
}

static void fini(struct list_table *list)
{
	profile_counters_fini(&((struct profile_table *)list)->counters);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct profile_table *t = (const struct profile_table *)list;
	const struct profile_table_row *row = list_table_row(list, item);

	return (struct row_thing){ t->by_path && !row->sampled ? THING_CALLPATH : THING_REGION,
				   row->key, 0 };
}

/* ---- the tables ---- */

/* Shows the change instead of figures of single visits. */
static void show_difference(struct column *columns, const struct query *query)
{
	static const uint8_t instead[] = { P_MIN, P_MEAN, P_MAX, P_CLASS_TITLE };

	for (size_t i = 0; i < ARRAY_SIZE(instead); i++)
		columns[instead[i]].on_screen = false;
	columns[P_CHANGE].exported = columns[P_CHANGE].on_screen = true;
	columns[P_BEFORE].exported = columns[P_BEFORE].on_screen = true;
	columns[P_BEFORE].title = time_base_name(query->against);
}

/* Sorts rows in their default order: by rank, then by exclusive time, largest first, then by
 * name. */
static struct table *make(const struct query *query, unsigned kind, uint32_t region,
			  struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .fini = fini,
					     .row_size = sizeof(struct profile_table_row),
					     .thing = thing };
	struct column columns[P_COLUMNS + PROFILE_COUNTER_COLUMNS];
	struct profile_counters counters;
	struct profile_table *t;
	struct table *table;
	unsigned n;

	table_columns_of(all_columns, P_COLUMNS, kind, columns);
	if (query->difference)
		show_difference(columns, query);
	columns[P_APPROXIMATE].exported =
		trace_has_gaps(query->trace) || trace_has_detail(query->trace, DETAIL_SAMPLE);
	n = P_COLUMNS + profile_counters_begin(&counters, query, columns + P_COLUMNS);
	t = list_table_new(sizeof *t, &ops, columns, n, query->trace);
	table = &t->list.table;
	t->counters = counters;
	t->by_path = kind == BY_PATH;
	t->by_rank = kind == BY_RANK;
	t->region = region;
	t->difference = query->difference;
	t->whole = query_time(query);
	table->second = t->by_rank ? 0 : P_SHARE; /* on narrow screens, too */
	t->scale = *trace_scale(query->trace);
	t->factor = 1;
	if (t->scale.per_second < 1000000000 && 1000000000 % t->scale.per_second == 0) {
		t->factor = 1000000000 / t->scale.per_second;
		t->scale.per_second = 1000000000;
	}
	table->scale = &t->scale;
	if (!add_profiles(t, query, err))
		return list_table_done(&t->list, false);
	list_table_sort(table, t->by_path ? P_PATH : P_REGION, false);
	list_table_sort(table, P_EXCLUSIVE, true);
	if (t->by_rank)
		list_table_sort(table, P_RANK, false);
	return table;
}

struct table *profile_table_new(const struct query *query, struct err *err)
{
	if (trace_records_alone(query->trace))
		return profile_records_new(query, err);
	return make(query, query->export.by_rank ? BY_RANK : BY_REGION, UINT32_MAX, err);
}

struct table *callpaths_table_new(const struct query *query, uint32_t region, struct err *err)
{
	return make(query, BY_PATH, region, err);
}
