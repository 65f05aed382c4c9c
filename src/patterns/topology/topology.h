/* topology: the grid that ranks form: from the trace, given, or guessed from who talks to whom
 * (doc/references.md), and where a location is on it.
 *
 * All threads of a rank are at its place. A grid may have empty places, and locations that are not
 * on it (a sub-communicator's, the physical one's).
 *
 *	struct grids grids;
 *	if (grids_make(&grids, trace, options->topology, &err)) {
 *		const struct grid *grid = grids_best(&grids);   ... NULL: none to use unasked
 *		use(grid_at(grid, location));
 *		grids_fini(&grids);
 *	}
 *
 * Cost: O(locations log locations) a grid; the guess O(messages), and only when there is no other.
 * Threads: reads the trace alone; grids that were made may be read by any number. */
#pragma once

#include "model/trace/trace.h"

enum { GRID_DIMS = 8, GRIDS_MOST = 64 };

enum grid_source { GRID_GIVEN, GRID_TRACE, GRID_GUESSED, GRID_PHYSICAL };

struct grid {
	enum grid_source source;
	uint32_t topology; /* row, UINT32_MAX: not of the trace */
	uint32_t dims;
	uint32_t size[GRID_DIMS];    /* x first: it grows to the east, y to the north, z upward */
	uint8_t periodic[GRID_DIMS]; /* 0 no, 1 yes, 2 not known */
	double score;                /* GRID_GUESSED: 0..1 */
	char name[80];               /* "4 x 4", clean: for titles */
	bool others;                 /* of nodes: not all places are ranks */
	char note[168];              /* a sentence: where it is from, how sure that is; clean */
	uint32_t n;                  /* locations of the trace */
	int32_t *coords;             /* [n][dims], -1: not on the grid; the grid's */
	uint32_t places;             /* locations that are on it */
	uint32_t *order;             /* [places] them, by place; the grid's */
};

/* All grids of a trace, the best first: the one given, those of the trace (the same ones once,
 * GRIDS_MOST at most), where there are none of these a guess (and a second one where it is
 * ambiguous), nodes x ranks (without nodes: the ranks in a row), which is always there. */
struct grids {
	uint32_t n;
	struct grid *grid;  /* [n] */
	char no_guess[160]; /* why nothing was guessed, a sentence; "" */
};

/* `wish` as in analysis_options, NULL none: sizes, then how ranks were laid out on them:
 * "order=row" (the first dimension runs fastest, the default) or "order=col" (the last, as
 * MPI_Cart_create does), "flip=y" (that dimension counts downward; several letters flip several).
 * "guess": guess even where the trace has topologies. False with err (status 2): it is not a
 * topology, or too small for the ranks. */
bool grids_make(struct grids *grids, const struct trace *trace, const char *wish, struct err *err);
void grids_fini(struct grids *grids);
/* The one to be used unasked: given, the trace's (the one with most locations and dimensions), a
 * guess with a score of 0.8 or more; NULL: none. */
const struct grid *grids_best(const struct grids *grids);

/* Coordinates of a location, NULL: it is not on the grid. */
const int32_t *grid_at(const struct grid *grid, uint32_t location);
/* The locations at these coordinates: how many, and the first in `order`; 0: none. */
uint32_t grid_locations(const struct grid *grid, const int32_t *coords, const uint32_t **locations);
/* The first of them, UINT32_MAX none. O(log locations). */
uint32_t grid_location(const struct grid *grid, const int32_t *coords);
/* The dimensions of more than one place: how many. */
unsigned grid_live(const struct grid *grid, unsigned dims[GRID_DIMS]);
