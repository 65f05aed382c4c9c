/* severity_rows: the rows of a cube for exports: one metric at a time, summed over the dimensions
 * that are not asked for, in the order of the call tree, then of the locations. A metric includes
 * its children; a call path does not.
 *
 *	struct severity_rows s;
 *	if (severity_rows_init(&s, query, SEVERITY_BY_ALL, &err))
 *		for (m ...)
 *			n = severity_rows_of(&s, m, &rows);	... good until the next call
 *	severity_rows_fini(&s);	... due in any case
 *
 * Where the query's base is the compensated one and its bounds are there, rows have a range: the
 * least and the largest value that the three bases give, in the same window.
 *
 * Where several processes share the trace, all ask for the same rows: single cells are those of the
 * process' own locations (severity_rows_gather(), severity_rows_deal()), sums are those of all.
 *
 * O(cells of the metric, and their sorting) a call. Ownership: borrows the query. */
#pragma once

#include "base/vec.h"
#include "patterns/severity/cube.h"
#include "views/query/view.h"

struct severity {
	enum cube_metric metric;
	uint32_t path;       /* canonical call path; UINT32_MAX: all */
	uint32_t location;   /* UINT32_MAX: all; by rank the first of its rank */
	double value;        /* ticks, a count or bytes */
	double lower, upper; /* equal to the value without bounds */
};

struct severity_cell {
	uint32_t path_place, location;
	uint8_t cube;
	double value;
};

enum { SEVERITY_CUBES = 3 };

struct severity_rows {
	const struct query *query;
	enum severity_by by;
	const struct cube *cubes[SEVERITY_CUBES]; /* of the base; of its bounds, NULL without */
	bool *chosen;                             /* [location]; NULL: all */
	uint32_t *tree;                           /* [paths] callpath_tree() */
	uint32_t paths;
	uint32_t *place; /* [callpath]: its place in the tree */
	uint32_t *seat;  /* [location]: the first location of its rank; by rank only */
	struct severity_cells {
		struct severity_cell *data;
		size_t n, cap;
	} cells, spare;
	VEC(uint64_t) keys; /* to sort by */
	struct severity_list {
		struct severity *data;
		size_t n, cap;
	} rows;
};

/* False with err, or stopped by query->progress; without query->analyses there are no rows. */
bool severity_rows_init(struct severity_rows *s, const struct query *query, enum severity_by by,
			struct err *err);
void severity_rows_fini(struct severity_rows *s);
bool severity_rows_bounded(const struct severity_rows *s);
/* Whether a metric has anything to be shown at all. */
bool severity_rows_has(const struct severity_rows *s, enum cube_metric metric);
/* Rows whose value and bounds are all 0 are left out. */
size_t severity_rows_of(struct severity_rows *s, enum cube_metric metric,
			const struct severity **rows);

/* Where several processes share the trace, and rows are single cells: `rows`, of any metrics in
 * their order, are replaced so that those of the processes, one after the other, are the rows of
 * all. Each process gets about as many; or the first one gets them. All processes call it. */
void severity_rows_deal(const struct severity_rows *s, struct severity_list *rows);
void severity_rows_gather(const struct severity_rows *s, struct severity_list *rows);

/* The canonical call paths as the tree has them, parents before their children, siblings by id:
 * *n of them; the caller frees it. */
uint32_t *callpath_tree(const struct trace *trace, uint32_t *n);
