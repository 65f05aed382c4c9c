/* The formulas of paper 3, worked out by hand; first as numbers, then on a trace. */
#include "correct/overhead/overhead.h"
#include "correct/overhead/overhead_paper.h"
#include "harness/test.h"
#include "model/build/builder.h"

/* send 100, exit.send 110, recv 150: the message took 50. In the approximation the send is at 90. */
static struct paper_receive received(double enter_recv_m, double enter_recv_a)
{
	return (struct paper_receive){ .send_m = 100,
				       .exit_send_m = 110,
				       .enter_recv_m = enter_recv_m,
				       .recv_m = 150,
				       .send_a = 90,
				       .enter_recv_a = enter_recv_a,
				       .copy = 4 };
}

TEST(measurable_and_waiting)
{
	const struct paper_receive r = received(105, 95);

	assert_true(paper_measurable(&r));
	assert_true(paper_receive_lower(&r) == 140); /* (2), (3): 90 + 50 */
	assert_true(paper_receive_upper(&r) == 140);
}

TEST(measurable_and_there)
{
	struct paper_receive r = received(105, 145);

	assert_true(paper_receive_lower(&r) == 149); /* (4): 145 + 4 */
	assert_true(paper_receive_upper(&r) == 149);
	r = received(105, 140); /* (a.2) holds where both are the same */
	assert_true(paper_receive_lower(&r) == 144);
}

TEST(measurable_up_to_the_end_of_the_send)
{
	const struct paper_receive before = received(20, 95), same = received(110, 95),
				   behind = received(111, 95);

	assert_true(paper_measurable(&before));
	assert_true(paper_measurable(&same));
	assert_false(paper_measurable(&behind));
}

TEST(not_measurable_has_bounds)
{
	struct paper_receive r = received(120, 130);

	/* (8): 130 - 90 + 4 = 44; (9): max(8, 44); (10): max(50, 44). */
	assert_true(paper_receive_lower(&r) == 134);
	assert_true(paper_receive_upper(&r) == 140);
	/* (8): 59 is more than both. */
	r = received(120, 145);
	assert_true(paper_receive_lower(&r) == 149);
	assert_true(paper_receive_upper(&r) == 149);
	/* (6): the receive begins before the send, 2 * 4 decides. */
	r = received(120, 80);
	assert_true(paper_receive_lower(&r) == 98);
	assert_true(paper_receive_upper(&r) == 140);
	/* (7) */
	assert_true(paper_receive_lower(&r) > r.enter_recv_a);
}

TEST(n_to_n)
{
	/* Latest enter measured at 180, approximated at 150; exits measured at 200 and 210. */
	assert_true(paper_n_to_n(200, 180, 150) == 170); /* (13) of the first, (12) of both */
	assert_true(paper_n_to_n(210, 180, 150) == 180);
}

TEST(independent)
{
	unsigned long long clamped = 0;

	assert_true(paper_independent(30, 10, &clamped) == 20); /* (1) */
	assert_int_equal(clamped, 0);
	assert_true(paper_independent(5, 10, &clamped) == 0);
	assert_int_equal(clamped, 1);
}

/* ---- on a trace ---- */

enum { MAIN, F, SEND, RECV, BCAST, ALLREDUCE, FLUSH, REGIONS };

struct maker {
	struct builder *b;
	uint32_t regions[REGIONS], sites[REGIONS];
};

static void call(struct maker *m, uint32_t location, int region, int64_t from, int64_t to)
{
	builder_enter(m->b, location, from, m->sites[region]);
	builder_leave(m->b, location, to, m->sites[region]);
}

static void send(struct maker *m, int64_t from, int64_t to)
{
	const struct message_end end = { .rank = 1, .process = -1, .tag = 3, .bytes = 4 };

	builder_enter(m->b, 0, from, m->sites[SEND]);
	builder_send(m->b, 0, from, &end);
	builder_leave(m->b, 0, to, m->sites[SEND]);
}

static void receive(struct maker *m, int64_t from, int64_t to)
{
	const struct message_end end = { .rank = 0, .process = -1, .tag = 3, .bytes = 4 };

	builder_enter(m->b, 1, from, m->sites[RECV]);
	builder_recv(m->b, 1, to, &end);
	builder_leave(m->b, 1, to, m->sites[RECV]);
}

static void collective(struct maker *m, uint32_t location, int region, int64_t from, int64_t to)
{
	builder_enter(m->b, location, from, m->sites[region]);
	builder_collective_begin(m->b, location, from, 0, m->regions[region],
				 region == BCAST ? 0 : -1, 4, 4);
	builder_collective_end(m->b, location, to, 4, 4);
	builder_leave(m->b, location, to, m->sites[region]);
}

static struct trace *make(void)
{
	static const struct timescale nanoseconds = { 1000000000, 9 };
	static const char *const names[] = { "main",     "f",         "MPI_Send",
					     "MPI_Recv", "MPI_Bcast", "MPI_Allreduce",
					     "flush" };
	static const enum region_class classes[] = { CLASS_USER,       CLASS_USER,
						     CLASS_P2P,        CLASS_P2P,
						     CLASS_COLLECTIVE, CLASS_COLLECTIVE,
						     CLASS_OVERHEAD };
	struct err err = ERR_INIT;
	struct maker m = { .b = builder_new("paper.trc", &nanoseconds, &err) };

