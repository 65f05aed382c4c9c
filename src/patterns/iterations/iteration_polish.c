#include "patterns/iterations/iteration_polish.h"

#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "base/robust.h"

enum { SWEEPS = 6 };

static void sweep_rows(struct polish *p)
{
	for (uint32_t l = 0; l < p->rows; l++) {
		double *e = p->e + (size_t)l * p->columns;
		memcpy(p->line, e, p->columns * sizeof *e);
		const double middle = median_of(p->line, p->columns);
		for (uint32_t k = 0; k < p->columns; k++)
			e[k] -= middle;
		p->a[l] += middle;
	}
	memcpy(p->line, p->a, p->rows * sizeof *p->a);
	const double middle = median_of(p->line, p->rows);
	for (uint32_t l = 0; l < p->rows; l++)
		p->a[l] -= middle;
	p->mean += middle;
}

static void sweep_columns(struct polish *p)
{
	for (uint32_t k = 0; k < p->columns; k++) {
		for (uint32_t l = 0; l < p->rows; l++)
			p->line[l] = p->e[(size_t)l * p->columns + k];
		const double middle = median_of(p->line, p->rows);
		for (uint32_t l = 0; l < p->rows; l++)
			p->e[(size_t)l * p->columns + k] -= middle;
		p->b[k] += middle;
	}
	memcpy(p->line, p->b, p->columns * sizeof *p->b);
	const double middle = median_of(p->line, p->columns);
	for (uint32_t k = 0; k < p->columns; k++)
		p->b[k] -= middle;
	p->mean += middle;
}

static void find_costs(struct polish *p)
{
	for (uint32_t k = 0; k < p->columns; k++) {
		for (uint32_t l = 0; l < p->rows; l++) {
			p->line[l] = p->x[(size_t)l * p->columns + k];
			if (p->line[l] > p->x[(size_t)p->who[k] * p->columns + k])
				p->who[k] = l;
		}
		p->cost[k] = p->x[(size_t)p->who[k] * p->columns + k] - median_of(p->line, p->rows);
	}
}

void polish_init(struct polish *p, const double *x, uint32_t rows, uint32_t columns)
{
	const size_t cells = (size_t)rows * columns;

	*p = (struct polish){ .x = x, .rows = rows, .columns = columns };
	p->a = xcalloc(rows, sizeof *p->a);
	p->b = xcalloc(columns, sizeof *p->b);
	p->e = xmalloc(cells * sizeof *p->e);
	p->cost = xcalloc(columns, sizeof *p->cost);
	p->who = xcalloc(columns, sizeof *p->who);
	p->slope = xcalloc(rows, sizeof *p->slope);
	p->level = xcalloc(rows, sizeof *p->level);
	p->same = xcalloc(rows, sizeof *p->same);
	p->line = xmalloc((size_t)(rows > columns ? rows : columns) * sizeof *p->line);
	memcpy(p->e, x, cells * sizeof *p->e);
	for (int i = 0; i < SWEEPS; i++) {
		sweep_rows(p);
		sweep_columns(p);
	}
	p->sigma = robust_scatter(p->e, cells);
	find_costs(p);
}

void polish_fini(struct polish *p)
{
	free_all(p->a, p->b, p->e, p->cost, p->who, p->slope, p->level, p->same, p->line);
}
