/* feed_virtual: what virtual time a call of MPI ended at (model/trace/virtual_metric.h). */
#pragma once

#include "capture/run/merge_job.h"

void feed_virtual(struct job *job, const struct rank *rank, uint32_t location,
		  const struct tv_head *head, int64_t time);
