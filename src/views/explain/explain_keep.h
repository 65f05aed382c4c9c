/* explain_keep: lines of explanations in a piece (model/trace/piece.h) that is kept with the trace:
 * what they say, how much they explain, and the time and place that they are about. */
#pragma once

#include "model/trace/piece.h"
#include "views/explain/explaining.h"

/* True if explanations of the query's waits are sentences that only the trace and its corrections
 * decide: nothing narrows the query, and no bounds of lengths are in them. */
bool explain_keeps(const struct query *query);

/* Adds n lines: events and waits that they lead to are left out. */
void explain_lines_add(struct piece *piece, const struct trace *trace,
		       const struct explain_line *lines, size_t n);
/* The next lines of a piece, the caller's, as are their texts; NULL: they do not hold. */
struct explain_line *explain_lines_next(struct piece_reader *reader, const struct trace *trace,
					size_t *n);
void explain_lines_free(struct explain_line *take_lines, size_t n);
