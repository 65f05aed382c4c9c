/* The second stage: times, calls and bytes of all parties of collectives, MPI_Init and
 * MPI_Finalize, and teams of threads, published one group at a time. Who waited for whom is left to
 * the patterns. */
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/trace/detail.h"
#include "model/trace/halo.h"
#include "model/trace/region_meaning.h"
#include "patterns/analysis/groups.h"

enum { STEP_GROUPS = 1024 };

struct sync_party *groups_room(struct groups *g, uint32_t n)
{
	if (n > g->cap) {
		g->parties = xrealloc(g->parties, n * sizeof *g->parties);
		g->filled = xrealloc(g->filled, n);
		g->cap = n;
	}
	if (n)
		memset(g->filled, 0, n);
	g->group.n = n;
	g->group.parties = g->parties;
	return g->parties;
}

static void publish(struct groups *g)
{
	const struct notice notice = { .subject = SUBJECT_GROUP, .group = &g->group };

	g->analysis->counts.extended += g->group.extended;
	analysis_publish(g->analysis, &notice);
}

/* ---- collectives ---- */

uint32_t groups_location(const struct trace *trace, const struct comm *comm, uint32_t i)
{
	if (comm->kind == COMM_THREADS)
		return (uint32_t)comm->ranks[i];
	return trace_location_of_rank(trace, i < comm->size ? comm->ranks[i]
							    : comm->remote[i - comm->size]);
}

uint32_t groups_size(const struct comm *comm)
{
	return comm->kind == COMM_INTER ? comm->size + comm->remote_size : comm->size;
}

uint32_t groups_place(struct groups *g, uint32_t id, uint32_t location)
{
	const struct comm *comm = trace_comm(g->trace, id);
	struct comm_ranks *r = &g->ranks;
	uint32_t first = location;

	if (r->comm != id) {
		r->comm = id;
		r->stamp++;
		for (uint32_t i = 0; i < groups_size(comm); i++) {
			const uint32_t l = groups_location(g->trace, comm, i);
			if (l >= trace_location_count(g->trace))
				continue;
			r->stamps[l] = r->stamp;
			r->place[l] = i;
		}
	}
	if (comm->kind != COMM_THREADS)
		first = trace_location_of_rank(g->trace, trace_location(g->trace, location)->rank);
	return first < trace_location_count(g->trace) && r->stamps[first] == r->stamp
		       ? r->place[first]
		       : UINT32_MAX;
}

struct sync_party groups_party(const struct groups *g, uint32_t location, uint32_t begin,
			       uint32_t end)
{
	const struct analysis *a = g->analysis;
	const struct call_span last = calls_of(a->calls, end);
	const uint32_t path = trace_callpath(g->trace, trace_event_path(g->trace, begin))->canon;

	const bool in_call = calls_kind(a->calls, last.path) != CALL_OTHER;

	if (path != last.path && !in_call)
		analysis_nested(g->analysis, location);
	return (struct sync_party){
		.location = location,
		.path = path,
		.waits = in_call || trace_event_traced(g->trace, end),
		.begin_event = begin,
		.end_event = end,
		.begin = trace_event_time(g->trace, a->base, begin),
		.end = trace_event_time(g->trace, a->base, end),
		.en = last.en,
		.lv = last.lv,
		.sent = UINT64_MAX,
		.received = UINT64_MAX,
	};
}

struct sync_party groups_member(const struct groups *g, const struct collective *c,
				const struct member *m, uint32_t location)
{
	struct sync_party party = groups_party(g, location, m->begin, m->end);

	if (c->flags & COLL_REQUEST) {
		party.path = calls_of(g->analysis->calls, m->end).path;
		party.waits &= calls_kind(g->analysis->calls, party.path) != CALL_TEST;
	}
	party.sent = m->sent;
	party.received = m->received;
	return party;
}

bool groups_is_root(const struct groups *g, const struct collective *c, uint32_t place)
{
	const struct comm *comm = trace_comm(g->trace, c->comm);

	return c->root >= 0 && place < comm->size && c->root == comm->ranks[place];
}

bool groups_rooted(const struct groups *g)
{
	return g->group.root != UINT32_MAX || g->group.split ||
	       (g->group.cls != LOGICAL_ONE_TO_N && g->group.cls != LOGICAL_N_TO_ONE);
}

/* False where a member, one of its events or the root is missing. */
static bool gather(struct groups *g, const struct collective *c)
{
	struct sync_party *parties;

	if (c->flags & COLL_INCOMPLETE || c->members != groups_size(trace_comm(g->trace, c->comm)))
		return false;
	parties = groups_room(g, c->members);
	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = trace_member(g->trace, c->first + i);
		uint32_t location, at;
		if (m->begin == EVENT_NONE || m->end == EVENT_NONE)
			return false;
		location = trace_event_location(g->trace, m->begin);
		at = groups_place(g, c->comm, location);
		if (at >= c->members || g->filled[at] ||
		    trace_event_location(g->trace, m->end) != location)
			return false;
		g->filled[at] = 1;
		parties[at] = groups_member(g, c, m, location);
		parties[at].place = at;
		if (groups_is_root(g, c, at))
			g->group.root = at;
	}
	return groups_rooted(g);
}

