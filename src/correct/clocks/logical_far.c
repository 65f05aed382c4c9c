/* Groups whose parties may be in several processes (base/exchange.h): each process sends its
 * parties to the group's home, with ghosts of their events, so that the home sees the whole group
 * as one process would. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/clocks/logical_state.h"
#include "model/build/ghosts.h"
#include "model/trace/store.h"

/* MPI_Init and MPI_Finalize are turns of no communicator. */
enum { NO_COMM = UINT32_MAX };

/* A party, for its home. Of its collective all parties say the same. */
struct far_party {
	uint32_t comm, turn, which, location;
	uint32_t number; /* of those of its process */
	uint32_t region, flags;
	int32_t root;
	bool whole;    /* both events are there, on one location */
	bool from_all; /* member_is_from_all() */
	bool inside;   /* struct world_visit */
	uint64_t sent, received;
};

struct far {
	struct logical *logical;
	struct trace *trace;
	VEC(struct far_party) parties;
	VEC(struct halo_call) calls; /* [parties] their events */
	uint32_t none;               /* collectives at home that make no group */
};

/* ---- this process' parties ---- */

static void add_collective(struct far *f, uint32_t id)
{
	const struct collective *c = store_collective(f->trace, id);
	const struct halo_turn *turn = trace_turn(f->trace, id);

	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = store_member(f->trace, c->first + i);
		const uint32_t event = m->begin != EVENT_NONE ? m->begin : m->end;
		const uint32_t location = store_event_block(f->trace, event)->location;
		const bool whole = m->begin != EVENT_NONE && m->end != EVENT_NONE &&
				   store_event_block(f->trace, m->end)->location == location;
		const uint32_t number = (uint32_t)f->parties.n;
		vec_push(&f->parties,
			 ((struct far_party){ .comm = c->comm,
					      .turn = turn->turn,
					      .which = turn->which,
					      .location = location,
					      .number = number,
					      .region = c->region,
					      .flags = c->flags,
					      .root = c->root,
					      .whole = whole,
					      .from_all = member_is_from_all(f->trace, c, m),
					      .sent = m->sent,
					      .received = m->received }));
		vec_push(&f->calls, ((struct halo_call){ event, event, whole ? m->end : event }));
	}
}

static void add_world(struct far *f)
{
	struct world_visits visits = { 0 };

	world_visits_find(f->logical, &visits, NULL);
	for (uint32_t which = 0; which < WORLD_CALLS; which++)
		for (size_t i = 0; i < visits.of[which].n; i++) {
			const struct world_visit *v = &visits.of[which].data[i];
			const bool whole = v->leave != EVENT_NONE;
			const uint32_t number = (uint32_t)f->parties.n;
			vec_push(&f->parties, ((struct far_party){ .comm = NO_COMM,
								   .turn = which,
								   .location = v->location,
								   .number = number,
								   .whole = whole,
								   .inside = v->inside }));
			vec_push(&f->calls, ((struct halo_call){ v->enter, v->enter,
								 whole ? v->leave : v->enter }));
		}
	world_visits_fini(&visits);
}

/* ---- at home ---- */

/* A party and its ghost, whose next event is the end. */
struct home_party {
	const struct far_party *far;
	uint32_t ghost;
	struct logical_far *answer;
};

ORDERING(by_place, struct far_party, comm, turn, which, location)

static int by_group(const void *a, const void *b)
{
	return by_place(((const struct home_party *)a)->far, ((const struct home_party *)b)->far);
}

static bool same_group(const struct far_party *a, const struct far_party *b)
{
	return a->comm == b->comm && a->turn == b->turn && a->which == b->which;
}

/* Whether a party waits for another one. */
static bool waits(const struct group *group, uint32_t i, uint32_t senders, uint32_t first_sender)
{
	const uint32_t *list;
	uint32_t n;

	if (!group->parties[i].receives)
		return false;
	switch (group->cls) {
	case LOGICAL_ONE_TO_N:
		return group->root < group->n && group_sends_to(group, group->root, i);
	case LOGICAL_N_TO_ONE: return i == group->root && senders > group->parties[i].sends;
	case LOGICAL_PREFIX: return first_sender < i;
	case LOGICAL_NEIGHBOURS:
		list = neighbours_of(group->neighbourhood, i, &n);
		for (uint32_t k = 0; k < n; k++)
			if (group->parties[list[k]].sends)
				return true;
		return false;
	default: return senders > 0; /* its own begin counts, too, for some */
	}
}

