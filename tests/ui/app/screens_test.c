/* Plays tests/screens/NAME.test, one test a file (see harness/screenplay.h).
 *
 *	screens_test [NAME ...]		only these
 *	SCREENS_UPDATE=1		writes the screens anew instead of comparing them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "harness/screenplay.h"

static void plays(void **state)
{
	const char *path = *state;
	struct str report = STR_INIT;

	if (!screenplay_run(path, TEST_BUILD, getenv("SCREENS_UPDATE") != NULL, &report)) {
		/* print_message() cuts what is longer than 1,023 bytes. */
		fprintf(stderr, "%s\n", report.text);
		str_fini(&report);
		fail();
	}
	str_fini(&report);
}

static bool is_chosen(const char *path, int argc, char **argv)
{
	bool chosen = argc < 2;

	for (int i = 1; i < argc && !chosen; i++)
		chosen = strstr(path, argv[i]) != NULL;
	return chosen;
}

int main(int argc, char **argv)
{
	VEC(struct CMUnitTest) tests = VEC_INIT;
	glob_t found;
	int failed;

	if (glob("tests/screens/*.test", 0, NULL, &found) != 0) {
		fprintf(stderr,
			"screens_test: no tests/screens/*.test here; run it from the root\n");
		return 1;
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (is_chosen(found.gl_pathv[i], argc, argv)) {
			const struct CMUnitTest test = { .name = found.gl_pathv[i],
							 .test_func = plays,
							 .initial_state = found.gl_pathv[i] };
			vec_push(&tests, test);
		}
	failed = _cmocka_run_group_tests("screens", tests.data, tests.n, NULL, NULL);
	vec_fini(&tests);
	globfree(&found);
	return failed;
}
