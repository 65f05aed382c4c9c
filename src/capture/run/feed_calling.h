/* feed_calling: what was open when a process without events was looked at, or killed: its
 * statistics say which statements and which call of MPI (capture/lib/statistic.h). It is given as
 * the records that a process with events would have left. */
#pragma once

#include "capture/run/merge_job.h"

/* Takes a record, which is valid during the call; `before`, of a collective: how many the process
 * called on its communicator before. */
typedef void take_record(void *context, const struct tv_head *record, uint64_t before);

/* Outermost first. False, without any record: the thread has ended. */
bool calling_records(const struct rankfile *file, uint32_t thread, take_record *take,
		     void *context);
