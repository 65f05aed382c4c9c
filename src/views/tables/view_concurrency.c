/* view_concurrency: how long none, one, two ... locations were busy at once. Many are put together,
 * several numbers in a row; none busy is always a row of its own. The first row is the mean and the
 * most. */
#include <string.h>

#include "model/trace/piece.h"
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

/* ---- with the trace ---- */

static const char keep_name[] = "concurrency";

/* What waits makes no difference. */
static bool keeps(const struct query *query)
{
	return query_is_whole(query) && !query->locations && !query->filter;
}

static void keep(const struct concurrency *c, const struct query *query)
{
	struct piece piece = { VEC_INIT };

	if (!keeps(query) || !c->n)
		return;
	piece_add(&piece, c->time, c->n + (size_t)1, sizeof *c->time);
	piece_add(&piece, c->partial, c->n + (size_t)1, sizeof *c->partial);
	piece_keep(&piece, query->trace, keep_name, query->base);
}

static uint64_t *copy_times(struct piece_reader *reader, uint32_t n)
{
	size_t found;
	const uint64_t *times = piece_next(reader, sizeof *times, &found);

	/* Their sum does not overflow. */
	for (size_t i = 0; i < found; i++)
		reader->bad = reader->bad || times[i] > INT64_MAX / found;
	reader->bad = reader->bad || found != n + (size_t)1;
	return reader->bad ? NULL
			   : memcpy(xcalloc(found, sizeof *times), times, found * sizeof *times);
}

static bool take_kept(struct concurrency *c, const struct query *query)
{
	struct piece_reader reader;

	if (!keeps(query) || !piece_find(&reader, query->trace, keep_name, query->base))
		return false;
	c->n = trace_location_count(query->trace);
	c->time = copy_times(&reader, c->n);
	c->partial = copy_times(&reader, c->n);
	if (piece_ends(&reader))
		return true;
	concurrency_fini(c);
	return false;
}

/* ---- making ---- */

/* Nothing where no time or no location is chosen. */
static bool make(struct concurrency *c, const struct query *query, struct timeline_shades *shades,
		 struct err *err)
{
	struct utilisation u;
	bool whole = utilisation_begin(&u, query, shades, err);
	int64_t t0, t1;

	query_span(query, &t0, &t1);
	if (whole && u.n && t1 > t0)
		whole = concurrency_make(c, &u, t0, t1);
	utilisation_end(&u);
	return whole;
}

struct table *concurrency_table_of(const struct query *query, struct timeline_shades *shades,
				   struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .chart = chart,
					     .row_size = sizeof(struct concurrency_row) };
	struct concurrency_table *t =
		list_table_new(sizeof *t, &ops, columns, N_COLUMNS, query->trace);
	struct concurrency c = { 0 };
	const bool kept = take_kept(&c, query), whole = kept || make(&c, query, shades, err);

	if (whole && c.n)
		add_rows(t, &c);
	if (whole && !kept)
		keep(&c, query);
	concurrency_fini(&c);
	return list_table_done(&t->list, whole);
}

/* Whether a location waits makes no difference to how many are busy: none is searched for. */
struct table *concurrency_table_new(const struct query *query, struct err *err)
{
	struct query alone = *query;

	alone.analyses = NULL;
	return concurrency_table_of(&alone, NULL, err);
}