bool groups_begin(struct groups *g, const struct collective *c, uint32_t id, enum logical_class cls)
{
	const struct comm *comm = trace_comm(g->trace, c->comm);
	const bool inter = comm->kind == COMM_INTER;
	const bool neighbours = cls == LOGICAL_NEIGHBOURS;
	const struct operation *operation = &g->operations[c->region];
	const enum cube_metric meets = (enum cube_metric)operation->meets;
	const bool loose = cls == LOGICAL_CLASSES && (meets != CUBE_NONE || operation->vector);
	const bool split = inter && !(loose && meets != CUBE_NONE);

	if (loose)
		cls = LOGICAL_N_TO_N;
	if (neighbours)
		neighbourhood_make(&g->neighbourhood, g->trace, c->comm);
	/* No record says who is whose neighbour on a graph. */
	if ((cls == LOGICAL_CLASSES && operation->communicates) ||
	    (neighbours && !g->neighbourhood.n) || (inter && cls == LOGICAL_PREFIX)) {
		g->analysis->counts.skipped++;
		return false;
	}
	g->group = (struct sync_group){
		.cls = cls,
		.extended = neighbours || split || c->flags & COLL_REQUEST ||
			    (loose && (meets == CUBE_NONE || meets == CUBE_MPI_IO_WAIT)),
		.loose = loose,
		.meets = loose ? meets : CUBE_NONE,
		.split = split ? comm->size : 0,
		.neighbourhood = neighbours ? &g->neighbourhood : NULL,
		.collective = id,
		.comm = c->comm,
		.root = UINT32_MAX,
		.blame = UINT32_MAX,
	};
	return cls != LOGICAL_CLASSES;
}

static void collective(struct groups *g, uint32_t id)
{
	const struct collective *c = trace_collective(g->trace, id);
	const struct comm *comm = trace_comm(g->trace, c->comm);
	const struct operation *operation = &g->operations[c->region];
	enum logical_class cls = (enum logical_class)operation->cls;

	if (comm->kind == COMM_SELF || groups_size(comm) <= 1)
		return;
	if (cls == LOGICAL_CLASSES && operation->communicates)
		cls = logical_class_here(g->trace, c);
	if (!groups_begin(g, c, id, cls))
		return;
	if (gather(g, c))
		publish(g);
	else
		g->analysis->counts.incomplete += operation->meets == CUBE_NONE;
}

/* ---- MPI_Init and MPI_Finalize ---- */

static const struct world_call *world_call(const struct analysis *a, uint32_t location, bool init)
{
	return init ? &a->places[location].init : &a->places[location].finalize;
}

struct rank_call {
	int32_t rank;
	uint32_t location;
};

ORDERING(by_rank, struct rank_call, rank, location)

static struct sync_party world_party(uint32_t location, const struct world_call *call)
{
	return (struct sync_party){
		.location = location,
		.path = call->path,
		.waits = true,
		.begin_event = call->enter,
		.end_event = call->leave,
		.begin = call->en,
		.end = call->lv,
		.en = call->en,
		.lv = call->lv,
		.sent = UINT64_MAX,
		.received = UINT64_MAX,
	};
}

void groups_world(struct groups *g, uint32_t n, bool init)
{
	g->group = (struct sync_group){
		.cls = LOGICAL_WORLD,
		.init = init,
		.finalize = !init,
		.collective = UINT32_MAX,
		.comm = UINT32_MAX,
		.n = n,
		.parties = g->parties,
		.root = UINT32_MAX,
		.blame = UINT32_MAX,
	};
}

uint32_t groups_world_parties(struct groups *g, bool init)
{
	const uint32_t locations = trace_location_count(g->trace);
	OWNED_VEC(struct rank_call) calls = VEC_INIT;
	struct sync_party *parties;
	uint32_t n = 0;

	for (uint32_t l = 0; l < locations; l++)
		if (world_call(g->analysis, l, init)->there)
			vec_push(&calls,
				 ((struct rank_call){ trace_location(g->trace, l)->rank, l }));
	vec_sort(&calls, by_rank);
	parties = groups_room(g, (uint32_t)calls.n);
	for (size_t i = 0; i < calls.n; i++) {
		const struct rank_call *call = &calls.data[i];
		if (i > 0 && call->rank == calls.data[i - 1].rank && call->rank != RANK_UNKNOWN)
			continue; /* a process calls it once, on one of its threads */
		parties[n++] =
			world_party(call->location, world_call(g->analysis, call->location, init));
	}
	return n;
}

