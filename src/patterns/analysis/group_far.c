/* Groups whose parties are in several processes (base/exchange.h). Each process sends what it knows
 * of its parties to the group's home, which evaluates the whole group and answers with each party's
 * result and the one that it waited for. So every party crosses once in each direction, homes take
 * turns, and no process has more groups than its share. */
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "patterns/analysis/group_sets.h"

/* MPI_Init and MPI_Finalize as turns of no communicator. */
enum { NO_COMM = UINT32_MAX, TURN_INIT = 0, TURN_FINALIZE = 1 };

/* A party, for the home. Of its collective all parties say the same. */
struct far_party {
	uint32_t row; /* of its process' parties */
	uint32_t comm, turn, which;
	uint32_t region, flags, members;
	int32_t root;
	bool whole;    /* both events are there, on one location */
	bool from_all; /* collective_is_from_all(), as far as this member says */
	struct sync_party party;
};

/* The answer; zeros where there is nothing to tell. */
struct far_result {
	bool evaluated, extended, loose, inter, sync;
	bool one; /* all waited for the same party */
	enum logical_class cls;
	uint32_t blame_location, blame_path, blame_end_at;
	int64_t blame_begin;
	int64_t w, k;
};

struct far_stage {
	struct groups *groups;
	VEC(struct far_party) parties; /* of this process, group by group */
	VEC(uint32_t) collectives;     /* [parties] row, UINT32_MAX: world */
	uint32_t *place; /* [locations] in the group that is published, UINT32_MAX none */
	struct far_sets *sets;
	struct sync_far far; /* of that group */
};

/* ---- this process' parties ---- */

static void add(struct far_stage *f, const struct far_party *party, uint32_t collective)
{
	vec_push(&f->parties, *party);
	vec_last(&f->parties)->row = (uint32_t)f->parties.n - 1;
	vec_push(&f->collectives, collective);
}

static void add_collective(struct far_stage *f, uint32_t id)
{
	const struct groups *g = f->groups;
	const struct collective *c = trace_collective(g->trace, id);
	const struct halo_turn *turn = trace_turn(g->trace, id);

	if (groups_size(trace_comm(g->trace, c->comm)) <= 1)
		return;
	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = trace_member(g->trace, c->first + i);
		struct far_party far = { .comm = c->comm,
					 .turn = turn->turn,
					 .which = turn->which,
					 .region = c->region,
					 .flags = c->flags,
					 .members = turn->members,
					 .root = c->root,
					 .from_all = member_is_from_all(g->trace, c, m) };
		const uint32_t event = m->begin != EVENT_NONE ? m->begin : m->end;
		far.party.location = trace_event_location(g->trace, event);
		far.whole = m->begin != EVENT_NONE && m->end != EVENT_NONE &&
			    trace_event_location(g->trace, m->end) == far.party.location;
		if (far.whole)
			far.party = groups_member(g, c, m, far.party.location);
		if (far.whole)
			far.party.end_at = (uint32_t)trace_event_ordinal(g->trace, m->end);
		add(f, &far, id);
	}
}

static void add_world(struct far_stage *f, bool init)
{
	struct groups *g = f->groups;
	const uint32_t n = groups_world_parties(g, init);

	for (uint32_t i = 0; i < n; i++) {
		struct far_party far = { .comm = NO_COMM,
					 .turn = init ? TURN_INIT : TURN_FINALIZE,
					 .whole = true,
					 .party = g->parties[i] };
		far.party.end_at =
			far.party.end_event == EVENT_NONE
				? UINT32_MAX
				: (uint32_t)trace_event_ordinal(g->trace, far.party.end_event);
		add(f, &far, UINT32_MAX);
	}
}

/* ---- at home ---- */

ORDERING(by_group, struct far_party, comm, turn, which, party.location)

static int compare_parties(const void *a, const void *b)
{
	return by_group(*(const struct far_party *const *)a, *(const struct far_party *const *)b);
}

struct far_home {
	struct groups *groups;
	const struct far_party *parties;
	struct far_result *results;
	uint32_t *place; /* [parties of the group] place in it */
	struct far_sets *sets;
};

/* False where a member, one of its events or the root is missing. */
static bool gather(struct far_home *h, const struct collective *c,
		   const struct far_party *const *parties)
{
	struct groups *g = h->groups;
	struct sync_party *rows;

	if (c->flags & COLL_INCOMPLETE || c->members != groups_size(trace_comm(g->trace, c->comm)))
		return false;
	rows = groups_room(g, c->members);
	for (uint32_t i = 0; i < c->members; i++) {
		const struct far_party *far = parties[i];
		const uint32_t at =
			far->whole ? groups_place(g, c->comm, far->party.location) : UINT32_MAX;
		if (at >= c->members || g->filled[at])
			return false;
		g->filled[at] = 1;
		rows[at] = far->party;
		rows[at].place = at;
		h->place[i] = at;
		if (groups_is_root(g, c, at))
			g->group.root = at;
	}
	return groups_rooted(g);
}

