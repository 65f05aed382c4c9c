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

/* Of the query, by what all members say together. */
static bool is_wanted(const struct query *query, const struct collective_facts *f,
		      const uint8_t *members)
{
	const struct filter_whole whole = {
		.collective = { .comm = f->comm, .region = f->region, .root = f->root },
		.begin = f->begin,
		.end = f->end,
		.sent = f->sent,
		.received = f->received,
		.members = members,
	};

	return f->chosen && f->begin < query->t1 && f->end >= query->t0 &&
	       filter_collective_whole(query->filter, &whole);
}

/* What a process knows of its members. */
struct sharing {
	const struct query *query;
	VEC(struct collective_facts) facts;
	VEC(uint32_t) to;
	size_t tests;      /* of the filter */
	uint8_t *verdicts; /* [facts][tests] */
};

static void add_own(struct sharing *s)
{
	const struct trace *trace = s->query->trace;
	const uint32_t first = trace_first_turn(trace), n = trace_collective_count(trace);
	OWNED bool *chosen = query_chosen(s->query);

	s->tests = filter_tests(s->query->filter);
	s->verdicts = xcalloc((n - first) * s->tests + 1, 1);
	for (uint32_t id = first; id < n; id++) {
		struct collective_facts f = collective_facts_of(s->query, chosen, id);
		f.turn = trace_turn(trace, id)->turn;
		f.which = trace_turn(trace, id)->which;
		if (s->tests)
			filter_members(s->query->filter, s->query->base, id,
				       s->verdicts + (id - first) * s->tests);
		vec_push(&s->facts, f);
		vec_push(&s->to, trace_home(trace, f.comm, f.turn));
	}
}

static void merge_verdicts(uint8_t *sum, const uint8_t *more, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] = more[i] > sum[i] ? more[i] : sum[i];
}

/* n facts in the order of turns; the verdicts with the i-th are those of number all[i].said. */
static void merge_all(const struct sharing *s, struct collective_facts *all, size_t n,
		      uint8_t *verdicts, struct collective_list *list)
{
	for (size_t i = 0, first = 0; i < n; i++) {
		uint8_t *sum = s->tests ? verdicts + all[first].said * s->tests : NULL;
		if (i > first) {
			merge(&all[first], &all[i]);
			if (s->tests)
				merge_verdicts(sum, verdicts + all[i].said * s->tests, s->tests);
		}
		if (i + 1 < n && same(&all[first], &all[i + 1]))
			continue;
		if (is_wanted(s->query, &all[first], sum))
			vec_push(list, all[first]);
		first = i + 1;
	}
}

void collective_facts_share(const struct query *query, struct collective_list *list)
{
	struct exchange *x = trace_exchange(query->trace);
	struct sharing s = { .query = query };
	struct exchange_parts facts, verdicts = { NULL, NULL };
	struct collective_facts *all;
	size_t n;

	add_own(&s);
	exchange_deal(x, s.facts.data, s.facts.n, sizeof *s.facts.data, s.to.data, &facts);
	if (s.tests)
		exchange_deal(x, s.verdicts, s.facts.n, s.tests, s.to.data, &verdicts);
	all = (struct collective_facts *)(void *)facts.data;
	n = facts.first[x->processes] / sizeof *all;
	for (size_t i = 0; i < n; i++)
		all[i].said = i;
	if (n)
		SORT(all, n, by_turn);
	merge_all(&s, all, n, (uint8_t *)verdicts.data, list);
	exchange_parts_fini(&facts);
	exchange_parts_fini(&verdicts);
	vec_fini(&s.facts);
	vec_fini(&s.to);
	free(s.verdicts);
}
