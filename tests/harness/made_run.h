/* made_run: a small run that a test writes down (notation.h), then its trace, its analysis on the
 * measured base and a cube of it. What goes wrong on the way fails the test. A tick is a
 * nanosecond.
 *
 *     struct made_run run;
 *     made_run_begin(&run, CLASS_P2P);
 *     made_run_ranks(&run, 2);
 *     made_run_write(&run, "rank 0: MPI_Recv@10-32 <-1; rank 1: MPI_Send@25-26 ->0");
 *     made_run_analyse(&run);
 *     made_assert_metric(&run, CUBE_MPI_LATESENDER, (const double[]){ 5, 0 });
 *     made_run_fini(&run);
 */
#pragma once

#include "harness/notation.h"
#include "patterns/analysis/analysis.h"

enum { MADE_LOCATIONS = 8 };

struct made_run {
	struct notation text;
	struct builder *b; /* the text's, until the trace is made */
	struct trace *t;   /* owned, as are analysis and cube; NULL before */
	struct analysis *analysis;
	struct cube *cube;
	uint32_t n;
	uint32_t location[MADE_LOCATIONS]; /* [n] */
};

/* mpi: the class of regions whose names begin with MPI_; others are user code. */
void made_run_begin(struct made_run *run, enum region_class mpi);
/* Events and settings; printf's format. */
void made_run_write(struct made_run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* For tests: *state becomes a new run, which begins with a text; the end of such a run. */
int made_run_setup(void **state, const char *text);
int made_run_teardown(void **state);
/* The trace; nothing can be added any more. */
void made_run_finish(struct made_run *run);
/* The trace if it is not made yet, its analysis, and times and waits of the whole run. */
void made_run_analyse(struct made_run *run);
/* Another cube in place of the one that is there: of [t0, t1), CUBE_TIMES and the like. */
void made_run_look(struct made_run *run, int64_t t0, int64_t t1, unsigned parts);
/* At any stage. */
void made_run_fini(struct made_run *run);

/* ---- values ---- */

/* Of each location, all call paths, children of the metric included: want[n]. */
void made_assert_metric(const struct made_run *run, enum cube_metric metric, const double *want);
