/* Gathers collectives: the n-th calls of all members on a communicator belong together. A member is
 * a process, whichever of its threads calls, or a location if the communicator is one of threads.
 * Every process has an MPI_COMM_SELF of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/lists.h"
#include "base/timesort.h"
#include "model/build/gathering.h"

/* The n-th collectives of a communicator: one, or a linked list with one for each operation if the
 * members called different ones. */
struct nths {
	uint32_t *data; /* [n] first collective */
	size_t n, cap;
};

struct gather {
	struct trace *trace;
	VEC(struct nths) comms; /* [comm], then the processes' own MPI_COMM_SELF */
	struct keymap selves;   /* (comm, rank, process): row of `comms` */
	VEC(bool) ended;        /* [collective] by one of its members at least */
	VEC(uint32_t) next;     /* [collective] with the same n; UINT32_MAX: end */
	struct keymap turns;    /* caller and communicator: calls so far */
	uint32_t *calls;        /* of the caller of the last part, on its communicator */
	uint32_t location, comm;
	struct keymap before; /* begin of a part: calls before it that were not recorded */
	uint64_t mixed, roots, unknown;
	struct shared_turns shared;
	int64_t *callers; /* [comms] processes that have parts on it; NULL: there is one process */
	uint32_t local;   /* rows of collectives that cannot have members in other processes */
};

/* The caller whose calls on a communicator are counted together. */
static struct key caller(const struct trace *trace, uint32_t location, uint32_t comm)
{
	const struct location *l = &trace->locations.data[location];

	if (trace->comms.data[comm].kind == COMM_THREADS || l->rank == RANK_UNKNOWN)
		return KEY_OF(location, 0, comm, 1);
	return KEY_OF((uint32_t)l->rank, (uint32_t)l->process, comm, 0);
}

/* The row of `comms` for a part's communicator. */
static uint32_t nths_of(struct gather *g, const struct part *part)
{
	uint32_t at;

	if (g->trace->comms.data[part->comm].kind != COMM_SELF)
		return part->comm;
	if (keymap_new(&g->selves, caller(g->trace, part->location, part->comm), g->comms.n, &at))
		vec_add(&g->comms);
	return at;
}

static uint32_t add_collective(struct gather *g, const struct part *part, struct err *err)
{
	struct collective *c = slab_extend(&g->trace->collectives, sizeof *c, err);

	if (!c)
		return UINT32_MAX;
	c->comm = part->comm;
	c->region = part->region;
	c->root = part->root;
	vec_push(&g->next, UINT32_MAX);
	vec_push(&g->ended, false);
	return (uint32_t)g->next.n - 1;
}

bool gather_belongs(const struct collective *c, bool one_ended, const struct part *part, bool ended)
{
	return c->region == part->region &&
	       ((ended && one_ended) || part->request || c->root == part->root ||
		c->root == RANK_UNKNOWN || part->root == RANK_UNKNOWN);
}

bool gather_add(struct collective *c, const struct part *part)
{
	c->members++;
	if (part->request)
		c->flags |= COLL_REQUEST;
	if (c->root == RANK_UNKNOWN)
		c->root = part->root;
	else if (part->root != RANK_UNKNOWN && part->root != c->root)
		return false;
	return true;
}

/* The collective that a part, the nth of its caller on its communicator, belongs to. */
static uint32_t find_collective(struct gather *g, const struct part *part, uint32_t nth, bool ended,
				struct err *err)
{
	const uint32_t at = nths_of(g, part);
	struct nths *nths = &g->comms.data[at];
	uint32_t id, last = UINT32_MAX, added;

	for (id = nth < nths->n ? nths->data[nth] : UINT32_MAX; id != UINT32_MAX;
	     id = g->next.data[id]) {
		if (gather_belongs(store_collective(g->trace, id), g->ended.data[id], part, ended))
			return id;
		last = id;
	}
	added = add_collective(g, part, err);
	if (added == UINT32_MAX)
		return UINT32_MAX;
	if (last == UINT32_MAX) {
		while (nths->n <= nth)
			vec_push(nths, UINT32_MAX);
		nths->data[nth] = added;
		return added;
	}
	g->next.data[last] = added;
	store_collective(g->trace, nths->data[nth])->flags |= COLL_GUESSED;
	store_collective(g->trace, added)->flags |= COLL_GUESSED;
	g->mixed++;
	return added;
}

static bool is_before(const struct trace *trace, const struct event_attribute *attribute)
{
	const struct object *object = &trace->objects.data[attribute->object];

	return !strcmp(trace_string(trace, object->name), CALLS_BEFORE);
}

/* Keeps the last part's counter at hand: a location calls on one communicator many times in a
 * row. */
