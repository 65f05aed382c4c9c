/* ideal: how long a run would take on a network that needs no time: what is left is work and
 * waiting for those that work longer (POP's serialisation).
 *
 * The events are replayed in the order that messages and collectives force. Outside MPI time passes
 * as it did; calls of MPI take none, but a receive does not end before its send began, and what
 * ends a collective not before those begin that it needs (logical.h). Locations start where
 * they did. O(events + messages); memory 8 bytes a message meanwhile. */
#pragma once

#include "model/trace/trace.h"

/* Ticks from the run's begin to the end of the last location; -1: progress stopped it, or err. */
int64_t ideal_run_time(const struct trace *trace, enum time_base base,
		       const struct progress *progress, struct err *err);
