#define _GNU_SOURCE /* qsort_r */
#include "patterns/topology/topology_grid.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"

void grid_init(struct grid *grid, const struct trace *trace, enum grid_source source, uint32_t dims)
{
	const uint32_t n = trace_location_count(trace);

	*grid = (struct grid){ .source = source, .topology = UINT32_MAX, .dims = dims, .n = n };
	grid->coords = xcalloc((size_t)n * dims + 1, sizeof *grid->coords);
	for (size_t i = 0; i < (size_t)n * dims; i++)
		grid->coords[i] = -1;
}

void grid_fini(struct grid *grid)
{
	free_all(grid->coords, grid->order);
}

static int compare_coords(const int32_t *a, const int32_t *b, uint32_t dims)
{
	for (uint32_t d = dims; d-- > 0;)
		ORDER_BY(a[d], b[d]);
	return 0;
}

int32_t *grid_coords(const struct grid *grid, uint32_t location)
{
	return grid->coords + (size_t)location * grid->dims;
}

static int by_place(const void *a, const void *b, void *context)
{
	const struct grid *grid = context;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const int order = compare_coords(grid_coords(grid, x), grid_coords(grid, y), grid->dims);

	return order ? order : (x > y) - (x < y);
}

void grid_name_sizes(struct grid *grid)
{
	int n = 0;

	for (uint32_t d = 0; d < grid->dims && n < (int)sizeof grid->name - 16; d++)
		n += snprintf(grid->name + n, sizeof grid->name - (size_t)n, "%s%u", d ? " x " : "",
			      grid->size[d]);
	if (grid->dims == 1)
		snprintf(grid->name, sizeof grid->name, "row of %u", grid->size[0]);
}

void grid_settle(struct grid *grid)
{
	grid->order = xcalloc((size_t)grid->n + 1, sizeof *grid->order);
	for (uint32_t l = 0; l < grid->n; l++) {
		int32_t *at = grid_coords(grid, l);
		bool inside = true;
		for (uint32_t d = 0; d < grid->dims; d++)
			inside = inside && at[d] >= 0 && (uint32_t)at[d] < grid->size[d];
		if (inside)
			grid->order[grid->places++] = l;
		for (uint32_t d = 0; !inside && d < grid->dims; d++)
			at[d] = -1;
	}
	qsort_r(grid->order, grid->places, sizeof *grid->order, by_place, grid);
	if (!grid->name[0])
		grid_name_sizes(grid);
}

const int32_t *grid_at(const struct grid *grid, uint32_t location)
{
	const int32_t *at = grid_coords(grid, location);

	return location < grid->n && grid->dims && at[0] >= 0 ? at : NULL;
}

uint32_t grid_locations(const struct grid *grid, const int32_t *coords, const uint32_t **locations)
{
	uint32_t low = 0, high = grid->places, n = 0;

	BISECT(low, high, middle,
	       compare_coords(grid_coords(grid, grid->order[middle]), coords, grid->dims) < 0);
	*locations = grid->order + low;
	while (low + n < grid->places &&
	       compare_coords(grid_coords(grid, grid->order[low + n]), coords, grid->dims) == 0)
		n++;
	return n;
}

uint32_t grid_location(const struct grid *grid, const int32_t *coords)
{
	const uint32_t *found;

	return grid_locations(grid, coords, &found) ? *found : UINT32_MAX;
}

unsigned grid_live(const struct grid *grid, unsigned dims[GRID_DIMS])
{
	unsigned live = 0;

	for (unsigned d = 0; d < grid->dims; d++)
		if (grid->size[d] > 1)
			dims[live++] = d;
	return live;
}
