/* calls_bars: how many calls there are of each duration, as bars. Pure. */
#pragma once

#include "ui/canvas/canvas.h"
#include "views/facts/calls_choose.h"

enum { BARS = 3, AXIS = 1, BARS_MARGIN = 1 };
#define NO_BIN CALLS_BINS

struct calls_bars {
	const uint64_t *bins; /* [CALLS_BINS] */
	unsigned from, to;    /* chosen, both inside; NO_BIN: all */
	bool choosing;        /* they are being chosen */
};

/* The bins that have calls: *n of them from the first one on. */
unsigned calls_bars_used(const uint64_t *bins, unsigned *n);
/* Columns of each of n bars in so many. */
int calls_bars_width(unsigned n, int w);
void calls_bars_draw(const struct calls_bars *bars, struct canvas *canvas, struct rect area);
