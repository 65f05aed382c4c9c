/* The base `virtual`, of what ranks say of their intrusion: by hand. */
#include "correct/virtual/virtual_base.h"

#include <string.h>

#include "harness/built.h"
#include "harness/test.h"
#include "model/trace/virtual_metric.h"

enum { MPI, PROBED, TOOL, SITES };

struct virtual_run {
	struct builder *b;
	uint32_t site[SITES];
	uint64_t set;
};

/* Ticks are nanoseconds. */
static struct virtual_run begin(void)
{
	struct virtual_run r = { .b = built_begin(1) };
	uint32_t metrics[VIRTUAL_METRICS];

	r.site[MPI] = built_site(r.b, "MPI_Recv", CLASS_P2P, 1);
	r.site[PROBED] = built_site(r.b, "work", CLASS_USER, 2);
	r.site[TOOL] = built_site(r.b, "tview_buffer", CLASS_OVERHEAD, 3);
	for (int i = 0; i < VIRTUAL_METRICS; i++) {
		const char *name = virtual_metric_text[i][0];
		metrics[i] =
			builder_metric(r.b, &(struct metric){
						    .name = builder_string(r.b, name, strlen(name)),
						    .value = FIELD_INT,
						    .base = 10,
						    .exponent = -9 });
	}
	r.set = builder_metric_set(r.b, &(struct metric_set){ .n = VIRTUAL_METRICS,
							      .metrics = metrics,
							      .recorder = UINT32_MAX });
	return r;
}

static void call(struct virtual_run *r, int64_t from, int64_t to, int64_t before, int64_t left,
		 int64_t after)
{
	const uint64_t values[] = { r->set,         (uint64_t)(to - from), (uint64_t)before,
				    (uint64_t)left, (uint64_t)after,       7 };

	builder_enter(r->b, 0, from, r->site[MPI]);
	builder_detail(r->b, 0, to, DETAIL_METRIC, values, sizeof values / sizeof *values);
	builder_leave(r->b, 0, to, r->site[MPI]);
}

static void visit(struct virtual_run *r, int64_t from, int64_t to, uint32_t site)
{
	builder_enter(r->b, 0, from, r->site[site]);
	builder_leave(r->b, 0, to, r->site[site]);
}

static struct trace *make(struct virtual_run *r, struct virtual_report *report)
{
	struct trace *trace = built_end(r->b);
	struct err err = ERR_INIT;

	assert_true(virtual_base_make(report, trace, BASE_MEASURED, NULL, &err));
	return trace;
}

static void assert_times(const struct trace *trace, const int64_t *want, size_t n)
{
	struct cursor c;
	size_t i = 0;

	for (bool ok = cursor_first(&c, trace, BASE_VIRTUAL, 0); ok; ok = cursor_next(&c)) {
		assert_true(i < n);
		assert_int_equal(cursor_time(&c), want[i++]);
	}
	assert_int_equal(i, n);
}

/* Two visits, whose records cost 10 each, before a call that is entered with 40 of intrusion: the
 * first event of all has no time before it. It leaves with 15: its wait swallowed 25. 5 of
 * recording follow, then three records of 10: a visit, and the next call. */
TEST(intrusion_is_shared_out_over_records)
{
	const int64_t want[] = { 100, 190, 280, 370, 460, 585, 585, 680, 770, 850, 860, 860 };
	struct virtual_report report;
	struct virtual_run r = begin();
	struct trace *trace;

	visit(&r, 100, 200, PROBED);
	visit(&r, 300, 400, PROBED);
	call(&r, 500, 600, 40, 15, 5);
	visit(&r, 710, 810, PROBED);
	call(&r, 900, 910, 50, 50, 0);
	trace = make(&r, &report);
	assert_times(trace, want, sizeof want / sizeof *want);
	assert_true(report.done);
	assert_int_equal(report.calls, 2);
	assert_int_equal(report.locations, 1);
	assert_int_equal(report.error, 7);
	trace_free(trace);
}

/* A delay of 10 is before the time stamp of each record: 10 of it before the first event, with which
 * virtual time begins, and nothing between a record and the enter of a call. */
TEST(a_delay_is_before_its_record)
{
	const int64_t want[] = { 100, 190, 280, 370, 470, 570, 570, 670, 760, 850, 860, 860 };
	struct virtual_report report;
	struct virtual_run r = begin();
	struct trace *trace;

	builder_property(r.b, "cost-delay-ps", "10000");
	visit(&r, 100, 200, PROBED);
	visit(&r, 300, 400, PROBED);
	call(&r, 500, 600, 40, 40, 0);
	visit(&r, 710, 810, PROBED);
	call(&r, 900, 910, 60, 60, 0);
	trace = make(&r, &report);
	assert_times(trace, want, sizeof want / sizeof *want);
	trace_free(trace);
}

