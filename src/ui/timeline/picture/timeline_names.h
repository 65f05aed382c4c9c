/* timeline_names: names of regions inside the bars of a picture, and where visits of the same look
 * meet. Part of timeline_picture. */
#pragma once

#include "ui/timeline/picture/timeline_picture.h"

/* Events walked in one column before the rest of it is skipped. */
enum { BUSY_EVENTS = 8 };

/* Adds the lane's labels and cuts. region[width] holds the region that the sums give to each cell
 * (NO_REGION none); it is filled up from the visits that cover whole cells. pure[width]: one state
 * has all of the cell's time. */
void timeline_names_add(struct timeline_picture *picture, size_t lane, const struct query *query,
			const struct timeline_level *level, uint32_t *region, const bool *pure);

/* The name of a region, cleaned; returns its width in columns. */
int timeline_name(const struct trace *trace, uint32_t region, char *out, size_t size);