static uint32_t next_turn(struct gather *g, const struct part *part, uint32_t begin)
{
	const uint32_t *before;

	if (!g->calls || part->location != g->location || part->comm != g->comm)
		g->calls = keymap_add(&g->turns, caller(g->trace, part->location, part->comm));
	g->location = part->location;
	g->comm = part->comm;
	before = g->before.n ? keymap_find(&g->before, KEY_OF(begin, 0, 0, 0)) : NULL;
	if (before)
		*g->calls += *before;
	return ++*g->calls; /* 0 for the first call: counters begin at UINT32_MAX */
}

/* Counts positions on each communicator from the lowest one that a part of it has, so that few are
 * empty; positions beyond FURTHEST are treated as equal. */
static void look_for_calls_before(struct gather *g, const struct builder *b)
{
	enum { FURTHEST = 1 << 20 };
	const size_t comms = g->trace->comms.n;
	OWNED uint64_t *least = NULL;
	const struct event_attribute *a;
	VEC(uint64_t) before = VEC_INIT;

	vec_each (a, &g->trace->attributes)
		if (is_before(g->trace, a)) {
			*keymap_add(&g->before, KEY_OF(a->event, 0, 0, 0)) = (uint32_t)before.n;
			vec_push(&before, a->value);
		}
	if (!exchange_any(g->trace->exchange, before.n > 0))
		return;
	least = xmalloc((comms + 1) * sizeof *least);
	memset(least, 0xff, (comms + 1) * sizeof *least);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < build_part_count(b); i++) {
			const uint32_t begin = store_member(g->trace, i)->begin;
			const uint32_t comm = build_part(b, i)->comm;
			uint32_t *at = keymap_find(&g->before, KEY_OF(begin, 0, 0, 0));
			uint64_t calls;

			if (!at || comm >= comms)
				continue;
			calls = before.data[*at];
			if (pass == 0 && calls < least[comm])
				least[comm] = calls;
			else if (pass == 1)
				*at = (uint32_t)(calls - least[comm] < FURTHEST
							 ? calls - least[comm]
							 : FURTHEST);
		}
		if (pass == 0)
			exchange_least(g->trace->exchange, least, comms);
	}
	vec_fini(&before);
}

/* How many processes call on each communicator: neighbours are often in one. */
static void count_callers(struct gather *g, const struct builder *b)
{
	const uint32_t parts = build_part_count(b);
	const size_t comms = g->trace->comms.n;

	if (!g->trace->halo)
		return;
	g->callers = xcalloc(comms + 1, sizeof *g->callers);
	for (uint32_t i = 0; i < parts; i++) {
		const uint32_t comm = build_part(b, i)->comm;
		if (comm != PART_UNKNOWN)
			g->callers[comm] = 1;
	}
	exchange_ticks(g->trace->exchange, g->callers, comms);
}

/* Whether a part's collective may have members in other processes. */
static bool is_shared(const struct gather *g, const struct part *part)
{
	const enum comm_kind kind = g->trace->comms.data[part->comm].kind;

	return g->callers && g->callers[part->comm] > 1 && kind != COMM_SELF &&
	       kind != COMM_THREADS;
}

static bool assign_part(struct gather *g, struct builder *b, uint32_t index, struct err *err)
{
	const bool ended = store_member(g->trace, index)->end != EVENT_NONE;
	struct part *part = build_part(b, index);
	uint32_t id, turn;

	if (part->comm == PART_UNKNOWN) {
		g->unknown++;
		return true;
	}
	turn = next_turn(g, part, store_member(g->trace, index)->begin);
	if (is_shared(g, part)) {
		vec_push(&g->shared.list, ((struct shared_turn){ index, turn }));
		return true;
	}
	id = find_collective(g, part, turn, ended, err);
	if (id == UINT32_MAX)
		return false;
	part->collective = id;
	g->ended.data[id] |= ended;
	g->roots += !gather_add(store_collective(g->trace, id), part);
	return true;
}

static bool several_threads(const struct trace *trace)
{
	ENDED_BY(keymap_fini) struct keymap map = { NULL, 0, 0 };
	bool several = false;

	for (uint32_t l = 0; l < trace->locations.n && !several; l++) {
		uint32_t first;
		several = !keymap_new(&map, caller(trace, l, 0), l, &first);
	}
	return several;
}

/* True if threads of one process call on the same communicator: their calls are counted by time. */
static bool threads_share(const struct builder *b)
{
	const uint32_t parts = build_part_count(b);
	ENDED_BY(keymap_fini) struct keymap map = { NULL, 0, 0 };
	bool share = false;

	if (!several_threads(b->trace))
		return false;
	for (uint32_t i = 0; i < parts && !share; i++) {
		const struct part *part = build_part(b, i);
		uint32_t location;
		if (part->comm == PART_UNKNOWN)
			continue;
		keymap_new(&map, caller(b->trace, part->location, part->comm), part->location,
			   &location);
		share = location != part->location;
	}
	return share;
}

