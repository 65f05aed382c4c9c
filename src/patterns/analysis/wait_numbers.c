#include "patterns/analysis/wait_numbers.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "patterns/analysis/analysis_state.h"

/* MPI_Init and MPI_Finalize as turns of no communicator. */
enum { NO_COMM = UINT32_MAX, TURN_INIT = 0, TURN_FINALIZE = 1 };

/* A party of a group: a member of a collective, or a location in MPI_Init or MPI_Finalize. */
struct party_name {
	uint32_t comm, turn, which, location;
};

struct named_party {
	struct party_name name;
	uint64_t begin; /* number of the event */
};

ORDERING(by_name, struct party_name, comm, turn, which, location)

static int compare_parties(const void *a, const void *b)
{
	return by_name(&((const struct named_party *)a)->name,
		       &((const struct named_party *)b)->name);
}

struct parties {
	struct named_party *data;
	size_t n, cap;
};

/* ---- what this process knows ---- */

static void add_members(const struct trace *trace, const uint64_t *first, struct parties *list)
{
	for (uint32_t id = trace_first_turn(trace); id < trace_collective_count(trace); id++) {
		const struct collective *c = trace_collective(trace, id);
		const struct halo_turn *turn = trace_turn(trace, id);
		for (uint32_t i = 0; i < c->members; i++) {
			const uint32_t begin = trace_member(trace, c->first + i)->begin;
			if (begin == EVENT_NONE)
				continue;
			vec_push(list,
				 ((struct named_party){ { c->comm, turn->turn, turn->which,
							  trace_event_location(trace, begin) },
							trace_number_by(trace, first, begin) }));
		}
	}
}

static void add_call(const struct trace *trace, const uint64_t *first,
		     const struct world_call *call, uint32_t turn, uint32_t location,
		     struct parties *list)
{
	if (call->there && call->enter != EVENT_NONE)
		vec_push(list,
			 ((struct named_party){ { NO_COMM, turn, 0, location },
						trace_number_by(trace, first, call->enter) }));
}

static void add_calls(const struct analysis *a, const uint64_t *first, struct parties *list)
{
	for (uint32_t l = 0; l < trace_location_count(a->trace); l++) {
		add_call(a->trace, first, &a->places[l].init, TURN_INIT, l, list);
		add_call(a->trace, first, &a->places[l].finalize, TURN_FINALIZE, l, list);
	}
}

/* For exchange_ask(): `context` is the sorted parties of this process. */
static void *find_all(void *context, const void *rows, size_t n)
{
	const struct party_name *names = rows;
	const struct parties *list = context;
	uint64_t *begins = xmalloc((n + 1) * sizeof *begins);

	for (size_t i = 0; i < n; i++) {
		const struct named_party key = { names[i], 0 };
		const struct named_party *found =
			list->n ? bsearch(&key, list->data, list->n, sizeof key, compare_parties)
				: NULL;
		begins[i] = found ? found->begin : UINT64_MAX;
	}
	return begins;
}

/* ---- one-sided communication ---- */

/* What is waited for there is known with the wait. */
static bool is_one_sided(const struct trace *trace, const struct wait *w)
{
	return what_kind(trace_event_what(trace, w->event)) == EV_RMA;
}

uint64_t wait_number_elsewhere(const struct analysis *a, uint32_t location, uint32_t event)
{
	const struct elsewhere *rows = a->elsewhere.data;
	size_t low = 0, high = a->elsewhere.n;

	BISECT(low, high, middle,
	       rows[middle].location < location ||
		       (rows[middle].location == location && rows[middle].event < event));
	return low < a->elsewhere.n && rows[low].location == location && rows[low].event == event
		       ? rows[low].number
		       : UINT64_MAX;
}

/* ---- asking ---- */

static struct party_name name_of(const struct analysis *a, uint32_t location, const struct wait *w)
{
	const uint32_t what = trace_event_what(a->trace, w->event);
	struct party_name name = { NO_COMM, TURN_FINALIZE, 0, w->partner };
	uint32_t id;

	if (what_kind(what) == EV_COLLECTIVE_END) {
		id = trace_member_collective(a->trace, what_id(what));
		name.comm = trace_collective(a->trace, id)->comm;
		name.turn = trace_turn(a->trace, id)->turn;
		name.which = trace_turn(a->trace, id)->which;
	} else if (w->event == a->places[location].init.leave) {
		name.turn = TURN_INIT;
	}
	return name;
}

struct asking {
	VEC(struct party_name) names;
	VEC(uint32_t) to;
	VEC(size_t) of; /* [names] index of the wait */
};

static void ask(const struct analysis *a, const struct asking *asking, const uint64_t *first,
		struct wait_numbers *numbers)
{
	struct parties list = VEC_INIT;
	OWNED uint64_t *begins = NULL;

	add_members(a->trace, first, &list);
	add_calls(a, first, &list);
	if (list.n)
		vec_sort(&list, compare_parties);
	begins = exchange_ask(trace_exchange(a->trace), asking->names.data, asking->names.n,
			      sizeof *asking->names.data, asking->to.data, find_all, &list,
			      sizeof *begins);
	for (size_t i = 0; i < asking->names.n; i++)
		numbers[asking->of.data[i]].partner = begins[i];
	vec_fini(&list);
}

static uint64_t number(const struct trace *trace, const uint64_t *first, uint32_t event)
{
	return event == EVENT_NONE ? UINT64_MAX : trace_number_by(trace, first, event);
}

struct wait_numbers *wait_numbers_of(const struct analysis *a, const struct wait_place *waits,
				     size_t n)
{
	struct wait_numbers *numbers = xcalloc(n + 1, sizeof *numbers);
	OWNED uint64_t *first = trace_first_numbers(a->trace);
	struct asking asking = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct wait *w = &a->places[waits[i].location].waits[waits[i].index];
		const bool elsewhere = w->partner != EVENT_NONE && w->flags & WAIT_ELSEWHERE;
		numbers[i].event = number(a->trace, first, w->event);
		numbers[i].partner = number(a->trace, first, elsewhere ? EVENT_NONE : w->partner);
		if (!elsewhere)
			continue;
		if (is_one_sided(a->trace, w)) {
			numbers[i].partner = wait_number_elsewhere(a, waits[i].location, w->event);
			continue;
		}
		vec_push(&asking.names, name_of(a, waits[i].location, w));
		vec_push(&asking.to, trace_process_of(a->trace, w->partner));
		vec_push(&asking.of, i);
	}
	if (trace_exchange(a->trace))
		ask(a, &asking, first, numbers);
	vec_fini(&asking.names);
	vec_fini(&asking.to);
	vec_fini(&asking.of);
	return numbers;
}
