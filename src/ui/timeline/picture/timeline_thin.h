/* timeline_thin: strokes between the rows of a picture: where they pass, and which of them are
 * drawn where all would be a blot.
 *
 * A stroke goes straight from a row to another, in the lines between rows, under the bars. Where
 * rows touch it goes over them. Where strokes take few cells of a part of a line all are drawn;
 * where they take many, only those that are not beside one that was chosen before. They are chosen
 * in an order that looks like chance, but is made of the messages' own times and locations:
 * a fair sample that stays as it is when the window moves a little, and is the same however many
 * processes share the trace. Messages and collectives are chosen apart from each other. */
#pragma once

#include "ui/timeline/picture/timeline_picture.h"

/* One line of the body after another that a stroke crosses. */
struct stroke_walk {
	const struct timeline_picture *p;
	int64_t xt, xb;  /* half columns: at the upper and the lower end */
	int top, bottom; /* lines: the first, and the one after the last */
	int next, nth;   /* the next line, and which of those between two rows it is */
	/* After timeline_stroke_next(). */
	int y;           /* the line */
	int64_t in, out; /* half columns: at its top and its bottom */
};

/* From visible row `from` at half column x0 to row `to` at x1; they differ. */
struct stroke_walk timeline_stroke(const struct timeline_picture *picture, int32_t from, int32_t to,
				   int64_t x0, int64_t x1);
/* False at the end. */
bool timeline_stroke_next(struct stroke_walk *walk);

/* Leaves those in the picture that are drawn. */
void timeline_thin(struct timeline_picture *picture);
