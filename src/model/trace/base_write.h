/* base_write: a new time base from outside the model: its column is reserved, written block by
 * block, and then either committed or dropped. Needs the trace alone, but blocks of different
 * locations may be written by different threads as long as base_put() is given a lock's holder for
 * wide ones (see there).
 *
 *	base_begin(trace, BASE_CLC, &err);
 *	for every block: base_put(trace, BASE_CLC, block, times, &err);
 *	base_commit(trace, BASE_CLC);
 */
#pragma once

#include "model/trace/trace.h"

/* Reserves the column for all blocks; a base of that name that is there goes first. False with err:
 * no address space. */
bool base_begin(struct trace *trace, enum time_base base, struct err *err);
/* The times of a block's events, not decreasing, within +-TIME_LIMIT. Threads: a block whose span
 * does not fit 32 bits takes a row of a shared table; base_is_wide() says so beforehand. */
bool base_put(struct trace *trace, enum time_base base, uint32_t block, const int64_t *t,
	      struct err *err);
/* The same for slots from .. to - 1 of a block of which the slots before are written: t[0] is the
 * time of slot `from`. */
bool base_put_part(struct trace *trace, enum time_base base, uint32_t block, uint32_t from,
		   uint32_t to, const int64_t *t, struct err *err);
bool base_is_wide(const int64_t *t, uint32_t n);
/* Makes the base usable: messages and collectives in its order. */
void base_commit(struct trace *trace, enum time_base base);
/* Takes a base away, with all that was made of it. Measured stays. */
void base_drop(struct trace *trace, enum time_base base);
/* Other offset measurements instead of those the trace brought along (copied, any order); the
 * linear base goes. */
void trace_replace_offsets(struct trace *trace, const struct offset *offsets, size_t n);
