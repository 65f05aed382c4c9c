/* base_write: a new time base from outside the model: its column is reserved, written block by
 * block, and then either committed or dropped. No other thread may use the trace, but blocks of
 * different locations may be written by different threads if wide ones (base_is_wide()) are written
 * under a lock.
 *
 *	base_begin(trace, BASE_CLC, &err);
 *	for every block: base_put(trace, BASE_CLC, block, times, &err);
 *	base_commit(trace, BASE_CLC);
 */
#pragma once

#include "model/trace/trace.h"

/* Reserves the column for all blocks; drops an existing base of that name. False with err: no
 * address space. */
bool base_begin(struct trace *trace, enum time_base base, struct err *err);
/* Sets the times of a block's events, not decreasing, within +-TIME_LIMIT. Threads: a block whose
 * span does not fit 32 bits takes a row of a shared table; base_is_wide() tells in advance. */
bool base_put(struct trace *trace, enum time_base base, uint32_t block, const int64_t *t,
	      struct err *err);
/* The same for slots from .. to - 1 of a block whose earlier slots are written: t[0] is the time of
 * slot `from`. */
bool base_put_part(struct trace *trace, enum time_base base, uint32_t block, uint32_t from,
		   uint32_t to, const int64_t *t, struct err *err);
bool base_is_wide(const int64_t *t, uint32_t n);
/* Makes the base usable: orders messages and collectives by its times. */
void base_commit(struct trace *trace, enum time_base base);
/* Removes a base and everything that was made of it. Not for measured. */
void base_drop(struct trace *trace, enum time_base base);
/* Replaces the trace's offset measurements by these (copied, any order) and drops the linear
 * base. */
void trace_replace_offsets(struct trace *trace, const struct offset *offsets, size_t n);
