/* Every file of traces/bad (each once broke something) gives either a trace that holds together or a
 * sentence, and leaks nothing. One test a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>

#include "base/vec.h"
#include "harness/invariants.h"
#include "model/formats/load.h"

static void loads_or_says_why(const char *path, bool strict)
{
	const struct load_options options = { .strict = strict, .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(path, &options, NULL, &err);

	if (trace) {
		const char *broken = trace_broken(trace);

		trace_free(trace);
		if (broken)
			fail_msg("%s: %s", path, broken);
		return;
	}
	assert_int_not_equal(err.status, STATUS_OK);
	assert_true(err.text[0] != '\0');
}

static void survives(void **state)
{
	loads_or_says_why(*state, false);
	loads_or_says_why(*state, true);
}

int main(void)
{
	VEC(struct CMUnitTest) tests = VEC_INIT;
	glob_t found;
	int failed;

	if (glob("traces/bad/*", 0, NULL, &found) != 0) {
		fprintf(stderr, "bad_traces_test: no traces/bad here; run it from the root\n");
		return 1;
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const struct CMUnitTest test = { .name = found.gl_pathv[i],
						 .test_func = survives,
						 .initial_state = found.gl_pathv[i] };
		vec_push(&tests, test);
	}
	failed = _cmocka_run_group_tests("bad traces", tests.data, tests.n, NULL, NULL);
	vec_fini(&tests);
	globfree(&found);
	return failed;
}
