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

/* With each compiler, tests/cc/units/NAME.cc counts at its lines what the probes count there, and
 * so many lines do. The result of the last one stays, of calls that are left alone. */
static void compare(const struct workshop *w, const char *name, unsigned lines,
		    struct instrument_result *result)
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
		const char *folder = w->folder;
		char file[64];
		if (i)
			instrument_free(result);
		snprintf(file, sizeof file, "tests/cc/units/%s.cc", name);
		workshop_must("%s -std=gnu++17 -E %s >%s/%s.i", ways[i].compiler, file, folder,
			      name);
		workshop_instrument(w, name, &options, result);
		workshop_must("cd %s && %s -std=gnu++17 -x %s %s -c %s.t.i -o %s.o && "
			      "%s -rdynamic %s.o double.o -o %s && "
			      "DOUBLE_OUT=counts timeout 60 ./%s >own",
			      folder, ways[i].compiler, ways[i].preprocessed, ways[i].options, name,
			      name, ways[i].compiler, name, name, name);
		workshop_account(w, file, &account);
		assert_int_equal(account.open + account.lost + account.bad, 0);
		memset(own, 0, sizeof own);
		assert_int_equal(read_own(w, own), lines);
		for (unsigned at = 0; at < WORKSHOP_LINES; at++)
			if (own[at] != account.by_line[2][at])
				fail_msg("%s: line %u: %lu calls and not %lu", ways[i].compiler, at,
					 account.by_line[2][at], own[at]);
	}
}

TEST_WITH(calls_in_templates, const struct workshop *w)
{
	ENDED_BY(instrument_free) struct instrument_result result;

	compare(w, "dependent", 45, &result);
}

/* Lines that have ALONE, in the order of the text, are those whose calls are unknown. */
TEST_WITH(calls_of_constructors, const struct workshop *w)
{
	ENDED_BY(instrument_free) struct instrument_result result;
	FILE *in = fopen("tests/cc/units/constructed.cc", "r");
	char line[256];
	size_t at = 0;

	assert_non_null(in);
	compare(w, "constructed", 27, &result);
	for (unsigned n = 1; fgets(line, sizeof line, in); n++) {
		bool unknown = false;
		for (size_t i = 0; i < result.excluded_count; i++)
			unknown |= result.excluded[i].line == n &&
				   result.excluded[i].kind == TV_SITE_CALL;
		if (unknown != (strstr(line, "ALONE ") != NULL))
			fail_msg("line %u: %s", n, line);
		at += unknown;
	}
	fclose(in);
	assert_int_equal(at, 18);
}
