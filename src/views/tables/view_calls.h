/* view_calls: one row for each call (facts/call_facts.h). calls_table_new() in view.h walks them by
 * begin, and keeps none; this list has the first ones in the order of any column. */
#pragma once

#include "views/facts/calls_choose.h"

enum { CALLS_MOST = 10000 };

/* Of a region (UINT32_MAX: all) and of durations in [shortest, longest] ticks; the longest first,
 * CALLS_MOST of them. Waits as far as they are known. */
struct table *longest_calls_new(const struct query *query, uint32_t region, int64_t shortest,
				int64_t longest, struct err *err);
/* How many there are, and of each bin of durations. */
uint64_t longest_calls_matching(const struct table *table);
const uint64_t *longest_calls_bins(const struct table *table);
