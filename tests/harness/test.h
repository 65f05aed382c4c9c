/* test: what every unit test begins with.
 *
 *	TEST(sums_are_exact)
 *	{
 *		assert_int_equal(sum(1, 2), 3);
 *	}
 *
 * defines a test and lists it. The program runs the tests of the file that it is called like, in the order in which they
 * stand there (test_main.c), and prints what cmocka is asked for. So one program can be many: `make check` links most tests
 * once, with a name for each.
 *
 *	FIXTURE(setup, teardown)		called before and after each test of the file
 *	GROUP_FIXTURE(setup, teardown)		called once, before and after all
 *	TEST_WITH(name, struct run *run)	a test that gets what setup left in *state
 *	TEST_OF_FILES(pattern, name)		a test for each file, which is its `path`
 *
 *	OWNED_TRACE *t = ...;			freed when its scope ends, as base/mem.h says
 *						(owners.h has more types)
 */
#pragma once

/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/trace/trace.h"

#define OWNED_TRACE FREED_BY(trace_free) struct trace

FREES(trace_free, struct trace)

#define TEST_AT_START(function) __attribute__((constructor)) static void function(void)

#define TEST_LISTED(name)                                          \
	TEST_AT_START(name##_is_listed)                            \
	{                                                          \
		test_list(__FILE__, __LINE__, #name, name##_runs); \
	}

#define TEST(name)                            \
	static void name(void);               \
	static void name##_runs(void **state) \
	{                                     \
		(void)state;                  \
		name();                       \
	}                                     \
	TEST_LISTED(name)                     \
	static void name(void)

#define TEST_WITH(name, parameter)            \
	static void name(parameter);          \
	static void name##_runs(void **state) \
	{                                     \
		name(*state);                 \
	}                                     \
	TEST_LISTED(name)                     \
	static void name(parameter)

#define TEST_OF_FILES(pattern, name)                                       \
	static void name(const char *path);                                \
	static void name##_runs(void **state)                              \
	{                                                                  \
		name(*state);                                              \
	}                                                                  \
	TEST_AT_START(name##_is_listed)                                    \
	{                                                                  \
		test_list_files(__FILE__, __LINE__, pattern, name##_runs); \
	}                                                                  \
	static void name(const char *path)

#define FIXTURE(setup, teardown)                         \
	TEST_AT_START(fixture_of_each)                   \
	{                                                \
		test_fixture(__FILE__, setup, teardown); \
	}

#define GROUP_FIXTURE(setup, teardown)                         \
	TEST_AT_START(fixture_of_all)                          \
	{                                                      \
		test_group_fixture(__FILE__, setup, teardown); \
	}

void test_list(const char *file, int line, const char *name, CMUnitTestFunction run);
void test_list_files(const char *file, int line, const char *pattern, CMUnitTestFunction run);
void test_fixture(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown);
void test_group_fixture(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown);
/* All tests that were listed; how many failed. For a main() that has more to do. */
int tests_run(void);
