/* shift: finds rows of cells that have moved sideways, as in a panned picture, so that the terminal
 * can shift them and only new cells must be sent. Pure.
 *
 *	const int by = shift_guess(new, old, w, h);
 *	for (int y = 0; by && y < h; y++)
 *		from = shift_from(&new[y * w], &old[y * w], w, by);	// -1: leave that row
 */
#pragma once

#include <stddef.h>

#include "ui/canvas/canvas.h"

/* The number of columns by which most of the recognised [h][w] cells have moved: positive to the
 * left, that is new[x] == old[x + by]. 0 if none has moved, or most are where they were. Linear in
 * cells. */
int shift_guess(const struct cell *new, const struct cell *old, int w, int h);

/* The column from which on a row should move by `by`; -1 if that saves too little, or the row has
 * wide characters, which could be cut in halves. */
int shift_from(const struct cell *new, const struct cell *old, int w, int by);

/* Moves w things of `size` bytes from the column `from` on, as a terminal does that deletes (by >
 * 0) or inserts characters; copies of `blank` come in. */
void shift_row(void *row, size_t size, int w, int from, int by, const void *blank);
