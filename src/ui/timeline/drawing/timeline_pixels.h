/* timeline_pixels: a timeline as a picture of pixels, for terminals that show them: the states of
 * every column of pixels, exact shares where a column has several, and the lines of the messages
 * and collectives that the picture of cells has, between the points where they really begin and
 * end. Names, ruler, labels and cursor are text over it. */
#pragma once

#include "ui/canvas/pixels.h"
#include "ui/timeline/drawing/timeline_draw.h"

/* `fine` has the rows and lines of the view's picture, and a column for each column of pixels. */
void timeline_pixels_draw(const struct timeline_view *view, const struct timeline_picture *fine,
			  struct pixels *pixels, int cell_w, int cell_h);
