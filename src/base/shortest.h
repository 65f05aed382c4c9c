/* shortest: shortest paths in a graph whose edges have lengths, of clocks or of clocks at times.
 *
 *	distance[0] = 0, the others INFINITY;
 *	n = shortest_paths(edges, n_edges, nodes, false, distance, steps);
 *	for (i = 0; i < n; i++)
 *		steps[i].node follows the other end of edges[steps[i].edge] */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct path_edge {
	uint32_t from, to;
	double length;
};

/* Edges by the node that they leave; reversed: that they reach. */
struct path_link {
	uint32_t to;   /* the node at the other end */
	uint32_t edge; /* which it is */
	double length;
};
struct path_links {
	uint32_t *first;        /* [nodes + 1] */
	struct path_link *link; /* [edges] */
};

void path_links_make(struct path_links *links, const struct path_edge *edges, size_t n,
		     uint32_t nodes, bool reversed);
void path_links_fini(struct path_links *links);

/* A node, and the edge that its path ends with. */
struct path_step {
	uint32_t node, edge;
};
enum { PATH_START = UINT32_MAX };

/* The shortest path to each node from those whose distance is finite, which is the least that one
 * begins with; reversed: along the edges backwards. All lengths and distances >= 0, fewer than 2^32
 * edges. Returns how many nodes were reached; steps[nodes] (NULL: not asked for) has these, nearest
 * first. O(nodes + edges log nodes), 16 bytes an edge meanwhile. */
uint32_t shortest_paths(const struct path_edge *edges, size_t n, uint32_t nodes, bool reversed,
			double *distance, struct path_step *steps);
