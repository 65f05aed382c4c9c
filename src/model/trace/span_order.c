/* Finds what overlaps a time window. Rows are sorted by their earlier end: a search finds those
 * that begin before the window's end, and a tree of largest later ends, whose nodes represent 16,
 * 256, ... rows, skips those that end before its begin. Leaves are that small because a row's end
 * must be looked up in its events. The tree takes half a byte a row. */
#include <stdlib.h>

#include "base/jobs.h"
#include "base/order.h"
#include "base/runs.h"
#include "base/timesort.h"
#include "model/trace/store.h"

void order_span(const struct trace *trace, enum time_base base, bool collectives, uint32_t row,
		int64_t *first, int64_t *last)
{
	if (collectives)
		collective_span(trace, base, store_collective(trace, row), first, last);
	else
		message_span(trace, base, store_message(trace, row), first, last);
}

/* ---- making ---- */

uint32_t order_nodes(uint32_t n, int level)
{
	return (uint32_t)(((uint64_t)n + (1u << ORDER_FAN_BITS * (level + 1)) - 1) >>
			  ORDER_FAN_BITS * (level + 1));
}

int order_levels(uint32_t n)
{
	int levels = n > 0;

	while (levels > 0 && levels < ORDER_LEVELS && order_nodes(n, levels - 1) > 1)
		levels++;
	return levels;
}

/* Rows while an order is made. */
struct ordering {
	const struct trace *trace;
	struct order *order;
	enum time_base base;
	bool collectives;
	int64_t *first, *last; /* [row] */
};

/* Rows that a thread takes at a time, in whole chunks. */
enum { PART = 64 * ORDER_CHUNK };

static uint32_t part_end(const struct ordering *o, uint32_t begin)
{
	return o->order->n - begin < PART ? o->order->n : begin + (uint32_t)PART;
}

static void look_up(void *context, unsigned worker, size_t part)
{
	const struct ordering *o = context;
	const uint32_t begin = (uint32_t)(part * PART);

	(void)worker;
	for (uint32_t row = begin; row < part_end(o, begin); row++) {
		if (!o->collectives)
			messages_ahead(o->trace, o->base, row);
		order_span(o->trace, o->base, o->collectives, row, &o->first[row], &o->last[row]);
	}
}

/* Writes the ends of a part's rows to its chunks and leaves. */
static void set_ends(void *context, unsigned worker, size_t part)
{
	const struct ordering *o = context;
	const uint32_t begin = (uint32_t)(part * PART);

	(void)worker;
	for (uint32_t i = begin; i < part_end(o, begin); i++) {
		const uint32_t row = o->order->rows ? o->order->rows[i] : i;
		int64_t *leaf = &o->order->last[0][i >> ORDER_FAN_BITS];
		if (i % ORDER_CHUNK == 0)
			o->order->first[i / ORDER_CHUNK] = o->first[row];
		if (i % (1u << ORDER_FAN_BITS) == 0 || o->last[row] > *leaf)
			*leaf = o->last[row];
	}
}

static void sort_rows(const struct ordering *o)
{
	const size_t n = o->order->n;
	OWNED struct timed *rows = xmalloc(2 * n * sizeof *rows);

	for (uint32_t row = 0; row < n; row++)
		rows[row] = (struct timed){ o->first[row], row, 0 };
	timed_sort(rows, rows + n, n);
	for (uint32_t i = 0; i < n; i++)
		o->order->rows[i] = rows[i].a;
}

static bool in_order(const int64_t *time, uint32_t n)
{
	for (uint32_t row = 1; row < n; row++)
		if (time[row - 1] > time[row])
			return false;
	return true;
}

static void put_in_order(struct ordering *o)
{
	const uint32_t n = o->order->n;
	const size_t parts = ((size_t)n + PART - 1) / PART;
	const unsigned jobs = jobs_count(o->trace->jobs);

	o->first = xmalloc(n * sizeof *o->first);
	o->last = xmalloc(n * sizeof *o->last);
	jobs_run(jobs, parts, look_up, o);
	/* The rows of a file sorted by time are in order already. */
	if (!in_order(o->first, n)) {
		o->order->rows = xmalloc(n * sizeof *o->order->rows);
		if (!runs_sort(o->order->rows, o->first, n, jobs))
			sort_rows(o);
	}
	jobs_run(jobs, parts, set_ends, o);
	free_all(o->first, o->last);
}

