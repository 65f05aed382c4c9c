#include "ui/timeline/picture/timeline_hits.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/copy.h"
#include "model/trace/halo.h"
#include "ui/timeline/picture/timeline_thin.h"

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

struct timeline_arrow_list {
	struct timeline_arrow *data;
	size_t n, cap;
};

/* In the order in which they are chosen; which of equal ones comes first depends on nothing that
 * cannot be seen. */
ORDERING(by_order, struct timeline_arrow, order, x0, x1, from, to, id)

/* Orders are spread evenly: they are dealt out, and hardly one must pass another one after that. */
static void put_in_order(struct timeline_arrow_list *list)
{
	enum { BITS = 12 };
	uint32_t place[1 << BITS] = { 0 }, sum = 0;
	struct timeline_arrow *dealt = xcalloc(list->n + 1, sizeof *dealt);

	for (size_t i = 0; i < list->n; i++)
		place[list->data[i].order >> (32 - BITS)]++;
	for (size_t i = 0; i < 1 << BITS; i++) {
		const uint32_t n = place[i];

		place[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < list->n; i++)
		dealt[place[list->data[i].order >> (32 - BITS)]++] = list->data[i];
	for (size_t i = 0; i < list->n; i++) {
		size_t at = i;

		for (; at > 0 && by_order(&list->data[at - 1], &dealt[i]) > 0; at--)
			list->data[at] = list->data[at - 1];
		list->data[at] = dealt[i];
	}
	free(dealt);
}

/* ---- messages ---- */

/* Copies that begin before the window (none of which counts: few of them reach into it) and in each
 * column: [columns + 1], added. */
static void count_copies(const struct timeline_picture *p, const struct query *query,
			 uint64_t *counts)
{
	const struct trace *trace = query->trace;
	uint64_t before = copies_before(trace, query->base, p->scale.t0);

	for (int x = 1; x <= p->scale.n && trace_copy_count(trace); x++) {
		const uint64_t n = copies_before(trace, query->base, time_scale_edge(&p->scale, x));

		counts[x] += n - before;
		before = n;
	}
}

/* Rows by their earlier end: before the window, in each column, and those of the first that reach
 * into the window. */
struct hit_counts {
	uint64_t *of; /* [1 + columns + 1] */
	uint64_t *reaching;
};

/* Too many to be looked at can still be counted: they are kept in the order of their earlier
 * ends. */
static void count_messages(const struct timeline_picture *p, const struct query *query,
			   uint64_t *counts)
{
	uint32_t before = 0;

	for (int x = 0; x <= p->scale.n; x++) {
		const int64_t edge = time_scale_edge(&p->scale, x);
		struct span_query q;

		messages_in_window(&q, query->trace, query->base, edge, edge);
		counts[x] += q.stop - before;
		before = q.stop;
	}
}

/* Those that begin before the window, how many of them reach into it (more than LOOKED_AT are not
 * counted), and those that begin in it. */
static uint64_t count_sides(const struct timeline_picture *p, const struct query *query,
			    const struct hit_counts *counts)
{
	const int64_t t0 = p->scale.t0, t1 = p->scale.t1;
	struct span_query q;
	uint32_t row, before;

	messages_in_window(&q, query->trace, query->base, t0, t0);
	before = q.stop;
	counts->of[0] = before;
	while (*counts->reaching <= LOOKED_AT && span_query_next(&q, &row))
		++*counts->reaching;
	messages_in_window(&q, query->trace, query->base, t0, t1);
	return q.stop - before + copies_before(query->trace, query->base, t1) -
	       copies_before(query->trace, query->base, t0);
}

/* The same of all processes: each counts those that it sends, or alone has. */
static uint64_t count_shared(const struct timeline_picture *p, const struct query *query,
			     const struct hit_counts *counts)
{
	const struct trace *trace = query->trace;
	uint64_t begin = 0;

	for (uint32_t row = 0; row < trace_message_count(trace); row++) {
		int64_t first, last;

		if (trace_message_is_far(trace, row))
			continue;
		message_span(trace, query->base, trace_message(trace, row), &first, &last);
		if (first < p->scale.t0) {
			counts->of[0]++;
			*counts->reaching += last >= p->scale.t0;
		} else if (first < p->scale.t1) {
			counts->of[1 + time_scale_column(&p->scale, first)]++;
		}
	}
	count_copies(p, query, counts->of);
	exchange_sums(trace_exchange(trace), counts->of, (size_t)p->scale.n + 2);
	for (int x = 1; x <= p->scale.n; x++)
		begin += counts->of[x];
	return begin;
}

/* Whether there are few enough to be looked at. */
static bool look_at_messages(struct timeline_picture *p, const struct query *query)
{
	OWNED uint64_t *of = xcalloc((size_t)p->scale.n + 2, sizeof *of);
	const struct hit_counts counts = { of, of + p->scale.n + 1 };
	const bool shared = trace_exchange(query->trace) != NULL;
	uint64_t all = shared ? count_shared(p, query, &counts) : count_sides(p, query, &counts);

	all += *counts.reaching > LOOKED_AT ? of[0] : *counts.reaching;
	p->exact = all <= LOOKED_AT;
	p->messages = p->exact ? 0 : all;
	if (!p->exact && !shared) {
		memset(of, 0, ((size_t)p->scale.n + 2) * sizeof *of);
		count_messages(p, query, of);
		count_copies(p, query, of);
	}
	for (int x = 1; !p->exact && x <= p->scale.n; x++)
		vec_push(&p->density, (uint32_t)of[x]);
	return p->exact;
}

/* One from a row to itself has nothing to cross. */
static bool are_apart(const struct timeline_arrow *arrow)
{
	return arrow->from != ROW_HIDDEN && arrow->to != ROW_HIDDEN && arrow->from != arrow->to;
}

static bool is_wanted(const struct query *query, uint32_t id, const struct timeline_arrow *arrow)
{
	return are_apart(arrow) && !trace_message_is_far(query->trace, id) &&
	       (!query->filter || filter_message(query->filter, query->base, id));
}

static void add_arrow(struct timeline_arrow_list *list, const struct timeline_picture *p,
		      const struct timeline_arrow *ends, uint32_t from, uint32_t to,
		      const int64_t *times)
{
	struct timeline_arrow arrow = *ends;

	arrow.order = key_hash(KEY_OF((uint32_t)times[0], (uint32_t)times[1], from, to));
	arrow.x0 = timeline_half_column(p, times[0]);
	arrow.x1 = timeline_half_column(p, times[1]);
	vec_push(list, arrow);
}

/* Copies from and to a location that is known; what the filter says of their begin. */
static void add_copies(const struct timeline_picture *p, const struct query *query,
		       const int32_t *of, struct timeline_arrow_list *found)
{
	const struct trace *trace = query->trace;
	struct copy_query q;
	uint32_t row;

	copies_in_window(&q, trace, query->base, p->scale.t0, p->scale.t1);
	while (copy_query_next(&q, &row)) {
		const struct copy *copy = trace_copy(trace, row);
		const uint32_t from = copy_from(trace, copy), to = copy_to(trace, copy);
		struct timeline_arrow arrow = { .id = ARROW_COPY | row };
		int64_t times[2];

		if (!copy_span(trace, query->base, copy, &times[0], &times[1]) ||
		    copy->other == UINT32_MAX)
			continue;
		arrow.from = of[from];
		arrow.to = of[to];
		if (are_apart(&arrow) &&
		    (!query->filter || filter_event(query->filter, query->base, copy->begin)))
			add_arrow(found, p, &arrow, from, to, times);
	}
}

static void add_messages(struct timeline_picture *p, const struct query *query, const int32_t *of)
{
	const struct trace *trace = query->trace;
	struct exchange *x = trace_exchange(trace);
	struct timeline_arrow_list found = VEC_INIT;
	struct span_query q;
	uint32_t id;

	if (!look_at_messages(p, query))
		return;
	messages_in_window(&q, trace, query->base, p->scale.t0, p->scale.t1);
	while (span_query_next(&q, &id)) {
		const struct message *m = trace_message(trace, id);
		struct timeline_arrow arrow = { .id = id };
		uint32_t from, to;
		int64_t times[2];

		if (m->flags & (MSG_NO_SEND | MSG_NO_RECV))
			continue;
		from = trace_event_location(trace, m->send);
		to = trace_event_location(trace, m->recv);
		arrow.from = of[from];
		arrow.to = of[to];
		if (!is_wanted(query, id, &arrow))
			continue;
		times[0] = trace_event_time(trace, query->base, m->send);
		times[1] = trace_event_time(trace, query->base, m->recv);
		add_arrow(&found, p, &arrow, from, to, times);
	}
	add_copies(p, query, of, &found);
	if (x) {
		OWNED uint32_t *first = xcalloc(found.n + 1, sizeof *first);
		exchange_deal_rows(x, &found, first);
	}
	put_in_order(&found);
	p->messages = found.n;
	for (size_t i = 0; i < found.n && i < TIMELINE_ARROWS; i++)
		vec_push(&p->arrows, found.data[i]);
	vec_fini(&found);
}

void timeline_hits_add(struct timeline_picture *p, const struct query *query)
{
	int32_t *of;

	if (p->visible < 2)
		return;
	of = timeline_rows_by_location(p, query->trace);
	add_messages(p, query, of);
	if (p->gap) /* there is nowhere to draw them else */
		timeline_parts_add(p, query);
	timeline_thin(p);
	free(of);
}
