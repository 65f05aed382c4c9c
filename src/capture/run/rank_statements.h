/* rank_statements: which statements of the program the ranks' rows are of, and those that no table
 * of the program has: functions by their hooks, calls by the address they return to, or where their
 * function was inlined, regions that the program names, constructs of OpenMP. */
#pragma once

#include "capture/run/merge_job.h"

struct listed_loop {
	uint32_t file, line, statement;
};

struct finder {
	struct job *job;
	struct rank *rank;
	uint32_t number;       /* of the rank among the job's */
	uint32_t thread;       /* of the row */
	struct keymap known;   /* (kind, rank, place) -> statement */
	struct keymap placed;  /* (kind, parent, name, file, line) -> statement */
	struct keymap unnamed; /* (kind, name, place in its file) of statements without a line */
	VEC(struct listed_loop) loops; /* of the program's tables */
	VEC(const char *) modules;     /* paths of those that have hooked functions */
};

/* Sets what does not depend on a row; those are all seen before the first statement is asked
 * for. */
void finder_init(struct finder *f, struct job *job);
void finder_fini(struct finder *f);
void finder_see(struct finder *f, const struct tv_statistic *row);

/* The statement of a row of `rank` and `thread`, made where there is none yet. */
uint32_t finder_statement(struct finder *f, const struct tv_statistic *row);
/* The call statement from which a row's procedure was entered; callers outside of the program have
 * none: NO_STATEMENT. */
uint32_t finder_caller(struct finder *f, const struct tv_statistic *row, uint32_t procedure);
