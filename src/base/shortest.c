/* Dijkstra's algorithm with a binary heap. */
#include "base/shortest.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/time_heap.h"

void path_links_make(struct path_links *links, const struct path_edge *edges, size_t n,
		     uint32_t nodes, bool reversed)
{
	links->first = xcalloc(nodes + 2u, sizeof *links->first);
	links->link = xmalloc((n + 1) * sizeof *links->link);
	for (size_t i = 0; i < n; i++)
		links->first[(reversed ? edges[i].to : edges[i].from) + 2]++;
	for (uint32_t i = 2; i < nodes + 2; i++)
		links->first[i] += links->first[i - 1];
	for (uint32_t i = 0; i < n; i++) {
		const struct path_edge *e = &edges[i];
		links->link[links->first[(reversed ? e->to : e->from) + 1]++] =
			(struct path_link){ reversed ? e->from : e->to, i, e->length };
	}
}

void path_links_fini(struct path_links *links)
{
	free_all(links->first, links->link);
}

struct search {
	struct path_links links;
	double *distance; /* [nodes] */
	struct time_heap heap;
	uint32_t *by; /* [nodes] */
};

/* Numbers that are not negative have the order of their bits. */
static int64_t order_of(double length)
{
	int64_t bits;

	length += 0.0; /* of -0, too */
	memcpy(&bits, &length, sizeof bits);
	return bits;
}

static void reach(struct search *s, uint32_t node, double distance, uint32_t edge)
{
	if (distance >= s->distance[node])
		return;
	if (isinf(s->distance[node]))
		time_heap_push(&s->heap, node, order_of(distance));
	else
		time_heap_advance(&s->heap, node, order_of(distance));
	s->distance[node] = distance;
	s->by[node] = edge;
}

static void leave(struct search *s, uint32_t node)
{
	for (uint32_t i = s->links.first[node]; i < s->links.first[node + 1]; i++) {
		const struct path_link *link = &s->links.link[i];
		reach(s, link->to, s->distance[node] + link->length, link->edge);
	}
}

uint32_t shortest_paths(const struct path_edge *edges, size_t n, uint32_t nodes, bool reversed,
			double *distance, struct path_step *steps)
{
	struct search s = { .distance = distance };
	uint32_t reached = 0;

	path_links_make(&s.links, edges, n, nodes, reversed);
	time_heap_init(&s.heap, nodes);
	s.by = xmalloc((nodes + 1u) * sizeof *s.by);
	for (uint32_t i = 0; i < nodes; i++) {
		s.by[i] = PATH_START;
		if (isfinite(distance[i]))
			time_heap_push(&s.heap, i, order_of(distance[i]));
	}
	for (; s.heap.n > 0; reached++) {
		const uint32_t node = time_heap_pop(&s.heap);
		if (steps)
			steps[reached] = (struct path_step){ node, s.by[node] };
		leave(&s, node);
	}
	time_heap_fini(&s.heap);
	path_links_fini(&s.links);
	free_all(s.by);
	return reached;
}
