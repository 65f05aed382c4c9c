/* Clocks that satisfy all bounds, where the times shown do not: the algorithm of Bellman and Ford
 * with a queue. A cycle of negative length shows in the nodes that last shortened each other. */
#include "base/mem.h"
#include "correct/room/room_state.h"

/* What rounding makes of a sum along a cycle: ticks. */
#define ROUNDING 1e-3

enum { NO_PARENT = UINT32_MAX, STEPS_AN_EDGE = 200 };

struct search {
	struct path_links links;
	uint32_t n;
	double *value;
	uint32_t *parent; /* [n] node whose edge gave the value */
	uint32_t *queue;  /* [n] a ring */
	bool *in;         /* [n] it is in the queue */
	uint32_t first, waiting;
	uint64_t steps;
};

static void shorten(struct search *s, uint32_t from, uint32_t to, double length)
{
	if (s->value[from] + length >= s->value[to] - ROUNDING)
		return;
	s->value[to] = s->value[from] + length;
	s->parent[to] = from;
	if (s->in[to])
		return;
	s->in[to] = true;
	s->queue[(s->first + s->waiting++) % s->n] = to;
}

/* A node of a cycle of parents; NO_PARENT: there is none. mark[n] is 0. */
static uint32_t find_cycle(const struct search *s, uint32_t *mark)
{
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t at = i;
		while (at != NO_PARENT && !mark[at]) {
			mark[at] = i + 1;
			at = s->parent[at];
		}
		if (at != NO_PARENT && mark[at] == i + 1)
			return at;
	}
	return NO_PARENT;
}

static bool has_cycle(const struct search *s, room_node_vec *cycle)
{
	OWNED uint32_t *mark = xcalloc(s->n + 1u, sizeof *mark);
	const uint32_t start = find_cycle(s, mark);
	uint32_t at = start;

	if (start == NO_PARENT)
		return false;
	do {
		vec_push(cycle, at);
		at = s->parent[at];
	} while (at != start);
	return true;
}

static bool run(struct search *s, uint64_t most, room_node_vec *cycle)
{
	uint64_t look = s->n;

	while (s->waiting > 0) {
		const uint32_t node = s->queue[s->first];
		s->first = (s->first + 1) % s->n;
		s->waiting--;
		s->in[node] = false;
		for (uint32_t i = s->links.first[node]; i < s->links.first[node + 1]; i++)
			shorten(s, node, s->links.link[i].to, s->links.link[i].length);
		s->steps += s->links.first[node + 1] - s->links.first[node];
		if (s->steps < look)
			continue;
		look = s->steps + 4 * (uint64_t)s->n;
		if (s->steps > most || has_cycle(s, cycle))
			return false;
	}
	return true;
}

bool room_potentials(const room_edge_vec *edges, uint32_t n, double *value, room_node_vec *cycle)
{
	struct search s = { .n = n, .value = value };
	const struct path_edge *e;
	bool negative = false, ok;

	cycle->n = 0;
	for (uint32_t i = 0; i < n; i++)
		value[i] = 0;
	vec_each (e, edges)
		negative = negative || e->length < 0;
	if (!negative)
		return true;
	path_links_make(&s.links, edges->data, edges->n, n, false);
	s.parent = xmalloc(n * sizeof *s.parent);
	s.queue = xmalloc(n * sizeof *s.queue);
	s.in = xcalloc(n, sizeof *s.in);
	for (uint32_t i = 0; i < n; i++)
		s.parent[i] = NO_PARENT;
	vec_each (e, edges)
		shorten(&s, e->from, e->to, e->length);
	ok = run(&s, STEPS_AN_EDGE * (uint64_t)edges->n, cycle);
	path_links_fini(&s.links);
	free_all(s.parent, s.queue, s.in);
	return ok;
}
