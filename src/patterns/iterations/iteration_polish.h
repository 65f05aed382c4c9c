/* iteration_polish: a matrix, ranks by iterations, taken apart by median polish (Tukey 1977): x =
 * mean + rank + iteration + rest. For iteration_outliers.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct polish {
	const double *x;
	uint32_t rows, columns;
	double mean, sigma, hiccup, noise;
	double *a, *b, *e;     /* [rows], [columns], [rows][columns] */
	double *cost;          /* [columns] the slowest less the median */
	uint32_t *who;         /* [columns] the slowest */
	double *slope, *level; /* [rows] of those that drift; slope 0: does not */
	bool *same;            /* [rows] */
	double *line;          /* [rows or columns], spare */
};

/* Borrows x [rows][columns]; polish_fini(). Sets mean, sigma, a, b, e, cost and who. */
void polish_init(struct polish *polish, const double *x, uint32_t rows, uint32_t columns);
void polish_fini(struct polish *polish);
