/* pixels: a raster of roles that covers cells of a canvas, for terminals that show pictures. Text
 * of the cells is drawn over it. Drawing outside is clipped, never an error. */
#pragma once

#include "ui/canvas/canvas.h"

enum { PIXEL_CLEAR = ROLE_KEEP }; /* what is below it is seen */

struct pixels {
	int w, h;       /* pixels */
	uint8_t *roles; /* [h][w] enum role, whose background is the pixel's colour; PIXEL_CLEAR */
	struct rect at; /* cells of the canvas */
};

/* All clear; at least one pixel. The rectangle is in cells of cell_w x cell_h pixels. */
void pixels_init(struct pixels *pixels, struct rect at, int cell_w, int cell_h);
void pixels_fini(struct pixels *pixels);

void pixels_fill(struct pixels *pixels, struct rect r, enum role role);
/* A straight line one pixel wide between two rows of pixels, y0 <= y1, both included; x may be as
 * far outside as 2^40. */
void pixels_line(struct pixels *pixels, int64_t x0, int y0, int64_t x1, int y1, enum role role);
