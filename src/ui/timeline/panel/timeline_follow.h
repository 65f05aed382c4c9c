/* timeline_follow: moving the session's cursor along what happened: events, visits of a region,
 * messages, collectives, names that match a pattern. */
#pragma once

#include "ui/session/session.h"
#include "ui/timeline/picture/timeline_item.h"
#include "ui/widgets/matcher.h"

/* To the next (1) or previous (-1) event of the cursor's location. False at its end. */
bool timeline_follow_event(struct session *session, int direction);

/* To the next or previous visit of the item's region on its location. False without one. */
bool timeline_follow_region(struct session *session, const struct timeline_item *item,
			    int direction);

/* Along the item's message, or the first in its cell, to its receiver (1) or sender (-1); along a
 * collective to the rank that came last. False, with a notice, where there is nothing to follow. */
bool timeline_follow_message(struct session *session, const struct timeline_item *item,
			     int direction);

/* ---- search: visits of regions whose name matches, row by row ---- */

struct timeline_search {
	struct matcher *matcher; /* NULL: none */
	bool *hits;              /* [regions] */
	uint64_t all;            /* visits that match on the session's rows; 0 not counted */
	uint64_t at;             /* the cursor's among them, from 1; 0 unknown */
	uint32_t from_location;  /* where the typing began */
	int64_t from_time;
	uint32_t from_event;
	bool typing;
};

void timeline_search_fini(struct timeline_search *search);
/* As panel_ops.search. */
bool timeline_search_go(struct timeline_search *search, struct session *session,
			const char *pattern, int direction, struct err *err);
