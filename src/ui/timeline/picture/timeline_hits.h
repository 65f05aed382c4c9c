/* timeline_hits: the messages and collectives that cross a picture. Part of timeline_picture. */
#pragma once

#include "ui/timeline/picture/timeline_picture.h"

enum { ROW_HIDDEN = -1 };

/* [location]: its visible row, or that of the closed group that it is in; ROW_HIDDEN. The caller
 * frees it. */
int32_t *timeline_rows_by_location(const struct timeline_picture *picture,
				   const struct trace *trace);

/* Messages inside one group are not drawn, nor are collectives between groups. */
void timeline_hits_add(struct timeline_picture *picture, const struct query *query);
