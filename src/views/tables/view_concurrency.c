/* view_concurrency: how long none, one, two ... locations were busy at once. Many are put together,
 * several numbers in a row; none busy is always a row of its own. The first row is the mean and the
 * most. */
#include "views/query/table_list.h"
#include "views/query/view_common.h"
#include "views/tables/view_utilisation.h"

#define COLUMNS(ROW)                                                                      \
	ROW(N_BUSY, "busy", "busy at once", COLUMN_TEXT, 24, false, true)                 \
	ROW(N_FROM, "busy_from", "from", COLUMN_COUNT, 6, true, false)                    \
	ROW(N_TO, "busy_to", "to", COLUMN_COUNT, 6, true, false)                          \
	ROW(N_TIME, "time_s", "time", COLUMN_DURATION, 10, true, true)                    \
	ROW(N_SHARE, "share", "share", COLUMN_SHARE, 8, true, true)                       \
	ROW(N_PARTIAL, "partly_known_s", "partly known", COLUMN_DURATION, 12, true, true) \
	ROW(N_BAR, "bar", "", COLUMN_TEXT, 0, false, true)
enum { COLUMNS(COLUMN_ID) N_COLUMNS };
static const struct column columns[N_COLUMNS] = { COLUMNS(COLUMN_ROW) };

enum { BAR = 20, ROWS = 64 };

struct concurrency_row {
	uint32_t from, to; /* so many busy, both included; the first row: all */
	uint64_t time, partial;
};

struct concurrency_table {
	struct list_table list;
	uint64_t whole, longest; /* ticks: of the window; of a row */
	double mean;
	uint32_t most;
};

static void add_number(const struct concurrency_table *t, uint32_t item, struct str *out)
{
	const struct concurrency_row *row = list_table_row(&t->list, item);

	if (item == 0) {
		str_add(out, "mean ");
		units_mean(out, t->mean);
		str_add_fmt(out, ", most %u", t->most);
	} else if (row->from == row->to) {
		str_add_fmt(out, "  %u", row->from);
	} else {
		str_add_fmt(out, "  %u to %u", row->from, row->to);
	}
}

static double share_of_longest(const struct concurrency_table *t, uint32_t item)
{
	const struct concurrency_row *row = list_table_row(&t->list, item);

	return item && t->longest ? (double)row->time / (double)t->longest : 0;
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct concurrency_table *t = (const struct concurrency_table *)list;
	const struct concurrency_row *row = list_table_row(list, item);
	struct str *number = list_table_text(list), *bar = list_table_text(list);

	add_number(t, item, number);
	/* A row that holds time has a bar, however short. */
	for (int i = 0; i < share_of_longest(t, item) * BAR; i++)
		str_add_char(bar, '#');
	v[N_BUSY] = value_text(number->text);
	v[N_FROM] = value_integer(item > 0, row->from);
	v[N_TO] = value_integer(item > 0, row->to);
	v[N_TIME] = value_integer(true, (int64_t)row->time);
	v[N_SHARE] = value_real(true, (double)row->time / (double)t->whole);
	v[N_PARTIAL] = value_integer(true, (int64_t)row->partial);
	v[N_BAR] = (struct value){ .known = true, .text = bar->n ? bar->text : "" };
}

static bool chart(const struct list_table *list, uint32_t item, unsigned column, int width,
		  struct table_chart *chart)
{
	const struct concurrency_table *t = (const struct concurrency_table *)list;

	(void)width;
	if (column != N_BAR || item == 0)
		return false;
	chart->parts = utilisation_parts;
	chart->n = 1;
	chart->values[0] = share_of_longest(t, item);
	return true;
}

static void add_rows(struct concurrency_table *t, const struct concurrency *c)
{
	const uint32_t step = c->n / ROWS + (c->n % ROWS != 0);
	struct concurrency_row all = { 0, c->n, 0, 0 };
	double busy = 0;

	for (uint32_t i = 0; i <= c->n; i++) {
		all.time += c->time[i];
		all.partial += c->partial[i];
		busy += (double)c->time[i] * i;
		t->most = c->time[i] ? i : t->most;
	}
	t->whole = all.time;
	t->mean = busy / (double)all.time;
	list_table_add_row(&t->list, &all);
	for (uint32_t i = 0; i <= c->n;) {
		struct concurrency_row row = { .from = i };
		row.to = i == 0 ? 0 : c->n - i < step ? c->n : i + step - 1;
		for (; i <= row.to; i++) {
			row.time += c->time[i];
			row.partial += c->partial[i];
		}
		t->longest = row.time > t->longest ? row.time : t->longest;
		list_table_add_row(&t->list, &row);
	}
	t->list.columns[N_PARTIAL].on_screen = all.partial > 0;
}

struct table *concurrency_table_of(const struct query *query, struct timeline_shades *shades,
				   struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .chart = chart,
					     .row_size = sizeof(struct concurrency_row) };
	struct concurrency_table *t =
		list_table_new(sizeof *t, &ops, columns, N_COLUMNS, query->trace);
	struct utilisation u;
	struct concurrency c = { 0 };
	bool whole = utilisation_begin(&u, query, shades, err);
	int64_t t0, t1;

	query_span(query, &t0, &t1);
	if (whole && u.n && t1 > t0) {
		whole = concurrency_make(&c, &u, t0, t1);
		if (whole)
			add_rows(t, &c);
	}
	concurrency_fini(&c);
	utilisation_end(&u);
	return list_table_done(&t->list, whole);
}

/* Whether a location waits makes no difference to how many are busy: none is searched for. */
struct table *concurrency_table_new(const struct query *query, struct err *err)
{
	struct query alone = *query;

	alone.analyses = NULL;
	return concurrency_table_of(&alone, NULL, err);
}
