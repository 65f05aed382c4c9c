/* The statistics of the published trace against its events. */
#include "harness/load_trace.h"
#include "harness/picl_aid.h"
#include "harness/test.h"
#include "model/picl/read/picl_stats.h"

static const struct statistic *find(const struct statistic *list, size_t n, int32_t rectype,
				    int32_t relative, int32_t type)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].rectype == rectype && list[i].relative == relative &&
		    list[i].type == type)
			return &list[i];
	fail_msg("no statistic %d %d %d", rectype, relative, type);
	return NULL;
}

/* Values by hand from the report's table 20, in nanoseconds. */
TEST(published_trace_agrees)
{
	OWNED_TRACE *trace = load_trace("traces/picl-1992-table20.trc");
	OWNED struct statistic *list;
	size_t n;

	n = picl_check_statistics(trace, &list);
	/* 7 + 9 + 3 pairs, less the volume of -901; 2 + 2; 1 + 1 + 1; 2 + 2 + 2 */
	assert_int_equal(n, 18 + 4 + 3 + 6);
	for (size_t i = 0; i < n; i++)
		assert_true(list[i].agrees);
	assert_int_equal(find(list, n, -101, -1, -52)->recorded, 1212000);
	assert_int_equal(find(list, n, -101, -1, -52)->computed, 1213000);
	assert_int_equal(find(list, n, -101, -1, -52)->tolerance, 2000);
	assert_int_equal(find(list, n, -101, -1, -903)->computed, 705633000);
	assert_int_equal(find(list, n, -101, -1, -401)->computed, 8084000);
	assert_int_equal(find(list, n, -101, 0, -52)->computed, 388000);
	assert_int_equal(find(list, n, -101, -1, -901)->computed, 717018000);
	assert_int_equal(find(list, n, -102, -1, -12)->computed, 1);
	assert_int_equal(find(list, n, -102, -1, -904)->computed, 1);
	assert_int_equal(find(list, n, -103, -1, -52)->computed, 16);
	assert_int_equal(find(list, n, -103, 1, -21)->computed, 8);
	assert_int_equal(find(list, n, -101, -1, 1)->computed, 1013000);
}

TEST(subsets_of_event_types)
{
	OWNED_TRACE *trace = load_trace("traces/mpicl.trc");
	OWNED struct statistic *list;
	size_t n;

	n = picl_check_statistics(trace, &list);
	assert_int_equal(n, 10);
	for (size_t i = 0; i < n; i++)
		assert_true(list[i].agrees);
	assert_int_equal(find(list, n, -102, -1, -1012)->computed, 2);
	assert_int_equal(find(list, n, -102, -1, -1014)->computed, 2);
	assert_int_equal(find(list, n, -103, -1, -27)->computed, 4096);
}

TEST(a_value_that_is_wrong)
{
	OWNED_TRACE *trace = aid_load("-3 -901 0.1 0 0 0\n-3 -402 0.2 0 0 0\n-4 -402 0.4 0 0 0\n"
				      "-4 -901 0.5 0 0 0\n-101 -1 0.5 0 0 1 \"%d%lf\" -402 0.4\n"
				      "-102 -901 0.5 0 0 2 \"%d%d\" -402 1 -53 7\n");
	OWNED struct statistic *list;

	assert_int_equal(picl_check_statistics(trace, &list), 2);
	assert_false(list[0].agrees);
	assert_int_equal(list[0].computed, 200000000);
	assert_true(list[1].agrees);
}
