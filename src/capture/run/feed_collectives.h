/* feed_collectives: records of collectives, and what they were called with (operands.h) as
 * attributes. */
#pragma once

#include "capture/run/merge_job.h"

/* TV_COLL_BEGIN. Returns the operands, for feed_operands() if the call does not end. */
uint32_t feed_collective_begin(struct job *job, struct rank *rank, uint32_t location,
			       const struct tv_collective *c, int64_t time);
/* TV_COLL_COMPLETE. */
void feed_collective_complete(struct job *job, struct rank *rank, uint32_t location,
			      const struct tv_collective *c, int64_t time);
/* The type and the operation, as attributes of the begin, which was appended last. */
void feed_operands(struct job *job, uint32_t location, uint32_t operands);
