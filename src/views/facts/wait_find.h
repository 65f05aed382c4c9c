/* wait_find: the wait states of a place: of a visit, before and behind a time. Waits that are no time beyond
 * another one's (wait_counts()) are passed over. */
#ifndef TVIEW_VIEWS_FACTS_WAIT_FIND_H
#define TVIEW_VIEWS_FACTS_WAIT_FIND_H

#include "patterns/analysis/analysis.h"
#include "ui/session/session.h"

/* The index of the first wait of a location that begins at or behind t: its number of waits without.
 * O(log waits). */
size_t wait_first(const struct analysis *analysis, uint32_t location, int64_t t);

/* The longest wait of a visit [t0, t1) of a call path, and in *n how many it has; NULL without. O(waits that
 * begin in the visit), bounded. */
const struct wait *wait_of_visit(const struct analysis *analysis, uint32_t location, uint32_t path,
				 int64_t t0, int64_t t1, size_t *n);

/* The wait that an event was found to end, or that it is inside of; UINT32_MAX without. */
uint32_t wait_of_event(const struct analysis *analysis, uint32_t event);

/* Moves the session's cursor to the next (1) or previous (-1) wait state of its location: of the session's
 * metric where that is one of waiting. False, with a notice, where there is none. */
bool wait_follow(struct session *session, int direction);
/* To a wait of a location's list. */
void wait_go(struct session *session, uint32_t location, uint32_t wait);

/* True for a wait that a metric is about: of it, or of one below it. */
bool wait_is_of(const struct wait *wait, enum cube_metric metric);
/* "Late Sender 1.702 ms [1.699-1.705 ms]". */
struct wait_bounds;
void wait_text(const struct trace *trace, const struct wait_bounds *bounds, uint32_t location,
	       const struct wait *wait, struct str *out);

#endif
