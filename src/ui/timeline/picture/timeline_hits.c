#include "ui/timeline/picture/timeline_hits.h"

#include <stdlib.h>

#include "base/mem.h"

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

static int64_t half_column(const struct timeline_picture *p, int64_t t)
{
	const struct time_scale fine = { p->scale.t0, p->scale.t1, 2 * p->scale.n };

	return time_scale_column(&fine, t);
}

/* Too many to be looked at can still be counted: they are kept in the order of their earlier
 * ends. */
static void count_messages(struct timeline_picture *p, const struct query *query)
{
	uint32_t before = 0;

	for (int x = 0; x <= p->scale.n; x++) {
		const int64_t edge = time_scale_edge(&p->scale, x);
		struct span_query q;

		messages_in_window(&q, query->trace, query->base, edge, edge);
		if (x > 0)
			vec_push(&p->density, q.stop - before);
		before = q.stop;
	}
}

static void add_messages(struct timeline_picture *p, const struct query *query, const int32_t *of)
{
	const struct trace *trace = query->trace;
	struct span_query q;
	uint32_t id;

	messages_in_window(&q, trace, query->base, p->scale.t0, p->scale.t1);
	/* The order bounds the number of hits before any is looked at. */
	p->exact = q.stop - q.next <= LOOKED_AT;
	p->messages = p->exact ? 0 : q.stop - q.next;
	if (!p->exact)
		count_messages(p, query);
	while (p->exact && span_query_next(&q, &id)) {
		const struct message *m = trace_message(trace, id);
		struct timeline_arrow arrow = { .id = id };

		if (m->flags & (MSG_NO_SEND | MSG_NO_RECV))
			continue;
		arrow.from = of[trace_event_location(trace, m->send)];
		arrow.to = of[trace_event_location(trace, m->recv)];
		if (arrow.from == ROW_HIDDEN || arrow.to == ROW_HIDDEN ||
		    (arrow.from == arrow.to &&
		     timeline_shown(p, (uint32_t)arrow.from)->kind == ROW_GROUP))
			continue;
		if (query->filter && !filter_message(query->filter, query->base, id))
			continue;
		p->messages++;
		if (p->arrows.n == TIMELINE_ARROWS)
			continue;
		arrow.x0 = half_column(p, trace_event_time(trace, query->base, m->send));
		arrow.x1 = half_column(p, trace_event_time(trace, query->base, m->recv));
		vec_push(&p->arrows, arrow);
	}
}

/* The begin of a location's part in a collective; EVENT_NONE without. Members are ordered by
 * location. */
static uint32_t begin_of(const struct trace *trace, const struct collective *c, uint32_t location)
{
	uint32_t low = 0, high = c->members;

	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;
		const struct member *m = trace_member(trace, c->first + mid);
		const uint32_t event = m->begin != EVENT_NONE ? m->begin : m->end;
		const uint32_t l = event == EVENT_NONE ? 0 : trace_event_location(trace, event);

		if (l == location)
			return m->begin;
		if (l < location)
			low = mid + 1;
		else
			high = mid;
	}
	return EVENT_NONE;
}

static void add_ties(struct timeline_picture *p, const struct query *query)
{
	const struct trace *trace = query->trace;
	struct span_query q;
	uint32_t id, looked = 0;

	collectives_in_window(&q, trace, query->base, p->scale.t0, p->scale.t1);
	while (span_query_next(&q, &id)) {
		const struct collective *c = trace_collective(trace, id);
		int32_t from = ROW_HIDDEN;
		int64_t x0 = 0;

		/* So many are in the window that lines would hide each other. */
		if (++looked > (uint32_t)p->scale.n / 4) {
			p->ties.n = 0;
			break;
		}
		if (query->filter && !filter_collective(query->filter, query->base, id))
			continue;
		for (uint32_t i = 0; i < p->visible; i++) {
			const struct timeline_row *row = timeline_shown(p, i);
			const uint32_t event = row->kind == ROW_LOCATION
						       ? begin_of(trace, c, row->location)
						       : EVENT_NONE;
			int64_t x1;

			if (event == EVENT_NONE)
				continue;
			x1 = half_column(p, trace_event_time(trace, query->base, event));
			if (from != ROW_HIDDEN)
				vec_push(&p->ties,
					 ((struct timeline_arrow){ id, from, (int32_t)i, x0, x1 }));
			from = (int32_t)i;
			x0 = x1;
		}
	}
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
