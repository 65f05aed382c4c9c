/* Collectives with members in several processes. Each process counts its callers' turns; a home,
 * one for each turn of a communicator, sees which calls of that turn belong together, and tells
 * each caller's process. */
#include <string.h>

#include "base/exchange.h"
#include "base/order.h"
#include "model/build/gathering.h"

/* A call, for its home. */
struct far_call {
	int64_t time; /* where parts take their places by time, else 0 */
	uint32_t comm, turn, location, region;
	int32_t root;
	uint8_t request, ended;
};

/* The home's answer. */
struct far_place {
	uint32_t which; /* of the collectives of this turn */
	uint32_t members, flags;
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

ORDERING(by_turn, struct far_call, comm, turn, time, location)

static int compare_calls(const void *a, const void *b)
{
	return by_turn(*(const struct far_call *const *)a, *(const struct far_call *const *)b);
}

/* ---- at home ---- */

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

static struct far_call call_of(const struct builder *b, const struct shared_turns *turns,
			       const struct shared_turn *turn)
{
	const struct part *part = build_part(b, turn->part);
	const struct member *member = store_member(b->trace, turn->part);

	return (struct far_call){
		.time = turns->by_time ? store_event_time(b->trace, BASE_MEASURED, member->begin)
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

/* Rows in the order of this process' parts. */
static bool make_rows(struct builder *b, const struct shared_turns *turns,
		      const struct far_place *places, struct err *err)
{
	struct trace *trace = b->trace;
	ENDED_BY(keymap_fini) struct keymap rows = { NULL, 0, 0 };
	const struct shared_turn *turn;

	vec_each (turn, &turns->list) {
		const struct far_place *answer = &places[turn - turns->list.data];
		struct part *part = build_part(b, turn->part);
		struct collective *c;
		uint32_t id;
		if (keymap_new(&rows, KEY_OF(part->comm, turn->turn, answer->which),
			       store_collective_count(trace), &id)) {
			c = slab_extend(&trace->collectives, sizeof *c, err);
			if (!c)
				return false;
			*c = (struct collective){ .comm = part->comm,
						  .region = part->region,
						  .root = answer->root,
						  .flags = answer->flags };
			vec_push(&trace->halo->turns,
				 ((struct halo_turn){ turn->turn, answer->which,
						      answer->members }));
		}
		part->collective = id;
		store_collective(trace, id)->members++;
	}
	return true;
}

bool build_share_collectives(struct builder *b, struct shared_turns *turns, struct err *err)
{
	const size_t n = turns->list.n;
	struct home home = { .trace = b->trace, .turns = turns };
	OWNED struct far_call *calls = NULL;
	OWNED struct far_place *places = NULL;
	OWNED uint32_t *to = NULL;

	if (!b->trace->halo)
		return true;
	b->trace->halo->first_turn = store_collective_count(b->trace);
	calls = xmalloc((n + 1) * sizeof *calls);
	to = xmalloc((n + 1) * sizeof *to);
	for (size_t i = 0; i < n; i++) {
		calls[i] = call_of(b, turns, &turns->list.data[i]);
		to[i] = trace_home(b->trace, calls[i].comm, calls[i].turn);
	}
	places = exchange_ask(b->trace->exchange, calls, n, sizeof *calls, to, place_all, &home,
			      sizeof *places);
	vec_fini(&home.list);
	return make_rows(b, turns, places, err);
}
