/* What crosses a window of time: rows by their earlier end, and per chunk of 256 the largest later
 * end, so that chunks that ended before the window are passed over. */
#include <stdlib.h>

#include "model/store.h"
#include "model/timesort.h"

static void row_span(const struct trace *trace, enum time_base base, bool collectives, uint32_t row,
		     int64_t *first, int64_t *last)
{
	if (collectives)
		collective_span(trace, base, store_collective(trace, row), first, last);
	else
		message_span(trace, base, store_message(trace, row), first, last);
}

/* True when the rows are in order as they stand, as those of a file sorted by time mostly are; the
 * chunks are filled then. */
static bool order_as_is(struct order *order, const struct trace *trace, enum time_base base,
			bool collectives)
{
	int64_t before = INT64_MIN, first, last;

	for (uint32_t row = 0; row < order->n; row++) {
		const uint32_t chunk = row / ORDER_CHUNK;
		row_span(trace, base, collectives, row, &first, &last);
		if (first < before)
			return false;
		before = first;
		if (row % ORDER_CHUNK == 0)
			order->first[chunk] = first;
		if (row % ORDER_CHUNK == 0 || last > order->last[chunk])
			order->last[chunk] = last;
	}
	return true;
}

static void order_sorted(struct order *order, const struct trace *trace, enum time_base base,
			 bool collectives)
{
	const size_t n = order->n;
	struct timed *rows = xmalloc(2 * n * sizeof *rows);
	int64_t first, last;

	for (uint32_t row = 0; row < n; row++) {
		row_span(trace, base, collectives, row, &rows[row].time, &last);
		rows[row].a = row;
	}
	timed_sort(rows, rows + n, n);
	order->rows = xmalloc(n * sizeof *order->rows);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t chunk = i / ORDER_CHUNK;
		order->rows[i] = rows[i].a;
		row_span(trace, base, collectives, rows[i].a, &first, &last);
		if (i % ORDER_CHUNK == 0)
			order->first[chunk] = first;
		if (i % ORDER_CHUNK == 0 || last > order->last[chunk])
			order->last[chunk] = last;
	}
	free(rows);
}

void order_make(struct order *order, const struct trace *trace, enum time_base base,
		bool collectives)
{
	const uint32_t n = collectives ? trace_collective_count(trace) : trace_message_count(trace);
	const uint32_t chunks = (n + ORDER_CHUNK - 1) / ORDER_CHUNK;

	order_fini(order);
	order->n = n;
	if (n == 0)
		return;
	order->first = xmalloc(chunks * sizeof *order->first);
	order->last = xmalloc(chunks * sizeof *order->last);
	if (!order_as_is(order, trace, base, collectives))
		order_sorted(order, trace, base, collectives);
}

void order_fini(struct order *order)
{
	free(order->rows);
	free(order->first);
	free(order->last);
	*order = (struct order){ .rows = NULL };
}

/* How many chunks begin before t. */
static uint32_t chunks_before(const struct order *order, int64_t t)
{
	uint32_t low = 0, high = (order->n + ORDER_CHUNK - 1) / ORDER_CHUNK;

	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;
		if (order->first[mid] < t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static const struct order *order_of(const struct span_query *q)
{
	return q->collectives ? &q->trace->collective_order[q->base]
			      : &q->trace->message_order[q->base];
}

static void query(struct span_query *q, const struct trace *trace, enum time_base base, int64_t t0,
		  int64_t t1, bool collectives)
{
	const struct order *order;
	uint32_t stop;

	*q = (struct span_query){ trace, base, t0, t1, 0, 0, collectives };
	order = order_of(q);
	stop = chunks_before(order, t1);
	q->stop = stop * ORDER_CHUNK < order->n ? stop * ORDER_CHUNK : order->n;
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

bool span_query_next(struct span_query *q, uint32_t *row)
{
	const struct order *order = order_of(q);

	while (q->next < q->stop) {
		int64_t first, last;
		if (q->next % ORDER_CHUNK == 0 && order->last[q->next / ORDER_CHUNK] < q->t0) {
			q->next += ORDER_CHUNK;
			continue;
		}
		*row = order->rows ? order->rows[q->next] : q->next;
		q->next++;
		row_span(q->trace, q->base, q->collectives, *row, &first, &last);
		if (first < q->t1 && last >= q->t0)
			return true;
	}
	return false;
}
