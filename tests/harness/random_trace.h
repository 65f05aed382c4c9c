/* random_trace: a trace of a program that never was, with everything that the store can hold:
 * regions of one name in several files, threads, locations without rank, communicators of all
 * kinds, messages and collectives of all sorts inside and outside of their calls, details and
 * objects of every type, metrics, attributes, markers. The same seed gives the same trace. */
#pragma once

#include "model/trace/trace.h"

/* So many steps on each location; `per_second` is the tick's rate. */
struct trace *random_trace(uint64_t seed, uint32_t steps, int64_t per_second);
/* The same without one-sided communication, and teams. `threads_talk`: all threads of a rank send
 * and receive: what belongs together is then decided by times. */
struct trace *random_trace_of_messages(uint64_t seed, uint32_t steps, int64_t per_second,
				       bool threads_talk);
