/* cube_state: what the files that make a cube share: cube.c (adding, queries), cube_settle.c
 * (sorting, totals). */
#pragma once

#include "base/fixed.h"
#include "base/vec.h"
#include "patterns/severity/cube.h"

/* A cell that is being added to. */
struct cube_slot {
	uint32_t path;
	uint8_t metric;
	bool used;
	fixed value;
};

struct cube_row {
	struct cube_slot *slots;
	uint32_t size, n; /* a power of two or 0; used ones */
};

/* A cell, or a part of one, outside of its location's row. */
struct cube_part {
	fixed value;
	uint32_t path, location;
	uint8_t metric;
};

/* Where a metric's values come from. */
enum rule {
	RULE_CELLS, /* its own cells */
	RULE_TIME,  /* cells of `time` whose call path belongs to it */
	RULE_SUM    /* its children */
};

struct cube {
	const struct trace *trace;
	struct cube_row *rows;          /* [locations]; NULL once settled */
	struct cube_cell *cells;        /* settled ones, which may be reopened */
	size_t first[CUBE_METRICS + 1]; /* cells of a metric, then those of the next */
	uint8_t *path_metric;           /* [call paths] region_metric() */
	uint8_t rules[CUBE_METRICS];    /* enum rule */
	double totals[CUBE_METRICS];
	bool has[CUBE_METRICS];
	bool moves[CUBE_METRICS]; /* it has cells in call paths of other classes */
};

void cube_add_fixed(struct cube *cube, uint8_t metric, uint32_t path, uint32_t location,
		    fixed value);
void cube_free_rows(struct cube *cube);
/* Makes the rest of a cube whose cells are in order. */
void cube_sum(struct cube *cube);

/* Sets which metrics are `metric` or below it. */
void cube_find_within(enum cube_metric metric, bool within[CUBE_METRICS]);

/* What of the cells that move (cube.moves) belongs to a metric made of `time`. */
void cube_visit_moved(const struct cube *cube, enum cube_metric metric, cube_visitor *each,
		      void *context);
