/* The logical clock over fork, join and barrier of OpenMP, which have a least latency of their own;
 * worked out by hand. */
#include <math.h>

#include "correct/clc/clc.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/test.h"

static struct trace *make(void)
{
	return notation_trace(
		"threads 2 rank 0; region barrier = '!$omp barrier @a.c:1' class sync\n"
		"location 0: [thread-fork 0 2 @1000] [team-begin team @1050] barrier@2200-2300,\n"
		"  [team-end team @2400] [thread-join 0 @2700]\n"
		"location 1: [team-begin team @900] barrier@1900-1950, [team-end team @2500]");
}

TEST(fork_barrier_join)
{
	/* Forward: begin 1000 + 10; enter and leave 110 later, the leave then at 2200 + 10; end 260
	 * later, join 10 behind it. Backward on the thread: from 0 at 1010 to 150.01 at 2059.99, at
	 * 2010 142.87; on the master: 0 at the enter, whose last moment is 2200, to 70 at 2700. */
	static const int64_t expected[2][6] = { { 1000, 1050, 2200, 2314, 2428, 2770 },
						{ 1010, 2153, 2210, 2760 } };
	static const struct clc_options options;
	struct err err = ERR_INIT;
	OWNED_TRACE *trace = make();
	FREED_BY(logical_free) struct logical *logical = logical_new(trace, NULL, &err);
	const struct lmin lmin = { .inter = 1000, .intra = 1000, .omp = 10, .trace = trace };
	ENDED_BY(clc_report_fini) struct clc_report report;

	assert_int_equal(logical_group_count(logical), 3);
	assert_true(clc_run(&report, trace, logical, BASE_MEASURED, &lmin, &options, NULL, &err));
	for (uint32_t l = 0; l < 2; l++) {
		struct cursor c;
		size_t i = 0;
		for (bool ok = cursor_first(&c, trace, BASE_CLC, l); ok; ok = cursor_next(&c))
			assert_int_equal(cursor_time(&c), expected[l][i++]);
		assert_int_equal(i, l ? 4 : 6);
	}
	assert_int_equal(report.violated[LOGICAL_FORK], 1);
	assert_int_equal(report.violated[LOGICAL_TEAM], 1);
	assert_int_equal(report.violated[LOGICAL_JOIN], 1);
	assert_int_equal(report.violated_all, 3);
	assert_true(fabs(report.max_slope - 0.14) < 1e-9);
}
