#include "patterns/causes/naming_answers.h"

#include <math.h>

#include "patterns/patterns.h"

struct answers answers_within(struct trace *trace, int64_t t0, int64_t t1)
{
	const struct analysis_options options = { .jobs = 1 };
	struct answers a = { .trace = trace };
	struct err err = ERR_INIT;

	a.analysis = analysis_new(patterns, trace, BASE_MEASURED, &options, NULL, &err);
	assert_non_null(a.analysis);
	a.cube = analysis_cube(a.analysis, t0, t1, CUBE_ALL, NULL, &err);
	assert_non_null(a.cube);
	assert_true(cause_names_make(causes_of(a.analysis, NULL, &err), a.cube, t0, t1, NULL,
				     &a.names));
	return a;
}

struct answers answers_of(struct trace *trace)
{
	return answers_within(trace, INT64_MIN, INT64_MAX);
}

void answers_fini(struct answers *a)
{
	cube_free(a->cube);
	analysis_free(a->analysis);
	trace_free(a->trace);
}

const char *answer_function(const struct answers *a, uint32_t i)
{
	return trace_region_name(a->trace, trace_callpath_region(a->trace, a->names.of[i].path));
}

void assert_first_answer(struct planned_run *run, enum cause_kind kind, int32_t rank,
			 const char *function, double share)
{
	struct answers a = answers_of(planned_run_end(run));
	const struct named_cause *c = &a.names.of[0];

	assert_true(a.names.n > 0);
	assert_string_equal(cause_kind_name((enum cause_kind)c->kind), cause_kind_name(kind));
	assert_string_equal(answer_function(&a, 0), function);
	assert_int_equal(c->location == UINT32_MAX ? -1 : (int32_t)c->location, rank);
	if (fabs(c->share - share) > 0.02)
		fail_msg("share %.3f instead of %.3f", c->share, share);
	answers_fini(&a);
}

void assert_no_answer(struct planned_run *run)
{
	struct answers a = answers_of(planned_run_end(run));

	if (a.names.n)
		fail_msg("named: %s in %s", cause_kind_name((enum cause_kind)a.names.of[0].kind),
			 answer_function(&a, 0));
	answers_fini(&a);
}
