/* Collectives with members in several processes. Each process counts its callers' turns; a home,
 * one for each turn of a communicator, sees which calls of that turn belong together, and tells
 * each caller's process. */
#include <string.h>

#include "base/exchange.h"
#include "base/order.h"
#include "model/build/gathering.h"

/* A turn as the callers of a process see it, for its home, which needs no more where all callers
 * say the same. */
struct far_turn {
	uint32_t comm, turn, region;
	int32_t root;
	uint32_t calls;
	bool request, agreed;
};

/* A call, for its home. */
struct far_call {
	int64_t time; /* where parts take their places by time, else 0 */
	uint32_t comm, turn, location, region;
	int32_t root;
	uint8_t request, ended;
};

/* The home's answer. */
struct far_place {
	uint32_t which;   /* of the collectives of this turn */
	uint32_t members; /* 0: it needs to see each call */
	uint32_t flags;
	int32_t root;
};

struct instance {
	struct collective c;
	bool ended;
};

struct home {
	const struct trace *trace;
	struct shared_turns *turns;
	const struct far_call *calls;
	struct far_place *places;
	VEC(struct instance) list; /* of one turn */
};

ORDERING(by_place, struct far_turn, comm, turn)
ORDERING(by_turn, struct far_call, comm, turn, time, location)

static int compare_turns(const void *a, const void *b)
{
	return by_place(*(const struct far_turn *const *)a, *(const struct far_turn *const *)b);
}

static int compare_calls(const void *a, const void *b)
{
	return by_turn(*(const struct far_call *const *)a, *(const struct far_call *const *)b);
}

/* ---- at home, turns ---- */

/* A turn, of which n processes have callers. */
static struct far_place agree(const struct far_turn *const *turns, size_t n)
{
	const struct far_turn *first = turns[0];
	struct far_place place = { .flags = first->request ? COLL_REQUEST : 0,
				   .root = first->root };

	for (size_t i = 0; i < n; i++) {
		const struct far_turn *turn = turns[i];
		if (!turn->agreed || turn->region != first->region || turn->root != first->root ||
		    turn->request != first->request)
			return (struct far_place){ 0 };
		place.members += turn->calls;
	}
	return place;
}

/* For exchange_ask(): `context` is the struct home. */
static void *agree_all(void *context, const void *rows, size_t n)
{
	const struct home *h = context;
	const struct far_turn *turns = rows;
	struct far_place *places = xcalloc(n + 1, sizeof *places);
	OWNED const struct far_turn **order = xmalloc((n + 1) * sizeof *order);

	for (size_t i = 0; i < n; i++)
		order[i] = &turns[i];
	if (n)
		qsort(order, n, sizeof *order, compare_turns);
	for (size_t i = 0, first = 0; i < n; i++) {
		struct far_place place;
		if (i + 1 < n && compare_turns(&order[i], &order[i + 1]) == 0)
			continue;
		place = agree(order + first, i + 1 - first);
		if (place.members &&
		    gather_incomplete(h->trace, &(struct collective){ .comm = order[i]->comm,
								      .members = place.members })) {
			place.flags |= COLL_INCOMPLETE;
			h->turns->incomplete++;
		}
		for (; first <= i; first++)
			places[order[first] - turns] = place;
	}
	return places;
}

/* ---- at home, calls ---- */

static uint32_t instance_of(struct home *h, const struct far_call *call, const struct part *part)
{
	struct collective c = { .comm = call->comm, .region = call->region, .root = call->root };

	for (uint32_t i = 0; i < h->list.n; i++)
		if (gather_belongs(&h->list.data[i].c, h->list.data[i].ended, part, call->ended))
			return i;
	if (h->list.n) {
		h->list.data[0].c.flags |= COLL_GUESSED;
		c.flags = COLL_GUESSED;
		h->turns->mixed++;
	}
	vec_push(&h->list, ((struct instance){ c, false }));
	return (uint32_t)h->list.n - 1;
}