/* What the last group is to those whose parties are in it: party at[i] is the i-th of them. */
static void answer(const struct far *f, const struct home_party *parties, const uint32_t *at,
		   uint32_t n)
{
	const uint32_t id = logical_group_count(f->logical) - 1;
	struct group group = { 0 };
	uint32_t senders = 0, first_sender = UINT32_MAX, *numbers;

	logical_group(f->logical, id, &group);
	for (uint32_t i = group.n; i-- > 0;) {
		senders += group.parties[i].sends;
		first_sender = group.parties[i].sends ? i : first_sender;
	}
	vec_reserve(&f->logical->numbers, group.n);
	numbers = f->logical->numbers.data + f->logical->numbers.n;
	f->logical->numbers.n += group.n;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t party = at[i];
		if (party == UINT32_MAX)
			continue;
		numbers[party] = parties[i].far->number;
		*parties[i].answer = (struct logical_far){
			.group = id,
			.party = party,
			.cls = group.cls,
			.sends = group.parties[party].sends,
			.receives = waits(&group, party, senders, first_sender),
		};
	}
	group_fini(&group);
}

/* False: it makes no group. */
static bool make_collective(const struct far *f, const struct home_party *parties, uint32_t n)
{
	struct logical *logical = f->logical;
	const struct far_party *first = parties[0].far;
	const struct collective c = { .comm = first->comm,
				      .region = first->region,
				      .root = first->root,
				      .members = n,
				      .flags = first->flags };
	OWNED struct member *members = xcalloc(n + 1u, sizeof *members);
	OWNED uint32_t *at = xmalloc((n + 1u) * sizeof *at);
	enum operation operation = logical->operations[c.region];
	bool from_all = !(c.flags & COLL_INCOMPLETE);
	struct group group = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		const struct far_party *far = parties[i].far;
		from_all = from_all && far->from_all;
		members[i].begin = far->whole ? parties[i].ghost : EVENT_NONE;
		members[i].end = far->whole ? parties[i].ghost + 1 : EVENT_NONE;
		members[i].sent = far->sent;
		members[i].received = far->received;
	}
	if (operation == OPERATION_VECTOR && from_all)
		operation = (enum operation)LOGICAL_N_TO_N;
	operation = members_classify(logical, &c, members, operation);
	if (operation == OPERATION_NONE)
		return false;
	members_group(logical, &c, members, (enum logical_class)operation, &group);
	extra_begin(logical, group.cls);
	vec_last(&logical->extra)->root = group.root;
	vec_last(&logical->extra)->comm = c.comm;
	for (uint32_t i = 0; i < group.n; i++) {
		at[i] = member_place(logical, group.cls, &c, i, parties[i].far->location);
		extra_party(logical, group.parties[i]);
	}
	group_fini(&group);
	answer(f, parties, at, n);
	return true;
}

static void make_world(const struct far *f, const struct home_party *parties, uint32_t n)
{
	OWNED struct world_visit *visits = xcalloc(n + 1u, sizeof *visits);
	OWNED uint32_t *at = xmalloc((n + 1u) * sizeof *at);
	const size_t groups = f->logical->extra.n;
	uint32_t whole = 0;

	for (uint32_t i = 0; i < n; i++) {
		visits[i] = (struct world_visit){
			.location = parties[i].far->location,
			.enter = parties[i].ghost,
			.leave = parties[i].far->whole ? parties[i].ghost + 1 : EVENT_NONE,
			.inside = parties[i].far->inside,
		};
		at[i] = parties[i].far->whole ? whole++ : UINT32_MAX;
	}
	world_add(f->logical, (int)parties[0].far->turn, visits, n);
	if (f->logical->extra.n > groups)
		answer(f, parties, at, n);
}

