/* Sorts locations whose times ran backwards in the file, stably; the event ids in all tables
 * follow. This is rare: files are grouped by location, and each buffer was filled in order. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/order.h"
#include "base/timesort.h"
#include "model/build/build.h"

static bool sort_location(struct builder *b, uint32_t location, uint32_t *moved, struct err *err)
{
	struct trace *trace = b->trace;
	const struct block_ids *list = &trace->lists.data[location];
	const size_t n = trace->locations.data[location].events;
	OWNED struct timed *rows = xmalloc(2 * n * sizeof *rows);
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		const uint32_t block = list->data[i / BLOCK_EVENTS], slot = i % BLOCK_EVENTS;
		rows[i] = (struct timed){ store_time(trace, BASE_MEASURED, block, slot),
					  store_block(trace, block)->what[slot],
					  block * BLOCK_EVENTS + slot };
	}
	timed_sort(rows, rows + n, n);
	for (size_t k = 0; k < list->n && ok; k++) {
		struct block *block = store_block(trace, list->data[k]);
		int64_t t[BLOCK_EVENTS];
		for (uint32_t slot = 0; slot < block->n; slot++) {
			const struct timed *row = &rows[k * BLOCK_EVENTS + slot];
			t[slot] = row->time;
			block->what[slot] = row->a;
			moved[row->b] = list->data[k] * BLOCK_EVENTS + slot;
		}
		ok = column_put(&trace->columns[BASE_MEASURED], list->data[k], 0, block->n, t, err);
	}
	return ok;
}

static void renumber(uint32_t *event, const uint32_t *moved, uint32_t run)
{
	if (*event != EVENT_NONE)
		*event = moved[*event / run] * run + *event % run;
}

void build_renumber(struct builder *b, const uint32_t *moved, uint32_t run)
{
	struct trace *trace = b->trace;
	struct event_attribute *attribute;
	struct request_begin *begin;
	struct request_end *end;
	struct event_text *text;

	for (uint32_t i = 0; i < store_message_count(trace); i++)
		renumber(&store_message(trace, i)->send, moved, run);
	for (uint32_t i = 0; i < build_recv_count(b); i++)
		renumber(&build_recv(b, i)->recv, moved, run);
	for (uint32_t i = 0; i < build_part_count(b); i++) {
		renumber(&store_member(trace, i)->begin, moved, run);
		renumber(&store_member(trace, i)->end, moved, run);
	}
	vec_each (begin, &b->begun)
		renumber(&begin->event, moved, run);
	vec_each (end, &b->ended)
		renumber(&end->event, moved, run);
	vec_each (text, &trace->extras.rows)
		renumber(&text->event, moved, run);
	vec_each (text, &trace->time_texts.rows)
		renumber(&text->event, moved, run);
	vec_each (attribute, &trace->attributes)
		renumber(&attribute->event, moved, run);
}

/* Lists sends and receives in the order in which they were posted, location by location. */
static void list_posts(struct builder *b)
{
	const struct trace *trace = b->trace;
	uint32_t sent = 0;

	b->send_order = xmalloc(store_message_count(trace) * sizeof *b->send_order);
	b->recv_order = xmalloc(build_recv_count(b) * sizeof *b->recv_order);
	for (uint32_t l = 0; l < trace->locations.n; l++) {
		struct cursor c;
		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok;
		     ok = cursor_next(&c)) {
			const uint32_t what = cursor_what(&c), id = what_id(what);
			if (what_kind(what) == EV_SEND)
				b->send_order[sent++] = id;
			if ((what_kind(what) != EV_RECV && what_kind(what) != EV_RECV_REQUEST) ||
			    id == ID_NONE || build_recv(b, id)->flags & RECV_CLOSED)
				continue;
			build_recv(b, id)->flags |= RECV_CLOSED;
			b->recv_order[b->recv_order_n++] = id;
		}
	}
	for (uint32_t i = 0; i < build_recv_count(b); i++)
		build_recv(b, i)->flags &= (uint16_t)~RECV_CLOSED;
}

/* Parts of collectives, in the order of the location's events. */
struct whole_part {
	struct part part;
	struct member member;
};

ORDERING(by_location_begin, struct whole_part, part.location, member.begin)

static void put_part(struct builder *b, uint32_t i, const struct whole_part *whole)
{
	struct member *m = store_member(b->trace, i);

	*build_part(b, i) = whole->part;
	*m = whole->member;
	*store_what(b->trace, m->begin) = what_make(EV_COLLECTIVE_BEGIN, i);
	if (m->end == EVENT_NONE)
		return;
	if (m->end > m->begin) {
		*store_what(b->trace, m->end) = what_make(EV_COLLECTIVE_END, i);
		return;
	}
	*store_what(b->trace, m->end) = what_make(EV_COLLECTIVE_END, ID_NONE);
	m->end = EVENT_NONE;
	store_finding(b->trace, FINDING_ODDITY, "collective-end-before-begin", 0, 1,
		      "a collective ends before it begins: it was discarded");
}

static void sort_parts(struct builder *b)
{
	const uint32_t n = build_part_count(b);
	OWNED struct whole_part *parts = xmalloc(n * sizeof *parts);

	for (uint32_t i = 0; i < n; i++)
		parts[i] = (struct whole_part){ *build_part(b, i), *store_member(b->trace, i) };
	SORT(parts, n, by_location_begin);
	for (uint32_t i = 0; i < n; i++)
		put_part(b, i, &parts[i]);
}

static void find_first_switch(struct builder *b, uint32_t location)
{
	struct tail *tail = &b->tails.data[location];
	struct cursor c;

	tail->first_switch = 0;
	for (bool ok = cursor_first(&c, b->trace, BASE_MEASURED, location);
	     ok && tail->first_switch == 0; ok = cursor_next(&c))
		if (what_kind(cursor_what(&c)) >= EV_TRACING_ON)
			tail->first_switch = what_kind(cursor_what(&c));
}

bool build_arrange(struct builder *b, struct err *err)
{
	struct trace *trace = b->trace;
	const size_t events = (size_t)store_block_count(trace) * BLOCK_EVENTS;
	uint32_t *moved, disordered = 0;
	bool ok = true;

	for (uint32_t l = 0; l < trace->locations.n; l++)
		disordered += b->tails.data[l].backwards;
	if (disordered == 0)
		return true;
	store_finding(trace, FINDING_ODDITY, "unsorted-location", 0, disordered,
		      "the events of a location are not in order of time: they were sorted");
	moved = xmalloc(events * sizeof *moved);
	for (size_t i = 0; i < events; i++)
		moved[i] = (uint32_t)i;
	for (uint32_t l = 0; l < trace->locations.n && ok; l++)
		if (b->tails.data[l].backwards) {
			ok = sort_location(b, l, moved, err);
			find_first_switch(b, l);
		}
	if (ok) {
		build_renumber(b, moved, 1);
		list_posts(b);
		sort_parts(b);
	}
	free(moved);
	return ok;
}
