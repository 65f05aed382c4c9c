/* Every file of traces/bad (each once broke something) gives either a trace that holds together or
 * a sentence, and leaks nothing. One test a file. */
#include "harness/invariants.h"
#include "harness/test.h"
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

TEST_OF_FILES("traces/bad/*", survives)
{
	loads_or_says_why(path, false);
	loads_or_says_why(path, true);
}
