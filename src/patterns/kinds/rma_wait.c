/* What the patterns of one-sided communication find. */
#include "patterns/kinds/rma.h"

void rma_found(const struct rma_window *window, const struct rma_record *at,
	       enum cube_metric metric, int64_t begin, int64_t end,
	       const struct rma_record *partner, unsigned flags)
{
	struct wait wait = { .event = at->event,
			     .partner = partner ? partner->event : EVENT_NONE,
			     .path = at->path,
			     .metric = (uint8_t)metric,
			     .flags = (uint8_t)flags,
			     .begin = begin };

	if (end > at->lv)
		end = at->lv;
	if (end <= begin)
		return;
	wait.length = end - begin;
	if (!window->results) {
		analysis_found(window->analysis, at->location, &wait);
		return;
	}
	vec_push(window->results,
		 ((struct rma_result){ .window = at->window,
				       .location = at->location,
				       .wait = wait,
				       .partner_location = partner ? partner->location : UINT32_MAX,
				       .partner_number = partner ? partner->number : 0 }));
}

void rma_count_pairs(struct analysis *analysis, const struct rma_result *r)
{
	analysis_count(analysis, r->location, r->wait.begin, CUBE_MPI_RMA_PAIRSYNC_COUNT,
		       r->wait.path, r->pairs);
	if (r->used < r->pairs)
		analysis_count(analysis, r->location, r->wait.begin,
			       CUBE_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT, r->wait.path,
			       r->pairs - r->used);
}

void rma_pairs(const struct rma_window *window, const struct rma_record *at, uint32_t pairs,
	       uint32_t used)
{
	const struct rma_result result = { .window = at->window,
					   .location = at->location,
					   .wait = { .path = at->path, .begin = at->time },
					   .pairs = pairs,
					   .used = used };

	if (window->results)
		vec_push(window->results, result);
	else
		rma_count_pairs(window->analysis, &result);
}
