/* view_waits: wait states one by one, the longest first: of the query's metric and those below it
 * (CUBE_NONE: all), in its call path and those below it (UINT32_MAX: all), on its locations, where
 * its filter lets call path and location pass, as far as they reach into its window. A wait that is
 * part of another one is a row only if its own metric is asked for. waits_table_new() is in view.h;
 * it waits for the analysis, and has no rows without analyses. */
#pragma once

#include "patterns/analysis/wait_numbers.h"
#include "views/query/view.h"

/* The wait of a row, which table_thing() names. */
const struct wait *waits_table_wait(const struct table *table, uint64_t row);
/* Statistics of the lengths of all rows (analysis.h, C10). O(1). */
const struct wait_statistics *waits_table_statistics(const struct table *table);

struct wait_places {
	struct wait_place *data;
	size_t n, cap;
};
/* Appends the first waits of the table, of all processes that share the trace: all call it. */
void waits_longest(const struct query *query, const struct analysis *analysis, size_t most,
		   struct wait_places *longest);