static bool assign_by_time(struct gather *g, struct builder *b, struct err *err)
{
	const uint32_t parts = build_part_count(b);
	OWNED struct timed *rows = xmalloc(2 * (size_t)parts * sizeof *rows);
	bool ok = true;

	for (uint32_t i = 0; i < parts; i++)
		rows[i] = (struct timed){ trace_event_time(g->trace, BASE_MEASURED,
							   store_member(g->trace, i)->begin),
					  i, 0 };
	timed_sort(rows, rows + parts, parts);
	for (uint32_t i = 0; i < parts && ok; i++)
		ok = assign_part(g, b, rows[i].a, err);
	return ok;
}

static bool assign(struct gather *g, struct builder *b, struct err *err)
{
	const uint32_t parts = build_part_count(b);

	g->shared.by_time = exchange_any(g->trace->exchange, threads_share(b));
	if (g->shared.by_time)
		return assign_by_time(g, b, err);
	for (uint32_t i = 0; i < parts; i++)
		if (!assign_part(g, b, i, err))
			return false;
	return true;
}

/* The number of members that take part in a collective of the communicator. */
static uint32_t full_size(const struct comm *comm)
{
	if (comm->kind == COMM_SELF)
		return 1;
	return comm->kind == COMM_INTER ? comm->size + comm->remote_size : comm->size;
}

bool gather_incomplete(const struct trace *trace, const struct collective *c)
{
	return c->members < full_size(&trace->comms.data[c->comm]);
}

/* Sets where the members of each collective begin. */
static void place_members(struct gather *g)
{
	struct trace *trace = g->trace;
	const uint32_t n = store_collective_count(trace);
	uint64_t incomplete = g->shared.incomplete;
	uint32_t first = 0;

	for (uint32_t id = 0; id < n; id++) {
		struct collective *c = store_collective(trace, id);
		if (id < g->local && gather_incomplete(trace, c)) {
			c->flags |= COLL_INCOMPLETE;
			incomplete++;
		}
		c->first = first;
		first += c->members;
		c->members = 0;
	}
	store_finding(trace, FINDING_GUESS, "mixed-collective", 0, g->mixed + g->shared.mixed,
		      "ranks of a communicator called different collectives at the same "
		      "position");
	store_finding(trace, FINDING_ODDITY, "collective-root", 0, g->roots + g->shared.roots,
		      "the ranks of a collective name different roots");
	store_finding(trace, FINDING_INFO, "incomplete-collective", 0, incomplete,
		      "a collective is incomplete: not all ranks of its communicator take part");
	store_finding(trace, FINDING_ODDITY, "unknown-collective", 0, g->unknown,
		      "a collective has no end, which would name its operation: it was "
		      "discarded");
}

static void place_part(struct trace *trace, struct part *part, uint32_t *left_out)
{
	struct collective *c;

	if (part->collective == PART_UNKNOWN) {
		part->row = (*left_out)++;
		return;
	}
	c = store_collective(trace, part->collective);
	part->row = c->first + c->members++;
}

/* Assigns parts to their collectives in the order of the locations; parts without one go last. */
static void place_parts(struct gather *g, struct builder *b)
{
	const uint32_t parts = build_part_count(b);
	uint32_t *location, left_out = parts - (uint32_t)g->unknown, i = 1;
	struct lists by_location;

	while (i < parts && build_part(b, i - 1)->location <= build_part(b, i)->location)
		i++;
	if (i >= parts) {
		for (i = 0; i < parts; i++)
			place_part(g->trace, build_part(b, i), &left_out);
		return;
	}
	location = xmalloc(parts * sizeof *location);
	for (i = 0; i < parts; i++)
		location[i] = build_part(b, i)->location;
	lists_make(&by_location, (uint32_t)g->trace->locations.n, location, parts);
	for (i = 0; i < parts; i++)
		place_part(g->trace, build_part(b, by_location.list[i]), &left_out);
	lists_fini(&by_location);
	free(location);
}

bool build_gather(struct builder *b, struct err *err)
{
	struct gather g = { .trace = b->trace };
	bool ok;

	for (size_t i = 0; i < b->trace->comms.n; i++)
		vec_add(&g.comms);
	look_for_calls_before(&g, b);
	count_callers(&g, b);
	ok = assign(&g, b, err);
	g.local = store_collective_count(b->trace);
	if (ok && build_share_collectives(b, &g.shared, err)) {
		place_members(&g);
		place_parts(&g, b);
	}
	for (size_t i = 0; i < g.comms.n; i++)
		vec_fini(&g.comms.data[i]);
	vec_fini(&g.comms);
	vec_fini(&g.next);
	vec_fini(&g.ended);
	keymap_fini(&g.selves);
	keymap_fini(&g.turns);
	keymap_fini(&g.before);
	vec_fini(&g.shared.list);
	free(g.callers);
	return ok;
}
