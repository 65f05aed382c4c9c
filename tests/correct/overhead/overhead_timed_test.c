/* Compensation of a run whose ranks kept virtual time: by hand. Ticks are nanoseconds; the cost of a
 * record is 4, so that all that is more was timed. */
#include "correct/overhead/overhead_timed.h"

#include <string.h>

#include "correct/overhead/overhead.h"
#include "harness/built.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "model/trace/virtual_metric.h"

enum { RECORD = 4 };

struct timed_run {
	struct builder *b;
	uint32_t send, receive, split, work;
	uint64_t set;
};

static struct timed_run begin(void)
{
	struct timed_run r = { .b = built_begin(2) };
	uint32_t metrics[VIRTUAL_METRICS];

	r.send = built_site(r.b, "MPI_Send", CLASS_P2P, 1);
	r.receive = built_site(r.b, "MPI_Recv", CLASS_P2P, 2);
	r.split = built_site(r.b, "MPI_Comm_split", CLASS_MPI_OTHER, 4);
	r.work = built_site(r.b, "work", CLASS_USER, 3);
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
	builder_property(r.b, "cost-pairs-ps",
			 "4000 4000 4000 4000 4000 4000 4000 4000 "
			 "4000 4000 4000 4000 4000 4000 4000 4000");
	builder_property(r.b, "cost-guard", "inline");
	return r;
}

/* What a call says: until it went on into MPI, recording after it, and what was timed before it. */
static void values(struct timed_run *r, uint32_t rank, int64_t from, int64_t to, int64_t inside,
		   int64_t after, int64_t timed)
{
	const uint64_t of[1 + VIRTUAL_METRICS] = { r->set,
						   [1 + VIRTUAL_SINCE] = (uint64_t)(to - from),
						   [1 + VIRTUAL_AFTER] = (uint64_t)after,
						   [1 + VIRTUAL_INSIDE] = (uint64_t)inside,
						   [1 + VIRTUAL_TIMED] = (uint64_t)timed };

	builder_detail(r->b, rank, to, DETAIL_METRIC, of, sizeof of / sizeof *of);
}

static const struct message_end to_0 = { .rank = 0, .process = -1, .bytes = 8 },
				from_1 = { .rank = 1, .process = -1, .bytes = 8 };

/* Times of a location in a base. */
static int64_t time_at(const struct trace *trace, enum time_base base, uint32_t rank, int nth)
{
	struct cursor c;

	assert_true(cursor_first(&c, trace, base, rank));
	while (nth-- > 0)
		assert_true(cursor_next(&c));
	return cursor_time(&c);
}

static struct trace *make(struct timed_run *r)
{
	static const struct overhead_options options = OVERHEAD_DEFAULTS;
	struct trace *trace = built_end(r->b);
	struct overhead_report report;
	struct err err = ERR_INIT;
	FREED_BY(logical_free) struct logical *logical = logical_new(trace, NULL, &err);

	assert_true(overhead_run(&report, trace, logical, BASE_MEASURED, &options, NULL, &err));
	assert_true(report.done);
	overhead_report_fini(&report);
	return trace;
}

static void assert_near(int64_t got, int64_t want)
{
	/* Less the records between, which cost up to 1.05 of RECORD and 1.1 ns each. */
	assert_true(got >= want - 5 * RECORD && got <= want + RECORD);
}

/* Rank 1 sends at 1000, rank 0 comes at 500, is held until 6000, and receives in 200 what was there:
 * without the hold it waits for the send, and goes on before 2000. 300 of recording follow, and then
 * 400 of work up to a call. */
TEST(a_hold_is_no_wait)
{
	struct timed_run r = begin();
	OWNED_TRACE *trace = NULL;
	int64_t end;

	builder_enter(r.b, 0, 500, r.receive);
	builder_recv(r.b, 0, 6200, &from_1);
	values(&r, 0, 500, 6200, 5500, 300, 0);
	builder_leave(r.b, 0, 6200, r.receive);
	builder_enter(r.b, 0, 6900, r.receive);
	builder_recv(r.b, 0, 7000, &from_1);
	values(&r, 0, 6900, 7000, 0, 0, 0);
	builder_leave(r.b, 0, 7000, r.receive);
	for (int i = 0; i < 2; i++) {
		const int64_t from = i ? 1210 : 1000;
		builder_enter(r.b, 1, from, r.send);
		builder_send(r.b, 1, from, &to_0);
		values(&r, 1, from, from + 100, 0, 0, 0);
		builder_leave(r.b, 1, from + 100, r.send);
	}
	trace = make(&r);
	for (int way = 0; way < 3; way++) {
		static const enum time_base base[] = { BASE_COMPENSATED, BASE_LOWER, BASE_UPPER };
		end = time_at(trace, base[way], 0, 3);
		/* How long the message takes is not known: at most as long as was measured. */
		assert_true(end >= 1000 - RECORD);
		assert_true(end <= (base[way] == BASE_UPPER ? 6200 : 1200) + 2 * RECORD);
		assert_near(time_at(trace, base[way], 0, 4) - end, 400);
	}
}

/* Of 2000 up to the second call 600 were timed: delays before the two records of a function, which
 * has 100 of work. The bounds do not know where; at the call all bases do. */
