#include "ui/timeline/picture/timeline_hits.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"

enum {
	LOOKED_AT = 8192, /* messages of a window that are looked at; more cannot be drawn anyway */
};

int32_t *timeline_rows_by_location(const struct timeline_picture *p, const struct trace *trace)
{
	const uint32_t n = trace_location_count(trace);
	int32_t *of = xcalloc((size_t)n + 1, sizeof *of);

	for (uint32_t l = 0; l < n; l++)
		of[l] = ROW_HIDDEN;
	for (uint32_t i = 0; i < p->visible; i++) {
		const struct timeline_row *row = timeline_shown(p, i);
		const uint32_t *members;
		uint32_t count;

		if (row->kind == ROW_COUNTER || (row->kind == ROW_GROUP && row->open))
			continue;
		members = timeline_row_members(p->rows, row, &count);
		for (uint32_t m = 0; m < count; m++)
			if (of[members[m]] == ROW_HIDDEN || row->kind == ROW_LOCATION)
				of[members[m]] = (int32_t)i;
	}
	return of;
}

/* A message or tie, with its earlier end. */
struct timeline_begun {
	int64_t begin; /* ticks */
	struct timeline_arrow arrow;
};

struct timeline_begun_list {
	struct timeline_begun *data;
	size_t n, cap;
};

/* In the order in which they are drawn: by their earlier ends; which of equal ones comes first
 * depends on nothing that cannot be seen. Of all processes, in the first one. */
static int by_begin(const void *a, const void *b)
{
	const struct timeline_begun *x = a, *y = b;

	ORDER_BY(x->begin, y->begin);
	ORDER_BY(x->arrow.x0, y->arrow.x0);
	ORDER_BY(x->arrow.x1, y->arrow.x1);
	ORDER_BY(x->arrow.from, y->arrow.from);
	ORDER_BY(x->arrow.to, y->arrow.to);
	return ORDER(x->arrow.id, y->arrow.id);
}

static void put_in_order(struct timeline_begun_list *found, struct exchange *x)
{
	if (x) {
		OWNED uint32_t *to = xcalloc(found->n + 1, sizeof *to);
		exchange_deal_rows(x, found, to);
	}
	vec_sort(found, by_begin);
}

/* ---- messages ---- */

/* Too many to be looked at can still be counted: they are kept in the order of their earlier ends.
 * [columns + 1] that begin before the window, and in each column. */
static void count_messages(const struct timeline_picture *p, const struct query *query,
			   uint64_t *counts)
{
	uint32_t before = 0;

	for (int x = 0; x <= p->scale.n; x++) {
		const int64_t edge = time_scale_edge(&p->scale, x);
		struct span_query q;

		messages_in_window(&q, query->trace, query->base, edge, edge);
		counts[x] = q.stop - before;
		before = q.stop;
	}
}

/* The same of all processes: each counts those that it sends, or alone has. */
static void count_shared(const struct timeline_picture *p, const struct query *query,
			 uint64_t *counts)
{
	const struct trace *trace = query->trace;

	for (uint32_t row = 0; row < trace_message_count(trace); row++) {
		int64_t first, last;

		if (trace_message_is_far(trace, row))
			continue;
		message_span(trace, query->base, trace_message(trace, row), &first, &last);
		if (first < p->scale.t0)
			counts[0]++;
		else if (first < p->scale.t1)
			counts[1 + time_scale_column(&p->scale, first)]++;
	}
	exchange_sums(trace_exchange(trace), counts, (size_t)p->scale.n + 1);
}

/* Whether there are few enough to be looked at. */
static bool look_at_messages(struct timeline_picture *p, const struct query *query)
{
	OWNED uint64_t *counts = xcalloc((size_t)p->scale.n + 1, sizeof *counts);
	const bool shared = trace_exchange(query->trace) != NULL;
	struct span_query q;
	uint64_t all = 0;

	/* The order bounds the number of hits before any is looked at. */
	messages_in_window(&q, query->trace, query->base, p->scale.t0, p->scale.t1);
	if (shared)
		count_shared(p, query, counts);
	for (int x = 0; x <= p->scale.n; x++)
		all += counts[x];
	all = shared ? all : q.stop;
	p->exact = all <= LOOKED_AT;
	p->messages = p->exact ? 0 : all;
	if (!p->exact && !shared)
		count_messages(p, query, counts);
	for (int x = 1; !p->exact && x <= p->scale.n; x++)
		vec_push(&p->density, (uint32_t)counts[x]);
	return p->exact;
}

static bool is_drawn(const struct timeline_picture *p, const struct query *query, uint32_t id,
		     const struct timeline_arrow *arrow)
{
	if (arrow->from == ROW_HIDDEN || arrow->to == ROW_HIDDEN ||
	    (arrow->from == arrow->to &&
	     timeline_shown(p, (uint32_t)arrow->from)->kind == ROW_GROUP))
		return false;
	return !trace_message_is_far(query->trace, id) &&
	       (!query->filter || filter_message(query->filter, query->base, id));
}

static void add_messages(struct timeline_picture *p, const struct query *query, const int32_t *of)
{
	const struct trace *trace = query->trace;
	struct timeline_begun_list found = VEC_INIT;
	struct span_query q;
	uint32_t id;

	if (!look_at_messages(p, query))
		return;
	messages_in_window(&q, trace, query->base, p->scale.t0, p->scale.t1);
	while (span_query_next(&q, &id)) {
		const struct message *m = trace_message(trace, id);
		struct timeline_begun begun = { .arrow.id = id };
		int64_t sent, received;

		if (m->flags & (MSG_NO_SEND | MSG_NO_RECV))
			continue;
		begun.arrow.from = of[trace_event_location(trace, m->send)];
		begun.arrow.to = of[trace_event_location(trace, m->recv)];
		if (!is_drawn(p, query, id, &begun.arrow))
			continue;
		sent = trace_event_time(trace, query->base, m->send);
		received = trace_event_time(trace, query->base, m->recv);
		begun.begin = sent < received ? sent : received;
		begun.arrow.x0 = timeline_half_column(p, sent);
		begun.arrow.x1 = timeline_half_column(p, received);
		vec_push(&found, begun);
	}
	put_in_order(&found, trace_exchange(trace));
	p->messages = found.n;
	for (size_t i = 0; i < found.n && i < TIMELINE_ARROWS; i++)
		vec_push(&p->arrows, found.data[i].arrow);
	vec_fini(&found);
}

/* ---- collectives ---- */

static void add_ties(struct timeline_picture *p, const struct query *query)
{
	struct timeline_parts parts = VEC_INIT;
	struct timeline_begun_list found = VEC_INIT;
	const struct timeline_begun *begun;

	timeline_parts_find(p, query, &parts);
	for (size_t i = 1; i < parts.n; i++) {
		const struct timeline_part *a = &parts.data[i - 1], *b = &parts.data[i];
		if (a->collective == b->collective)
			vec_push(&found, ((struct timeline_begun){
						 a->begin,
						 { a->collective, a->row, b->row, a->x, b->x } }));
	}
	put_in_order(&found, NULL);
	vec_each (begun, &found)
		vec_push(&p->ties, begun->arrow);
	vec_fini(&found);
	vec_fini(&parts);
}

void timeline_hits_add(struct timeline_picture *p, const struct query *query)
{
	int32_t *of;

	if (p->visible < 2)
		return;
	of = timeline_rows_by_location(p, query->trace);
	add_messages(p, query, of);
	if (p->gap) /* there is nowhere to draw them else */
		add_ties(p, query);
	free(of);
}