static void world(struct groups *g, bool init)
{
	const uint32_t n = groups_world_parties(g, init);

	groups_world(g, n, init);
	if (n > 1)
		publish(g);
}

/* ---- teams ---- */

static void team(struct groups *g, const struct group *group)
{
	struct sync_party *parties = groups_room(g, group->n);

	for (uint32_t i = 0; i < group->n; i++) {
		const struct party *p = &group->parties[i];
		const uint32_t begin = p->begin == EVENT_NONE ? p->end : p->begin;
		const uint32_t end = p->end == EVENT_NONE ? p->begin : p->end;
		parties[i] = groups_party(g, p->location, begin, end);
		parties[i].begin_event = p->begin;
		parties[i].end_event = p->end;
	}
	g->group = (struct sync_group){
		.cls = group->cls,
		.collective = UINT32_MAX,
		.comm = UINT32_MAX,
		.n = group->n,
		.parties = parties,
		.root = group->root,
		.blame = UINT32_MAX,
	};
	publish(g);
}

static bool teams(struct groups *g, const struct progress *progress, struct err *err)
{
	struct logical *logical = logical_new(g->trace, progress, err);
	struct group group = { 0 };
	bool ok = true;

	if (!logical)
		return false;
	const uint32_t n = logical_group_count(logical);
	for (uint32_t i = trace_collective_count(g->trace); ok && i < n; i++) {
		if (i % STEP_GROUPS == 0)
			ok = progress_step(progress, "teams", i, n);
		if (ok && logical_group(logical, i, &group) && group.cls != LOGICAL_WORLD &&
		    group.n)
			team(g, &group);
	}
	group_fini(&group);
	logical_free(logical);
	return ok;
}

/* Prefetches the events of a collective's members: these are on many locations. */
static void look_ahead(const struct groups *g, uint32_t id)
{
	const struct collective *c = trace_collective(g->trace, id);

	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = trace_member(g->trace, c->first + i);
		trace_event_near(g->trace, g->analysis->base, m->begin);
		trace_event_near(g->trace, g->analysis->base, m->end);
	}
}

static bool all_groups(struct groups *g, const struct progress *progress, struct err *err)
{
	const bool shared = trace_exchange(g->trace);
	const uint32_t n = shared ? trace_first_turn(g->trace) : trace_collective_count(g->trace);

	if (!shared)
		world(g, true);
	for (uint32_t id = 0; id < n; id++) {
		if (id % STEP_GROUPS == 0 && !progress_step(progress, "collectives", id, n))
			return false;
		if (id + 1 < n)
			look_ahead(g, id + 1);
		collective(g, id);
	}
	if (!shared)
		world(g, false);
	else
		groups_far(g);
	return !trace_has_detail(g->trace, DETAIL_TEAM_BEGIN) || teams(g, progress, err);
}

/* What waiting in an operation is that may make all ranks wait. */
static enum cube_metric meets(const struct meaning *m)
{
	const bool all = m->collective == COLLECTIVE_CREATES ||
			 m->collective == COLLECTIVE_RELEASES || m->collective == COLLECTIVE_FILE;

	if (all && m->family == FAMILY_FILE)
		return CUBE_MPI_FILE_WAIT;
	if (all && m->family == FAMILY_FILE_COLLECTIVE)
		return CUBE_MPI_IO_WAIT;
	return m->collective == COLLECTIVE_CREATES && m->family == FAMILY_COMMUNICATOR
		       ? CUBE_MPI_COMM_WAIT
		       : CUBE_NONE;
}

static void make_operations(struct groups *g)
{
	const uint32_t n = trace_region_count(g->trace);

	g->operations = xcalloc(n + 1, sizeof *g->operations);
	for (uint32_t i = 0; i < n; i++) {
		struct operation *operation = &g->operations[i];
		operation->cls = (uint8_t)logical_class_of(g->trace, i);
		const struct meaning meaning = region_meaning(g->trace, i);
		operation->communicates = region_metric(g->trace, i) == CUBE_MPI_COLLECTIVE;
		operation->vector = meaning.collective == COLLECTIVE_VECTOR;
		operation->meets = (uint8_t)meets(&meaning);
	}
}

bool group_stage(struct analysis *analysis, const struct progress *progress, struct err *err)
{
	const uint32_t locations = trace_location_count(analysis->trace);
	struct groups g = { .analysis = analysis, .trace = analysis->trace };
	bool ok;

	g.ranks.comm = g.neighbourhood.comm = UINT32_MAX;
	g.ranks.stamps = xcalloc(locations + 1, sizeof *g.ranks.stamps);
	g.ranks.place = xcalloc(locations + 1, sizeof *g.ranks.place);
	make_operations(&g);
	ok = all_groups(&g, progress, err);
	free_all(g.ranks.stamps, g.ranks.place, g.parties, g.filled, g.operations);
	neighbourhood_fini(&g.neighbourhood);
	return ok;
}
