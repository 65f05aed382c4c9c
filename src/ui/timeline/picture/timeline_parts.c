/* The members of the collectives in a picture. Of several processes each has those of its own
 * locations; which collectives are in the window all their members say together
 * (views/facts/collective_facts.h). */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "ui/timeline/picture/timeline_hits.h"
#include "views/facts/collective_facts.h"

struct part_list {
	struct timeline_part *data;
	size_t n, cap;
};

/* More in a window are not looked at. */
static uint32_t most_collectives(const struct timeline_picture *p)
{
	return (uint32_t)p->scale.n;
}

/* A location's part in a collective; NULL without. Members are ordered by location: in one of all
 * locations the guess is right. */
static const struct member *member_of(const struct trace *trace, const struct collective *c,
				      uint32_t location)
{
	uint32_t low = 0, high = c->members, guess = location;

	while (low < high) {
		const uint32_t mid = guess < high ? guess : low + (high - low) / 2;
		const struct member *m = trace_member(trace, c->first + mid);
		const uint32_t event = m->begin != EVENT_NONE ? m->begin : m->end;
		const uint32_t l = event == EVENT_NONE ? 0 : trace_event_location(trace, event);

		guess = UINT32_MAX;
		if (l == location)
			return m;
		if (l < location)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static int64_t x_of(const struct timeline_picture *p, const struct query *query, uint32_t event)
{
	return timeline_half_column(p, trace_event_time(query->trace, query->base, event));
}

/* Adds the parts of a collective, by row, with what `part` says of the collective. */
static void add_parts_of(const struct timeline_picture *p, const struct query *query, uint32_t id,
			 struct timeline_part part, struct part_list *parts)
{
	const struct collective *c = trace_collective(query->trace, id);

	for (uint32_t i = 0; i < p->visible; i++) {
		const struct timeline_row *row = timeline_shown(p, i);
		const struct member *m = row->kind == ROW_LOCATION
						 ? member_of(query->trace, c, row->location)
						 : NULL;

		if (!m || m->begin == EVENT_NONE)
			continue;
		part.row = (int32_t)i;
		part.x0 = x_of(p, query, m->begin);
		part.x1 = m->end == EVENT_NONE ? part.x0 : x_of(p, query, m->end);
		vec_push(parts, part);
	}
}

/* Of one process. They are counted first: finding members costs more. */
static void find_parts(struct timeline_picture *p, const struct query *query,
		       struct part_list *parts)
{
	struct span_query all, q;
	uint32_t id, n = 0;

	collectives_in_window(&all, query->trace, query->base, p->scale.t0, p->scale.t1);
	for (q = all; n <= most_collectives(p) && span_query_next(&q, &id);)
		n++;
	if (n > most_collectives(p)) {
		p->collectives = all.stop;
		return;
	}
	while (span_query_next(&all, &id)) {
		const struct collective *c = trace_collective(query->trace, id);
		struct timeline_part part = { .collective = id };
		int64_t end;

		if (query->filter && !filter_collective(query->filter, query->base, id))
			continue;
		collective_span(query->trace, query->base, c, &part.begin, &end);
		add_parts_of(p, query, id, part, parts);
	}
}

/* ---- several processes ---- */

/* A collective, by what names it in all processes: its turn, or, of one with all its members in one
 * process, that process and the id there. */
struct named_collective {
	uint32_t comm, turn, which;
	int64_t begin; /* ticks */
};

#define ALONE UINT32_MAX /* instead of a communicator */

struct named_list {
	struct named_collective *data;
	size_t n, cap;
};

ORDERING(by_name, struct named_collective, comm, turn, which)

struct collecting {
	const struct query *query;
	struct named_list *list;
};

static struct named_collective alone(const struct query *query, uint32_t id, int64_t begin)
{
	const uint32_t process = exchange_process(trace_exchange(query->trace));

	return (struct named_collective){ ALONE, process, id, begin };
}

static void add_alone(void *context, uint32_t id, const struct collective *c)
{
	struct collecting *k = context;
	int64_t begin, end;

	if (id >= trace_first_turn(k->query->trace))
		return;
	collective_span(k->query->trace, k->query->base, c, &begin, &end);
	vec_push(k->list, alone(k->query, id, begin));
}

/* Those that match `filter` and cross the window, of any locations: these that this process knows
 * alone or is the home of. */
static void find(const struct timeline_picture *p, const struct query *query,
		 const struct filter *filter, struct named_list *list)
{
	struct query window = *query;
	struct collecting k = { &window, list };
	struct collective_list shared = VEC_INIT;
	const struct collective_facts *f;

	window.t0 = p->scale.t0;
	window.t1 = p->scale.t1;
	window.locations = NULL;
	window.filter = filter;
	list->n = 0;
	collectives_collect(&window, add_alone, &k);
	collective_facts_share(&window, &shared);
	vec_each (f, &shared)
		vec_push(list, ((struct named_collective){ f->comm, f->turn, f->which, f->begin }));
	vec_fini(&shared);
}

/* The parts here of a collective of the list, if it is one. */
static void add_parts(const struct timeline_picture *p, const struct query *query, uint32_t id,
		      struct named_collective name, const struct named_list *list,
		      struct part_list *parts)
{
	const struct named_collective *found =
		bsearch(&name, list->data, list->n, sizeof name, by_name);

	if (found)
		add_parts_of(p, query, id,
			     (struct timeline_part){ .collective = (uint32_t)(found - list->data),
						     .begin = found->begin },
			     parts);
}

static void add_own(const struct timeline_picture *p, const struct query *query,
		    const struct named_list *list, struct part_list *parts)
{
	const struct trace *trace = query->trace;

	for (uint32_t id = 0; list->n && id < trace_collective_count(trace); id++) {
		struct named_collective name = alone(query, id, 0);

		if (id >= trace_first_turn(trace)) {
			name.comm = trace_collective(trace, id)->comm;
			name.turn = trace_turn(trace, id)->turn;
			name.which = trace_turn(trace, id)->which;
		}
		add_parts(p, query, id, name, list, parts);
	}
}

ORDERING(by_row, struct timeline_part, collective, row)

static void share_parts(struct timeline_picture *p, const struct query *query,
			struct part_list *parts)
{
	struct exchange *x = trace_exchange(query->trace);
	struct named_list list = VEC_INIT;
	OWNED uint32_t *to = NULL;
	uint64_t all;

	find(p, query, NULL, &list);
	all = exchange_count(x, list.n);
	if (all > most_collectives(p)) {
		p->collectives = (uint32_t)all;
	} else {
		if (query->filter)
			find(p, query, query->filter, &list);
		exchange_rows(x, &list);
		vec_sort(&list, by_name);
		add_own(p, query, &list, parts);
		to = xcalloc(parts->n + 1, sizeof *to);
		exchange_deal_rows(x, parts, to);
		vec_sort(parts, by_row);
	}
	vec_fini(&list);
}

/* ---- in order ---- */

/* Of equal collectives the one comes first whose first row is higher: their numbers differ by
 * process. */
ORDERING(by_order, struct timeline_part, order, begin, lead, collective, row)

void timeline_parts_add(struct timeline_picture *p, const struct query *query)
{
	struct part_list parts = VEC_INIT;

	if (trace_exchange(query->trace))
		share_parts(p, query, &parts);
	else
		find_parts(p, query, &parts);
	for (size_t i = 0; i < parts.n; i++) {
		struct timeline_part *part = &parts.data[i];
		const bool first = i == 0 || part[-1].collective != part->collective;

		part->lead = first ? part->row : part[-1].lead;
		part->order = key_hash(KEY_OF((uint32_t)part->begin, 0, 0, 0));
	}
	vec_sort(&parts, by_order);
	for (size_t i = 0; i < parts.n; i++)
		vec_push(&p->parts, parts.data[i]);
	vec_fini(&parts);
}

void timeline_parts_of(const struct timeline_picture *p, const struct query *query, uint32_t id,
		       struct timeline_chain *chain)
{
	struct part_list parts = VEC_INIT;

	add_parts_of(p, query, id, (struct timeline_part){ .collective = id }, &parts);
	for (size_t i = 0; i < parts.n; i++)
		vec_push(&chain->parts, parts.data[i]);
	vec_fini(&parts);
}
