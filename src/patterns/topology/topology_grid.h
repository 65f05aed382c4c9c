/* topology_grid: one grid while it is made; its places are looked up as topology.h says.
 *
 *	grid_init(&grid, trace, GRID_GUESSED, 2);
 *	grid.size[0] = 4;                        ... and size[1]
 *	grid_coords(&grid, location)[0] = 3;     ... of each location that is on it
 *	grid_settle(&grid);                      ... now grid_at() and grid_locations() answer
 *	grid_fini(&grid);
 *
 * Cost: O(locations log locations). Threads: the grid is the caller's alone. */
#pragma once

#include "patterns/topology/topology.h"

/* No location is on it, and its sizes are 0. */
void grid_init(struct grid *grid, const struct trace *trace, enum grid_source source,
	       uint32_t dims);
void grid_fini(struct grid *grid);
/* The location's [dims] coordinates, to be written. */
int32_t *grid_coords(const struct grid *grid, uint32_t location);
/* Names it by its sizes: "4 x 4", "row of 4". */
void grid_name_sizes(struct grid *grid);
/* Removes the places outside of the grid and sorts the others; names it if it has no name. */
void grid_settle(struct grid *grid);
