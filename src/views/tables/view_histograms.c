/* view_histograms: distributions of message sizes and latencies: counts in logarithmic bins. Above
 * the bins of each is a row without limits: the number of messages with a known value, their median
 * (of an even number the lower middle) and maximum. */
#include <stdlib.h>
#include <string.h>

#include "base/select.h"
#include "model/trace/piece.h"
#include "model/trace/program.h"
#include "views/query/table_kept.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                           \
	ROW(H_OF, "of", "of", COLUMN_TEXT, 7, true, true)                      \
	ROW(H_RANGE, "range", "from to below", COLUMN_TEXT, 27, false, true)   \
	ROW(H_FROM_BYTES, "from_bytes", "from", COLUMN_BYTES, 10, true, false) \
	ROW(H_TO_BYTES, "to_bytes", "to", COLUMN_BYTES, 10, true, false)       \
	ROW(H_FROM, "from_s", "from", COLUMN_DURATION, 10, true, false)        \
	ROW(H_TO, "to_s", "to", COLUMN_DURATION, 10, true, false)              \
	ROW(H_MESSAGES, "messages", "messages", COLUMN_COUNT, 9, true, true)   \
	ROW(H_SHARE, "share", "share", COLUMN_SHARE, 7, true, true)            \
	ROW(H_BAR, "bar", "", COLUMN_TEXT, 0, false, true)
enum histogram_column { COLUMNS(COLUMN_ID) H_COLUMNS };
static const struct column columns[H_COLUMNS] = { COLUMNS(COLUMN_ROW) };

enum { OF_SIZE, OF_LATENCY, HISTOGRAMS, BAR = 20, EDGES = 72 };

struct histogram {
	int64_t edges[EDGES]; /* the i-th bin is [edges[i], edges[i + 1]); ascending */
	uint64_t counts[EDGES];
	unsigned n_edges;
	VEC(int64_t) values; /* while it is made */
	uint64_t n, most;    /* of all; in a bin */
	int64_t median, max;
};

struct histogram_row {
	uint8_t of;
	bool total;
	uint8_t bin;
};

struct histograms_table {
	struct list_table list;
	const struct query *query; /* while the table is made */
	struct histogram of[HISTOGRAMS];
};

/* ---- counting ---- */

static void add_edge(struct histogram *h, int64_t edge)
{
	if (h->n_edges == 0 || edge > h->edges[h->n_edges - 1])
		h->edges[h->n_edges++] = edge;
}

/* Powers of two for sizes; 1, 2, 5 of every decade of seconds for times. Bin 0 holds values below
 * 0: messages that arrive before they are sent. */
static void make_edges(struct histograms_table *t)
{
	static const int steps[] = { 1, 2, 5 };

	for (int of = 0; of < HISTOGRAMS; of++) {
		add_edge(&t->of[of], INT64_MIN);
		add_edge(&t->of[of], 0);
	}
	for (int power = 0; power < 63; power++)
		add_edge(&t->of[OF_SIZE], (int64_t)1 << power);
	for (int exponent = -9; exponent <= 4; exponent++)
		for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
			add_edge(&t->of[OF_LATENCY],
				 units_ticks(steps[i], exponent, t->list.table.scale));
}

static void add_value(struct histogram *h, int64_t value)
{
	unsigned bin = h->n_edges - 1;

	while (h->edges[bin] > value)
		bin--;
	h->counts[bin]++;
	vec_push(&h->values, value);
}

static bool add_message(void *context, uint32_t id, const struct message *m)
{
	struct histograms_table *t = context;
	const struct query *query = t->query;

	(void)id;
	if (!(m->flags & MSG_NO_BYTES) && message_bytes(m) <= INT64_MAX)
		add_value(&t->of[OF_SIZE], (int64_t)message_bytes(m));
	if (message_arrived(m))
		add_value(&t->of[OF_LATENCY],
			  trace_event_time(query->trace, query->base, m->recv) -
				  trace_event_time(query->trace, query->base, m->send));
	return true;
}

static void sum_up(struct histogram *h)
{
	for (unsigned bin = 0; bin < h->n_edges; bin++) {
		h->n += h->counts[bin];
		if (h->counts[bin] > h->most)
			h->most = h->counts[bin];
	}
}

/* Makes it that of all processes that share the trace. */
static void settle(struct histogram *h, struct exchange *x)
{
	exchange_sums(x, h->counts, h->n_edges);
	sum_up(h);
	if (h->n) {
		h->median = select_nth(x, h->values.data, h->values.n, (h->n - 1) / 2);
		h->max = select_nth(x, h->values.data, h->values.n, h->n - 1);
	}
	vec_fini(&h->values);
}

/* ---- with the trace ---- */

static const char keep_name[] = "histograms";

static void keep(const struct histograms_table *t, const struct query *query)
{
	struct piece piece = { VEC_INIT };

	if (!query_keeps(query))
		return;
	for (int of = 0; of < HISTOGRAMS; of++) {
		piece_add(&piece, t->of[of].counts, EDGES, sizeof *t->of[of].counts);
		piece_add(&piece, &t->of[of].median, 1, sizeof t->of[of].median);
		piece_add(&piece, &t->of[of].max, 1, sizeof t->of[of].max);
	}
	piece_keep(&piece, query->trace, keep_name, query->base);
}

static bool holds(const struct histogram *h)
{
	bool fine = h->median >= -RECORD_TIME_MAX && h->max >= -RECORD_TIME_MAX;

	for (unsigned bin = 0; bin < EDGES; bin++)
		fine = fine &&
		       (h->counts[bin] == 0 || (bin < h->n_edges && h->counts[bin] <= UINT32_MAX));
	return fine;
}

