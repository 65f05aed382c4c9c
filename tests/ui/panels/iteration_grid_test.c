/* Iterations in cells: against brute force, for any sizes. */
#include "ui/panels/iterations/iteration_grid.h"

#include <math.h>

#include "base/mem.h"
#include "harness/random.h"
#include "harness/test.h"

enum { ROWS = 5, MOST = 300 };

struct values {
	double of[ROWS * 2][MOST];
};

static bool value_of(const void *context, uint32_t location, uint32_t iteration, double *value)
{
	const struct values *v = context;

	*value = v->of[location][iteration];
	/* The last location has none. */
	return location + 1 < ROWS * 2;
}

static void assert_cell(const struct iteration_grid *g, const struct values *v, uint32_t row,
			int column)
{
	const struct iteration_cell *cell = iteration_cell(g, row, column);
	double most = 0;

	for (uint32_t l = 2 * row; l < 2 * row + 2 && l + 1 < ROWS * 2; l++)
		for (uint32_t k = iteration_grid_edge(g, column);
		     k < iteration_grid_edge(g, column + 1); k++)
			most = fmax(most, fabs(v->of[l][k]));
	assert_true(cell->there);
	assert_true(fabs(fabs(cell->value) - most) <= 0);
	assert_true(fabs(v->of[cell->location][cell->iteration] - cell->value) <= 0);
	assert_int_equal(cell->location / 2, row);
	assert_int_equal(iteration_grid_column(g, cell->iteration), column);
}

/* Cells tile the iterations, fit, and show the largest values. */
TEST(cells_show_the_largest)
{
	OWNED struct values *v = xcalloc(1, sizeof *v);
	uint64_t seed = 1;

	for (int run = 0; run < 200; run++) {
		const uint32_t first = draw(&seed, 50), end = first + 1 + draw(&seed, 250);
		const int room = 1 + (int)draw(&seed, 200);
		struct iteration_grid g;
		for (int l = 0; l < ROWS * 2; l++)
			for (int k = 0; k < MOST; k++)
				v->of[l][k] = (draw(&seed, 3) ? 1.0 : -1.0) * draw(&seed, 1000);
		iteration_grid_init(&g, first, end, room, ROWS);
		for (uint32_t row = 0; row < ROWS; row++)
			iteration_grid_fill(&g, row, (const uint32_t[]){ 2 * row, 2 * row + 1 }, 2,
					    value_of, v);
		iteration_grid_finish(&g);
		assert_true(g.columns > 0 && g.columns * g.width <= room);
		assert_int_equal(iteration_grid_edge(&g, 0), first);
		assert_int_equal(iteration_grid_edge(&g, g.columns), end);
		for (int c = 0; c < g.columns; c++) {
			assert_true(iteration_grid_edge(&g, c) < iteration_grid_edge(&g, c + 1));
			for (uint32_t row = 0; row < ROWS; row++)
				assert_cell(&g, v, row, c);
		}
		for (uint32_t k = first; k < end; k++) {
			const int c = iteration_grid_column(&g, k);
			assert_true(iteration_grid_edge(&g, c) <= k &&
				    k < iteration_grid_edge(&g, c + 1));
		}
		iteration_grid_fini(&g);
	}
}

/* 1, 10, ... 10^8 in one row: a step for each power; a value of 0 has none. */
TEST(steps_of_equal_ratio)
{
	struct values *v = xcalloc(1, sizeof *v);
	struct iteration_grid g;

	for (int k = 0; k < 9; k++)
		v->of[0][k] = pow(10, k) * 1.000001;
	iteration_grid_init(&g, 0, 9, 9, 1);
	iteration_grid_fill(&g, 0, (const uint32_t[]){ 0 }, 1, value_of, v);
	iteration_grid_finish(&g);
	for (int k = 0; k < 9; k++)
		assert_int_equal(iteration_grid_step(&g, pow(10, k) * 1.00001), k < 8 ? k : 7);
	assert_int_equal(iteration_grid_step(&g, 0), -1);
	iteration_grid_fini(&g);
	free(v);
}

/* Values that differ by 2 % are not stretched over all colours. */
TEST(a_narrow_range)
{
	struct values *v = xcalloc(1, sizeof *v);
	struct iteration_grid g;

	for (int k = 0; k < 10; k++)
		v->of[0][k] = 100 + 0.2 * k;
	iteration_grid_init(&g, 0, 10, 100, 1);
	assert_int_equal(g.width, 6);
	iteration_grid_fill(&g, 0, (const uint32_t[]){ 0 }, 1, value_of, v);
	iteration_grid_finish(&g);
	assert_int_equal(iteration_grid_step(&g, 101.8), 7);
	assert_true(iteration_grid_step(&g, 100) >= 6);
	iteration_grid_fini(&g);
	free(v);
}
