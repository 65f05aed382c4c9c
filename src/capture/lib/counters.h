/* counters: what the kernel and the processor count for each thread (tvrun --counters), read at
 * every enter and leave that is recorded, so that each visit has its own numbers (TV_COUNTED).
 *
 * Each thread opens its own counters when it begins to record, in one group where the processor can
 * count them at once; further groups take turns with it. A count that was in turn for a part of the
 * time is scaled up. Counters are read without a system call where the kernel maps them for that;
 * else with one read() a group. They are read where a probe begins and where it ends: what the
 * recorder itself does between is left out.
 *
 * Threads that count are in the mode TV_COUNTING, which leads probes and calls of MPI off the hot
 * path: without the option nothing here is ever called.
 *
 *	tv_counters_stop(t);
 *	...			writes an enter or leave
 *	tv_counters_at(t, time);	before or after it, with its time
 *	tv_counters_go(t); */
#pragma once

#include "capture/lib/recorder.h"

/* Reads TVIEW_COUNTERS; true: threads count. */
bool tv_counters_start(void);

/* The calling thread, t, counts from here on; and no longer. */
void tv_counters_begin(struct tv_thread *t);
void tv_counters_end(struct tv_thread *t);

/* Whether functions, loops and regions are recorded with counts: also where calls of MPI are not
 * recorded. */
static inline bool tv_counting(const struct tv_thread *t)
{
	return t->mode == TV_COUNTING || (t->mode == TV_CALLS_OFF && tv.usual == TV_COUNTING);
}

/* What the thread does between is not counted. Nothing happens where it does not count. */
void tv_counters_stop(struct tv_thread *t);
void tv_counters_go(struct tv_thread *t);

/* Writes what was counted, up to tv_counters_stop() or, without, to now. Nothing, unless the thread
 * counts and keeps events. */
void tv_counters_at(struct tv_thread *t, uint64_t time);

/* After the enter of a function, site or loop; before its leave, of which it gives the time. */
void tv_counters_entered(struct tv_thread *t);
uint64_t tv_counters_leave(struct tv_thread *t);
