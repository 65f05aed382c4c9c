/* topology_picture: a grid of ranks as cells of a canvas: planes of two dimensions beside and below
 * each other, one for each place in the dimensions that are left; a grid of one dimension as a row
 * that is wrapped. x grows to the right, y upward (nodes downward: the first is on top).
 *
 *	struct topology_layout layout = topology_layout(grid, &look, area, cursor);
 *	topology_draw(&layout, &values, &range, cursor, canvas);
 *
 * Pure: arithmetic on the arguments, no state. */
#pragma once

#include "ui/canvas/canvas.h"
#include "views/facts/topology_values.h"

enum { TOPOLOGY_SIZES = 10 /* of cells; 0: as large as fits */ };

/* How to show a grid. */
struct topology_look {
	unsigned turn; /* which of the dimensions make a plane: 0 the first two */
	unsigned size; /* of cells, 0 .. TOPOLOGY_SIZES - 1 */
	bool reversed; /* the last plane first */
	bool ascii;
};

struct topology_layout {
	const struct grid *grid;
	struct rect area;
	unsigned n_dims;
	unsigned dims[GRID_DIMS]; /* live ones: across, up, then those that planes are made of */
	bool reversed, down;      /* y grows downward */
	int cell_w, cell_h;
	uint32_t across, up; /* cells of a plane */
	uint32_t wrapped;    /* one dimension: cells of a line; 0: it is not wrapped */
	uint64_t planes;
	int label; /* columns of the labels of rows */
	int head;  /* lines above a plane's cells */
	uint64_t planes_a_line;
	int64_t left, top; /* columns and lines that are scrolled out */
};

/* True for nodes x ranks, which is not a grid with coordinates. */
static inline bool topology_is_nodes(const struct grid *grid)
{
	return grid->source == GRID_PHYSICAL && grid->topology == UINT32_MAX;
}

/* `cursor` [dims] is kept in sight, NULL none. */
struct topology_layout topology_layout(const struct grid *grid, const struct topology_look *look,
				       struct rect area, const int32_t *cursor);
/* Lines and columns that all of it takes with cells of its size. */
int64_t topology_height(const struct topology_layout *layout);
int64_t topology_width(const struct topology_layout *layout);
void topology_draw(const struct topology_layout *layout, const struct topology_values *values,
		   const struct topology_range *range, const int32_t *cursor,
		   struct canvas *canvas);
/* The colours from least to most, with their values, in one line. */
void topology_legend(const struct topology_values *values, const struct topology_range *range,
		     struct canvas *canvas, struct rect row);

/* Moves coordinates by columns to the right, rows down and planes forward, as seen on the screen.
 * Stays on the grid. */
void topology_move(const struct topology_layout *layout, int32_t *coords, int64_t right,
		   int64_t down, int64_t planes);
/* Moves to the first or last place in reading order. */
void topology_move_end(const struct topology_layout *layout, int32_t *coords, bool last);
/* The place at a cell of the canvas; false: there is none. */
bool topology_hit(const struct topology_layout *layout, int x, int y, int32_t *coords);
