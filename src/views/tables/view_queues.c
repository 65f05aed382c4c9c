/* view_queues: messages on their way to each rank: how many at most and when, the mean, and over
 * time. */
#include <math.h>

#include "model/trace/halo.h"
#include "views/facts/under_way.h"
#include "views/query/table_gather.h"
#include "views/query/view_common.h"
#include "views/tables/view_utilisation.h"

#define RANK_COLUMNS(ROW)                                                           \
	ROW(Q_RANK, "rank", "to rank", COLUMN_RANK, 7, true, true)                  \
	ROW(Q_MESSAGES, "messages", "messages", COLUMN_COUNT, 8, true, true)        \
	ROW(Q_MOST, "most", "most", COLUMN_COUNT, 5, true, true)                    \
	ROW(Q_MOST_AT, "most_at_s", "at", COLUMN_TIME, 12, true, true)              \
	ROW(Q_MEAN, "mean", "mean", COLUMN_MEAN, 8, true, true)                     \
	ROW(Q_MOST_BYTES, "most_bytes", "most bytes", COLUMN_BYTES, 10, true, true) \
	ROW(Q_MOST_BYTES_AT, "most_bytes_at_s", "at", COLUMN_TIME, 12, true, false) \
	ROW(Q_MEAN_BYTES, "mean_bytes", "mean bytes", COLUMN_MEAN, 10, true, false) \
	ROW(Q_UNRECEIVED, "no_receive", "no receive", COLUMN_COUNT, 10, true, true) \
	ROW(Q_UNSENT, "no_send", "no send", COLUMN_COUNT, 7, true, true)            \
	ROW(Q_BAR, "bar", "most at once, over time", COLUMN_TEXT, 0, false, true)
enum { RANK_COLUMNS(COLUMN_ID) Q_COLUMNS };
static const struct column rank_columns[Q_COLUMNS] = { RANK_COLUMNS(COLUMN_ROW) };

#define TIME_COLUMNS(ROW)                                                           \
	ROW(T_RANK, "rank", "to rank", COLUMN_RANK, 7, true, true)                  \
	ROW(T_FROM, "from_s", "from", COLUMN_TIME, 12, true, true)                  \
	ROW(T_TO, "to_s", "to", COLUMN_TIME, 12, true, true)                        \
	ROW(T_MOST, "most", "most", COLUMN_COUNT, 6, true, true)                    \
	ROW(T_MEAN, "mean", "mean", COLUMN_MEAN, 8, true, true)                     \
	ROW(T_MOST_BYTES, "most_bytes", "most bytes", COLUMN_BYTES, 10, true, true) \
	ROW(T_MEAN_BYTES, "mean_bytes", "mean bytes", COLUMN_MEAN, 10, true, true)
enum { TIME_COLUMNS(COLUMN_ID) T_COLUMNS };
static const struct column time_columns[T_COLUMNS] = { TIME_COLUMNS(COLUMN_ROW) };

struct queues_table {
	struct list_table list;
	struct under_way way;
	uint64_t most; /* of all ranks */
};

/* ---- cells ---- */

/* The most in the cells that a column of the picture shows. */
static uint64_t most_in(const struct queues_table *t, uint32_t rank, size_t nth, size_t columns)
{
	const struct under_way *w = &t->way;
	const size_t from = nth * w->cells / columns, to = (nth + 1) * w->cells / columns;
	uint64_t most = 0;

	for (size_t i = from; i < to; i++) {
		const uint64_t here = w->over_time[(size_t)rank * w->cells + i].most;
		most = here > most ? here : most;
	}
	return most;
}

static const char *bar_text(struct list_table *list, uint32_t rank)
{
	static const char steps[] = ".123456789";
	const struct queues_table *t = (const struct queues_table *)list;
	struct str *bar = list_table_text(list);

	for (size_t i = 0; i < t->way.cells; i++) {
		const uint64_t most = most_in(t, rank, i, t->way.cells);
		str_add_char(bar, most > 9 ? '+' : steps[most]);
	}
	return bar->text;
}

static void fill_rank_values(struct list_table *list, uint32_t item, struct value *v)
{
	const struct queues_table *t = (const struct queues_table *)list;
	const struct under_way_rank *r = &t->way.ranks[item];
	const double width = (double)(t->way.edges[t->way.cells] - t->way.edges[0]);
	const bool any = r->messages > 0;

	v[Q_RANK] = value_rank(r->rank);
	v[Q_MESSAGES] = value_count(r->messages);
	v[Q_MOST] = value_count(r->count.most);
	v[Q_MOST_AT] = value_integer(any, r->count.most_at);
	v[Q_MEAN] = value_real(true, r->count.sum / width);
	v[Q_MOST_BYTES] = value_integer(true, (int64_t)r->bytes.most);
	v[Q_MOST_BYTES_AT] = value_integer(r->bytes.most > 0, r->bytes.most_at);
	v[Q_MEAN_BYTES] = value_real(true, r->bytes.sum / width);
	v[Q_MOST_BYTES].approximate = v[Q_MEAN_BYTES].approximate = r->no_bytes;
	v[Q_UNRECEIVED] = value_count(r->unreceived);
	v[Q_UNSENT] = value_count(r->unsent);
	v[Q_BAR] = value_text(bar_text(list, item));
}