static bool gather_collective(struct far_home *h, const struct far_party *const *parties,
			      uint32_t n)
{
	const struct far_party *first = parties[0];
	struct groups *g = h->groups;
	const struct operation *operation = &g->operations[first->region];
	const struct collective c = { .comm = first->comm,
				      .region = first->region,
				      .root = first->root,
				      .members = first->members,
				      .flags = first->flags };
	enum logical_class cls = (enum logical_class)operation->cls;
	bool from_all = !(c.flags & COLL_INCOMPLETE);

	for (uint32_t i = 0; i < n; i++)
		from_all = from_all && parties[i]->from_all;
	if (cls == LOGICAL_CLASSES && operation->communicates && from_all)
		cls = logical_class_from_all(g->trace, c.region);
	if (!groups_begin(g, &c, UINT32_MAX, cls))
		return false;
	if (n == c.members && gather(h, &c, parties))
		return true;
	g->analysis->counts.incomplete += operation->meets == CUBE_NONE;
	return false;
}

struct far_rank {
	int32_t rank;
	uint32_t party;
};

ORDERING(by_rank, struct far_rank, rank, party)

static bool gather_world(struct far_home *h, const struct far_party *const *parties, uint32_t n)
{
	struct groups *g = h->groups;
	OWNED_VEC(struct far_rank) ranks = VEC_INIT;
	struct sync_party *rows = groups_room(g, n);

	for (uint32_t i = 0; i < n; i++)
		vec_push(&ranks,
			 ((struct far_rank){
				 trace_location(g->trace, parties[i]->party.location)->rank, i }));
	vec_sort(&ranks, by_rank);
	for (uint32_t i = 0; i < n; i++) {
		h->place[ranks.data[i].party] = i;
		rows[i] = parties[ranks.data[i].party]->party;
	}
	groups_world(g, n, parties[0]->turn == TURN_INIT);
	return n > 1;
}

static void answer(struct far_home *h, const struct far_party *const *parties, uint32_t n)
{
	const struct sync_group *group = &h->groups->group;

	for (uint32_t i = 0; i < n; i++) {
		struct far_result *result = &h->results[parties[i] - h->parties];
		const struct sync_party *party, *blame;
		*result = (struct far_result){ .evaluated = true,
					       .extended = group->extended,
					       .loose = group->loose,
					       .inter = group->split > 0,
					       .cls = group->cls,
					       .one = group->blame != UINT32_MAX };
		if (!group->parties[h->place[i]].sync)
			continue;
		party = &group->parties[h->place[i]];
		blame = &group->parties[party->blame];
		result->sync = true;
		result->blame_location = blame->location;
		result->blame_path = blame->path;
		result->blame_begin = blame->begin;
		result->blame_end_at = blame->end_at;
		result->w = party->w;
		result->k = party->k;
	}
}

/* Who met whom, for those that need to know: where all wait for one alone, only that one's
 * process. */
static void tell_sets(struct far_home *h, const struct far_party *const *parties, uint32_t n)
{
	const struct sync_group *group = &h->groups->group;
	const bool directed = group->cls == LOGICAL_ONE_TO_N || group->cls == LOGICAL_N_TO_ONE;

	if (group->blame >= group->n && !sync_is_single(group))
		return;
	far_sets_begin(h->sets, group, directed);
	for (uint32_t i = 0; i < n; i++)
		if (!directed || h->place[i] == group->blame)
			far_sets_tell(h->sets, parties[i]->party.location, parties[i]->row);
}

static void evaluate(struct far_home *h, const struct far_party *const *parties, uint32_t n)
{
	struct groups *g = h->groups;
	const struct notice notice = { .subject = SUBJECT_GATHERED, .group = &g->group };

	if (!(parties[0]->comm == NO_COMM ? gather_world(h, parties, n)
					  : gather_collective(h, parties, n)))
		return;
	g->analysis->counts.extended += g->group.extended;
	analysis_publish(g->analysis, &notice);
	if (!g->group.evaluated)
		return;
	answer(h, parties, n);
	tell_sets(h, parties, n);
}

static bool same_group(const struct far_party *a, const struct far_party *b)
{
	return a->comm == b->comm && a->turn == b->turn && a->which == b->which;
}

/* For exchange_ask(): `context` is the struct far_stage. */
static void *evaluate_all(void *context, const void *rows, size_t n)
{
	const struct far_party *parties = rows;
	const struct far_stage *f = context;
	OWNED const struct far_party **order = xmalloc((n + 1) * sizeof *order);
	OWNED uint32_t *place = xmalloc((n + 1) * sizeof *place);
	struct far_home h = { .groups = f->groups,
			      .sets = f->sets,
			      .parties = parties,
			      .results = xcalloc(n + 1, sizeof *h.results),
			      .place = place };

	for (size_t i = 0; i < n; i++)
		order[i] = &parties[i];
	if (n)
		qsort(order, n, sizeof *order, compare_parties);
	for (size_t i = 0, first = 0; i < n; i++)
		if (i + 1 == n || !same_group(order[i], order[i + 1])) {
			evaluate(&h, order + first, (uint32_t)(i + 1 - first));
			first = i + 1;
		}
	return h.results;
}

