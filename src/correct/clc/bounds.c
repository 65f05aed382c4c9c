#include "correct/clc/bounds.h"

#include "base/keymap.h"
#include "base/mem.h"

struct bounds_nodes {
	uint32_t *of;    /* [locations] node, 0 unknown */
	uint32_t *first; /* [nodes] first party of the group that was started last */
	uint32_t *round; /* [nodes] whose group that was */
	uint32_t now;
};

struct bounds_nodes *bounds_nodes_new(const struct trace *trace)
{
	struct bounds_nodes *nodes = xcalloc(1, sizeof *nodes);
	ENDED_BY(keymap_fini) struct keymap map = { NULL, 0, 0 };
	const uint32_t n = trace_location_count(trace);
	uint32_t count = 1;

	nodes->of = xcalloc((size_t)n + 1, sizeof *nodes->of);
	for (uint32_t l = 0; l < n; l++) {
		const uint32_t name = trace_location(trace, l)->node;
		if (name)
			count += keymap_new(&map, KEY_OF(name), count, &nodes->of[l]);
	}
	nodes->first = xcalloc(count, sizeof *nodes->first);
	nodes->round = xcalloc(count, sizeof *nodes->round);
	return nodes;
}

void bounds_nodes_free(struct bounds_nodes *nodes)
{
	if (!nodes)
		return;
	free_all(nodes->of, nodes->first, nodes->round, nodes);
}

void bounds_start(struct bounds *b, struct bounds_party *parties, const struct group *group,
		  struct bounds_nodes *nodes, bool back)
{
	*b = (struct bounds){ .top = BOUND_NONE,
			      .next = BOUND_NONE,
			      .top_node = UINT32_MAX,
			      .unknown = BOUND_NONE,
			      .unknown_second = BOUND_NONE,
			      .unknown_who = UINT32_MAX,
			      .started = true,
			      .back = back };
	nodes->now++;
	for (uint32_t i = 0; i < group->n; i++) {
		const uint32_t node = nodes->of[group->parties[i].location];
		parties[i].limit = parties[i].best = parties[i].second = BOUND_NONE;
		parties[i].who = parties[i].node = UINT32_MAX;
		if (node == 0)
			continue;
		if (nodes->round[node] != nodes->now) {
			nodes->round[node] = nodes->now;
			nodes->first[node] = i;
		}
		parties[i].node = nodes->first[node];
	}
}

static void raise_two(int64_t value, uint32_t party, int64_t *best, int64_t *second, uint32_t *who)
{
	if (value > *best) {
		*second = *best;
		*best = value;
		*who = party;
	} else if (value > *second) {
		*second = value;
	}
}

/* Updates the latest value of all nodes and that of the other nodes; a node's values only grow. */
static void raise_node(struct bounds *b, int64_t value, uint32_t node)
{
	if (node == b->top_node) {
		if (value > b->top)
			b->top = value;
	} else if (value > b->top) {
		b->next = b->top;
		b->top = value;
		b->top_node = node;
	} else if (value > b->next) {
		b->next = value;
	}
}

static void take_in(struct bounds *b, struct bounds_party *parties, uint32_t i)
{
	const uint32_t node = parties[i].node;

	if (node == UINT32_MAX) {
		raise_two(parties[i].value, i, &b->unknown, &b->unknown_second, &b->unknown_who);
		return;
	}
	raise_two(parties[i].value, i, &parties[node].best, &parties[node].second,
		  &parties[node].who);
	raise_node(b, parties[i].value, node);
}

static void raise_limit(int64_t *limit, int64_t value, int64_t latency)
{
	if (value != BOUND_NONE && value + latency > *limit)
		*limit = value + latency;
}

/* The limit from the values so far, for a party on its node or on none. */
static int64_t limit_now(const struct bounds *b, const struct bounds_party *parties,
			 const struct group *group, const struct lmin *lmin, uint32_t i)
{
	const bool omp = group->cls == LOGICAL_FORK || group->cls == LOGICAL_JOIN ||
			 group->cls == LOGICAL_TEAM;
	const int64_t inter = omp ? lmin->omp : lmin->inter, intra = omp ? lmin->omp : lmin->intra,
		      low = inter < intra ? inter : intra;
	const uint32_t node = parties[i].node;
	int64_t limit = BOUND_NONE;

	raise_limit(&limit, b->unknown_who == i ? b->unknown_second : b->unknown, low);
	if (node == UINT32_MAX) {
		raise_limit(&limit, b->top, low);
		return limit;
	}
	raise_limit(&limit, b->top_node == node ? b->next : b->top, inter);
	raise_limit(&limit, parties[node].who == i ? parties[node].second : parties[node].best,
		    intra);
	return limit;
}

static bool gives(const struct bounds *b, const struct party *party)
{
	return b->back ? party->receives : party->sends;
}

static int64_t limit_by_neighbours(const struct bounds *b, const struct bounds_party *parties,
				   const struct group *group, const struct lmin *lmin, uint32_t i)
{
	int64_t limit = BOUND_NONE;
	uint32_t n;
	const uint32_t *list = b->back ? neighbours_after(group->neighbourhood, i, &n)
				       : neighbours_of(group->neighbourhood, i, &n);

	for (uint32_t k = 0; k < n; k++)
		if (gives(b, &group->parties[list[k]]))
			raise_limit(&limit, parties[list[k]].value,
				    lmin_between(lmin, group->parties[list[k]].location,
						 group->parties[i].location, group->cls));
	return limit;
}

/* Visits the parties in the order that a prefix operation needs. */
static void sweep(struct bounds *b, struct bounds_party *parties, const struct group *group,
		  const struct lmin *lmin, uint32_t party)
{
	const uint32_t stop = b->back ? group->n - 1 - party : party;

	for (; b->swept <= stop; b->swept++) {
		const uint32_t i = b->back ? group->n - 1 - b->swept : b->swept;
		parties[i].limit = limit_now(b, parties, group, lmin, i);
		if (b->swept == stop) /* its own value may be unknown yet */
			return;
		if (gives(b, &group->parties[i]))
			take_in(b, parties, i);
	}
}

int64_t bounds_limit(struct bounds *b, struct bounds_party *parties, const struct group *group,
		     const struct lmin *lmin, uint32_t party)
{
	if (group->cls == LOGICAL_PREFIX) {
		sweep(b, parties, group, lmin, party);
		return parties[party].limit;
	}
	if (group->cls == LOGICAL_NEIGHBOURS)
		return limit_by_neighbours(b, parties, group, lmin, party);
	for (; b->swept < group->n; b->swept++)
		if (gives(b, &group->parties[b->swept]))
			take_in(b, parties, b->swept);
	return limit_now(b, parties, group, lmin, party);
}
