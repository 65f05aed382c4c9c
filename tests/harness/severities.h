/* severities: what holds of every analysis, whatever the trace. For fuzzing and for tests. */
#pragma once

#include "patterns/analysis/analysis.h"

/* NULL when all of it holds; else a sentence that says what does not (the caller's). Looks at the
 * waits and what explains them, at the critical path, at the cubes of the whole run and of a
 * window, cut in two at a place that `dice` choose. Makes the causes. */
char *severities_broken(struct analysis *analysis, uint64_t dice);
