/* Waits for a core: which stretches have them, and how much. The times are in the run. */
#include <math.h>

#include "harness/built.h"
#include "harness/notation.h"
#include "harness/test.h"
#include "model/trace/core_wait.h"
#include "model/trace/detail.h"

enum { WAITS_MOST = 8 };

static struct trace *run_with_waits(const char *name, const char *text)
{
	struct notation n;

	notation_begin(&n, 1000000000);
	const uint32_t metric =
		builder_metric(n.b, &(struct metric){ .name = built_string(n.b, name),
						      .unit = built_string(n.b, "s"),
						      .mode = METRIC_ABSOLUTE_POINT,
						      .value = FIELD_UINT,
						      .base = 10,
						      .exponent = -9 });
	builder_metric_set(n.b, &(struct metric_set){
					.n = 1, .metrics = &metric, .recorder = UINT32_MAX });
	notation_write(&n, "%s", text);
	return notation_finish(&n);
}

static size_t waits_of(const struct trace *trace, struct core_wait *waits)
{
	struct core_walk core;
	struct visit_walk v;
	size_t n = 0;

	core_walk_begin(&core, trace);
	for (bool ok = visit_walk_begin(&v, trace, BASE_MEASURED, 0, INT64_MIN, INT64_MAX); ok;
	     ok = visit_walk_next(&v)) {
		assert_true(n < WAITS_MOST);
		n += core_walk_step(&core, &v, &waits[n]) >= CORE_WALK_WAIT;
	}
	return n;
}

static int64_t waited_in(const struct trace *trace, int64_t from, int64_t to)
{
	return trace_core_waited_in(trace, BASE_MEASURED, 0, from, to);
}

TEST(stretches)
{
	struct trace *trace = run_with_waits(
		"core wait",
		"ranks 1\nrank 0: main@0 { MPI_Init@0-100 [metric 0 50 @0] work@100-1000 "
		"MPI_Barrier@1000-1905 [metric 0 350 @1000] [metric 0 950 @1900] work@1905-2000 "
		"MPI_Send@2000-2010 work@2010-3000 MPI_Send@3000-3010 [metric 0 9950 @3000] "
		"work@3010-4000 MPI_Finalize@4000-4010 [metric 0 9950 @4000] } @4010\n");
	struct core_wait waits[WAITS_MOST];

	/* In MPI_Barrier; one that is longer than its stretch; none in the last stretch. */
	assert_int_equal(waits_of(trace, waits), 4);
	assert_int_equal(waits[0].from, 100);
	assert_int_equal(waits[0].to, 1000);
	assert_int_equal(waits[0].ticks, 300);
	assert_int_equal(waits[1].from, 1000);
	assert_int_equal(waits[1].to, 1900);
	assert_int_equal(waits[1].ticks, 600);
	assert_int_equal(waits[2].from, 2010);
	assert_int_equal(waits[2].to, 3000);
	assert_int_equal(waits[2].ticks, 990);
	assert_int_equal(waits[3].ticks, 0);
	/* All, from the first event to the last one. */
	const struct core_waited all = trace_core_waited(trace);
	assert_true(fabs(all.waited - 9900) < 1e-6);
	assert_true(fabs(all.of - 4000) < 1e-6);
	/* In an interval: of stretches outside of MPI, at most what is inside. */
	assert_int_equal(waited_in(trace, 100, 3000), 300 + 990);
	assert_int_equal(waited_in(trace, 0, 1000), 300);
	assert_int_equal(waited_in(trace, 900, 2000), 100);
	assert_int_equal(waited_in(trace, 1000, 2010), 0);
	assert_int_equal(waited_in(trace, 2500, 5000), 500);
	trace_free(trace);
}

TEST(another_metric)
{
	struct trace *trace = run_with_waits(
		"core wait of another",
		"ranks 1\nrank 0: main@0 { MPI_Init@0-100 [metric 0 50 @0] work@100-1000 "
		"MPI_Barrier@1000-1905 [metric 0 350 @1000] } @2000\n");
	struct core_wait waits[WAITS_MOST];

	assert_int_equal(trace_core_wait_set(trace), UINT32_MAX);
	assert_int_equal(waits_of(trace, waits), 0);
	assert_true(fabs(trace_core_waited(trace).of) < 1e-9);
	trace_free(trace);
}
