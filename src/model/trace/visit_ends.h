/* visit_ends: the other end of any visit in O(64 log events), where trace_event_partner() takes
 * O(events inside): for callers that ask for many visits, of which one may lie in the other.
 *
 *	struct visit_ends *ends = visit_ends_new(trace);
 *	leave = visit_ends_partner(ends, enter);
 *	visit_ends_free(ends);
 *
 * An index of the smallest nesting depth in every block and in groups of 64, 64^2, ... of them. It
 * holds for all time bases. One pass over the events; 8 bytes a block. Borrows the trace; any
 * number of threads may ask. */
#pragma once

#include "model/trace/trace.h"

struct visit_ends;

struct visit_ends *visit_ends_new(const struct trace *trace);
void visit_ends_free(struct visit_ends *ends);
/* As trace_event_partner(). */
uint32_t visit_ends_partner(const struct visit_ends *ends, uint32_t event);
/* The enter of the visit at a nesting depth (1: the outermost) that is open just after an event,
 * which may be that enter; EVENT_NONE where the trace has none. */
uint32_t visit_ends_enter(const struct visit_ends *ends, uint32_t event, uint32_t depth);
