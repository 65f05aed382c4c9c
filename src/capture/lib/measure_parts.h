/* measure_parts: what measure_costs.c and measure_rows.c share. */
#pragma once

#include "capture/lib/probes.h"

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

/* Repetitions of a measurement, and records in one; a visit is two. */
enum { REPEATS = 41, LENGTH = 1000 };

/* Of REPEATS values without the first, which is cold. */
uint64_t tv_measure_median(uint64_t *values);
/* Empty visits of a function with hooks, one after the other; empty calls of MPI. */
void tv_measure_stream(void);
void tv_measure_calls(void);

/* What probes cost that only change rows; the thread's rows are scratch ones. */
void tv_measure_rows(struct tv_thread *t, struct tv_def_cost *cost);
