/* timeline_hits: the messages and collectives that cross a picture. Part of timeline_picture. */
#pragma once

#include "ui/timeline/picture/timeline_picture.h"

enum { ROW_HIDDEN = -1 };

/* [location]: its visible row, or that of the closed group that it is in; ROW_HIDDEN. The caller
 * frees it. */
int32_t *timeline_rows_by_location(const struct timeline_picture *picture,
				   const struct trace *trace);

/* The begin of a member of a collective on a visible row. */
struct timeline_part {
	uint32_t collective; /* its id; of a trace that is shared, its number in the picture */
	int32_t row;         /* visible */
	int64_t begin;       /* ticks: of the collective */
	int64_t x;           /* half column */
};

struct timeline_parts {
	struct timeline_part *data;
	size_t n, cap;
};

/* The most collectives of a window whose lines do not hide each other. */
static inline uint32_t timeline_ties_most(const struct timeline_picture *picture)
{
	return (uint32_t)picture->scale.n / 4;
}

/* Adds the parts of a collective, by row, with what `part` says of the collective. */
void timeline_parts_add(const struct timeline_picture *picture, const struct query *query,
			uint32_t id, struct timeline_part part, struct timeline_parts *parts);
/* timeline_parts.c: those of all processes that share the trace, by collective, then row, in the
 * first; all call it. */
void timeline_parts_share(const struct timeline_picture *picture, const struct query *query,
			  struct timeline_parts *parts);

/* Messages inside one group are not drawn, nor are collectives between groups. */
void timeline_hits_add(struct timeline_picture *picture, const struct query *query);
