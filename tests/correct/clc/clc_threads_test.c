/* The logical clock over fork, join and barrier of OpenMP, which have a least latency of their own;
 * worked out by hand. */
#include <math.h>

#include "correct/clc/clc.h"
#include "harness/test.h"
#include "model/build/builder.h"

static const struct timescale nanoseconds = { 1000000000, 9 };

static void thread_event(struct builder *b, uint32_t location, int64_t time, enum detail_type type,
			 uint64_t value)
{
	const uint64_t values[] = { value, 2 };

	builder_detail(b, location, time, type, values, type == DETAIL_THREAD_FORK ? 2 : 1);
}

/* A thread of a team: begins, waits in a barrier, ends. */
static void team(struct builder *b, uint32_t location, uint32_t comm, const int64_t *t)
{
	const uint32_t region =
		builder_region_define(b,
				      &(struct region){
					      .name = builder_string(b, "!$omp barrier @a.c:1", 20),
					      .cls = CLASS_SYNC });
	const uint32_t site = builder_site(b, region, 0, 0, 0);

	thread_event(b, location, t[0], DETAIL_TEAM_BEGIN, comm);
	builder_enter(b, location, t[1], site);
	builder_leave(b, location, t[2], site);
	thread_event(b, location, t[3], DETAIL_TEAM_END, comm);
}

static struct trace *make(void)
{
	static const int64_t master[] = { 1050, 2200, 2300, 2400 };
	static const int64_t other[] = { 900, 1900, 1950, 2500 };
	const int32_t members[] = { 0, 1 }; /* locations */
	const struct comm threads = {
		.size = 2, .ranks = members, .parent = UINT32_MAX, .kind = COMM_THREADS
	};
	struct err err = ERR_INIT;
	struct builder *b = builder_new("threads", &nanoseconds, &err);
	struct trace *trace;
	uint32_t comm;

	for (int32_t i = 0; i < 2; i++)
		builder_location(b, &(struct location){ .rank = 0, .process = -1, .thread = i });
	comm = builder_comm_define(b, &threads);
	thread_event(b, 0, 1000, DETAIL_THREAD_FORK, 0);
	team(b, 0, comm, master);
	thread_event(b, 0, 2700, DETAIL_THREAD_JOIN, 0);
	team(b, 1, comm, other);
	trace = builder_finish(b, NULL, NULL, &err);
	assert_non_null(trace);
	return trace;
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
	struct trace *trace = make();
	struct logical *logical = logical_new(trace, NULL, &err);
	const struct lmin lmin = { .inter = 1000, .intra = 1000, .omp = 10, .trace = trace };
	struct clc_report report;

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
	clc_report_fini(&report);
	logical_free(logical);
	trace_free(trace);
}
