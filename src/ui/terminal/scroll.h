/* scroll: finds rows that have moved up or down, as in a list, so that the terminal can move them
 * and only new ones must be sent. Pure. */
#pragma once

#include "ui/canvas/canvas.h"

/* Rows [top, bottom) that move by `by`: new[y] is old[y + by] for most of them. */
struct scroll {
	int top, bottom;
	int by; /* upwards; 0: none is worth it */
};

/* Of [h][w] cells. Rows that are the same where they are do not move. */
struct scroll scroll_find(const struct cell *new, const struct cell *old, int w, int h);
