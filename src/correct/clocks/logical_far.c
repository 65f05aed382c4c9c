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
		vec_push(&f->parties,
			 ((struct far_party){ .comm = c->comm,
					      .turn = turn->turn,
					      .which = turn->which,
					      .location = location,
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
			vec_push(&f->parties, ((struct far_party){ .comm = NO_COMM,
								   .turn = which,
								   .location = v->location,
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

/* False: it makes no group. */
static bool make_collective(struct far *f, const struct home_party *parties, uint32_t n)
{
	struct logical *logical = f->logical;
	const struct far_party *first = parties[0].far;
	const struct collective c = { .comm = first->comm,
				      .region = first->region,
				      .root = first->root,
				      .members = n,
				      .flags = first->flags };
	OWNED struct member *members = xcalloc(n + 1u, sizeof *members);
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
	for (uint32_t i = 0; i < group.n; i++)
		extra_party(logical, group.parties[i]);
	group_fini(&group);
	return true;
}

static void make_world(struct far *f, const struct home_party *parties, uint32_t n)
{
	OWNED struct world_visit *visits = xcalloc(n + 1u, sizeof *visits);

	for (uint32_t i = 0; i < n; i++)
		visits[i] = (struct world_visit){
			.location = parties[i].far->location,
			.enter = parties[i].ghost,
			.leave = parties[i].far->whole ? parties[i].ghost + 1 : EVENT_NONE,
			.inside = parties[i].far->inside,
		};
	world_add(f->logical, (int)parties[0].far->turn, visits, n);
}

/* Returns how many collectives make no group. */
static uint32_t make_groups(struct far *f, const struct far_party *rows, size_t n)
{
	const uint32_t *ghosts = f->trace->halo->lists[HALO_PARTIES].taken;
	OWNED struct home_party *parties = xcalloc(n + 1, sizeof *parties);
	uint32_t none = 0;

	for (size_t i = 0; i < n; i++)
		parties[i] = (struct home_party){ &rows[i], ghosts[i] };
	SORT(parties, n, by_group);
	for (size_t i = 0, first = 0; i < n; i++) {
		if (i + 1 < n && same_group(parties[i].far, parties[i + 1].far))
			continue;
		if (parties[i].far->comm == NO_COMM)
			make_world(f, parties + first, (uint32_t)(i + 1 - first));
		else
			none += !make_collective(f, parties + first, (uint32_t)(i + 1 - first));
		first = i + 1;
	}
	return none;
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

static bool exchange(struct far *f, struct err *err)
{
	struct exchange *x = trace_exchange(f->trace);
	const size_t n = f->parties.n;
	OWNED uint32_t *to = xmalloc((n + 1) * sizeof *to);
	struct exchange_parts parts;
	uint32_t none;

	for (size_t i = 0; i < n; i++)
		to[i] = trace_home(f->trace, f->parties.data[i].comm, f->parties.data[i].turn);
	if (!ghosts_share(f->trace, HALO_PARTIES, f->calls.data, to, n, err))
		return false;
	exchange_deal(x, f->parties.data, n, sizeof *f->parties.data, to, &parts);
	none = make_groups(f, (const struct far_party *)(const void *)parts.data,
			   parts.first[x->processes] / sizeof *f->parties.data);
	f->logical->counts.groups = trace_first_turn(f->trace) + none + f->logical->extra.n;
	exchange_parts_fini(&parts);
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