/* The calls of one turn. */
static void place_turn(struct home *h, const struct far_call *const *calls, size_t n)
{
	struct instance *instance;

	h->list.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct far_call *call = calls[i];
		const struct part part = { .region = call->region & 0x7fffffffu,
					   .request = call->request & 1u,
					   .root = call->root };
		const uint32_t which = instance_of(h, call, &part);
		instance = &h->list.data[which];
		instance->ended |= call->ended;
		h->turns->roots += !gather_add(&instance->c, &part);
		h->places[call - h->calls].which = which;
	}
	vec_each (instance, &h->list)
		if (gather_incomplete(h->trace, &instance->c)) {
			instance->c.flags |= COLL_INCOMPLETE;
			h->turns->incomplete++;
		}
	for (size_t i = 0; i < n; i++) {
		struct far_place *place = &h->places[calls[i] - h->calls];
		instance = &h->list.data[place->which];
		place->members = instance->c.members;
		place->flags = instance->c.flags;
		place->root = instance->c.root;
	}
}

/* For exchange_ask(): `context` is the struct home. */
static void *place_all(void *context, const void *rows, size_t n)
{
	struct home *h = context;
	const struct far_call *calls = rows;
	OWNED const struct far_call **order = xmalloc((n + 1) * sizeof *order);

	h->calls = calls;
	h->places = xcalloc(n + 1, sizeof *h->places);
	for (size_t i = 0; i < n; i++)
		order[i] = &calls[i];
	if (n)
		qsort(order, n, sizeof *order, compare_calls);
	for (size_t i = 0, first = 0; i < n; i++)
		if (i + 1 == n || order[i]->comm != order[i + 1]->comm ||
		    order[i]->turn != order[i + 1]->turn) {
			place_turn(h, order + first, i + 1 - first);
			first = i + 1;
		}
	return h->places;
}

/* ---- at the callers ---- */

typedef VEC(uint32_t) uint32_list;

struct callers {
	struct builder *b;
	const struct shared_turns *turns;
	VEC(struct far_turn) rows;
	VEC(uint32_t) collectives; /* [rows] UINT32_MAX: none yet */
	uint32_list *of;           /* [comms][turn] 1 + row, 0 none */
	struct far_place *places;  /* [rows] */
};

static uint32_t *row_of(const struct callers *c, const struct shared_turn *turn)
{
	uint32_list *of = &c->of[build_part(c->b, turn->part)->comm];

	while (of->n <= turn->turn)
		vec_push(of, 0);
	return &of->data[turn->turn];
}

static void collect_turns(struct callers *c)
{
	const struct shared_turn *turn;

	vec_each (turn, &c->turns->list) {
		const struct part *part = build_part(c->b, turn->part);
		uint32_t *row = row_of(c, turn);
		struct far_turn *far;
		if (!*row) {
			vec_push(&c->rows, ((struct far_turn){ .comm = part->comm,
							       .turn = turn->turn,
							       .region = part->region,
							       .root = part->root,
							       .request = part->request,
							       .agreed = true }));
			vec_push(&c->collectives, UINT32_MAX);
			*row = (uint32_t)c->rows.n;
		}
		far = &c->rows.data[*row - 1];
		far->calls++;
		far->agreed = far->agreed && far->region == part->region &&
			      far->root == part->root && far->request == part->request;
	}
}

static void callers_fini(struct callers *c)
{
	for (size_t i = 0; i < c->b->trace->comms.n; i++)
		vec_fini(&c->of[i]);
	free_all(c->of, c->places);
	vec_fini(&c->rows);
	vec_fini(&c->collectives);
}

static struct far_call call_of(const struct callers *c, const struct shared_turn *turn)
{
	const struct part *part = build_part(c->b, turn->part);
	const struct member *member = store_member(c->b->trace, turn->part);

