/* statements_aid: programs that count what their statements do (tests/capture/statements), compiled
 * with tvcc and run under tvrun; every number of every record is compared with their own. What goes
 * wrong fails the test. */
#pragma once

#include "base/mem.h"
#include "base/vec.h"
#include "capture/traced.h"
#include "model/trace/program.h"

/* Whether the shell finds a program; else says so. */
bool counted_possible(const char *program);
/* Runs a command of the shell in a folder. $S and $P have the sources of tests/capture/statements
 * and programs, $B is the build; tvcc and its like drive MPICH's compilers. */
void counted_build(const char *folder, const char *command);

/* A line of what a rank counted (statements/counts.h). */
struct counted {
	int rank;
	char what[12], file[32], name[32];
	long line, partner, a, b, c;
	bool met;
};

/* A run, and what its ranks counted. */
struct counted_run {
	struct traced *traced;
	VEC(struct counted) counted;
};

/* Runs a program of a folder; of its own account nothing is read. */
void counted_run_alone(struct counted_run *run, const char *folder, int ranks, const char *options,
		       const char *program, const char *arguments);
/* With the account of each rank. */
void counted_run_begin(struct counted_run *run, const char *folder, int ranks, const char *options,
		       const char *program, const char *arguments);
void counted_run_end(struct counted_run *run);
#define OWNED_COUNTED_RUN ENDED_BY(counted_run_end) struct counted_run

/* Every number that was counted is in the records, nothing else is, and records are sound. */
void counted_compare(const struct counted_run *run);
/* Whether it is the recorder's own work, which no program counts. */
bool statement_is_overhead(const struct trace *t, const struct statement *s);
/* One line of a program's account. */
void counted_compare_numbers(const struct trace *t, const struct counted *c);
void counted_check_record(const struct statement_record *r);

/* The same of the graph, as `tview export` writes it: by rank ... */
void counted_compare_graph(const struct counted_run *run);
/* ... and by destination, all ranks together. */
void counted_compare_destinations(const struct counted_run *run);
