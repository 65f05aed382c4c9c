/* view_samples: functions, or source lines, in which the program was sampled (tvrun --sample), most
 * time first. The last row, (no sample), is the rest of the time outside all recorded regions, so
 * that the times outside of regions add up to the measured one. */
#include <math.h>

#include "model/trace/detail.h"
#include "views/facts/sample_sums.h"
#include "views/query/table_list.h"
#include "views/query/time_share.h"
#include "views/query/view_common.h"

enum { BY_FUNCTION = 1, BY_LINE = 2, EVERY = 3 };

#define COLUMNS(ROW)                                                              \
	ROW(S_RANK, EVERY, "rank", "rank", COLUMN_RANK, 5, true, true)            \
	ROW(S_FILE, BY_LINE, "file", "file", COLUMN_TEXT, 16, true, true)         \
	ROW(S_LINE, BY_LINE, "line", "line", COLUMN_INT, 6, true, true)           \
	ROW(S_REGION, EVERY, "region", "function", COLUMN_NAME, 24, true, true)   \
	ROW(S_COUNT, EVERY, "samples", "samples", COLUMN_COUNT, 9, true, true)    \
	ROW(S_TIME, EVERY, "time_s", "time", COLUMN_DURATION, 10, true, true)     \
	ROW(S_ERROR, EVERY, "error_s", "+/-", COLUMN_DURATION, 10, true, true)    \
	ROW(S_SHARE, EVERY, "share", "share", COLUMN_SHARE, 7, true, true)        \
	ROW(S_INSIDE, EVERY, "inside", "inside of", COLUMN_NAME, 16, true, true)  \
	ROW(S_DEFINED, BY_FUNCTION, "file", "file", COLUMN_TEXT, 16, true, false) \
	ROW(S_DEFINED_LINE, BY_FUNCTION, "line", "line", COLUMN_INT, 6, true, false)
enum { COLUMNS(COLUMN_ID) S_COLUMNS };
static const struct column_of all_columns[S_COLUMNS] = { COLUMNS(COLUMN_ROW_WITH) };

struct samples_table {
	struct list_table list;
	struct time_parts whole; /* 100 % */
};

/* Of time without samples. */
enum { NO_REGION = UINT32_MAX - 1 };

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct samples_table *t = (const struct samples_table *)list;
	const struct sample_sum *row = list_table_row(list, item);
	const bool sampled = row->region != NO_REGION;
	const struct time_parts time = { .hosts = row->time };
	const struct region *region = sampled ? trace_region(list->trace, row->region) : NULL;

	v[S_RANK] = value_rank(row->rank);
	v[S_FILE] = value_text(trace_string(list->trace, row->file));
	v[S_LINE] = value_integer(row->line, row->line);
	v[S_REGION] = value_text(sampled ? trace_string(list->trace, region->name) : "(no sample)");
	v[S_COUNT] = value_integer(sampled, (int64_t)row->count);
	v[S_TIME] = value_duration(row->time != 0, row->time);
	v[S_TIME].approximate = true;
	v[S_ERROR] = value_duration(row->squares > 0, sqrt(row->squares));
	v[S_SHARE] = value_real(row->time != 0, time_share(time, t->whole));
	v[S_SHARE].approximate = true;
	v[S_INSIDE] = value_text(
		row->inside != UINT32_MAX ? trace_region_name(list->trace, row->inside) : "");
	v[S_DEFINED] = value_text(sampled ? trace_string(list->trace, region->file) : "");
	v[S_DEFINED_LINE] = value_integer(sampled && region->line, sampled ? region->line : 0);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct sample_sum *row = list_table_row(list, item);

	return row->region == NO_REGION ? (struct row_thing){ THING_NONE, 0, 0 }
					: (struct row_thing){ THING_REGION, row->region, 0 };
}

/* Adds the rows of some locations: of all, or of one rank. */
static void add_rows(struct samples_table *t, const struct query *query,
		     const struct query_group *group, unsigned by)
{
	struct sample_sums sums;
	struct sample_sum rest = { .region = NO_REGION,
				   .inside = UINT32_MAX,
				   .rank = RANK_UNKNOWN };
	const struct sample_sum *row;

	sample_sums_make(&sums, query, group->locations, group->n, by, group->exchange);
	if (!group->has_rows)
		sums.rows.n = 0;
	vec_each (row, &sums.rows) {
		list_table_add_row(&t->list, row);
		if (row->inside == UINT32_MAX)
			rest.squares += row->squares;
	}
	rest.time = (double)sums.outside - sample_sums_outside(&sums);
	if (by & SAMPLES_BY_RANK)
		rest.rank = trace_location(query->trace, group->locations[0])->rank;
	if (sums.rows.n && !query->filter)
		list_table_add_row(&t->list, &rest);
	sample_sums_fini(&sums);
}

static int32_t rank_of(const void *row)
{
	return ((const struct sample_sum *)row)->rank;
}

static struct table *make(const struct query *query, unsigned kind)
{
	static const struct list_ops ops = { .cells = cells,
					     .row_size = sizeof(struct sample_sum),
					     .thing = thing };
	const bool by_rank = query->export.by_rank;
	const unsigned by =
		(kind == BY_LINE ? SAMPLES_BY_LINE : 0u) | (by_rank ? SAMPLES_BY_RANK : 0u);
	OWNED uint32_t *locations = query_by_rank(query);
	struct query_group group = { 0 };
	struct column columns[S_COLUMNS];
	struct samples_table *t;

	table_columns_of(all_columns, S_COLUMNS, kind, columns);
	columns[S_RANK].exported = columns[S_RANK].on_screen = by_rank;
	t = list_table_new(sizeof *t, &ops, columns, S_COLUMNS, query->trace);
	t->whole = query_time(query);
	if (trace_has_detail(query->trace, DETAIL_SAMPLE))
		while (!query_stopped(query) && query_group_next(query, locations, by_rank, &group))
			add_rows(t, query, &group, by);
	if (by_rank)
		list_table_share(&t->list, trace_exchange(query->trace), rank_of);
	list_table_sort(&t->list.table, S_TIME, true);
	if (by_rank)
		list_table_sort(&t->list.table, S_RANK, false);
	return list_table_done(&t->list, !query_stopped(query));
}

struct table *samples_table_new(const struct query *query, struct err *err)
{
	(void)err;
	return make(query, BY_FUNCTION);
}

struct table *sample_lines_table_new(const struct query *query, struct err *err)
{
	(void)err;
	return make(query, BY_LINE);
}
