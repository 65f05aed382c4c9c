/* timeline_item: what is under the cursor: the visit that a cell shows, its bounds, its messages
 * and its collective. Pure. */
#pragma once

#include "model/trace/message.h"
#include "ui/timeline/picture/timeline_scale.h"
#include "views/query/view.h"

#define NO_ROW UINT32_MAX

struct timeline_item {
	bool known;        /* false: no location there */
	bool traced;       /* false: nothing was recorded there */
	uint32_t location; /* id */
	uint32_t path;     /* call path of the visit; 0: no region is open */
	uint32_t enter;    /* event, EVENT_NONE: not found near enough, or the root */
	uint32_t leave;
	int64_t t0, t1; /* ticks: of the visit, or of the searched range if an end is not known */
	bool t0_known, t1_known;
	uint64_t more;     /* other visits that touch the cell */
	bool more_exact;   /* false: there are more than `more` */
	uint32_t message;  /* the visit's (or the event's) first message, NO_ROW none */
	uint64_t messages; /* of the visit */
	uint32_t near;     /* the first message in the cell, of any visit; NO_ROW none */
	uint32_t member;   /* the visit's part of a collective, NO_ROW none */
	uint32_t copy;  /* of the event, else the first in the cell on a device's stream; NO_ROW */
	uint32_t event; /* the cursor's, EVENT_NONE */
};

/* What column `column` of `scale` shows on a location: the visit with the longest part of it (the
 * first of equals). With an event, the visit that the event belongs to. depth > 0: visits at that
 * depth, or the innermost where fewer are open. Costs a bounded number of steps. */
void timeline_item_find(struct timeline_item *item, const struct query *query, uint32_t location,
			const struct time_scale *scale, int64_t column, uint32_t event,
			unsigned depth);
