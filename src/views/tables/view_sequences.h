/* view_sequences: one row for each match of the query's sequence (model/filter/sequence.h) that
 * begins in its window, by begin, rank, thread; and one for each location, with their number and
 * times. A match is from the begin of its first call to the end of its last one. */
#pragma once

#include "views/query/view.h"

struct table *sequence_sums_table_new(const struct query *query);