	return (struct far_call){
		.time = c->turns->by_time
				? store_event_time(c->b->trace, BASE_MEASURED, member->begin)
				: 0,
		.comm = part->comm,
		.turn = turn->turn,
		.location = part->location,
		.region = part->region,
		.root = part->root,
		.request = part->request,
		.ended = member->end != EVENT_NONE,
	};
}

/* The calls of the turns about which callers disagree: where each belongs, in their order; the
 * caller's. */
static struct far_place *ask_calls(const struct callers *c, struct home *home)
{
	struct exchange *x = c->b->trace->exchange;
	OWNED_VEC(struct far_call) calls = VEC_INIT;
	OWNED_VEC(uint32_t) to = VEC_INIT;
	const struct shared_turn *turn;

	vec_each (turn, &c->turns->list)
		if (!c->places[*row_of(c, turn) - 1].members) {
			vec_push(&calls, call_of(c, turn));
			vec_push(&to, trace_home(c->b->trace, vec_last(&calls)->comm, turn->turn));
		}
	return exchange_ask(x, calls.data, calls.n, sizeof *calls.data, to.data, place_all, home,
			    sizeof(struct far_place));
}

static bool add_row(struct builder *b, const struct part *part, uint32_t turn,
		    const struct far_place *answer, struct err *err)
{
	struct trace *trace = b->trace;
	struct collective *c = slab_extend(&trace->collectives, sizeof *c, err);

	if (!c)
		return false;
	*c = (struct collective){ .comm = part->comm,
				  .region = part->region,
				  .root = answer->root,
				  .flags = answer->flags };
	vec_push(&trace->halo->turns, ((struct halo_turn){ turn, answer->which, answer->members }));
	return true;
}

/* Rows in the order of this process' parts. `calls`: of turns about which callers disagree. */
static bool make_rows(struct callers *c, const struct far_place *calls, struct err *err)
{
	struct trace *trace = c->b->trace;
	ENDED_BY(keymap_fini) struct keymap several = { NULL, 0, 0 };
	const struct shared_turn *turn;

	vec_each (turn, &c->turns->list) {
		struct part *part = build_part(c->b, turn->part);
		const uint32_t row = *row_of(c, turn) - 1, next = store_collective_count(trace);
		const bool agreed = c->places[row].members > 0;
		const struct far_place *answer = agreed ? &c->places[row] : calls++;
		uint32_t *id = agreed ? &c->collectives.data[row]
				      : keymap_add(&several,
						   KEY_OF(part->comm, turn->turn, answer->which));
		if (*id == UINT32_MAX) {
			*id = next;
			if (!add_row(c->b, part, turn->turn, answer, err))
				return false;
		}
		part->collective = *id;
		store_collective(trace, *id)->members++;
	}
	return true;
}

bool build_share_collectives(struct builder *b, struct shared_turns *turns, struct err *err)
{
	struct home home = { .trace = b->trace, .turns = turns };
	struct callers c = { .b = b, .turns = turns };
	OWNED struct far_place *calls = NULL;
	OWNED uint32_t *to = NULL;
	bool ok;

	if (!b->trace->halo)
		return true;
	b->trace->halo->first_turn = store_collective_count(b->trace);
	b->trace->halo->by_time = turns->by_time;
	c.of = xcalloc(b->trace->comms.n + 1, sizeof *c.of);
	collect_turns(&c);
	to = xmalloc((c.rows.n + 1) * sizeof *to);
	for (size_t i = 0; i < c.rows.n; i++)
		to[i] = trace_home(b->trace, c.rows.data[i].comm, c.rows.data[i].turn);
	c.places = exchange_ask(b->trace->exchange, c.rows.data, c.rows.n, sizeof *c.rows.data, to,
				agree_all, &home, sizeof *c.places);
	calls = ask_calls(&c, &home);
	ok = make_rows(&c, calls, err);
	vec_fini(&home.list);
	callers_fini(&c);
	return ok;
}
