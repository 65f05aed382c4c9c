/* sampling: where the program's own code spends its time, of programs that are not compiled for
 * recording (tvrun --sample TIME). Each thread that records is interrupted once in TIME of its own
 * time; the signal's handler records the address at which it found the thread, if that is outside
 * of MPI (TV_SAMPLE).
 *
 * Real time would end system calls of threads that sleep with EINTR. So the clock is one that
 * does not run meanwhile, the first of these that the system allows:
 *
 *	perf	the kernel's task clock (perf_event_open), in user mode; exact to microseconds
 *	timer	the thread's CPU time. The kernel looks at such timers at its clock interrupt only:
 *		a signal is for several periods, and says for how many; where processes share
 *		processors, it may come late, when the thread is in MPI. */
#pragma once

#include "capture/lib/recorder.h"

/* Reads TVIEW_SAMPLE and takes a signal, when the process's file is open; without it, or if no
 * signal is free, tv.sample is 0. TVIEW_SAMPLE_CLOCK=timer: not perf, for tests. */
void tv_sampling_start(void);

/* The calling thread, t, is sampled from here on; and no longer. */
void tv_sampling_begin(struct tv_thread *t);
void tv_sampling_end(void);
