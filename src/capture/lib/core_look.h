/* core_look: for how long the thread was ready to run and had no core, as the kernel counts it
 * (/proc/thread-self/schedstat). Asked at the begin and end of calls of MPI, a millisecond or more
 * after it was asked last: that takes 2 us, and is recorded as a region of the library's own inside
 * of the call. What a thread waits between two calls is so told from what it works there
 * (model/trace/core_wait.h).
 *
 * Not with statistics alone, in virtual time, and where counters count; then nothing is known. */
#pragma once

#include "capture/lib/recorder.h"

/* Ticks between two looks, UINT64_MAX: there are none. */
uint64_t tv_core_look_every(void);
void tv_core_look_end(struct tv_thread *t);

/* Inside of a recorded call of MPI, at that time; returns the time after the look. */
uint64_t tv_core_look(struct tv_thread *t, uint64_t time);

static inline bool tv_core_look_due(const struct tv_thread *t, uint64_t time)
{
	return time - t->core.looked >= tv.core_every;
}
