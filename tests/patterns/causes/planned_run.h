/* planned_run: runs of which every time is planned: ranks work, send, receive and meet; each has a
 * clock of its own, and waits as long as it must. The truth about who made whom wait is known from
 * the plan. A tick is a nanosecond; communication takes 10 us, calls of MPI 2 us.
 *
 *	struct planned_run run;
 *	planned_run_init(&run, 4);
 *	planned_run_work(&run, rank, "smooth", ticks);
 *	planned_run_meet(&run);
 *	struct trace *trace = planned_run_end(&run);		frees the plan
 */
#pragma once

#include "harness/test.h"

enum { PLANNED_RANKS = 16, PLANNED_TAGS = 2 };

struct planned_run {
	int32_t ranks;
	int32_t number[PLANNED_RANKS]; /* the rank that a rank of the plan becomes */
	int64_t scale;                 /* all times are multiplied by it */
	int64_t now[PLANNED_RANKS];
	int64_t sent[PLANNED_RANKS][PLANNED_RANKS]
		    [PLANNED_TAGS];         /* when the last one was, by sender */
	bool cores;                         /* waits for a core are recorded, */
	int64_t core[PLANNED_RANKS];        /* so much so far, */
	int64_t core_inside[PLANNED_RANKS]; /* and in the next call of all */
	struct str text[PLANNED_RANKS];
};

void planned_run_init(struct planned_run *run, int32_t ranks);
/* A visit of a function. */
void planned_run_work(struct planned_run *run, int32_t rank, const char *function, int64_t ticks);
/* A function that calls another, n times, and does nothing itself. */
void planned_run_nest(struct planned_run *run, int32_t rank, const char *outer, const char *inner,
		      int n, int64_t ticks);
/* A function that works and then calls itself, so many levels deep. */
void planned_run_recur(struct planned_run *run, int32_t rank, const char *function, int depth,
		       int64_t ticks);
/* Waits for a core are recorded at each MPI_Allreduce, MPI_Barrier and MPI_Send; before anything else. */
void planned_run_record_cores(struct planned_run *run);
/* A visit of which the rank has no core for a part. */
void planned_run_work_without(struct planned_run *run, int32_t rank, const char *function,
			      int64_t ticks, int64_t without_core);
/* A rank has no core for so long in the next such call. */
void planned_run_meet_without(struct planned_run *run, int32_t rank, int64_t without_core);
/* MPI_Allreduce of all, called from a line, or from line 7; MPI_Barrier. */
void planned_run_meet_at(struct planned_run *run, int line);
void planned_run_meet(struct planned_run *run);
void planned_run_barrier(struct planned_run *run);
/* A message that was sent before it is received: MPI_Send, MPI_Recv. The tag is 0 or 1. */
void planned_run_send_tag(struct planned_run *run, int32_t from, int32_t to, int tag, int64_t bytes,
			  int64_t ticks);
void planned_run_receive_tag(struct planned_run *run, int32_t to, int32_t from, int tag,
			     int64_t bytes);
/* The same with tag 0. */
void planned_run_send(struct planned_run *run, int32_t from, int32_t to, int64_t bytes,
		      int64_t ticks);
void planned_run_receive(struct planned_run *run, int32_t to, int32_t from, int64_t bytes);
struct trace *planned_run_end(struct planned_run *run);