/* A record cannot have cost more than the time since the one before: the first of three 2, so that
 * 40 are left for the other two. */
TEST(no_record_costs_more_than_there_was_time)
{
	const int64_t want[] = { 100, 200, 200, 220, 258, 268, 268 };
	struct virtual_report report;
	struct virtual_run r = begin();
	struct trace *trace;

	builder_mark(r.b, 0, 100, r.site[PROBED]);
	builder_mark(r.b, 0, 200, r.site[PROBED]);
	visit(&r, 202, 242, PROBED);
	call(&r, 300, 310, 42, 42, 0);
	trace = make(&r, &report);
	assert_times(trace, want, sizeof want / sizeof *want);
	trace_free(trace);
}

/* Regions of the tool are intrusion as long as they last. */
TEST(regions_of_the_tool_take_no_time)
{
	const int64_t want[] = { 100, 150, 150, 190, 200, 200 };
	struct virtual_report report;
	struct virtual_run r = begin();
	struct trace *trace;

	builder_mark(r.b, 0, 100, r.site[PROBED]);
	visit(&r, 150, 650, TOOL);
	call(&r, 690, 700, 500, 500, 0);
	trace = make(&r, &report);
	assert_times(trace, want, sizeof want / sizeof *want);
	trace_free(trace);
}

/* Recording of 400 after a call that ends at 110: 390 of it are a region of the tool from 120 on, and
 * what is left of these 400 is the record of the call. */
TEST(a_region_of_the_tool_in_the_recording_of_a_call)
{
	const int64_t want[] = { 100, 110, 110, 110, 110, 190, 200, 200 };
	struct virtual_report report;
	struct virtual_run r = begin();
	struct trace *trace;

	call(&r, 100, 110, 0, 0, 400);
	visit(&r, 120, 510, TOOL);
	call(&r, 590, 600, 400, 400, 0);
	trace = make(&r, &report);
	assert_times(trace, want, sizeof want / sizeof *want);
	trace_free(trace);
}

/* Also inside a call; one that then waits until 900 swallows 400 of their 500. */
TEST(regions_of_the_tool_take_no_time_inside_a_call)
{
	const int64_t want[] = { 100, 150, 150, 200, 200, 300, 350, 350, 900, 900 };
	const uint64_t left[] = { 500, 600 };
	struct virtual_report report;
	struct virtual_run r = begin();
	struct trace *trace;

	for (int64_t i = 0; i < 2; i++) {
		const int64_t from = 100 + i * 700, to = i ? 1500 : 700, before = i * 500;
		const uint64_t values[] = {
			r.set, (uint64_t)(to - from), (uint64_t)before, left[i], 0, 0
		};
		builder_enter(r.b, 0, from, r.site[MPI]);
		visit(&r, from + 50, from + 550, TOOL);
		builder_detail(r.b, 0, to, DETAIL_METRIC, values, sizeof values / sizeof *values);
		builder_leave(r.b, 0, to, r.site[MPI]);
	}
	trace = make(&r, &report);
	assert_times(trace, want, sizeof want / sizeof *want);
	trace_free(trace);
}

/* Polls ran on with the clock to 290; the last one ends at 200: they all waited until then. */
TEST(virtual_time_never_runs_backwards)
{
	const int64_t want[] = { 100, 110, 110, 200, 200, 200, 200, 200, 200 };
	struct virtual_report report;
	struct virtual_run r = begin();
	struct trace *trace;

	call(&r, 100, 110, 0, 0, 0);
	call(&r, 290, 295, 0, 0, 0);
	call(&r, 300, 310, 0, 110, 0);
	trace = make(&r, &report);
	assert_times(trace, want, sizeof want / sizeof *want);
	trace_free(trace);
}

TEST(a_trace_without_virtual_times)
{
	struct builder *b = built_begin(1);
	struct virtual_report report;
	struct err err = ERR_INIT;
	struct trace *trace;

	built_site(b, "work", CLASS_USER, 1);
	trace = built_end(b);
	assert_true(virtual_base_make(&report, trace, BASE_MEASURED, NULL, &err));
	assert_false(report.done);
	assert_false(trace_has_base(trace, BASE_VIRTUAL));
	trace_free(trace);
}
