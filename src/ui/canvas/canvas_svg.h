/* canvas_svg: a canvas as a picture in SVG, as a terminal with exact colours shows it: a page of a
 * paper, or of a web site. Blocks and dots are rectangles, so that they join; the rest is text in
 * a fixed width, which can be searched and copied. */
#pragma once

#include "ui/canvas/canvas.h"

void canvas_to_svg(const struct canvas *canvas, const struct theme *theme, struct str *out);
