#define _GNU_SOURCE /* program_invocation_name */
#include "harness/test.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/vec.h"

struct listed_test {
	struct CMUnitTest test;
	int line;
};

static struct {
	VEC(struct listed_test) tests;
	CMFixtureFunction setup, teardown, group_setup, group_teardown;
	glob_t files; /* names of tests */
} list;

/* Is the program called like this file? */
static bool is_meant(const char *file)
{
	const size_t stem = strlen(file) - strlen(".c"), n = strlen(program_invocation_name);

	return n >= stem && memcmp(program_invocation_name + n - stem, file, stem) == 0;
}

void test_list(const char *file, int line, const char *name, CMUnitTestFunction run)
{
	const struct listed_test test = { { .name = name, .test_func = run }, line };

	if (is_meant(file))
		vec_push(&list.tests, test);
}

void test_list_files(const char *file, int line, const char *pattern, CMUnitTestFunction run)
{
	const size_t before = list.files.gl_pathc;

	if (!is_meant(file))
		return;
	if (glob(pattern, before ? GLOB_APPEND : 0, NULL, &list.files) != 0) {
		fprintf(stderr, "%s: no %s here; run it from the root\n",
			program_invocation_short_name, pattern);
		exit(1);
	}
	for (size_t i = before; i < list.files.gl_pathc; i++) {
		const struct listed_test test = { { .name = list.files.gl_pathv[i],
						    .test_func = run,
						    .initial_state = list.files.gl_pathv[i] },
						  line };
		vec_push(&list.tests, test);
	}
}

void test_fixture(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown)
{
	if (!is_meant(file))
		return;
	list.setup = setup;
	list.teardown = teardown;
}

void test_group_fixture(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown)
{
	if (!is_meant(file))
		return;
	list.group_setup = setup;
	list.group_teardown = teardown;
}

/* Compilers may list them in any order. */
ORDERING(by_line, struct listed_test, line)

int tests_run(void)
{
	VEC(struct CMUnitTest) tests = VEC_INIT;
	int failed;

	if (list.tests.n == 0) {
		fprintf(stderr, "%s: has no file of tests of this name\n", program_invocation_name);
		return 1;
	}
	SORT(list.tests.data, list.tests.n, by_line);
	for (size_t i = 0; i < list.tests.n; i++) {
		struct CMUnitTest test = list.tests.data[i].test;
		test.setup_func = list.setup;
		test.teardown_func = list.teardown;
		vec_push(&tests, test);
	}
	failed = _cmocka_run_group_tests(program_invocation_short_name, tests.data, tests.n,
					 list.group_setup, list.group_teardown);
	vec_fini(&tests);
	vec_fini(&list.tests);
	globfree(&list.files);
	return failed;
}
