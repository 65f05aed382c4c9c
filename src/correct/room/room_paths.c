/* Shortest paths: Dijkstra's algorithm with a binary heap. */
#include <math.h>

#include "base/mem.h"
#include "correct/room/room_state.h"

void room_links_make(struct room_links *links, const room_edge_vec *edges, uint32_t n,
		     bool reversed)
{
	const struct room_edge *e;

	links->first = xcalloc(n + 2u, sizeof *links->first);
	links->to = xmalloc((edges->n + 1) * sizeof *links->to);
	links->length = xmalloc((edges->n + 1) * sizeof *links->length);
	vec_each (e, edges)
		links->first[(reversed ? e->to : e->from) + 2]++;
	for (uint32_t i = 2; i < n + 2; i++)
		links->first[i] += links->first[i - 1];
	vec_each (e, edges) {
		const uint32_t place = links->first[(reversed ? e->to : e->from) + 1]++;
		links->to[place] = reversed ? e->from : e->to;
		links->length[place] = e->length;
	}
}

void room_links_fini(struct room_links *links)
{
	free_all(links->first, links->to, links->length);
}

struct paths {
	struct room_links links;
	double *distance; /* [n] */
	uint32_t *heap;   /* nodes, the nearest on top */
	uint32_t *at;     /* [n] place in the heap, NOT_IN: it is not in it */
	uint32_t in;
};

#define NOT_IN UINT32_MAX

static void put(struct paths *p, uint32_t place, uint32_t node)
{
	p->heap[place] = node;
	p->at[node] = place;
}

/* Towards the top, from a place that is free. */
static void rise(struct paths *p, uint32_t place, uint32_t node)
{
	const double d = p->distance[node];

	while (place > 0) {
		const uint32_t above = (place - 1) / 2;
		if (p->distance[p->heap[above]] <= d)
			break;
		put(p, place, p->heap[above]);
		place = above;
	}
	put(p, place, node);
}

static void sink(struct paths *p, uint32_t node)
{
	const double d = p->distance[node];
	uint32_t place = 0;

	for (;;) {
		uint32_t below = 2 * place + 1;
		if (below + 1 < p->in &&
		    p->distance[p->heap[below + 1]] < p->distance[p->heap[below]])
			below++;
		if (below >= p->in || p->distance[p->heap[below]] >= d)
			break;
		put(p, place, p->heap[below]);
		place = below;
	}
	put(p, place, node);
}

static uint32_t take_nearest(struct paths *p)
{
	const uint32_t node = p->heap[0];

	p->at[node] = NOT_IN;
	p->in--;
	if (p->in > 0)
		sink(p, p->heap[p->in]);
	return node;
}

static void reach(struct paths *p, uint32_t node, double distance)
{
	if (distance >= p->distance[node])
		return;
	p->distance[node] = distance;
	rise(p, p->at[node] == NOT_IN ? p->in++ : p->at[node], node);
}

void room_paths(const room_edge_vec *edges, uint32_t n, bool reversed, double *distance)
{
	struct paths p = { .distance = distance };

	room_links_make(&p.links, edges, n, reversed);
	p.heap = xmalloc((n + 1u) * sizeof *p.heap);
	p.at = xmalloc((n + 1u) * sizeof *p.at);
	for (uint32_t i = 0; i < n; i++)
		p.at[i] = NOT_IN;
	for (uint32_t i = 0; i < n; i++)
		if (isfinite(distance[i]))
			rise(&p, p.in++, i);
	while (p.in > 0) {
		const uint32_t node = take_nearest(&p);
		for (uint32_t i = p.links.first[node]; i < p.links.first[node + 1]; i++)
			reach(&p, p.links.to[i], distance[node] + p.links.length[i]);
	}
	room_links_fini(&p.links);
	free_all(p.heap, p.at);
}
