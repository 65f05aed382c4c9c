/* The parts: clocks that messages connect both ways. */
#include <math.h>

#include "base/components.h"
#include "base/mem.h"
#include "correct/room/room_state.h"

struct links {
	uint32_t nodes; /* clocks, then large collectives */
	VEC(uint32_t) from, to;
};

static void link_nodes(struct links *links, uint32_t from, uint32_t to)
{
	vec_push(&links->from, from);
	vec_push(&links->to, to);
}

static void link_pairs(struct links *links, struct room *room)
{
	size_t n;
	const struct room_row *rows = room_rows(room, &n);

	for (size_t i = 0, end; i < n; i = end) {
		uint64_t messages = 0;
		for (end = i;
		     end < n && rows[end].from == rows[i].from && rows[end].to == rows[i].to; end++)
			messages += rows[end].n;
		if (messages >= JOINED_BY)
			link_nodes(links, rows[i].from, rows[i].to);
	}
}

/* All to all is a node that they lead to and that leads to them; a prefix is one for each party,
 * that leads to the next one. */
static void link_group(struct links *links, const struct room_bucket *bucket)
{
	for (uint32_t i = 0; i < bucket->n; i++) {
		const struct room_party *party = &bucket->parties[0][i];
		const uint32_t node = links->nodes;
		if (i > 0 && bucket->kind == ROOM_PREFIX) {
			link_nodes(links, node, party->clock);
			link_nodes(links, node, node + 1);
			links->nodes++;
		}
		if (!isnan(party->begin))
			link_nodes(links, party->clock, links->nodes);
		if (!isnan(party->end) && bucket->kind == ROOM_ALL)
			link_nodes(links, links->nodes, party->clock);
	}
	links->nodes++;
}

void room_parts(struct room *room, uint32_t *part)
{
	struct links links = { .nodes = room->clocks, VEC_INIT, VEC_INIT };
	OWNED uint32_t *component = NULL, *root = NULL;
	const struct room_bucket *bucket;

	link_pairs(&links, room);
	vec_each (bucket, &room->buckets)
		if (bucket->kind != ROOM_WORLD)
			link_group(&links, bucket);
	component = xmalloc((links.nodes + 1u) * sizeof *component);
	root = xmalloc((links.nodes + 1u) * sizeof *root);
	components_find(links.nodes, links.from.data, links.to.data, links.from.n, component);
	for (uint32_t i = 0; i < links.nodes; i++)
		root[i] = UINT32_MAX;
	for (uint32_t c = 0; c < room->clocks; c++) {
		uint32_t *first = &root[component[c]];
		if (*first == UINT32_MAX)
			*first = c;
		part[c] = *first;
	}
	vec_fini(&links.from);
	vec_fini(&links.to);
}
