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

void order_make(struct order *order, const struct trace *trace, enum time_base base,
		bool collectives)
{
	const uint32_t n = collectives ? trace_collective_count(trace) : trace_message_count(trace);
	const uint32_t chunks = (n + ORDER_CHUNK - 1) / ORDER_CHUNK;
	struct timed *rows, *spare;
	int64_t *last;

	order_fini(order);
	order->n = n;
	order->made = true;
	if (n == 0)
		return;
	rows = xmalloc(n * sizeof *rows);
	last = xmalloc(n * sizeof *last);
	for (uint32_t row = 0; row < n; row++) {
		row_span(trace, base, collectives, row, &rows[row].time, &last[row]);
		rows[row].a = row;
	}
	if (!timed_in_order(rows, n)) {
		spare = xmalloc(n * sizeof *spare);
		timed_sort(rows, spare, n);
		free(spare);
	}
	order->rows = xmalloc(n * sizeof *order->rows);
	order->first = xmalloc(chunks * sizeof *order->first);
	order->last = xmalloc(chunks * sizeof *order->last);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t chunk = i / ORDER_CHUNK;
		order->rows[i] = rows[i].a;
		if (i % ORDER_CHUNK == 0)
			order->first[chunk] = rows[i].time;
		if (i % ORDER_CHUNK == 0 || last[rows[i].a] > order->last[chunk])
			order->last[chunk] = last[rows[i].a];
	}
	free(rows);
	free(last);
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
		*row = order->rows[q->next++];
		row_span(q->trace, q->base, q->collectives, *row, &first, &last);
		if (first < q->t1 && last >= q->t0)
			return true;
	}
	return false;
}
