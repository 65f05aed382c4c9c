#include "ui/panels/iterations/iteration_grid.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"

enum { WIDEST = 6, FEW = 20 };

#define RANGE_LEAST 1.25 /* ratio of the ends of the scale */

void iteration_grid_init(struct iteration_grid *g, uint32_t first, uint32_t end, int room,
			 uint32_t rows)
{
	const uint32_t n = end - first;

	*g = (struct iteration_grid){ .first = first, .end = end, .rows = rows, .width = 1 };
	if (room < 1)
		room = 1;
	g->columns = n < (uint32_t)room ? (int)n : room;
	while (g->columns > 0 && g->width < WIDEST && (g->width + 1) * g->columns <= room)
		g->width++;
	g->cells = xcalloc((size_t)rows * (size_t)g->columns + 1, sizeof *g->cells);
}

void iteration_grid_fini(struct iteration_grid *g)
{
	free(g->cells);
	g->cells = NULL;
}

uint32_t iteration_grid_edge(const struct iteration_grid *g, int column)
{
	const uint64_t n = g->end - g->first;

	return g->columns ? g->first + (uint32_t)(n * (uint32_t)column / (uint32_t)g->columns)
			  : g->first;
}

int iteration_grid_column(const struct iteration_grid *g, uint32_t iteration)
{
	const uint64_t n = g->end - g->first, i = iteration - g->first;
	int column = n ? (int)(i * (uint32_t)g->columns / n) : 0;

	while (column + 1 < g->columns && iteration_grid_edge(g, column + 1) <= iteration)
		column++;
	return column;
}

static void add(struct iteration_cell *cell, uint32_t location, uint32_t iteration, double value)
{
	if (cell->there && fabs(value) <= fabs(cell->value))
		return;
	*cell = (struct iteration_cell){ true, location, iteration, value };
}

void iteration_grid_fill(struct iteration_grid *g, uint32_t row, const uint32_t *locations,
			 uint32_t n, iteration_value_of *value_of, const void *context)
{
	for (int c = 0; c < g->columns; c++) {
		const uint32_t end = iteration_grid_edge(g, c + 1);
		for (uint32_t k = iteration_grid_edge(g, c); k < end; k++)
			for (uint32_t i = 0; i < n; i++) {
				double value;
				if (value_of(context, locations[i], k, &value))
					add(iteration_cell(g, row, c), locations[i], k, value);
			}
	}
}

ORDERING_OF_NUMBERS(by_size, double)

void iteration_grid_finish(struct iteration_grid *g)
{
	const size_t n = g->rows * (size_t)g->columns;
	OWNED double *sizes = xmalloc((n + 1) * sizeof *sizes);
	size_t some = 0;

	for (size_t i = 0; i < n; i++)
		if (g->cells[i].there && fabs(g->cells[i].value) > 0)
			sizes[some++] = fabs(g->cells[i].value);
	SORT(sizes, some, by_size);
	g->low = some ? sizes[some / FEW] : 0;
	g->high = some ? sizes[some - 1] : 0;
	g->lower = some && sizes[0] < g->low;
}

int iteration_grid_step(const struct iteration_grid *g, double value)
{
	const double low = fmin(g->low, g->high / RANGE_LEAST);
	double part;

	if (fabs(value) <= 0 || g->high <= 0)
		return -1;
	part = log(fabs(value) / low) / log(g->high / low);
	return part >= 1 ? GRID_STEPS - 1 : part <= 0 ? 0 : (int)(part * GRID_STEPS);
}
