/* view_utilisation: what locations do, over time and by rank. */
#include <string.h>

#include "model/trace/halo.h"
#include "views/query/analyses.h"
#include "views/query/table_gather.h"
#include "views/query/view_common.h"
#include "views/tables/view_utilisation.h"

/* A column of each kind of use, in the order of enum use_kind. */
#define CELL_COLUMNS(ROW)                                                              \
	ROW(U_FROM, "from_s", "from [s]", COLUMN_TIME, 12, true, true)                 \
	ROW(U_TO, "to_s", "to [s]", COLUMN_TIME, 12, true, false)                      \
	ROW(U_BUSY, "busy", "busy", COLUMN_MEAN, 6, true, true)                        \
	ROW(U_TRANSFER, "transfer", "transfer", COLUMN_MEAN, 8, true, true)            \
	ROW(U_WAITING, "waiting", "waiting", COLUMN_MEAN, 7, true, true)               \
	ROW(U_MANAGEMENT, "management", "management", COLUMN_MEAN, 10, true, true)     \
	ROW(U_FILTERED, "filtered_out", "filtered", COLUMN_MEAN, 8, true, false)       \
	ROW(U_IDLE, "idle", "idle", COLUMN_MEAN, 6, true, false)                       \
	ROW(U_UNRECORDED, "not_recorded", "not recorded", COLUMN_MEAN, 12, true, true) \
	ROW(U_WAITING_IS, "waiting_is", "waiting is", COLUMN_TEXT, 11, true, false)    \
	ROW(U_BAR, "bar", "", COLUMN_TEXT, 0, false, true)
enum { CELL_COLUMNS(COLUMN_ID) U_COLUMNS };
static const struct column cell_columns[U_COLUMNS] = { CELL_COLUMNS(COLUMN_ROW) };

