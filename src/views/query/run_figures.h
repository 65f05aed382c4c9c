/* run_figures: what the figures of a run are made of: the severities of a query's window in its
 * base, and its efficiencies. */
#pragma once

#include "patterns/causes/causes.h"
#include "views/query/view.h"

/* `chosen` [locations], NULL: all; efficiencies are those of the chosen ones, the cube has all. The
 * cube is good until another window is asked for. NULL with err, or untouched if stopped. Where
 * several processes share the trace, all call it. */
const struct cube *query_severities(const struct query *query, const bool *chosen,
				    struct efficiency *efficiency, struct err *err);
