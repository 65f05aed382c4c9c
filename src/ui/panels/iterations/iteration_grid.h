/* iteration_grid: rows of ranks or groups by iterations, put into the cells of an area. Pure.
 *
 * A cell shows the largest value of its ranks and iterations, so that one bad iteration does not
 * vanish among others. Colours are steps of equal ratio, so that small and large differences are
 * visible: from a small value, which a twentieth of the cells stay below, to the largest; a range
 * of less than a quarter is not stretched. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { GRID_STEPS = 8 };

/* The value of a location in an iteration; false: there is none. */
typedef bool iteration_value_of(const void *context, uint32_t location, uint32_t iteration,
				double *value);

struct iteration_cell {
	bool there;
	uint32_t location, iteration; /* of the largest value */
	double value;                 /* of a difference the one that is furthest from 0 */
};

struct iteration_grid {
	uint32_t first, end; /* iterations that are shown */
	int columns, width;  /* cells of a row, and columns of the screen each has */
	uint32_t rows;
	struct iteration_cell *cells; /* [rows][columns] */
	double low, high;             /* ends of the scale, distances from 0; high 0: all are 0 */
	bool lower;                   /* there are smaller values than `low`, above 0 */
};

/* Divides iterations [first, end) into at most `room` columns, cells of several columns each where
 * there are few. */
void iteration_grid_init(struct iteration_grid *grid, uint32_t first, uint32_t end, int room,
			 uint32_t rows);
void iteration_grid_fini(struct iteration_grid *grid);
/* Fills in a row, of these locations. */
void iteration_grid_fill(struct iteration_grid *grid, uint32_t row, const uint32_t *locations,
			 uint32_t n, iteration_value_of *value_of, const void *context);
/* After the last row: low and high. */
void iteration_grid_finish(struct iteration_grid *grid);

static inline struct iteration_cell *iteration_cell(const struct iteration_grid *grid, uint32_t row,
						    int column)
{
	return &grid->cells[row * (uint32_t)grid->columns + (uint32_t)column];
}

/* The first iteration of a cell; of `columns` the end. */
uint32_t iteration_grid_edge(const struct iteration_grid *grid, int column);
/* The cell of an iteration that is shown. */
int iteration_grid_column(const struct iteration_grid *grid, uint32_t iteration);
/* 0 .. GRID_STEPS - 1; -1 for 0. */
int iteration_grid_step(const struct iteration_grid *grid, double value);
