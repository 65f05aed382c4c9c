/* ink: chooses, among ways to draw a cell that look the same, the one that costs fewest bytes to
 * the terminal.
 *
 * A change of colours costs about twenty bytes, a character one to three. A blank shows only its
 * background, so it can be drawn in its neighbour's pair of colours if the backgrounds are equal; a
 * half block in two colours is the other half block with the colours exchanged. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ui/canvas/canvas.h"

/* A cell as it is drawn. */
struct ink {
	uint32_t ch;   /* 0: second half of a wide character, or nothing known */
	int fg, bg;    /* colours of a theme at the terminal's depth, -1 its own */
	unsigned attr; /* enum cell_attr */
};

/* Fills ahead[x]: the cell whose pair is used at x. For blanks it is the cell that ends them, if it
 * has the same background. */
void ink_ahead(const struct ink *row, int n, struct ink *ahead);

/* `want` in the pair of `left`, else of `right`, if that looks the same (the cells beside it as
 * they are or will be drawn; NULL at the edge), else unchanged. */
struct ink ink_choose(const struct ink *want, const struct ink *left, const struct ink *right);
