/* main() of tests that have none of their own. */
#include "harness/test.h"

int main(void)
{
	return tests_run();
}