/* Makes the groups of the parties that all processes sent, and says what each is. */
static void *make_groups(void *context, const void *asked, size_t n)
{
	struct far *f = context;
	const struct far_party *rows = asked;
	const uint32_t *ghosts = f->trace->halo->lists[HALO_PARTIES].taken;
	const size_t events = f->logical->events.n;
	OWNED struct home_party *parties = xcalloc(n + 1, sizeof *parties);
	struct logical_far *answers = xcalloc(n + 1, sizeof *answers);

	for (size_t i = 0; i < n; i++) {
		answers[i].group = UINT32_MAX;
		parties[i] = (struct home_party){ &rows[i], ghosts[i], &answers[i] };
	}
	SORT(parties, n, by_group);
	for (size_t i = 0, first = 0; i < n; i++) {
		if (i + 1 < n && same_group(parties[i].far, parties[i + 1].far))
			continue;
		if (parties[i].far->comm == NO_COMM)
			make_world(f, parties + first, (uint32_t)(i + 1 - first));
		else
			f->none += !make_collective(f, parties + first, (uint32_t)(i + 1 - first));
		first = i + 1;
	}
	f->logical->events.n = events; /* ghosts have their parts elsewhere */
	return answers;
}

/* ---- all ---- */

static void share_counts(struct logical *logical)
{
	enum { COUNTS = sizeof logical->counts / sizeof(uint64_t) };
	uint64_t *counts = (uint64_t *)(void *)&logical->counts;
	int128 sums[COUNTS];

	for (int i = 0; i < COUNTS; i++)
		sums[i] = counts[i];
	exchange_sum(trace_exchange(logical->trace), sums, COUNTS);
	for (int i = 0; i < COUNTS; i++)
		counts[i] = (uint64_t)sums[i];
}

/* Keeps what the homes said: the collectives' members are one after the other, the calls of
 * MPI_Init and MPI_Finalize follow. */
static void take_answers(struct far *f, struct logical_far *answers, const uint32_t *to)
{
	struct logical *logical = f->logical;

	logical->far.data = answers;
	logical->far.n = logical->far.cap = f->parties.n;
	for (size_t i = 0; i < f->parties.n; i++) {
		struct logical_far *far = &answers[i];
		far->process = to[i];
		far->location = f->parties.data[i].location;
		if (f->parties.data[i].comm != NO_COMM || far->group == UINT32_MAX)
			continue;
		if (far->sends)
			vec_push(&logical->events,
				 ((struct extra_event){ f->calls.data[i].event, FAR_GROUP,
							(uint32_t)i, PART_BEGIN }));
		if (far->receives)
			vec_push(&logical->events,
				 ((struct extra_event){ f->calls.data[i].leave, FAR_GROUP,
							(uint32_t)i, PART_END }));
	}
	extra_sort(logical);
}

/* Of the collectives that may be in several processes. */
static uint32_t first_member(const struct trace *trace)
{
	const uint32_t first = trace_first_turn(trace);

	return first < trace_collective_count(trace) ? store_collective(trace, first)->first
						     : UINT32_MAX;
}

static bool exchange(struct far *f, struct err *err)
{
	const size_t n = f->parties.n;
	OWNED uint32_t *to = xmalloc((n + 1) * sizeof *to);

	for (size_t i = 0; i < n; i++)
		to[i] = trace_home(f->trace, f->parties.data[i].comm, f->parties.data[i].turn);
	if (!ghosts_share(f->trace, HALO_PARTIES, f->calls.data, to, n, err))
		return false;
	f->logical->first_home = f->logical->extra.n;
	f->logical->first_far = first_member(f->trace);
	take_answers(f,
		     exchange_ask(trace_exchange(f->trace), f->parties.data, n,
				  sizeof *f->parties.data, to, make_groups, f,
				  sizeof(struct logical_far)),
		     to);
	f->logical->counts.groups = trace_first_turn(f->trace) + f->none + f->logical->extra.n;
	return true;
}

bool logical_share(struct logical *logical, struct trace *trace, struct err *err)
{
	struct far f = { .logical = logical, .trace = trace };
	bool ok;

	for (uint32_t id = trace_first_turn(trace); id < trace_collective_count(trace); id++)
		add_collective(&f, id);
	if (logical->special)
		add_world(&f);
	ok = exchange(&f, err);
	share_counts(logical);
	vec_fini(&f.parties);
	vec_fini(&f.calls);
	return ok;
}
