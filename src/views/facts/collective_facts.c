#include "views/facts/collective_facts.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"

static void add_bytes(uint64_t *sum, uint64_t bytes)
{
	if (bytes != UINT64_MAX)
		*sum = *sum == UINT64_MAX ? bytes : *sum + bytes;
}

/* Of equals the lower location. */
static void note_begin(struct collective_facts *f, int64_t begin, uint32_t location, int32_t rank)
{
	if (f->last != UINT32_MAX &&
	    (begin < f->last_begin || (begin == f->last_begin && location >= f->last)))
		return;
	f->last = location;
	f->last_begin = begin;
	f->last_rank = rank;
}

static void add_member(struct collective_facts *f, const struct query *query, const bool *chosen,
		       const struct member *member)
{
	const uint32_t event = collective_event(member);
	struct row_place p;

	add_bytes(&f->sent, member->sent);
	add_bytes(&f->received, member->received);
	if (event == EVENT_NONE)
		return;
	p = row_place_of(query, event, f->place.row);
	f->chosen += !chosen || chosen[p.location];
	if (f->first == UINT32_MAX)
		f->first = p.location;
	if (member->begin != EVENT_NONE)
		note_begin(f, p.time, p.location, p.rank);
	if (p.time == f->begin && row_place_compare(&p, &f->place) < 0)
		f->place = p;
}

struct collective_facts collective_facts_of(const struct query *query, const bool *chosen,
					    uint32_t id)
{
	const struct collective *c = trace_collective(query->trace, id);
	struct collective_facts f = {
		.comm = c->comm,
		.region = c->region,
		.members = c->members,
		.flags = c->flags,
		.root = c->root,
		.last_rank = RANK_UNKNOWN,
		.sent = UINT64_MAX,
		.received = UINT64_MAX,
		.last = UINT32_MAX,
		.first = UINT32_MAX,
		.place = { .rank = INT32_MAX, .event = EVENT_NONE, .row = id },
	};

	collective_span(query->trace, query->base, c, &f.begin, &f.end);
	f.place.time = f.begin;
	for (uint32_t i = 0; i < c->members; i++)
		add_member(&f, query, chosen, trace_member(query->trace, c->first + i));
	return f;
}

/* ---- several processes ---- */

ORDERING(by_turn, struct collective_facts, comm, turn, which, first)

static bool same(const struct collective_facts *a, const struct collective_facts *b)
{
	return a->comm == b->comm && a->turn == b->turn && a->which == b->which;
}

/* Adds the members of another process. */
static void merge(struct collective_facts *sum, const struct collective_facts *f)
{
	add_bytes(&sum->sent, f->sent);
	add_bytes(&sum->received, f->received);
	sum->members += f->members;
	sum->chosen += f->chosen;
	sum->begin = f->begin < sum->begin ? f->begin : sum->begin;
	sum->end = f->end > sum->end ? f->end : sum->end;
	if (f->last != UINT32_MAX)
		note_begin(sum, f->last_begin, f->last, f->last_rank);
	if (row_place_compare(&f->place, &sum->place) < 0)
		sum->place = f->place;
}

static bool in_window(const struct query *query, const struct collective_facts *f)
{
	return f->begin < query->t1 && f->end >= query->t0;
}

void collective_facts_share(const struct query *query, struct collective_list *list)
{
	struct exchange *x = trace_exchange(query->trace);
	OWNED bool *chosen = query_chosen(query);
	OWNED_VEC(struct collective_facts) own = VEC_INIT;
	OWNED_VEC(uint32_t) to = VEC_INIT;
	struct exchange_parts parts;
	struct collective_facts *all;
	size_t n;

	for (uint32_t id = trace_first_turn(query->trace);
	     id < trace_collective_count(query->trace); id++) {
		struct collective_facts f = collective_facts_of(query, chosen, id);
		f.turn = trace_turn(query->trace, id)->turn;
		f.which = trace_turn(query->trace, id)->which;
		vec_push(&own, f);
		vec_push(&to, trace_home(query->trace, f.comm, f.turn));
	}
	exchange_deal(x, own.data, own.n, sizeof *own.data, to.data, &parts);
	all = (struct collective_facts *)(void *)parts.data;
	n = parts.first[x->processes] / sizeof *all;
	if (n)
		SORT(all, n, by_turn);
	for (size_t i = 0, first = 0; i < n; i++) {
		if (i > first)
			merge(&all[first], &all[i]);
		if (i + 1 < n && same(&all[first], &all[i + 1]))
			continue;
		if (all[first].chosen && in_window(query, &all[first]))
			vec_push(list, all[first]);
		first = i + 1;
	}
	exchange_parts_fini(&parts);
}
