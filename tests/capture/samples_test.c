/* Default runs of the samples count what the programs count themselves: every visit, every message
 * and every collective. RUNS=100 for a proof. */
#include <stdlib.h>
#include <string.h>

#include "capture/traced.h"
#include "harness/test.h"

struct sample {
	const char *program, *arguments;
	int ranks;
};

/* What a program says that it did names functions that it visited. */
static void compare_visits(const struct traced *t)
{
	const struct tally_line *line, *first;

	vec_each (line, &t->account) {
		if (strcmp(line->what, "did") != 0)
			continue;
		for (first = t->account.data;
		     strcmp(first->what, "did") != 0 || strcmp(first->name, line->name) != 0;)
			first++;
		if (first != line)
			continue;
		assert_int_equal(traced_count(t, EV_ENTER, line->name), traced_did(t, line->name));
		assert_int_equal(traced_count(t, EV_LEAVE, line->name), traced_did(t, line->name));
	}
}

static void run(const struct sample *sample)
{
	OWNED_TRACED *t = traced_well(sample->ranks, "--yield", sample->program, sample->arguments);

	traced_compare(t);
	compare_visits(t);
	assert_int_equal(traced_count(t, EV_ENTER, NULL), traced_count(t, EV_LEAVE, NULL));
	assert_int_equal(trace_finding_sum(t->trace, FINDING_DAMAGE), 0);
	assert_int_equal(trace_finding_sum(t->trace, FINDING_ODDITY), 0);
	assert_null(trace_property_value(t->trace, "incomplete"));
}

TEST(test_samples)
{
	static const struct sample samples[] = {
		{ "programs/ring", "6 1000 1000", 4 },    { "programs/sweep", "4 100 1000", 4 },
		{ "programs/matrix", "40 3 2", 4 },       { "programs/stencil", "16 10", 4 },
		{ "programs/collectives", "7 2 100", 4 }, { "programs/farm", "30 1000", 4 },
		{ "programs/pi", "2000 4", 3 },           { "programs/guard/pi", "2000 4", 3 },
		{ "programs/mix", "50 100", 2 },          { "programs/guard/mix", "50 100", 2 },
		{ "programs/late", "40 60", 2 },          { "programs/guard/late", "40 60", 2 },
	};
	const char *wanted = getenv("RUNS");
	const int runs = wanted ? atoi(wanted) : 1;

	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		for (int k = 0; k < runs; k++)
			run(&samples[i]);
		print_message("# %s %s: %d runs\n", samples[i].program, samples[i].arguments, runs);
	}
}
