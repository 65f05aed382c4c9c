/* random_program: a program made at random has run: ranks write their events at the sites of its
 * statements, and keep records as capture does. The same seed gives the same run, whatever is
 * written of it. */
#pragma once

#include "model/trace/trace.h"

struct trace *random_program(uint64_t seed, int32_t ranks, bool events, bool records);
