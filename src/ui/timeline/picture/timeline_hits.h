/* timeline_hits: the messages and collectives that cross a picture. Part of timeline_picture. */
#pragma once

#include "ui/timeline/picture/timeline_chain.h"
#include "ui/timeline/picture/timeline_picture.h"

enum { ROW_HIDDEN = -1 };

/* [location]: its visible row, or that of the closed group that it is in; ROW_HIDDEN. The caller
 * frees it. */
int32_t *timeline_rows_by_location(const struct timeline_picture *picture,
				   const struct trace *trace);

/* timeline_parts.c: adds the parts on visible rows of the collectives in the window that match the
 * filter, in the order in which they are chosen to be drawn; none where so many are there that
 * their lines would hide each other. Of all processes that share the trace, in the first; all call
 * it. */
void timeline_parts_add(struct timeline_picture *picture, const struct query *query);
/* Adds those of one collective to the chain. */
void timeline_parts_of(const struct timeline_picture *picture, const struct query *query,
		       uint32_t collective, struct timeline_chain *chain);

/* The half column of a time, which may be outside of the window. */
static inline int64_t timeline_half_column(const struct timeline_picture *picture, int64_t t)
{
	const struct time_scale *s = &picture->scale;
	const struct time_scale fine = { s->t0, s->t1, 2 * s->n };

	return time_scale_column(&fine, t);
}

/* Messages inside one group are not drawn, nor are collectives between groups. */
void timeline_hits_add(struct timeline_picture *picture, const struct query *query);
