/* feed_operands: what a collective was called with (operands.h), as attributes of the event that
 * the location has appended last. */
#pragma once

#include "capture/run/merge_job.h"

/* TV_OPERANDS_FROM_ALL. */
void feed_from_all(struct job *job, uint32_t location);
/* The type and the operation, of one that does not end. */
void feed_operands(struct job *job, uint32_t location, uint32_t operands);
