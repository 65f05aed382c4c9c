/* Calls in templates have probes: whatever they call is counted at their line. */
#include <stdio.h>
#include <string.h>

#include "cc/workshop.h"
#include "harness/test.h"

GROUP_FIXTURE(workshop_setup, workshop_teardown)

/* The program's own counters, by line. Returns how many lines count anything. */
static unsigned read_own(const struct workshop *w, unsigned long *own)
{
	FILE *in = fopen(workshop_path(w, "own"), "r");
	char line[256];
	unsigned lines = 0;

	assert_non_null(in);
	while (fgets(line, sizeof line, in)) {
		unsigned at;
		unsigned long count;
		if (sscanf(line, "C %u %lu", &at, &count) != 2 || at >= WORKSHOP_LINES)
			continue;
		own[at] = count;
		lines++;
	}
	fclose(in);
	return lines;
}

TEST_WITH(calls_in_templates, const struct workshop *w)
{
	static const char *const flags[] = { "-std=gnu++17", NULL };
	static const struct {
		const char *compiler, *preprocessed, *options;
	} ways[] = {
		{ "g++", "c++-cpp-output -fpreprocessed", "-Wall -Wextra -Werror -O2" },
		{ "g++", "c++-cpp-output -fpreprocessed", "-w -O0" },
		{ "clang++-14", "c++-cpp-output", "-w -O1" },
	};
	const struct instrument_options options = { .language = INSTRUMENT_CXX,
						    .flags = flags,
						    .loops = true };

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		static unsigned long own[WORKSHOP_LINES];
		static struct account account;
		ENDED_BY(instrument_free) struct instrument_result result;
		const char *folder = w->folder;
		workshop_must("%s -std=gnu++17 -E tests/cc/units/dependent.cc >%s",
			      ways[i].compiler, workshop_path(w, "dependent.i"));
		workshop_instrument(w, "dependent", &options, &result);
		workshop_must("%s -std=gnu++17 -x %s %s -c %s/dependent.t.i -o %s/dependent.o && "
			      "%s -rdynamic %s/dependent.o %s/double.o -o %s/dependent && "
			      "DOUBLE_OUT=%s/counts timeout 60 %s/dependent >%s/own",
			      ways[i].compiler, ways[i].preprocessed, ways[i].options, folder,
			      folder, ways[i].compiler, folder, folder, folder, folder, folder,
			      folder);
		workshop_account(w, "tests/cc/units/dependent.cc", &account);
		assert_int_equal(account.open + account.lost + account.bad, 0);
		memset(own, 0, sizeof own);
		assert_int_equal(read_own(w, own), 45);
		for (unsigned at = 0; at < WORKSHOP_LINES; at++)
			if (own[at] != account.by_line[2][at])
				fail_msg("%s: line %u: %lu calls and not %lu", ways[i].compiler, at,
					 account.by_line[2][at], own[at]);
	}
}
