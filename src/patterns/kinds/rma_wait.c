/* What the patterns of one-sided communication find. */
#include "patterns/kinds/rma.h"

void rma_found(const struct rma_window *window, const struct rma_record *at,
	       enum cube_metric metric, int64_t begin, int64_t end, uint32_t partner,
	       unsigned flags)
{
	if (end > at->lv)
		end = at->lv;
	if (end <= begin)
		return;
	analysis_found(window->analysis, at->location,
		       &(struct wait){ .event = at->event,
				       .partner = partner,
				       .path = at->path,
				       .metric = (uint8_t)metric,
				       .flags = (uint8_t)flags,
				       .begin = begin,
				       .length = end - begin });
}

void rma_pairs(const struct rma_window *window, const struct rma_record *at, uint32_t pairs,
	       uint32_t used)
{
	analysis_count(window->analysis, at->location, at->time, CUBE_MPI_RMA_PAIRSYNC_COUNT,
		       at->path, pairs);
	if (used < pairs)
		analysis_count(window->analysis, at->location, at->time,
			       CUBE_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT, at->path, pairs - used);
}
