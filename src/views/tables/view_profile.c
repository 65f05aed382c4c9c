/* view_profile: time and visits by region, and by call path; over all chosen locations or by rank.
 *
 * With a filter that definitions decide (region, class, rank, call path) the rows are summed from
 * call paths, location by location; one about single visits (dur, time) asks each. */
#include <stdlib.h>
#include <string.h>

#include "model/sums/moves.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

/* Both tables have these in a row. */
enum numbers {
	N_COUNT,
	N_INCLUSIVE,
	N_EXCLUSIVE,
	N_CHANGE,
	N_BEFORE,
	N_MIN,
	N_MEAN,
	N_MAX,
	N_SHARE,
	N_COLUMNS
};

#define NUMBER_COLUMNS                                                                 \
	{ "count", "count", COLUMN_COUNT, 10, true, true },                            \
		{ "inclusive_s", "inclusive", COLUMN_DURATION, 10, true, true },       \
		{ "exclusive_s", "exclusive", COLUMN_DURATION, 10, true, true },       \
		{ "exclusive_change_s", "change", COLUMN_MOVE, 10, false, false },     \
		{ "exclusive_before_s", "before", COLUMN_DURATION, 10, false, false }, \
		{ "min_s", "min", COLUMN_DURATION, 10, true, true },                   \
		{ "mean_s", "mean", COLUMN_DURATION, 10, true, true },                 \
		{ "max_s", "max", COLUMN_DURATION, 10, true, true },                   \
		{ "exclusive_share", "share", COLUMN_SHARE, 7, true, true },           \
		{ "class", "class", COLUMN_TEXT, 11, true, false },                    \
	{                                                                              \
		"class_title", "class", COLUMN_TEXT, 17, false, true                   \
	}

static const struct column region_columns[] = {
	{ "region", "region", COLUMN_TEXT, 24, true, true },
	NUMBER_COLUMNS,
	{ "file", "file", COLUMN_TEXT, 16, true, false },
	{ "line", "line", COLUMN_INT, 6, true, false },
};

static const struct column rank_columns[] = {
	{ "rank", "rank", COLUMN_RANK, 5, true, true },
	{ "region", "region", COLUMN_TEXT, 24, true, true },
	NUMBER_COLUMNS,
	{ "file", "file", COLUMN_TEXT, 16, true, false },
	{ "line", "line", COLUMN_INT, 6, true, false },
};

static const struct column path_columns[] = {
	{ "callpath", "call path", COLUMN_TEXT, 40, true, true },
	NUMBER_COLUMNS,
	{ "file", "file", COLUMN_TEXT, 16, true, false },
	{ "line", "line", COLUMN_INT, 6, true, false },
};

struct profile_table_row {
	struct profile_row sums;
	int64_t before; /* exclusive time in the base that this is a difference to, ticks */
	uint32_t key;   /* region or call path */
	int32_t rank;   /* with by_rank */
};

struct profile_table {
	struct list_table list;
	struct timescale scale; /* of the shown times: nanoseconds at least, so that the mean of
				   whole ticks is not rounded to a tick */
	int64_t factor;         /* scale's ticks in a tick of the trace */
	double total;           /* ticks of all locations in the window */
	bool by_rank;
	bool by_path;
	uint32_t region; /* by path: whose, UINT32_MAX: of all */
	bool difference;
};

/* ---- sums ---- */

static bool row_is_empty(const struct profile_row *row)
{
	return !row->count && !row->inclusive && !row->exclusive;
}

/* `before` by row, NULL without a difference. */
static void keep_rows(struct profile_table *t, const struct profile *profile, const int64_t *before,
		      int32_t rank)
{
	/* Call path 0 is the root: the time in which no region was open. */
	for (uint32_t i = t->by_path; i < profile->n; i++)
		if (!row_is_empty(&profile->rows[i]) || (before && before[i])) {
			const struct profile_table_row row = { profile->rows[i],
							       before ? before[i] : 0, i, rank };
			if (t->region == UINT32_MAX ||
			    trace_callpath_region(t->list.trace, i) == t->region)
				list_table_add_row(&t->list, &row);
		}
}

static void add_visits(struct profile_row *sum, const struct profile_row *part)
{
	if (part->count) {
		if (!sum->count || part->min < sum->min)
			sum->min = part->min;
		if (!sum->count || part->max > sum->max)
			sum->max = part->max;
	}
	sum->count += part->count;
	sum->exclusive += part->exclusive;
	sum->visit_sum += part->visit_sum;
}

/* Is there an outer visit of the same region on this path that the filter lets pass? Then its
 * inclusive time holds that of the inner one. */
