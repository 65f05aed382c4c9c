/* The members of collectives in a picture that several processes make: each has those of its own
 * locations. Which collectives are in the window all their members say together
 * (views/facts/collective_facts.h). */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "ui/timeline/picture/timeline_hits.h"
#include "views/facts/collective_facts.h"

/* A collective, by what names it in all processes: its turn, or, of one with all its members in one
 * process, that process and the id there. */
struct named_collective {
	uint32_t comm, turn, which;
	int64_t begin; /* ticks */
};

enum { ALONE = UINT32_MAX }; /* instead of a communicator */

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

	return (struct named_collective){ (uint32_t)ALONE, process, id, begin };
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
		timeline_parts_add(p, query, id,
				   (struct timeline_part){ .collective =
								   (uint32_t)(found - list->data),
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

void timeline_parts_share(const struct timeline_picture *p, const struct query *query,
			  struct timeline_parts *parts)
{
	struct exchange *x = trace_exchange(query->trace);
	struct named_list list = VEC_INIT;
	OWNED uint32_t *to = NULL;

	find(p, query, NULL, &list);
	if (exchange_count(x, list.n) <= timeline_ties_most(p)) {
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
