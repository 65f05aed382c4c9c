/* feed_operands: the type and the operation of a collective that does not end, as attributes of its
 * begin, which the location has appended last. */
#pragma once

#include "capture/run/merge_job.h"

void feed_operands(struct job *job, uint32_t location, uint32_t operands);