static bool counted_outside(const struct query *query, uint32_t location, uint32_t path)
{
	const uint32_t region = trace_callpath_region(query->trace, path);

	for (uint32_t p = trace_callpath(query->trace, path)->parent; p;
	     p = trace_callpath(query->trace, p)->parent)
		if (trace_callpath_region(query->trace, p) == region &&
		    filter_callpath(query->filter, location, p))
			return true;
	return false;
}

static void add_filtered(struct profile *sum, const struct profile *paths,
			 const struct query *query, uint32_t location, bool by_path)
{
	for (uint32_t p = 1; p < paths->n; p++) {
		const struct profile_row *part = &paths->rows[p];
		struct profile_row *row;
		if (row_is_empty(part) || !filter_callpath(query->filter, location, p))
			continue;
		row = &sum->rows[by_path ? p : trace_callpath_region(query->trace, p)];
		if (by_path || !counted_outside(query, location, p))
			row->inclusive += part->inclusive;
		add_visits(row, part);
	}
}

static bool filtered_profile(struct profile *sum, const struct query *query, bool by_path,
			     const uint32_t *locations, size_t n, struct err *err)
{
	sum->n = by_path ? trace_callpath_count(query->trace) : trace_region_count(query->trace);
	sum->rows = xcalloc(sum->n, sizeof *sum->rows);
	for (size_t i = 0; i < n; i++) {
		struct profile paths;
		if (!filter_location(query->filter, locations[i]))
			continue;
		if (!profile_make(&paths, query->trace, query->base, PROFILE_CALLPATH,
				  &locations[i], 1, query->t0, query->t1, query->progress, err)) {
			profile_fini(sum);
			return false;
		}
		add_filtered(sum, &paths, query, locations[i], by_path);
		profile_fini(&paths);
	}
	return true;
}

static bool make_profile(struct profile *profile, bool by_path, const struct query *query,
			 const uint32_t *locations, size_t n, struct err *err)
{
	const enum profile_key key = by_path ? PROFILE_CALLPATH : PROFILE_REGION;

	if (filter_by_visit(query->filter))
		return profile_make_visits(profile, query->trace, query->base, key, locations, n,
					   query->t0, query->t1, query->filter, query->progress);
	if (query->filter)
		return filtered_profile(profile, query, by_path, locations, n, err);
	return profile_make(profile, query->trace, query->base, key, locations, n, query->t0,
			    query->t1, query->progress, err);
}

/* Exclusive times of some locations in the other base are added; a window is where its events are
 * there. */
static bool add_before(int64_t *before, bool by_path, const struct query *query,
		       const uint32_t *locations, size_t n, struct err *err)
{
	struct query other = *query;
	struct profile profile;

	other.base = query->against;
	if (query->t0 != INT64_MIN)
		other.t0 =
			moves_map(query->trace, query->base, other.base, locations[0], query->t0);
	if (query->t1 != INT64_MAX)
		other.t1 =
			moves_map(query->trace, query->base, other.base, locations[0], query->t1);
	if (!make_profile(&profile, by_path, &other, locations, n, err))
		return false;
	for (uint32_t i = 0; i < profile.n; i++)
		before[i] += profile.rows[i].exclusive;
	profile_fini(&profile);
	return true;
}

static bool add_profile(struct profile_table *t, const struct query *query,
			const uint32_t *locations, size_t n, struct err *err)
{
	const int32_t rank = trace_location(query->trace, locations[0])->rank;
	/* In a window each location has its own window in the other base. */
	const size_t step = query_is_whole(query) ? n : 1;
	struct profile profile;
	int64_t *before = NULL;
	bool ok = true;

	if (!make_profile(&profile, t->by_path, query, locations, n, err))
		return false;
	if (t->difference)
		before = xcalloc((size_t)profile.n + 1, sizeof *before);
	for (size_t i = 0; before && ok && i < n; i += step)
		ok = add_before(before, t->by_path, query, locations + i, step, err);
	if (ok)
		keep_rows(t, &profile, before, rank);
	free(before);
	profile_fini(&profile);
	return ok;
}

/* The chosen locations by rank; profiles of all of them at once, or of one rank's at a time. */
static bool add_profiles(struct profile_table *t, const struct query *query, struct err *err)
{
	const uint32_t n = query_location_count(query);
	uint32_t *locations = query_by_rank(query);
	bool ok = true;

	for (uint32_t i = 0, end; ok && i < n; i = end) {
		end = t->by_rank ? query_rank_end(query, locations, i) : n;
		ok = add_profile(t, query, locations + i, end - i, err);
	}
	free(locations);
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
			 struct value *v)
{
	const struct profile_row *sums = &row->sums;

