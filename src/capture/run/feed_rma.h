/* feed_rma: records of one-sided communication become the details that archives of OTF2 bring, so
 * that one set of patterns finds the waits of both. */
#pragma once

#include "capture/run/merge_job.h"

/* An access that nothing has completed yet. */
struct rma_access {
	uint32_t window, target, request;
	uint64_t matching;
};

/* Of one thread. */
struct rma_feed {
	VEC(struct rma_access) open;
	uint64_t accesses; /* so far: what a completion says it completes */
};

/* TV_RMA_BEGIN, TV_RMA, TV_RMA_COMPLETE. */
void feed_rma(struct rma_feed *f, const struct job *job, const struct rank *rank, uint32_t location,
	      const struct tv_head *head, int64_t time);
void rma_feed_fini(struct rma_feed *f);
