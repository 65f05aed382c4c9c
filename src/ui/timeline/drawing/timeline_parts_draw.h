/* timeline_parts_draw: the parts that timeline_draw puts together. */
#pragma once

#include "ui/timeline/drawing/timeline_draw.h"

/* ---- timeline_labels.c: left of the rows ---- */

/* Columns of row labels, at most `limit`: the same for all rows, so that scrolling does not move
 * the picture. */
int timeline_label_width(const struct query *query, const struct timeline_rows *rows, int limit);
void timeline_labels_draw(const struct timeline_view *view, const struct timeline_layout *layout,
			  struct canvas *canvas);

/* ---- timeline_bars.c: the rows ---- */

void timeline_bars_draw(const struct timeline_view *view, struct rect body, struct canvas *canvas);
void timeline_names_draw(const struct timeline_view *view, struct rect body, struct canvas *canvas);

/* ---- timeline_stack.c: cells of several states ---- */

/* A cell of a bar: r has one column and the bar's lines. `level` as of a lane. */
void timeline_stack_put(struct canvas *canvas, struct rect r, const struct timeline_mix *mix,
			unsigned level);

/* ---- timeline_ends.c: the ends of the message under the cursor ---- */

void timeline_ends_draw(const struct timeline_view *view, struct rect body, struct canvas *canvas);