TEST(delays_are_as_long_as_they_were_timed)
{
	struct timed_run r = begin();
	OWNED_TRACE *trace = NULL;
	int64_t from, enter[3];

	for (int i = 0; i < 2; i++) {
		const int64_t at = 1000 + i * 2100;
		builder_enter(r.b, 1, at, r.send);
		values(&r, 1, at, at + 100, 0, 0, i * 600);
		builder_leave(r.b, 1, at + 100, r.send);
		if (i == 0) {
			builder_enter(r.b, 1, at + 500, r.work);
			builder_leave(r.b, 1, at + 900, r.work);
		}
	}
	trace = make(&r);
	for (int way = 0; way < 3; way++) {
		static const enum time_base base[] = { BASE_COMPENSATED, BASE_LOWER, BASE_UPPER };
		from = time_at(trace, base[way], 1, 2);
		enter[way] = time_at(trace, base[way], 1, 3) - from;
		assert_near(time_at(trace, base[way], 1, 5) - from, 2000 - 600);
	}
	assert_near(enter[0], 400 - 300);
	assert_near(enter[1], 0);   /* all 400 before it were a delay */
	assert_near(enter[2], 400); /* none was: 600 are right before the call */
}

/* Of a thread that leaves a barrier at 1600, 80 after what was kept of it, and comes to the next one
 * at 3000, 600 were timed: the delays of two records in between. Its wait has no delay. */
TEST(delays_between_the_barriers_of_a_team)
{
	static const enum time_base bases[] = { BASE_COMPENSATED, BASE_LOWER, BASE_UPPER };
	struct timed_run r = begin();
	const uint32_t barrier = built_site(r.b, "!$omp barrier", CLASS_SYNC, 5);
	const uint64_t of[1 + VIRTUAL_METRICS] = { r.set, [1 + VIRTUAL_SINCE] = 200,
						   [1 + VIRTUAL_BEFORE] = 680,
						   [1 + VIRTUAL_LEFT] = 680,
						   [1 + VIRTUAL_TIMED] = 600 };
	OWNED_TRACE *trace = NULL;

	builder_enter(r.b, 1, 1000, r.send);
	values(&r, 1, 1000, 1100, 0, 0, 0);
	builder_leave(r.b, 1, 1100, r.send);
	builder_enter(r.b, 1, 1300, barrier);
	values(&r, 1, 1300, 1500, 0, 80, 0);
	builder_leave(r.b, 1, 1600, barrier);
	builder_enter(r.b, 1, 2400, r.work);
	builder_leave(r.b, 1, 2800, r.work);
	builder_enter(r.b, 1, 3000, barrier);
	builder_detail(r.b, 1, 3200, DETAIL_METRIC, of, sizeof of / sizeof *of);
	builder_leave(r.b, 1, 3300, barrier);
	trace = make(&r);
	for (int way = 0; way < 3; way++) {
		const int64_t left = time_at(trace, bases[way], 1, 5);
		assert_near(left - time_at(trace, bases[way], 1, 4), 100 - 80);
		assert_near(time_at(trace, bases[way], 1, 8) - left, 1400 - 600);
		assert_near(time_at(trace, bases[way], 1, 9) - left, 1600 - 600);
	}
}

/* Rank 0 enters MPI_Comm_split at 1000 and leaves at 7200, when recording has held rank 1 up for 5000:
 * so its rank says. The trace has no event that says who came last. The bounds are those of its
 * rank: 40. */
TEST(a_rank_knows_how_recording_delayed_its_partners)
{
	struct timed_run r = begin();
	OWNED_TRACE *trace = NULL;
	const uint64_t of[1 + VIRTUAL_METRICS] = { r.set, [1 + VIRTUAL_SINCE] = 6200,
						   [1 + VIRTUAL_LEFT] = 5000,
						   [1 + VIRTUAL_ERROR] = 40,
						   [1 + VIRTUAL_UNSURE] = 10 };

	builder_enter(r.b, 0, 1000, r.split);
	builder_detail(r.b, 0, 7200, DETAIL_METRIC, of, sizeof of / sizeof *of);
	builder_leave(r.b, 0, 7200, r.split);
	trace = make(&r);
	for (int way = 0; way < 3; way++) {
		static const enum time_base base[] = { BASE_COMPENSATED, BASE_LOWER, BASE_UPPER };
		static const int64_t want[] = { 1200, 1160, 1240 };
		assert_int_equal(time_at(trace, base[way], 0, 2) - time_at(trace, base[way], 0, 0),
				 want[way]);
	}
}

/* 300 of recording after a call, and 100 of work up to a fork: the threads of the team begin after
 * that one. */
TEST(a_fork_comes_after_the_recording_of_a_call)
{
	static const enum time_base bases[] = { BASE_COMPENSATED, BASE_LOWER, BASE_UPPER };
	static const uint64_t fork[] = { 0, 2 }; /* a paradigm, threads */
	struct timed_run r = begin();
	OWNED_TRACE *trace = NULL;

	builder_enter(r.b, 1, 1000, r.send);
	values(&r, 1, 1000, 1100, 0, 300, 0);
	builder_leave(r.b, 1, 1100, r.send);
	builder_detail(r.b, 1, 1500, DETAIL_THREAD_FORK, fork, sizeof fork / sizeof *fork);
	trace = make(&r);
	for (int way = 0; way < 3; way++)
		assert_near(time_at(trace, bases[way], 1, 3) - time_at(trace, bases[way], 1, 2),
			    400 - 300);
}
