/* neighbourhood: who is whose neighbour on a communicator with a Cartesian topology, as rows of a
 * table: for neighbourhood collectives. */
#pragma once

#include "model/trace/trace.h"

struct neighbourhood {
	uint32_t comm;   /* it was made for, UINT32_MAX none */
	uint32_t n;      /* ranks of the communicator; 0: it has no topology that is known */
	uint32_t *first; /* [n + 1] where a rank's neighbours begin in */
	uint32_t *list;  /* ranks in the communicator */
};

/* Makes it for a communicator, unless it is that already. O(topologies + ranks x dimensions). */
void neighbourhood_make(struct neighbourhood *neighbourhood, const struct trace *trace,
			uint32_t comm);
void neighbourhood_fini(struct neighbourhood *neighbourhood);