	for (int i = 0; i < REGIONS; i++) {
		m.regions[i] = builder_region(m.b, names[i], classes[i], i + 1);
		m.sites[i] = builder_site(m.b, m.regions[i], 0, 0, i + 1);
	}
	for (int l = 0; l < 2; l++)
		builder_location(m.b, &(struct location){ .rank = l, .process = -1 });
	builder_enter(m.b, 0, 0, m.sites[MAIN]);
	call(&m, 0, F, 100, 200);
	send(&m, 300, 350);
	send(&m, 500, 520);
	collective(&m, 0, BCAST, 1000, 1010);
	collective(&m, 0, ALLREDUCE, 1100, 1200);
	call(&m, 0, FLUSH, 1300, 1800);
	builder_leave(m.b, 0, 1900, m.sites[MAIN]);

	builder_enter(m.b, 1, 0, m.sites[MAIN]);
	receive(&m, 320, 400);
	receive(&m, 600, 640);
	collective(&m, 1, BCAST, 1005, 1060);
	collective(&m, 1, ALLREDUCE, 1150, 1180);
	builder_leave(m.b, 1, 1900, m.sites[MAIN]);
	return builder_finish(m.b, NULL, NULL, &err);
}

static void times_are(const struct trace *trace, enum time_base base, uint32_t location,
		      const int64_t *expected, size_t n)
{
	struct cursor c;
	size_t i = 0;

	for (bool ok = cursor_first(&c, trace, base, location); ok; ok = cursor_next(&c))
		assert_int_equal(cursor_time(&c), expected[i++]);
	assert_int_equal(i, n);
}

#define TIMES(trace, base, location, ...)                                  \
	times_are(trace, base, location, (const int64_t[]){ __VA_ARGS__ }, \
		  sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

/* O = 10, a byte is copied in 1. Calls are enter, message or begin and end, leave. */
TEST(a_trace_by_hand)
{
	const struct overhead_options options = { OVERHEAD_PAPER, 10e-9, 1e-9 };
	struct err err = ERR_INIT;
	struct trace *trace = make();
	struct logical *logical = logical_new(trace, NULL, &err);
	struct overhead_report report;

	assert_true(overhead_run(&report, trace, logical, BASE_MEASURED, &options, NULL, &err));
	assert_true(report.done);
	for (int base = BASE_COMPENSATED; base <= BASE_UPPER; base++)
		TIMES(trace, (enum time_base)base, 0, 0, /* main */
		      90, 180,                           /* f */
		      270, 270, 310,                     /* MPI_Send */
		      450, 450, 460,                     /* MPI_Send */
		      930, 930, 930, 930,                /* MPI_Bcast */
		      1010, 1010, 1120, 1120,            /* (13): 1070 + 1200 - 1150 */
		      1210, 1210,                        /* flush */
		      1300);                             /* main */
	/* (3): 270 + 100; (9): 560 + 4; then (3): 930 + 60; (13): 1070 + 1180 - 1150. */
	TIMES(trace, BASE_LOWER, 1, 0, 310, 370, 370, 560, 564, 564, 919, 919, 990, 990, 1070, 1070,
	      1100, 1100, 1810);
	/* (10): 450 + 140. */
	TIMES(trace, BASE_UPPER, 1, 0, 310, 370, 370, 560, 590, 590, 945, 945, 990, 990, 1070, 1070,
	      1100, 1100, 1810);
	TIMES(trace, BASE_COMPENSATED, 1, 0, 310, 370, 370, 560, 564, 564, 919, 919, 990, 990, 1070,
	      1070, 1100, 1100, 1810);
	assert_int_equal(report.flushes, 1);
	assert_int_equal(report.flushed, 500);
	assert_int_equal(report.clamped, 0);
	assert_int_equal(report.extended, 0);
	assert_int_equal(report.run.measured, 1900);
	assert_int_equal(report.run.lower, 1810);
	assert_int_equal(report.run.upper, 1810);
	assert_int_equal(report.regions[F].measured, 100);
	assert_int_equal(report.regions[F].compensated, 90);
	assert_int_equal(report.regions[FLUSH].measured, 500);
	assert_int_equal(report.regions[FLUSH].compensated, 0);
	/* MPI_Recv: 80 + 40 measured; 60 + 4, 60 + 30 left. */
	assert_int_equal(report.regions[RECV].measured, 120);
	assert_int_equal(report.regions[RECV].lower, 64);
	assert_int_equal(report.regions[RECV].upper, 90);
	overhead_report_fini(&report);
	logical_free(logical);
	trace_free(trace);
}

/* A cost of more than what lies between two records leaves nothing, and is counted. */
TEST(what_would_be_negative_is_clamped)
{
	const struct overhead_options options = { OVERHEAD_PAPER, 60e-9, 0 };
	struct err err = ERR_INIT;
	struct trace *trace = make();
	struct logical *logical = logical_new(trace, NULL, &err);
	struct overhead_report report;
	struct cursor c;

	assert_true(overhead_run(&report, trace, logical, BASE_MEASURED, &options, NULL, &err));
	/* MPI_Send (50, 20) and MPI_Bcast (10) of rank 0: 3. */
	assert_int_equal(report.clamped, 3);
	/* f 40, 80; MPI_Send 120 to 120. */
	assert_true(cursor_nth(&c, trace, BASE_LOWER, 0, 5));
	assert_int_equal(cursor_time(&c), 120);
	overhead_report_fini(&report);
	logical_free(logical);
	trace_free(trace);
}
