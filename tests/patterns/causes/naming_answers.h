/* naming_answers: the names of the causes of a planned run, and what is wrong with them. */
#pragma once

#include "patterns/causes/naming.h"
#include "patterns/causes/planned_run.h"

struct answers {
	struct trace *trace;
	struct analysis *analysis;
	struct cube *cube;
	struct cause_names names;
};

/* Takes the trace. */
struct answers answers_of(struct trace *trace);
/* The same of a window, in nanoseconds. */
struct answers answers_within(struct trace *trace, int64_t t0, int64_t t1);
void answers_fini(struct answers *answers);
/* The function of the ith. */
const char *answer_function(const struct answers *answers, uint32_t i);
/* These end the plan. rank -1: another one each time. */
void assert_first_answer(struct planned_run *run, enum cause_kind kind, int32_t rank,
			 const char *function, double share);
void assert_no_answer(struct planned_run *run);