static bool take_kept(struct histograms_table *t, const struct query *query)
{
	struct piece_reader reader;
	struct histogram of[HISTOGRAMS];
	bool fine = query_keeps(query) && piece_find(&reader, query->trace, keep_name, query->base);

	memcpy(of, t->of, sizeof of);
	for (int i = 0; i < HISTOGRAMS && fine; i++) {
		struct histogram *h = &of[i];
		size_t n;
		const uint64_t *counts = piece_next(&reader, sizeof *counts, &n);
		fine = n == EDGES;
		if (fine)
			memcpy(h->counts, counts, sizeof h->counts);
		fine = fine && piece_value(&reader, &h->median, sizeof h->median) &&
		       piece_value(&reader, &h->max, sizeof h->max) && holds(h);
		sum_up(h);
	}
	if (!fine || !piece_ends(&reader))
		return false;
	memcpy(t->of, of, sizeof of);
	return true;
}

/* ---- rows ---- */

/* Adds the total, and the bins from the first to the last nonempty one. */
static void add_rows(struct histograms_table *t, uint8_t of)
{
	struct histogram *h = &t->of[of];
	unsigned first = 0, last = h->n_edges - 1;

	if (h->n == 0)
		return;
	while (h->counts[first] == 0)
		first++;
	while (h->counts[last] == 0)
		last--;
	list_table_add_row(&t->list, &(struct histogram_row){ of, true, 0 });
	for (unsigned bin = first; bin <= last; bin++)
		list_table_add_row(&t->list, &(struct histogram_row){ of, false, (uint8_t)bin });
}

/* ---- cells ---- */

static void add_number(const struct histograms_table *t, uint8_t of, int64_t value, struct str *out)
{
	if (of == OF_SIZE)
		units_bytes(out, (uint64_t)value);
	else
		units_human_time(out, value, t->list.table.scale, 3);
}

static void add_range(const struct histograms_table *t, const struct histogram_row *row,
		      struct str *out)
{
	const struct histogram *h = &t->of[row->of];

	if (row->total) {
		str_add(out, "median ");
		add_number(t, row->of, h->median, out);
		str_add(out, ", max ");
		add_number(t, row->of, h->max, out);
	} else if (row->bin == 0) {
		str_add(out, "  below zero");
	} else {
		str_add(out, "  ");
		add_number(t, row->of, h->edges[row->bin], out);
		str_add(out, row->bin + 1u < h->n_edges ? " .. " : " and more");
		if (row->bin + 1u < h->n_edges)
			add_number(t, row->of, h->edges[row->bin + 1], out);
	}
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct histograms_table *t = (struct histograms_table *)list;
	const struct histogram_row *row = list_table_row(list, item);
	const struct histogram *h = &t->of[row->of];
	const uint64_t count = row->total ? h->n : h->counts[row->bin];
	const bool from = !row->total && row->bin > 0;
	const bool to = !row->total && row->bin + 1u < h->n_edges;
	const bool size = row->of == OF_SIZE;
	struct str *range = list_table_text(list), *bar = list_table_text(list);

	add_range(t, row, range);
	/* A nonempty bin has a bar, however short. */
	for (uint64_t i = 0; !row->total && count && i < (count * BAR + h->most - 1) / h->most; i++)
		str_add_char(bar, '#');
	v[H_OF] = value_text(size ? "size" : "latency");
	v[H_RANGE] = value_text(range->text);
	v[H_FROM_BYTES] = value_integer(from && size, h->edges[row->bin]);
	v[H_TO_BYTES] = value_integer(to && size, to ? h->edges[row->bin + 1] : 0);
	v[H_FROM] = value_integer(from && !size, h->edges[row->bin]);
	v[H_TO] = value_integer(to && !size, to ? h->edges[row->bin + 1] : 0);
	v[H_MESSAGES] = value_integer(true, (int64_t)count);
	v[H_SHARE] = (struct value){ .known = true, .real = (double)count / (double)h->n };
	v[H_BAR] = (struct value){ .known = true, .text = bar->n ? bar->text : "" };
}

static bool chart(const struct list_table *list, uint32_t item, unsigned column, int width,
		  struct table_chart *chart)
{
	static const struct chart_part parts[] = { { "messages", TEXT_CLASS + CLASS_P2P } };
	const struct histograms_table *t = (const struct histograms_table *)list;
	const struct histogram_row *row = list_table_row(list, item);
	const struct histogram *h = &t->of[row->of];

	(void)width;
	if (column != H_BAR || row->total || h->most == 0)
		return false;
	chart->parts = parts;
	chart->n = 1;
	chart->values[0] = (double)h->counts[row->bin] / (double)h->most;
	return true;
}

static void fini(struct list_table *list)
{
	struct histograms_table *t = (struct histograms_table *)list;

	for (int of = 0; of < HISTOGRAMS; of++)
		vec_fini(&t->of[of].values);
}

/* False if stopped. */
static bool make(struct histograms_table *t, const struct query *query)
{
	t->query = query;
	messages_collect(query, add_message, t);
	t->query = NULL;
	for (int of = 0; of < HISTOGRAMS && !query_stopped(query); of++)
		settle(&t->of[of], trace_exchange(query->trace));
	return !query_stopped(query);
}

struct table *histograms_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .chart = chart,
					     .fini = fini,
					     .row_size = sizeof(struct histogram_row) };
	struct histograms_table *t =
		list_table_new(sizeof *t, &ops, columns, H_COLUMNS, query->trace);

	(void)err;
	make_edges(t);
	if (!take_kept(t, query) && make(t, query))
		keep(t, query);
	for (int of = 0; of < HISTOGRAMS && !query_stopped(query); of++)
		add_rows(t, (uint8_t)of);
	return list_table_done(&t->list, !query_stopped(query));
}
