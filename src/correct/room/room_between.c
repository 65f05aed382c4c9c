/* Bounds of the difference of two clocks, by the edges that were kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/room/room_state.h"

void room_edges_keep(struct room_edges *kept, const room_edge_vec *edges, uint32_t nodes,
		     const double *value)
{
	room_edges_fini(kept);
	if (edges->n == 0 || edges->n > ROOM_EDGES_KEPT)
		return;
	kept->nodes = nodes;
	kept->n = edges->n;
	kept->data = xmalloc(edges->n * sizeof *kept->data);
	memcpy(kept->data, edges->data, edges->n * sizeof *kept->data);
	kept->value = xmalloc(nodes * sizeof *kept->value);
	memcpy(kept->value, value, nodes * sizeof *kept->value);
}

void room_edges_share(struct room_edges *kept, struct exchange *x)
{
	if (!x)
		return;
	exchange_from(x, 0, &kept->n, sizeof kept->n);
	exchange_from(x, 0, &kept->nodes, sizeof kept->nodes);
	if (kept->n == 0)
		return;
	if (exchange_process(x) != 0) {
		kept->data = xcalloc(kept->n, sizeof *kept->data);
		kept->value = xcalloc(kept->nodes, sizeof *kept->value);
	}
	exchange_from(x, 0, kept->data, kept->n * sizeof *kept->data);
	exchange_from(x, 0, kept->value, kept->nodes * sizeof *kept->value);
}

void room_edges_fini(struct room_edges *kept)
{
	free_all(kept->data, kept->value);
	*kept = (struct room_edges){ 0 };
}

/* Clock 0 is one node, as it is the root. */
static uint32_t node_of(uint32_t clock, uint32_t window)
{
	return clock * ROOM_WINDOWS + (clock == 0 ? 0 : window);
}

static double path(const struct room_edges *edges, uint32_t from, uint32_t to)
{
	OWNED double *distance = xmalloc((edges->nodes + 1u) * sizeof *distance);

	for (uint32_t i = 0; i < edges->nodes; i++)
		distance[i] = INFINITY;
	distance[from] = 0;
	shortest_paths(edges->data, edges->n, edges->nodes, false, distance, NULL);
	return distance[to] + edges->value[to] - edges->value[from];
}

struct room_span room_between(const struct room_bounds *bounds, uint32_t from, uint32_t from_window,
			      uint32_t to, uint32_t to_window)
{
	const uint32_t a = node_of(from, from_window), b = node_of(to, to_window);

	if (bounds->edges.n == 0)
		return (struct room_span){ -INFINITY, INFINITY };
	return (struct room_span){ -path(&bounds->edges, b, a), path(&bounds->edges, a, b) };
}
