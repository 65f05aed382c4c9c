/* timeline_scale: the arithmetic between times and columns, the ruler, and zooming. Pure.
 *
 * A window [t0, t1) is cut into `n` columns. Column i owns the ticks from edge i to before edge
 * i + 1, and edge i is the first tick at or after t0 + (t1 - t0) * i / n: so every tick falls in
 * exactly one column, and columns tile the window. A window with fewer ticks than columns has
 * columns that own no tick; such a column shows the tick that it is inside. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"
#include "views/query/view.h"

struct time_scale {
	int64_t t0, t1; /* ticks, t1 > t0 */
	int n;          /* columns, at least 1 */
};

/* Edge i, 0 <= i <= n: the first tick of column i. */
int64_t time_scale_edge(const struct time_scale *s, int i);
/* The tick that column i shows: its first one, or the one around it where it owns none. */
int64_t time_scale_tick(const struct time_scale *s, int i);
/* What column i shows, from its tick to its end: one tick at least. */
struct span time_scale_window(const struct time_scale *s, int i);
/* Column of a tick; outside the window it goes on with columns below 0 and from n (held to
 * 2^30). */
int64_t time_scale_column(const struct time_scale *s, int64_t t);

/* ---- cells to sum over ---- */

/* The columns that own a tick, as edges to sweep between, and which of these intervals each column
 * shows. */
struct time_cells {
	int n;          /* columns */
	int64_t *edges; /* [intervals + 1], ascending */
	size_t intervals;
	uint32_t *of; /* [n]: interval of a column */
};

void time_cells_init(struct time_cells *cells, const struct time_scale *scale);
void time_cells_fini(struct time_cells *cells);

/* ---- ruler ---- */

enum { RULER_TICKS = 256 };

struct ruler_tick {
	int column;
	char label[31];
	uint8_t width; /* of the label, columns */
};

struct ruler {
	struct ruler_tick ticks[RULER_TICKS];
	int n;
};

/* Ticks at multiples of 1, 2 or 5 times a power of ten, as dense as their labels allow, each right
 * after its tick and two columns before the next one. No label is cut at the end. */
void ruler_make(struct ruler *ruler, const struct time_scale *s, const struct timescale *units);

/* The same by iterations, which begin at begin[0 .. n - 1] and end with begin[n]: ticks where they
 * begin, labels with their numbers from 1, thinned to every 2nd, 5th, 10th ... Where the first that
 * is seen began before the window, "in 17" says so in column -1 if there is room. */
void ruler_make_iterations(struct ruler *ruler, const struct time_scale *s, const int64_t *begin,
			   uint32_t n);

/* ---- zoom ---- */

enum { ZOOM_MIN_TICKS = 4 };

/* Half, or twice, the window, keeping the relative place of `at`. Widening stays inside `run`.
 * `before` (may be NULL) is the window that was shown last: if widening yields it except for the
 * rounding of ticks, it is taken exactly, so that zooming in and out returns to the same window. */
struct span zoom_in(struct span w, int64_t at);
struct span zoom_out(struct span w, int64_t at, struct span run, const struct span *before);
