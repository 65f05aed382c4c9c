/* topology: the grid that ranks form: from the trace, given, or guessed from who talks to whom (specs:
 * topology, section 3), and where a location is on it. */
#ifndef TVIEW_PATTERNS_TOPOLOGY_H
#define TVIEW_PATTERNS_TOPOLOGY_H

#include "model/trace.h"

enum { GRID_DIMS = 8 };

enum grid_source { GRID_TRACE, GRID_GIVEN, GRID_GUESSED, GRID_PHYSICAL };

struct grid {
	enum grid_source source;
	uint32_t topology; /* GRID_TRACE: row, else UINT32_MAX */
	uint32_t dims;
	uint32_t size[GRID_DIMS];
	uint8_t periodic[GRID_DIMS]; /* 0 no, 1 yes, 2 not known */
	double score;                /* GRID_GUESSED: 0..1 */
	char name[80];               /* "4 x 4", clean: for titles */
	char note[160];              /* a sentence: where it is from, how sure that is; clean */
	uint32_t n;                  /* locations of the trace */
	int32_t *coords;             /* [n][dims], -1: not on the grid; the grid's */
};

/* All grids of a trace, the best first: those given, those of the trace, the guess (and a second one where
 * it is ambiguous), nodes x ranks. `wish` as in analysis_options. */
struct grids {
	uint32_t n;
	struct grid *grid;  /* [n] */
	char no_guess[160]; /* why nothing was guessed, a sentence; "" */
};

bool grids_make(struct grids *grids, const struct trace *trace, const char *wish, struct err *err);
void grids_fini(struct grids *grids);
/* The location at these coordinates, UINT32_MAX none. */
uint32_t grid_location(const struct grid *grid, const int32_t *coords);

#endif
