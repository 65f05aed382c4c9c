/* cube: severities: metric x call path x location, sparse (doc/references.md).
 *
 * A cell is a real number: ticks of the cube's time base, a count, or bytes, as the metric's unit
 * says. Cells are call-path exclusive, of canonical call paths (struct callpath.canon; 0: no region
 * open). A metric of SOURCE_FOUND has cells of its own that include its children's; the others are
 * made of `time` (by the class of the call path's innermost region) and of sums, when asked.
 *
 *	struct cube *cube = cube_new(trace);
 *	cube_add(cube, CUBE_MPI_LATESENDER, path, location, ticks);	... one thread per location
 *	cube_settle(cube);						... then any may read
 *	total = cube_total(cube, CUBE_MPI, NULL);
 *
 * What is added may come in any order, and so may cells when they are summed (base/fixed.h): the
 * result is the same to the last bit. Memory: 16 bytes a cell that is not zero, and what hashing
 * takes while it is filled. Ownership: borrows the trace.
 *
 * Where several processes share the trace, any may add to any location; a settled cube has the
 * cells of this process' locations alone. Sums are those of all processes: all call cube_settle(),
 * cube_total(), cube_by_path() and cube_by_location() together. */
#pragma once

#include "model/trace/trace.h"
#include "patterns/severity/cube_metric.h"

struct cube;

struct cube_cell {
	uint32_t path;
	uint32_t location;
	double value;
};

struct cube *cube_new(const struct trace *trace);
void cube_free(struct cube *cube);
/* Adds to a cell; `path` may be any call path. Threads: of different locations at the same time. */
void cube_add(struct cube *cube, enum cube_metric metric, uint32_t path, uint32_t location,
	      double value);
/* Ends the adding: sorts the cells, and computes totals. */
void cube_settle(struct cube *cube);
/* Begins it again: what was settled is kept and may be added to. */
void cube_reopen(struct cube *cube);

/* The rest needs a settled cube. */
const struct trace *cube_trace(const struct cube *cube);
/* The cells that a SOURCE_FOUND metric has itself here, by call path, then location. */
const struct cube_cell *cube_cells(const struct cube *cube, enum cube_metric metric, size_t *n);
/* True where the metric, or one below it, has a cell, here or elsewhere: else the tree hides it. */
bool cube_has(const struct cube *cube, enum cube_metric metric);

/* Values of any metric, its children included. `chosen` [location], NULL: all. The sum over all
 * call paths; by call path (call-path exclusive, values[callpath], zeroed first); by location
 * (values[location]) of one call path, with `subtree` of all below it, too; a single cell. O(cells
 * of the metric), with `subtree` and call paths (a cell alone: O(log)). */
double cube_total(const struct cube *cube, enum cube_metric metric, const bool *chosen);
void cube_by_path(const struct cube *cube, enum cube_metric metric, const bool *chosen,
		  double *values);
void cube_by_location(const struct cube *cube, enum cube_metric metric, uint32_t path, bool subtree,
		      double *values);
double cube_value(const struct cube *cube, enum cube_metric metric, uint32_t path,
		  uint32_t location);
/* The cells here whose sum is a metric, in no order; of one call path and location there may be
 * several. */
typedef void cube_visitor(void *context, const struct cube_cell *cell);
void cube_visit(const struct cube *cube, enum cube_metric metric, cube_visitor *each,
		void *context);
/* Adds to values[callpath] those of all call paths below: exclusive becomes inclusive. */
void cube_include_paths(const struct trace *trace, double *values);
