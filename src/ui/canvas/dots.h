/* dots: a raster of Braille dots, two columns and four rows in each cell, for thin lines on a
 * canvas. Lines share cells: dots are added up, and the role that came last colours the cell.
 *
 *	struct dots dots;
 *	dots_init(&dots, 80, 20);
 *	dots_line(&dots, 0, 0, 159, 79, ROLE_MESSAGE);
 *	dots_draw(&dots, canvas, x, y);
 *	dots_fini(&dots);
 *
 * Dot (x, y) is in cell (x / 2, y / 4). Dots outside are left out, never an error. */
#pragma once

#include "ui/canvas/canvas.h"

struct dot_cell {
	uint8_t bits; /* as in U+2800 + bits */
	uint8_t role; /* enum role, where there are bits */
};

struct dots {
	int w, h;               /* cells */
	struct dot_cell *cells; /* [h][w] */
	bool *closed;           /* [h]: lines of cells in which no dots are set */
};

void dots_init(struct dots *dots, int w, int h); /* no dots; all lines of cells are open */
void dots_fini(struct dots *dots);
/* Lines pass under a closed line of cells. */
void dots_close(struct dots *dots, int y);

void dots_put(struct dots *dots, int64_t x, int64_t y, enum role role);
/* A straight line, both of its ends included: one dot in every row of dots that it meets, or, of a
 * shallow one, in every column. Ends may be outside, x up to 2^40 and y up to 2^20 away. Costs the
 * dots inside. */
void dots_line(struct dots *dots, int64_t x0, int64_t y0, int64_t x1, int64_t y1, enum role role);

/* Puts the cells that have dots onto a canvas, from (x, y) on; backgrounds stay. */
void dots_draw(const struct dots *dots, struct canvas *canvas, int x, int y);
