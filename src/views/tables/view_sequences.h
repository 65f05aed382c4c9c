/* view_sequences: one row for each match of the query's sequence (model/filter/sequence.h), by
 * begin, rank, thread. A match is from the begin of its first call to the end of its last one. */
#pragma once

#include "views/query/view.h"

struct sequence_span {
	int64_t begin, end; /* ticks */
	uint32_t place;     /* of its location in the order of ranks */
	struct sequence_match match;
};
typedef VEC(struct sequence_span) sequence_spans;

/* Appends the matches of the query, by location. False: progress stopped it. */
bool sequences_find(const struct query *query, sequence_spans *spans);
/* One row for each location, with the number of its matches and their times. */
struct table *sequence_sums_table_new(const struct query *query);
