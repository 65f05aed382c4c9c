/* patterns: the registry of all wait patterns, which an analysis takes as an argument.
 *
 *	struct analysis *a = analysis_new(patterns, trace, base, &options, progress, &err);
 */
#pragma once

#include "patterns/analysis/pattern.h"

/* In the order in which they are notified (patterns.def), ending with NULL. */
extern const struct pattern *const patterns[];

#define X(name) extern const struct pattern name##_pattern;
#include "patterns/patterns.def"
#undef X
