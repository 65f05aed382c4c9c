/* Clocks that no pair with messages in both directions leads to, but a way there and another one
 * back: around a ring. */
#include <math.h>

#include "base/mem.h"
#include "base/shortest.h"
#include "correct/fit/level.h"
#include "correct/fit/level_state.h"

/* Fills length[clocks] from the roots along edges of squares, or against them. */
static void find_lengths(const struct path_edge *edges, size_t n, uint32_t clocks,
			 const uint32_t *root_of, bool back, double *length)
{
	for (uint32_t c = 0; c < clocks; c++)
		length[c] = root_of[c] == c ? 0 : INFINITY;
	shortest_paths(edges, n, clocks, back, length, NULL);
}

void level_cycles(const struct level_hop *hops, size_t n, uint32_t clocks, const uint32_t *root_of,
		  double *room)
{
	OWNED double *back = xmalloc((clocks + 1u) * sizeof *back);
	OWNED struct path_edge *edges = xmalloc((n + 1) * sizeof *edges);

	for (size_t i = 0; i < n; i++)
		edges[i] =
			(struct path_edge){ hops[i].from, hops[i].to, level_square(hops[i].slack) };
	find_lengths(edges, n, clocks, root_of, false, room);
	find_lengths(edges, n, clocks, root_of, true, back);
	for (uint32_t c = 0; c < clocks; c++)
		room[c] = isinf(room[c]) || isinf(back[c]) ? -1 : sqrt((room[c] + back[c]) / 2);
}
