/* neighbourhood: who is whose neighbour on a communicator with a Cartesian topology, or on a graph
 * of which the sources are known (model/trace/sources.h), as rows of a table: for neighbourhood
 * collectives. Neighbours are mutual on a grid alone. */
#pragma once

#include "model/trace/trace.h"

struct neighbourhood {
	uint32_t comm;   /* it was made for, UINT32_MAX none */
	uint32_t n;      /* ranks of the communicator; 0: no topology of it is known */
	uint32_t *first; /* [n + 1] index of each rank's first neighbour */
	uint32_t *list;  /* ranks in the communicator; none is its own neighbour, or one twice */
	uint32_t *first_after, *list_after; /* the same of those that receive from each; NULL: of a
					       grid */
};

/* Makes it for a communicator, unless it is that already. O(topologies + ranks x dimensions). */
void neighbourhood_make(struct neighbourhood *neighbourhood, const struct trace *trace,
			uint32_t comm);
void neighbourhood_fini(struct neighbourhood *neighbourhood);
/* The neighbours that a rank of the communicator receives from, and how many; those that receive
 * from it. */
const uint32_t *neighbours_of(const struct neighbourhood *neighbourhood, uint32_t rank,
			      uint32_t *n);
const uint32_t *neighbours_after(const struct neighbourhood *neighbourhood, uint32_t rank,
				 uint32_t *n);
