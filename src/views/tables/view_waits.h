/* view_waits: wait states one by one, the longest first: of the query's metric and those below it
 * (CUBE_NONE: all), in its call path and those below it (UINT32_MAX: all), on its locations, where
 * its filter lets call path and location pass, as far as they reach into its window. What is a part
 * of another wait is there only where it is asked for by its own metric. waits_table_new() is in
 * view.h; it waits for the analysis, and has no rows where there are no analyses. */
#pragma once

#include "patterns/analysis/analysis.h"
#include "views/query/view.h"

/* The wait of a row, which table_thing() names. */
const struct wait *waits_table_wait(const struct table *table, uint64_t row);
/* Of the lengths of all rows (analysis.h, C10). O(1). */
const struct wait_statistics *waits_table_statistics(const struct table *table);
