/* The formulas of paper 3, worked out by hand; first as numbers, then on a trace. */
#include "correct/overhead/overhead.h"
#include "correct/overhead/overhead_paper.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "harness/times.h"

/* send 100, exit.send 110, recv 150: the message took 50. In the approximation the send is at
 * 90. */
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

enum { MAIN, F, SEND, RECV, BCAST, ALLREDUCE, FLUSH };

/* Regions are defined in the order of the enumeration above. */
static struct trace *make(void)
{
	return notation_trace(
		"region main; region f; region MPI_Send class p2p; region MPI_Recv class p2p\n"
		"region MPI_Bcast class collective; region MPI_Allreduce class collective\n"
		"region flush class overhead\n"
		"rank 0: main@0 {\n"
		"  f@100-200  MPI_Send@300-350 ->1 4B  MPI_Send@500-520 ->1 4B\n"
		"  MPI_Bcast@1000-1010 all root 0 4B  MPI_Allreduce@1100-1200 all 4B  flush@1300-1800\n"
		"} @1900\n"
		"rank 1: main@0 {\n"
		"  MPI_Recv@320-400 <-0 4B  MPI_Recv@600-640 <-0 4B\n"
		"  MPI_Bcast@1005-1060 all root 0 4B  MPI_Allreduce@1150-1180 all 4B\n"
		"} @1900");
}

/* O = 10, a byte is copied in 1. Calls are enter, message or begin and end, leave. */
TEST(a_trace_by_hand)
{
	const struct overhead_options options = { OVERHEAD_PAPER, 10e-9, 1e-9 };
	struct err err = ERR_INIT;
	OWNED_TRACE *trace = make();
	FREED_BY(logical_free) struct logical *logical = logical_new(trace, NULL, &err);
	ENDED_BY(overhead_report_fini) struct overhead_report report;

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
}

/* (12): both leave MPI_Allreduce at 1070 + 1180 - 1150, where rank 1 left it. */
TEST(ranks_leave_at_once)
{
	const struct overhead_options options = { OVERHEAD_PAPER_ALIKE, 10e-9, 1e-9 };
	struct err err = ERR_INIT;
	OWNED_TRACE *trace = make();
	FREED_BY(logical_free) struct logical *logical = logical_new(trace, NULL, &err);
	ENDED_BY(overhead_report_fini) struct overhead_report report;

	assert_true(overhead_run(&report, trace, logical, BASE_MEASURED, &options, NULL, &err));
	assert_string_equal(overhead_model_name(report.model), "paper-12");
	TIMES(trace, BASE_COMPENSATED, 0, 0, 90, 180, 270, 270, 310, 450, 450, 460, 930, 930, 930,
	      930, 1010, 1010, 1100, 1100, /* MPI_Allreduce */
	      1190, 1190,                  /* flush */
	      1280);
	TIMES(trace, BASE_COMPENSATED, 1, 0, 310, 370, 370, 560, 564, 564, 919, 919, 990, 990, 1070,
	      1070, 1100, 1100, 1810);
}

/* A cost of more than what lies between two records leaves nothing, and is counted. */
TEST(what_would_be_negative_is_clamped)
{
	const struct overhead_options options = { OVERHEAD_PAPER, 60e-9, 0 };
	struct err err = ERR_INIT;
	OWNED_TRACE *trace = make();
	FREED_BY(logical_free) struct logical *logical = logical_new(trace, NULL, &err);
	ENDED_BY(overhead_report_fini) struct overhead_report report;
	struct cursor c;

	assert_true(overhead_run(&report, trace, logical, BASE_MEASURED, &options, NULL, &err));
	/* MPI_Send (50, 20) and MPI_Bcast (10) of rank 0: 3. */
	assert_int_equal(report.clamped, 3);
	/* f 40, 80; MPI_Send 120 to 120. */
	assert_true(cursor_nth(&c, trace, BASE_LOWER, 0, 5));
	assert_int_equal(cursor_time(&c), 120);
}
