/* iterations_panel_state: the state of the panel of iterations, shared by its parts.
 *
 * iterations_panel.c		slots and actions
 * iterations_panel_make.c	computes what is shown
 * iterations_panel_draw.c	draws it */
#pragma once

#include "ui/panels/iterations/iteration_grid.h"
#include "ui/timeline/picture/timeline_rows.h"
#include "ui/widgets/panel.h"
#include "views/facts/iteration_findings.h"
#include "views/facts/iteration_pairs.h"

struct iterations_panel {
	struct panel panel;
	struct timeline_shades *shades; /* for the rows */
	struct timeline_rows rows;
	struct iteration_sums *sums;  /* NULL: not yet */
	struct iteration_pairs pairs; /* with the session's other trace; else zeroed */
	struct iteration_findings findings;
	struct phrases phrases;
	const char *lines[ITERATION_LINES + 1]; /* sentences, of the phrases */
	unsigned n_lines;
	enum iteration_quantity quantity;
	int level;                    /* of the sums, as the session has it */
	uint32_t first, end;          /* iterations that are shown; end 0: all */
	uint32_t location, iteration; /* of the cursor */
	uint32_t row;                 /* of the cursor */
	uint32_t top;                 /* first row on the screen */
	struct iteration_grid grid;   /* of the rows on the screen */
	struct rect area;             /* that the grid was made for */
	enum time_base base;          /* of the sums */
	const char *iterated_by;      /* of `sums`: the name, NULL: they were found */
	uint64_t generation, rows_generation;
	bool looked; /* the cursor was placed */
	bool searching;
	char trouble[256]; /* why there is nothing; "" */
};

/* Parts of the panel's area. */
struct iterations_layout {
	struct rect names, lines, ruler, labels, body, legend, details;
	int tall; /* lines of a row */
};

struct iterations_layout iterations_layout(const struct iterations_panel *p, struct rect area);

/* ---- iterations_panel_make.c ---- */

/* Brings all up to what the session and the area are now. */
void iterations_make(struct iterations_panel *p);
/* The same after cursor, range, quantity or the first row changed. */
void iterations_make_grid(struct iterations_panel *p);
/* Forgets what was made of the session's trace. */
void iterations_forget(struct iterations_panel *p);
/* Rows are those of the timeline, but for counters. */
const uint32_t *iterations_members(const struct iterations_panel *p, uint32_t row, uint32_t *n);

/* The shown quantity of an iteration, of two traces the difference; false: there is none. */
bool iterations_value(const struct iterations_panel *p, uint32_t location, uint32_t iteration,
		      double *value);
/* Whether differences are shown. */
static inline bool iterations_compare(const struct iterations_panel *p)
{
	return p->pairs.n > 0;
}

/* ---- iterations_panel_draw.c ---- */

void iterations_draw(const struct panel *panel, struct canvas *canvas, struct rect area);
/* "rank 1, iteration 18: work 152 ms (median rank 2.0 ms)". */
void iterations_describe(const struct iterations_panel *p, struct str *out);
