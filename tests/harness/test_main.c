/* main() of tests that have none of their own. An argument chooses tests: a pattern of names. */
#include "harness/test.h"

int main(int argc, char **argv)
{
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return tests_run();
}
