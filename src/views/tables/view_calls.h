/* view_calls: one row for each call (facts/call_facts.h). calls_table_new() in view.h walks them by
 * begin, and keeps none; this list has the first ones in the order of any column. */
#pragma once

#include "views/facts/calls_choose.h"

enum { CALLS_MOST = 10000 };

/* Of a region (UINT32_MAX: all) and of durations in [shortest, longest] ticks; the longest first,
 * CALLS_MOST of them. Waits as far as they are known. Of a large trace the first rows are those
 * that were found in a moment: longest_calls_work() goes on. */
struct table *longest_calls_new(const struct query *query, uint32_t region, int64_t shortest,
				int64_t longest, struct err *err);
/* Sees more of the events, for about so many ns: false when it has seen all. At the end, and now
 * and then before, the rows are made again (*changed): handles are others. Sorted by another column
 * it begins again. */
bool longest_calls_work(struct table *table, int64_t nanoseconds, bool *changed);
/* How much has been seen, 0 to 1; then 1. */
double longest_calls_done(const struct table *table);
/* How many there are, and of each bin of durations, as far as they were seen. */
uint64_t longest_calls_matching(const struct table *table);
const uint64_t *longest_calls_bins(const struct table *table);
