/* kept_damage: changes one of the results that are kept with a trace (model/trace/keep.h), of any
 * kind, as somebody who writes a cache file could. */
#pragma once

#include "model/trace/trace.h"

/* Which one, and how, is drawn. What is lent may have another length. At least some are kept, or the
 * test fails. */
void kept_damage(const struct trace *trace, uint64_t *seed);
