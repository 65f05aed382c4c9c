/* rollcall_parts: the parts that a roll-call is made of. */
#pragma once

#include "patterns/analysis/rollcall.h"

/* From the states and call paths of all locations: `order`, `groups`, `odd`. */
void rollcall_make_groups(struct rollcall *roll, const struct trace *trace);