/* A node is the largest of 16 on the level below; the last level has a single one. */
static void build_tree(struct order *order)
{
	for (int level = 1; level < order_levels(order->n); level++) {
		const uint32_t below = order_nodes(order->n, level - 1);
		int64_t *from = order->last[level - 1];
		int64_t *to = xmalloc(order_nodes(order->n, level) * sizeof *to);
		for (uint32_t i = 0; i < below; i++)
			if (i % (1u << ORDER_FAN_BITS) == 0 || from[i] > to[i >> ORDER_FAN_BITS])
				to[i >> ORDER_FAN_BITS] = from[i];
		order->last[level] = to;
	}
}

void order_make(struct order *order, const struct trace *trace, enum time_base base,
		bool collectives)
{
	const uint32_t n = collectives ? trace_collective_count(trace) : trace_message_count(trace);
	const uint32_t chunks = n / ORDER_CHUNK + 1;

	order_fini(order);
	order->n = n;
	if (n == 0)
		return;
	order->first = xmalloc(chunks * sizeof *order->first);
	order->last[0] = xmalloc(order_nodes(n, 0) * sizeof *order->last[0]);
	put_in_order(&(struct ordering){ trace, order, base, collectives, NULL, NULL });
	build_tree(order);
}

void order_fini(struct order *order)
{
	if (!order->borrowed) {
		free_all(order->rows, order->first);
		for (int level = 0; level < ORDER_LEVELS; level++)
			free(order->last[level]);
	}
	*order = (struct order){ .rows = NULL };
}

/* ---- asking ---- */

static const struct order *order_of(const struct span_query *q)
{
	return q->collectives ? &q->trace->collective_order[q->base]
			      : &q->trace->message_order[q->base];
}

static uint32_t row_at(const struct order *order, uint32_t i)
{
	return order->rows ? order->rows[i] : i;
}

/* How many chunks begin before t. */
static uint32_t chunks_before(const struct order *order, int64_t t)
{
	uint32_t low = 0, high = (order->n + ORDER_CHUNK - 1) / ORDER_CHUNK;

	BISECT(low, high, mid, order->first[mid] < t);
	return low;
}

static int64_t first_end(const struct span_query *q, uint32_t row)
{
	int64_t first, last;

	order_span(q->trace, q->base, q->collectives, row, &first, &last);
	return first;
}

/* Counts the rows that begin before the window's end; only the last such chunk is searched. */
static uint32_t rows_before(const struct span_query *q)
{
	const struct order *order = order_of(q);
	const uint32_t chunks = chunks_before(order, q->t1);
	uint32_t low, high;

	if (chunks == 0)
		return 0;
	low = (chunks - 1) * ORDER_CHUNK + 1;
	high = order->n - low < ORDER_CHUNK - 1 ? order->n : low + ORDER_CHUNK - 1;
	BISECT(low, high, mid, first_end(q, row_at(order, mid)) < q->t1);
	return low;
}

static void query(struct span_query *q, const struct trace *trace, enum time_base base, int64_t t0,
		  int64_t t1, bool collectives)
{
	*q = (struct span_query){ trace, base, t0, t1, 0, 0, collectives };
	q->stop = rows_before(q);
}

void messages_in_window(struct span_query *q, const struct trace *trace, enum time_base base,
			int64_t t0, int64_t t1)
{
	query(q, trace, base, t0, t1, false);
}

void collectives_in_window(struct span_query *q, const struct trace *trace, enum time_base base,
			   int64_t t0, int64_t t1)
{
	query(q, trace, base, t0, t1, true);
}

/* Number of rows from place i on that ended before t0, by the largest node that begins there; 0 if
 * even the smallest node cannot tell. */
static uint64_t passed_over(const struct order *order, uint32_t i, int64_t t0)
{
	uint64_t rows = 0;

	for (int level = 0; level < ORDER_LEVELS && order->last[level]; level++) {
		const unsigned bits = ORDER_FAN_BITS * (unsigned)(level + 1);
		if (i & ((1u << bits) - 1) || order->last[level][i >> bits] >= t0)
			break;
		rows = (uint64_t)1 << bits;
	}
	return rows;
}

bool span_query_next(struct span_query *q, uint32_t *row)
{
	const struct order *order = order_of(q);

	while (q->next < q->stop) {
		const uint64_t over = passed_over(order, q->next, q->t0);
		int64_t first, last;
		if (over > 0) {
			q->next = over < q->stop - q->next ? q->next + (uint32_t)over : q->stop;
			continue;
		}
		*row = row_at(order, q->next);
		q->next++;
		order_span(q->trace, q->base, q->collectives, *row, &first, &last);
		if (last >= q->t0)
			return true;
	}
	return false;
}