static bool chart(const struct list_table *list, uint32_t item, unsigned column, int width,
		  struct table_chart *chart)
{
	const struct queues_table *t = (const struct queues_table *)list;
	const size_t room = width < TABLE_CHART_MOST ? (size_t)width : TABLE_CHART_MOST;

	if (column != Q_BAR)
		return false;
	chart->parts = NULL;
	chart->n = (unsigned)(t->way.cells < room ? t->way.cells : room);
	for (unsigned i = 0; i < chart->n; i++)
		chart->values[i] =
			(double)most_in(t, item, i, chart->n) / (double)(t->most ? t->most : 1);
	return true;
}

static unsigned sort_column(unsigned column)
{
	return column == Q_BAR ? Q_MOST : column;
}

static struct row_thing location_of_row(const struct list_table *list, uint32_t item)
{
	const struct queues_table *t = (const struct queues_table *)list;

	return (struct row_thing){ THING_LOCATION, t->way.ranks[item].location, 0 };
}

static void fill_time_values(struct list_table *list, uint32_t item, struct value *v)
{
	const struct under_way *w = &((const struct queues_table *)list)->way;
	const struct under_way_cell *cell = &w->over_time[item];
	const struct under_way_rank *r = &w->ranks[item / w->cells];
	const size_t nth = item % w->cells;
	const double width = (double)(w->edges[nth + 1] - w->edges[nth]);

	v[T_RANK] = value_rank(r->rank);
	v[T_FROM] = value_integer(true, w->edges[nth]);
	v[T_TO] = value_integer(true, w->edges[nth + 1]);
	v[T_MOST] = value_count(cell->most);
	v[T_MEAN] = value_real(true, cell->sum / width);
	v[T_MOST_BYTES] = value_integer(true, (int64_t)cell->most_bytes);
	v[T_MEAN_BYTES] = value_real(true, cell->sum_bytes / width);
	v[T_MOST_BYTES].approximate = v[T_MEAN_BYTES].approximate = r->no_bytes;
}

/* ---- making ---- */

static void fini(struct list_table *list)
{
	under_way_fini(&((struct queues_table *)list)->way);
}

int64_t queues_table_peak(const struct table *table, uint64_t row)
{
	const struct queues_table *t = (const struct queues_table *)table;

	return t->way.ranks[list_table_item(&t->list, row)].count.most_at;
}

/* The screen leaves out columns that would be empty. */
static void show_columns(struct queues_table *t)
{
	uint64_t unreceived = 0, unsent = 0;

	for (uint32_t i = 0; i < t->way.n; i++) {
		const struct under_way_rank *r = &t->way.ranks[i];
		unreceived += r->unreceived;
		unsent += r->unsent;
		t->most = r->count.most > t->most ? r->count.most : t->most;
	}
	t->list.columns[Q_UNRECEIVED].on_screen = unreceived > 0;
	t->list.columns[Q_UNSENT].on_screen = unsent > 0;
}

/* Ends the making: the ranks of this process with `each` rows, then those of all. */
static struct table *done(struct queues_table *t, const struct query *query, size_t each,
			  bool whole)
{
	OWNED_VEC(struct row_key) keys = VEC_INIT;

	for (uint32_t i = 0; i < t->way.n; i++)
		for (size_t k = 0; k < each; k++)
			if (trace_has_location(query->trace, t->way.ranks[i].location)) {
				list_table_add(&t->list, (uint32_t)(i * each + k));
				vec_push(&keys, ((struct row_key){ { i, (int64_t)k } }));
			}
	t->list.table.sorted_by = Q_RANK; /* and T_RANK */
	return table_gather(list_table_done(&t->list, whole), trace_exchange(query->trace),
			    keys.data);
}

struct table *queues_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = fill_rank_values,
					     .chart = chart,
					     .fini = fini,
					     .thing = location_of_row,
					     .sort_column = sort_column };
	struct queues_table *t =
		list_table_new(sizeof *t, &ops, rank_columns, Q_COLUMNS, query->trace);
	const bool whole = under_way_make(&t->way, query, UTILISATION_CELLS);

	(void)err;
	show_columns(t);
	return done(t, query, t->way.cells ? 1 : 0, whole);
}

struct table *queues_over_time_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = fill_time_values, .fini = fini };
	struct queues_table *t =
		list_table_new(sizeof *t, &ops, time_columns, T_COLUMNS, query->trace);
	const bool whole = under_way_make(&t->way, query, UTILISATION_CELLS);

	(void)err;
	return done(t, query, t->way.cells, whole);
}
