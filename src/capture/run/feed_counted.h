/* feed_counted: what was counted at an enter or leave (tvrun --counters), as values of metrics that
 * count from the start. */
#pragma once

#include "capture/run/merge_job.h"

void feed_counted(struct job *job, const struct rank *rank, uint32_t location,
		  const struct tv_head *head, int64_t time);
