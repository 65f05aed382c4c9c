/* one_sided: made-up runs with one-sided communication. */
#pragma once

#include "model/trace/trace.h"

/* Fences, epochs, locks and puts of six ranks in two windows, in a random order, with waits of all
 * their kinds. The same seed gives the same; the caller's. */
struct trace *one_sided_random(uint64_t seed);
