/* Collectives: the n-th call on a communicator of each of its members belongs together. */
#include <stdlib.h>
#include <string.h>

#include "model/build.h"

/* Collectives that are n-th on their communicator, where the members do not agree in what they
 * called: one for each operation, linked. */
struct nths {
	uint32_t *data; /* [n] first collective */
	size_t n, cap;
};

struct gather {
	struct trace *trace;
	VEC(struct nths) comms; /* [comm] */
	VEC(uint32_t) next;     /* [collective] of the same nth, UINT32_MAX end */
	struct keymap turns;    /* (location, comm): calls so far */
	uint64_t mixed, roots;
};

static uint32_t add_collective(struct gather *g, const struct part *part, struct err *err)
{
	struct collective *c = slab_extend(&g->trace->collectives, sizeof *c, err);

	if (!c)
		return UINT32_MAX;
	c->comm = part->comm;
	c->region = part->region;
	c->root = part->root;
	vec_push(&g->next, UINT32_MAX);
	return (uint32_t)g->next.n - 1;
}

/* The collective that a part, the nth of its location on its communicator, belongs to. */
static uint32_t find_collective(struct gather *g, const struct part *part, uint32_t nth,
				struct err *err)
{
	struct nths *nths = &g->comms.data[part->comm];
	uint32_t id, last = UINT32_MAX, added;

	for (id = nth < nths->n ? nths->data[nth] : UINT32_MAX; id != UINT32_MAX;
	     id = g->next.data[id]) {
		if (store_collective(g->trace, id)->region == part->region)
			return id;
		last = id;
	}
	added = add_collective(g, part, err);
	if (added == UINT32_MAX)
		return UINT32_MAX;
	if (last == UINT32_MAX) {
		vec_push(nths, added);
		return added;
	}
	g->next.data[last] = added;
	store_collective(g->trace, nths->data[nth])->flags |= COLL_GUESSED;
	store_collective(g->trace, added)->flags |= COLL_GUESSED;
	g->mixed++;
	return added;
}

static uint32_t next_turn(struct gather *g, const struct part *part)
{
	uint32_t *calls = keymap_add(&g->turns, (struct key){ { part->location, part->comm } });

	return ++*calls; /* UINT32_MAX at first */
}

static bool assign(struct gather *g, struct builder *b, struct err *err)
{
	const uint32_t parts = build_part_count(b);

	for (uint32_t i = 0; i < parts; i++) {
		struct part *part = build_part(b, i);
		struct collective *c;
		const uint32_t id = find_collective(g, part, next_turn(g, part), err);
		if (id == UINT32_MAX)
			return false;
		part->collective = id;
		c = store_collective(g->trace, id);
		c->members++;
		if (c->root == RANK_UNKNOWN)
			c->root = part->root;
		else if (part->root != RANK_UNKNOWN && part->root != c->root)
			g->roots++;
	}
	return true;
}

/* Gives each collective the place of its members; the nesting, which goes location by location,
 * says who stands where in it. */
static void place_members(struct gather *g)
{
	struct trace *trace = g->trace;
	uint32_t first = 0;
	uint64_t incomplete = 0;

	for (uint32_t id = 0; id < g->next.n; id++) {
		struct collective *c = store_collective(trace, id);
		if (c->members < trace->comms.data[c->comm].size) {
			c->flags |= COLL_INCOMPLETE;
			incomplete++;
		}
		c->first = first;
		first += c->members;
		c->members = 0;
	}
	store_finding(trace, FINDING_GUESS, "mixed-collective", 0, g->mixed,
		      "members of a communicator called different operations at the same turn");
	store_finding(trace, FINDING_ODDITY, "collective-root", 0, g->roots,
		      "members of a collective name different roots");
	store_finding(trace, FINDING_INFO, "incomplete-collective", 0, incomplete,
		      "a collective lacks members of its communicator");
}

bool build_gather(struct builder *b, struct err *err)
{
	struct gather g = { .trace = b->trace };
	bool ok;

	for (size_t i = 0; i < b->trace->comms.n; i++)
		vec_add(&g.comms);
	ok = assign(&g, b, err);
	if (ok)
		place_members(&g);
	for (size_t i = 0; i < g.comms.n; i++)
		vec_fini(&g.comms.data[i]);
	vec_fini(&g.comms);
	vec_fini(&g.next);
	keymap_fini(&g.turns);
	return ok;
}
