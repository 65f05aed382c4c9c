/* feed_calling: what was open when a process without events was looked at, or killed: its
 * statistics say which statements and which call of MPI (capture/lib/statistic.h). Told as the
 * records that a process with events would have left. */
#pragma once

#include "capture/run/merge_job.h"

/* Takes a record, which is valid during the call; `before`, of a collective: how many the process
 * called on its communicator before. */
typedef void take_record(void *context, const struct tv_head *record, uint64_t before);

/* Outermost first. False, and nothing is told: the thread has come to its end. */
bool calling_records(const struct rankfile *file, uint32_t thread, take_record *take,
		     void *context);