	v[N_COUNT] = value_integer(true, (int64_t)sums->count);
	v[N_INCLUSIVE] = value_integer(true, sums->inclusive * t->factor);
	v[N_EXCLUSIVE] = value_integer(true, sums->exclusive * t->factor);
	v[N_CHANGE] = value_integer(t->difference, (sums->exclusive - row->before) * t->factor);
	v[N_BEFORE] = value_integer(t->difference, row->before * t->factor);
	v[N_MIN] = value_integer(sums->count, sums->min * t->factor);
	v[N_MEAN] = value_integer(sums->count, 0);
	if (sums->count)
		v[N_MEAN].integer = mean_of(t, sums);
	v[N_MAX] = value_integer(sums->count, sums->max * t->factor);
	v[N_SHARE] = value_real(t->total > 0, (double)sums->exclusive / t->total);
}

static void source_cells(const struct trace *trace, uint32_t file, uint32_t line, struct value *v)
{
	v[0] = value_text(trace_string(trace, file));
	v[1] = value_integer(line, line);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct profile_table *t = (struct profile_table *)list;
	const struct profile_table_row *row = list_table_row(list, item);
	const uint32_t id = t->by_path ? trace_callpath_region(list->trace, row->key) : row->key;
	const struct region *region = trace_region(list->trace, id);
	const struct site *site = NULL;
	struct str *path = list_table_text(list);

	if (t->by_rank)
		*v++ = value_rank(row->rank);
	if (t->by_path) {
		trace_callpath_text(list->trace, row->key, path);
		*v++ = value_text(path->text);
		site = trace_site(list->trace, trace_callpath(list->trace, row->key)->site);
	} else {
		*v++ = value_text(trace_string(list->trace, region->name));
	}
	number_cells(t, row, v);
	v += N_COLUMNS;
	*v++ = value_text(region_class_name((enum region_class)region->cls));
	*v++ = value_text(region_class_title((enum region_class)region->cls));
	if (site && (site->file || site->line))
		source_cells(list->trace, site->file, site->line, v);
	else
		source_cells(list->trace, region->file, region->line, v);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct profile_table *t = (const struct profile_table *)list;
	const struct profile_table_row *row = list_table_row(list, item);

	return (struct row_thing){ t->by_path ? THING_CALLPATH : THING_REGION, row->key, 0 };
}

/* ---- the tables ---- */

/* What changed instead of the single visits. */
static void show_difference(struct column *columns, unsigned n, const struct query *query)
{
	static const char *const instead[] = { "min_s", "mean_s", "max_s", "class_title" };

	for (unsigned c = 0; c < n; c++) {
		const char *name = columns[c].name;
		const bool before = strcmp(name, "exclusive_before_s") == 0;

		if (before)
			columns[c].title = time_base_name(query->against);
		if (before || strcmp(name, "exclusive_change_s") == 0)
			columns[c].exported = columns[c].on_screen = true;
		for (size_t i = 0; i < ARRAY_SIZE(instead); i++)
			if (strcmp(name, instead[i]) == 0)
				columns[c].on_screen = false;
	}
}

/* Rows are in their default order: by rank, then most exclusive time first, then by name. */
static struct table *make(const struct query *query, const struct column *columns,
			  unsigned n_columns, bool by_path, uint32_t region, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .row_size = sizeof(struct profile_table_row),
					     .thing = thing };
	struct profile_table *t = list_table_new(sizeof *t, &ops, columns, n_columns, query->trace);
	struct table *table = &t->list.table;
	unsigned name;

	t->by_path = by_path;
	t->by_rank = query->by_rank && !by_path;
	t->region = region;
	t->difference = query->difference;
	t->total = query_total_time(query);
	t->scale = *trace_scale(query->trace);
	t->factor = 1;
	if (t->scale.per_second < 1000000000 && 1000000000 % t->scale.per_second == 0) {
		t->factor = 1000000000 / t->scale.per_second;
		t->scale.per_second = 1000000000;
	}
	table->scale = &t->scale;
	if (t->difference)
		show_difference(t->list.columns, n_columns, query);
	if (!add_profiles(t, query, err))
		return list_table_done(&t->list, false);
	name = t->by_rank;
	list_table_sort(table, name, false);
	list_table_sort(table, name + 1 + N_EXCLUSIVE, true);
	if (t->by_rank)
		list_table_sort(table, 0, false);
	return table;
}

struct table *profile_table_new(const struct query *query, struct err *err)
{
	if (query->by_rank)
		return make(query, rank_columns, ARRAY_SIZE(rank_columns), false, UINT32_MAX, err);
	return make(query, region_columns, ARRAY_SIZE(region_columns), false, UINT32_MAX, err);
}

struct table *callpaths_table_new(const struct query *query, uint32_t region, struct err *err)
{
	return make(query, path_columns, ARRAY_SIZE(path_columns), true, region, err);
}