#define RANK_COLUMNS(ROW)                                                                   \
	ROW(R_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                             \
	ROW(R_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)                       \
	ROW(R_LOCATION, "location", "location", COLUMN_TEXT, 12, true, false)               \
	ROW(R_BUSY, "busy", "busy", COLUMN_SHARE, 8, true, true)                            \
	ROW(R_TRANSFER, "transfer", "transfer", COLUMN_SHARE, 8, true, true)                \
	ROW(R_WAITING, "waiting", "waiting", COLUMN_SHARE, 8, true, true)                   \
	ROW(R_MANAGEMENT, "management", "management", COLUMN_SHARE, 10, true, true)         \
	ROW(R_FILTERED, "filtered_out", "filtered", COLUMN_SHARE, 8, true, false)           \
	ROW(R_IDLE, "idle", "idle", COLUMN_SHARE, 8, true, false)                           \
	ROW(R_UNRECORDED, "not_recorded", "not recorded", COLUMN_SHARE, 12, true, true)     \
	ROW(R_BUSY_S, "busy_s", "busy", COLUMN_DURATION, 10, true, false)                   \
	ROW(R_TRANSFER_S, "transfer_s", "transfer", COLUMN_DURATION, 10, true, false)       \
	ROW(R_WAITING_S, "waiting_s", "waiting", COLUMN_DURATION, 10, true, false)          \
	ROW(R_MANAGEMENT_S, "management_s", "management", COLUMN_DURATION, 10, true, false) \
	ROW(R_FILTERED_S, "filtered_out_s", "filtered", COLUMN_DURATION, 10, true, false)   \
	ROW(R_IDLE_S, "idle_s", "idle", COLUMN_DURATION, 10, true, false)                   \
	ROW(R_UNRECORDED_S, "not_recorded_s", "not rec.", COLUMN_DURATION, 10, true, false) \
	ROW(R_WAITING_IS, "waiting_is", "waiting is", COLUMN_TEXT, 11, true, false)         \
	ROW(R_BAR, "bar", "", COLUMN_TEXT, 0, false, true)
enum { RANK_COLUMNS(COLUMN_ID) R_COLUMNS };
static const struct column rank_columns[R_COLUMNS] = { RANK_COLUMNS(COLUMN_ROW) };

enum { BAR = 40 }; /* letters of a whole bar in text */

struct use_row {
	int64_t t0, t1;    /* the cell */
	uint32_t location; /* by rank */
	uint64_t time[USE_KINDS];
};

struct utilisation_table {
	struct list_table list;
	const char *waiting_is; /* static */
};

/* ---- cells ---- */

/* Shares of the row's time; time that is idle or was not recorded has no part. */
static void fill_chart(const struct use_row *row, struct table_chart *chart)
{
	double whole = 0;

	for (int kind = 0; kind < USE_KINDS; kind++)
		whole += (double)row->time[kind];
	chart->parts = utilisation_parts;
	chart->n = USE_PARTS;
	for (int kind = 0; kind < USE_PARTS; kind++)
		chart->values[kind] = whole > 0 ? (double)row->time[kind] / whole : 0;
}

/* Where a part ends, so that the parts together are as long as their sum. */
static const char *bar_text(struct list_table *list, const struct use_row *row)
{
	struct str *bar = list_table_text(list);
	struct table_chart chart;
	double end = 0;

	fill_chart(row, &chart);
	for (int kind = 0; kind < USE_PARTS; kind++) {
		end += chart.values[kind];
		while ((double)bar->n + 0.5 < end * BAR)
			str_add_char(bar, use_kind_letter((enum use_kind)kind));
	}
	return bar->n ? bar->text : "";
}

static void fill_cell_values(struct list_table *list, uint32_t item, struct value *v)
{
	const struct utilisation_table *t = (const struct utilisation_table *)list;
	const struct use_row *row = list_table_row(list, item);
	const double width = (double)(row->t1 - row->t0);

	v[U_FROM] = value_integer(true, row->t0);
	v[U_TO] = value_integer(true, row->t1);
	for (int kind = 0; kind < USE_KINDS; kind++)
		v[U_BUSY + kind] = value_real(true, (double)row->time[kind] / width);
	v[U_WAITING_IS] = value_text(t->waiting_is);
	v[U_BAR] = (struct value){ .known = true, .text = bar_text(list, row) };
}

static void fill_rank_values(struct list_table *list, uint32_t item, struct value *v)
{
	const struct utilisation_table *t = (const struct utilisation_table *)list;
	const struct use_row *row = list_table_row(list, item);
	const struct location *location = trace_location(list->trace, row->location);
	const double whole = (double)(row->t1 - row->t0);

	v[R_RANK] = value_rank(location->rank);
	v[R_THREAD] = value_integer(true, location->thread);
	v[R_LOCATION] = value_location(list->trace, row->location);
	for (int kind = 0; kind < USE_KINDS; kind++) {
		v[R_BUSY + kind] = value_real(true, (double)row->time[kind] / whole);
		v[R_BUSY_S + kind] = value_integer(true, (int64_t)row->time[kind]);
	}
	v[R_WAITING_IS] = value_text(t->waiting_is);
	v[R_BAR] = (struct value){ .known = true, .text = bar_text(list, row) };
}

static bool chart_of_cell(const struct list_table *list, uint32_t item, unsigned column, int width,
			  struct table_chart *chart)
{
	(void)width;
	if (column == U_BAR)
		fill_chart(list_table_row(list, item), chart);
	return column == U_BAR;
}

static bool chart_of_rank(const struct list_table *list, uint32_t item, unsigned column, int width,
			  struct table_chart *chart)
{
	(void)width;
	if (column == R_BAR)
		fill_chart(list_table_row(list, item), chart);
	return column == R_BAR;
}

/* A bar is ordered by its first part. */
static unsigned sort_cell_column(unsigned column)
{
	return column == U_BAR ? U_BUSY : column;
}

static unsigned sort_rank_column(unsigned column)
{
	return column == R_BAR ? R_BUSY : column;
}

static struct row_thing location_of_row(const struct list_table *list, uint32_t item)
{
	const struct use_row *row = list_table_row(list, item);

	return (struct row_thing){ THING_LOCATION, row->location, 0 };
}

/* ---- making ---- */

/* The screen leaves out columns that would be empty. */
static void show_columns(struct utilisation_table *t, const struct utilisation *u, unsigned busy)
{
	struct exchange *exchange = trace_exchange(u->query->trace);
	bool gaps = false, idle = false;

	for (uint32_t i = 0; i < list_table_row_count(&t->list); i++) {
		const struct use_row *row = list_table_row(&t->list, i);
		gaps |= row->time[USE_UNRECORDED] > 0;
		idle |= row->time[USE_IDLE] > 0;
	}
	t->list.columns[busy + USE_FILTERED].on_screen = u->query->filter != NULL;
	t->list.columns[busy + USE_IDLE].on_screen = exchange_any(exchange, idle);
	t->list.columns[busy + USE_UNRECORDED].on_screen = exchange_any(exchange, gaps);
}

static bool add_cells(struct utilisation_table *t, const struct utilisation *u, size_t most)
{
	OWNED int64_t *edges = xcalloc(most + 1, sizeof *edges);
	OWNED uint64_t *sums = xcalloc(most * USE_KINDS + 1, sizeof *sums);
	int64_t t0, t1;
	size_t cells;

	query_span(u->query, &t0, &t1);
	cells = utilisation_edges(t0, t1, most, edges);
	if (!utilisation_sum(u, edges, cells, sums))
		return false;
	for (size_t i = 0; u->n && i < cells; i++) {
		struct use_row row = { .t0 = edges[i], .t1 = edges[i + 1] };
		memcpy(row.time, sums + i * USE_KINDS, sizeof row.time);
		list_table_add_row(&t->list, &row);
	}
	show_columns(t, u, U_BUSY);
	return true;
}

typedef VEC(struct row_key) row_keys;

static bool add_locations(struct utilisation_table *t, const struct utilisation *u, row_keys *keys)
{
	const struct trace *trace = u->query->trace;
	OWNED uint32_t *by_rank = query_by_rank(u->query);
	OWNED bool *taken = xcalloc((size_t)trace_location_count(trace) + 1, sizeof *taken);
	const struct location *before = NULL;
	int64_t span[2];

	for (uint32_t i = 0; i < u->n; i++)
		taken[u->locations[i]] = true;
	query_span(u->query, &span[0], &span[1]);
	for (uint32_t i = 0; span[1] > span[0] && i < query_location_count(u->query); i++) {
		struct use_row row = { span[0], span[1], by_rank[i], { 0 } };
		const struct location *location = trace_location(trace, by_rank[i]);
		if (!taken[by_rank[i]])
			continue;
		/* The thread is shown where a rank has several. */
		t->list.columns[R_THREAD].on_screen |= before && before->rank == location->rank;
		before = location;
		if (!trace_has_location(trace, by_rank[i]))
			continue;
		if (!progress_step(u->query->progress, "utilisation", i, u->n))
			return false;
		utilisation_add(u, by_rank[i], span, 1, row.time);
		list_table_add_row(&t->list, &row);
		vec_push(keys, ((struct row_key){ { i } }));
	}
	show_columns(t, u, R_BUSY);
	return true;
}

/* `cells` 0: by rank. */
static struct table *make(const struct query *query, struct timeline_shades *shades, size_t cells,
			  struct err *err)
{
	static const struct list_ops cell_ops = { .cells = fill_cell_values,
						  .chart = chart_of_cell,
						  .sort_column = sort_cell_column,
						  .row_size = sizeof(struct use_row) };
	static const struct list_ops rank_ops = { .cells = fill_rank_values,
						  .chart = chart_of_rank,
						  .sort_column = sort_rank_column,
						  .thing = location_of_row,
						  .row_size = sizeof(struct use_row) };
	struct utilisation_table *t =
		cells ? list_table_new(sizeof *t, &cell_ops, cell_columns, U_COLUMNS, query->trace)
		      : list_table_new(sizeof *t, &rank_ops, rank_columns, R_COLUMNS, query->trace);
	row_keys keys = VEC_INIT;
	struct utilisation u;
	bool whole = utilisation_begin(&u, query, shades, err);
	struct table *table;

	if (cells)
		t->list.table.sorted_by = U_FROM;
	else if (!query_naming(query).names)
		t->list.table.sorted_by = R_RANK;
	if (whole) {
		t->waiting_is = utilisation_waiting(&u);
		whole = cells ? add_cells(t, &u, cells) : add_locations(t, &u, &keys);
	}
	utilisation_end(&u);
	table = list_table_done(&t->list, whole);
	if (!cells)
		table = table_gather(table, trace_exchange(query->trace), keys.data);
	vec_fini(&keys);
	return table;
}

struct table *utilisation_table_of(const struct query *query, struct timeline_shades *shades,
				   size_t cells, struct err *err)
{
	return make(query, shades, cells ? cells : 1, err);
}

struct span utilisation_table_cell(const struct table *table, uint64_t row)
{
	const struct list_table *list = (const struct list_table *)table;
	const struct use_row *cell = list_table_row(list, list_table_item(list, row));

	return (struct span){ cell->t0, cell->t1 };
}

struct table *utilisation_ranks_table_of(const struct query *query, struct timeline_shades *shades,
					 struct err *err)
{
	return make(query, shades, 0, err);
}

/* What is written has its wait states. */

struct table *utilisation_table_new(const struct query *query, struct err *err)
{
	return query_wait_sums(query, err) ? make(query, NULL, UTILISATION_CELLS, err) : NULL;
}

struct table *utilisation_ranks_table_new(const struct query *query, struct err *err)
{
	return query_wait_sums(query, err) ? make(query, NULL, 0, err) : NULL;
}
