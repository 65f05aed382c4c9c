/* feed_core: for how long a thread has waited for a core so far, as values of a metric
 * (model/trace/core_wait.h). */
#pragma once

#include "capture/run/merge_job.h"

void feed_core_wait(struct job *job, uint32_t location, uint64_t nanoseconds, int64_t time);