/* ---- back at the parties ---- */

/* The place of the one that a party waited for: itself, another party here, or a row that is
 * added. */
static uint32_t blamed(const struct far_stage *f, struct sync_group *group,
		       const struct far_result *result)
{
	uint32_t *place = &f->place[result->blame_location];

	if (*place != UINT32_MAX)
		return *place;
	*place = group->n;
	group->parties[group->n] = (struct sync_party){
		.location = result->blame_location,
		.path = result->blame_path,
		.begin_event = EVENT_NONE,
		.end_event = EVENT_NONE,
		.end_at = result->blame_end_at,
		.begin = result->blame_begin,
	};
	return group->n++;
}

static void begin_group(struct far_stage *f, const struct far_result *result, size_t first,
			uint32_t n)
{
	struct groups *g = f->groups;
	const struct far_party *far = &f->parties.data[first];

	groups_room(g, 2 * n);
	if (far->comm == NO_COMM)
		groups_world(g, n, far->turn == TURN_INIT);
	else
		g->group = (struct sync_group){
			.cls = result->cls,
			.split = result->inter,
			.loose = result->loose,
			.meets = result->loose ? (enum cube_metric)g->operations[far->region].meets
					       : CUBE_NONE,
			.collective = f->collectives.data[first],
			.comm = far->comm,
			.parties = g->parties,
			.n = n,
			.root = UINT32_MAX,
			.blame = UINT32_MAX
		};
	g->group.evaluated = true;
	if (g->group.cls == LOGICAL_NEIGHBOURS) {
		neighbourhood_make(&g->neighbourhood, g->trace, far->comm);
		g->group.neighbourhood = &g->neighbourhood;
	}
	far_sets_of(f->sets, far->comm, (uint32_t)first, n, &f->far);
	g->group.far = &f->far;
	g->group.extended = result->extended;
	for (uint32_t i = 0; i < n; i++) {
		g->parties[i] = f->parties.data[first + i].party;
		if (g->group.cls == LOGICAL_NEIGHBOURS)
			g->parties[i].place = groups_place(g, far->comm, g->parties[i].location);
		f->place[g->parties[i].location] = i;
	}
}

/* Publishes this process' parties of a group, n from `first` on. */
static void publish(struct far_stage *f, const struct far_result *results, size_t first, uint32_t n)
{
	struct groups *g = f->groups;
	const struct notice notice = { .subject = SUBJECT_GROUP, .group = &g->group };

	if (!results[0].evaluated)
		return;
	begin_group(f, &results[0], first, n);
	for (uint32_t i = 0; i < n; i++) {
		struct sync_party *party = &g->parties[i];
		party->sync = results[i].sync;
		if (!party->sync)
			continue;
		party->blame = blamed(f, &g->group, &results[i]);
		party->w = results[i].w;
		party->k = results[i].k;
		if (results[i].one)
			g->group.blame = party->blame;
	}
	for (uint32_t i = 0; i < g->group.n; i++)
		f->place[g->parties[i].location] = UINT32_MAX;
	analysis_publish(g->analysis, &notice);
}

static void publish_all(struct far_stage *f, const struct far_result *results)
{
	const size_t n = f->parties.n;

	for (size_t i = 0, first = 0; i < n; i++)
		if (i + 1 == n || !same_group(&f->parties.data[i], &f->parties.data[i + 1])) {
			publish(f, results + first, first, (uint32_t)(i + 1 - first));
			first = i + 1;
		}
}

/* ---- all ---- */

static void exchange(struct far_stage *f)
{
	const struct trace *trace = f->groups->trace;
	const size_t n = f->parties.n;
	OWNED uint32_t *to = xmalloc((n + 1) * sizeof *to);
	OWNED struct far_result *results = NULL;

	for (size_t i = 0; i < n; i++)
		to[i] = trace_home(trace, f->parties.data[i].comm, f->parties.data[i].turn);
	results = exchange_ask(trace_exchange(trace), f->parties.data, n, sizeof *f->parties.data,
			       to, evaluate_all, f, sizeof *results);
	far_sets_deal(f->sets, trace_exchange(trace));
	publish_all(f, results);
}

void groups_far(struct groups *g)
{
	const uint32_t n = trace_collective_count(g->trace);
	const size_t bytes = (trace_location_count(g->trace) + 1u) * sizeof(uint32_t);
	struct far_stage f = { .groups = g, .place = xmalloc(bytes) };

	memset(f.place, 0xff, bytes);
	add_world(&f, true);
	for (uint32_t id = trace_first_turn(g->trace); id < n; id++)
		add_collective(&f, id);
	add_world(&f, false);
	f.sets = far_sets_new(g->trace);
	exchange(&f);
	far_sets_free(f.sets);
	vec_fini(&f.parties);
	vec_fini(&f.collectives);
	free(f.place);
}
