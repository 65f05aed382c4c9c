/* timeline_counts: the values of counters in the cells of a picture, kept between frames. A row of
 * a single location is there at once; of a group, locations are added as long as the frame's time
 * lasts, and the rest in slices between keys. Values are given when all members are in. */
#pragma once

#include "ui/timeline/picture/timeline_rows.h"
#include "ui/timeline/picture/timeline_scale.h"

/* A cell of a counter. */
struct timeline_value {
	double value; /* per second where the metric is a rate */
	bool known;
};

struct timeline_counts;

/* A frame may take so many nanoseconds of the processor; INT64_MAX: no limit. */
enum { TIMELINE_COUNTS_NS = 1000000 };
struct timeline_counts *timeline_counts_new(int64_t frame_ns);
void timeline_counts_free(struct timeline_counts *counts);

/* The rows change: nothing is known of them until the next frame. NULL: none are. */
void timeline_counts_forget(struct timeline_counts *counts);
/* A frame begins; other rows (by generation), base or columns: what was kept is forgotten. The rows
 * and the shades must last until the next one. */
void timeline_counts_begin(struct timeline_counts *counts, const struct timeline_rows *rows,
			   uint64_t generation, const struct query *query,
			   struct timeline_shades *shades, const struct time_cells *columns);
/* values[column] of a counter's row; false, with no value known, until all members are in. */
bool timeline_counts_get(struct timeline_counts *counts, const struct timeline_row *row,
			 struct timeline_value *values);
/* A slice: true while there is more. *changed: a row has got its values. */
bool timeline_counts_work(struct timeline_counts *counts, bool *changed);
