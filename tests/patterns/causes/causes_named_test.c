/* A name of iterations that is set while something is computed. Whoever sets it holds a lock that
 * the progress of the computation asks for: neither may wait for the other. */
#include <unistd.h>

#include "harness/test.h"
#include "patterns/causes/causes_state.h"
#include "patterns/kinds/waiting_run.h"
#include "patterns/patterns.h"

static bool name_iterations(void *context, const char *what, uint64_t done, uint64_t all)
{
	const struct causes *causes = context;

	(void)what, (void)done, (void)all;
	causes_iterate_by(causes, "work");
	return true;
}

TEST(while_the_ideal_run_is_made)
{
	const struct analysis_options options = { 0 };
	struct waiting_run run;
	struct err err = ERR_INIT;

	waiting_begin(&run, 2, true);
	waiting_work(&run, 0, 0, 200);
	waiting_message(&run, 0, 1, false);

	struct trace *trace = waiting_end(&run, true);
	struct analysis *analysis =
		analysis_new(patterns, trace, BASE_MEASURED, &options, NULL, &err);
	assert_non_null(analysis);
	const struct causes *causes = causes_of(analysis, NULL, &err);
	const struct progress progress = { .step = name_iterations,
					   .context = (void *)(uintptr_t)causes };

	alarm(30);
	assert_true(causes_ideal(causes, INT64_MIN, INT64_MAX, &progress, &err));
	alarm(0);
	assert_true(causes_has_ideal(causes));
	assert_string_equal(causes->iterated_by, "work");
	analysis_free(analysis);
	trace_free(trace);
}
