/* The members of the collectives in a picture. Of several processes each has those of its own
 * locations; which collectives are in the window all their members say together
 * (views/facts/collective_facts.h). */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "ui/timeline/picture/timeline_hits.h"
#include "views/facts/collective_facts.h"

/* More in a window hide each other's lines. */
static uint32_t most_collectives(const struct timeline_picture *p)
{
	return (uint32_t)p->scale.n / 4;
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

/* Adds the parts of a collective, by row, with what `part` says of the collective. */
static void add_parts_of(const struct timeline_picture *p, const struct query *query, uint32_t id,
			 struct timeline_part part, struct timeline_parts *parts)
{
	const struct collective *c = trace_collective(query->trace, id);

	for (uint32_t i = 0; i < p->visible; i++) {
		const struct timeline_row *row = timeline_shown(p, i);
		const uint32_t event = row->kind == ROW_LOCATION
					       ? begin_of(query->trace, c, row->location)
					       : EVENT_NONE;

		if (event == EVENT_NONE)
			continue;
		part.row = (int32_t)i;
		part.x =
			timeline_half_column(p, trace_event_time(query->trace, query->base, event));
		vec_push(parts, part);
	}
}

/* Of one process. */
static void find_parts(const struct timeline_picture *p, const struct query *query,
		       struct timeline_parts *parts)
{
	struct span_query q;
	uint32_t id, looked = 0;

	collectives_in_window(&q, query->trace, query->base, p->scale.t0, p->scale.t1);
	while (span_query_next(&q, &id)) {
		const struct collective *c = trace_collective(query->trace, id);
		struct timeline_part part = { .collective = id };
		int64_t end;

		if (++looked > most_collectives(p)) {
			parts->n = 0;
			break;
		}
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
		      struct timeline_parts *parts)
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
		    const struct named_list *list, struct timeline_parts *parts)
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

static void share_parts(const struct timeline_picture *p, const struct query *query,
			struct timeline_parts *parts)
{
	struct exchange *x = trace_exchange(query->trace);
	struct named_list list = VEC_INIT;
	OWNED uint32_t *to = NULL;

	find(p, query, NULL, &list);
	if (exchange_count(x, list.n) <= most_collectives(p)) {
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

void timeline_parts_find(const struct timeline_picture *p, const struct query *query,
			 struct timeline_parts *parts)
{
	if (trace_exchange(query->trace))
		share_parts(p, query, parts);
	else
		find_parts(p, query, parts);
}
