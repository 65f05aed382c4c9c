/* The controlled logical clock on traces whose corrected times were worked out by hand, and on
 * vectors of an independent implementation: V1 to V5 (specs: correction and patterns, section 7).
 * Ticks are picoseconds, so that whole numbers show twelve digits. */
#include <math.h>
#include <stdlib.h>

#include "correct/clc/clc_state.h"
#include "correct/clocks/clock_check.h"
#include "harness/notation.h"
#include "harness/patience.h"
#include "harness/test.h"
#include "harness/times.h"
#include "model/trace/base_write.h"

#define assert_near(a, b, most) assert_true(fabs((a) - (b)) <= (most))

/* One microsecond everywhere. */
static struct lmin microsecond(const struct trace *trace)
{
	const int64_t us = trace_scale(trace)->per_second / 1000000;

	return (struct lmin){ .inter = us, .intra = us, .omp = us, .trace = trace };
}

struct corrected {
	struct trace *trace;
	struct logical *logical;
	struct lmin lmin;
	struct clc_report report;
};

static struct corrected correct_with(const char *run, struct clc_options options)
{
	struct err err = ERR_INIT;
	struct corrected c = { .trace = notation_trace(run) };

	c.logical = logical_new(c.trace, NULL, &err);
	c.lmin = microsecond(c.trace);
	assert_true(clc_run(&c.report, c.trace, c.logical, BASE_MEASURED, &c.lmin, &options, NULL,
			    &err));
	assert_int_equal(c.report.done, trace_has_base(c.trace, BASE_CLC));
	return c;
}

static struct corrected correct(const char *run)
{
	return correct_with(run, (struct clc_options){ 0 });
}

/* What the forward pass alone makes of it, in the column. */
static struct corrected forward(const char *run, struct clc *clc)
{
	static const struct clc_options options;
	struct err err = ERR_INIT;
	struct corrected c = { .trace = notation_trace(run) };

	c.logical = logical_new(c.trace, NULL, &err);
	c.lmin = microsecond(c.trace);
	clc_init(clc, c.trace, c.logical, BASE_MEASURED, &c.lmin, &options);
	assert_true(base_begin(c.trace, BASE_CLC, &err));
	assert_true(clc_forward(clc, 0.99999));
	base_commit(c.trace, BASE_CLC);
	return c;
}

static void fini(struct corrected *c)
{
	logical_free(c->logical);
	clc_report_fini(&c->report);
	trace_free(c->trace);
}

/* ---- V1: a message that arrives before it was sent ---- */

#define PICOSECONDS "ticks 1000000000000; mpi collective\n"
#define V1_SENDER   "rank 0: mark w @0  ->1 @10000000000  mark w @20000000000\n"

static const char v1[] = PICOSECONDS V1_SENDER
	"rank 1: mark w @0  mark w @4000000000  mark w @9900000000  <-0 @9950000000\n"
	"        mark w @12000000000  mark w @30000000000";

TEST(v1_forward)
{
	ENDED_BY(clc_fini) struct clc clc;
	ENDED_BY(fini) struct corrected c = forward(v1, &clc);

	TIMES(c.trace, BASE_CLC, 0, 0, 10000000000, 20000000000);
	/* .010001 + .99999 * .00205, then + .99999 * .018; the specification prints both with
	 * eleven digits, cut off. */
	TIMES(c.trace, BASE_CLC, 1, 0, 4000000000, 9900000000, 10001000000, 12050979500,
	      30050799500);
	assert_int_equal(clc.jumps.n, 1);
	assert_near(clc.jumps.data[0].jump, 51000000, 1e-6);
}

TEST(v1_backward)
{
	ENDED_BY(fini) struct corrected c = correct(v1);

	TIMES(c.trace, BASE_CLC, 0, 0, 10000000000, 20000000000);
	/* The ramp begins at .00485: .0099 + .01 * .00505. */
	TIMES(c.trace, BASE_CLC, 1, 0, 4000000000, 9950500000, 10001000000, 12050979500,
	      30050799500);
	assert_int_equal(c.report.violated_all, 1);
	assert_int_equal(c.report.violated[LOGICAL_P2P], 1);
	assert_int_equal(c.report.corrected, 3);
	assert_int_equal(c.report.corrected_final, 4);
	assert_int_equal(c.report.messages_moved, 1);
	assert_int_equal(c.report.events, 9);
	assert_near(c.report.max_error, 51000000, 1e-6);
	assert_near(c.report.max_slope, 0.01, 1e-15);
	assert_int_equal(c.report.passes, 1);
	assert_near(c.report.gamma, 0.99999, 0);
	assert_int_equal(c.report.locations[1].violated, 1);
	assert_int_equal(c.report.locations[1].corrected, 3);
	assert_int_equal(c.report.locations[1].max_move, 51000000);
	assert_int_equal(trace_event_time(c.trace, BASE_MEASURED, c.report.locations[1].max_event),
			 9950000000);
	assert_int_equal(c.report.locations[1].lead, 50799500); /* A20 */
	assert_int_equal(c.report.locations[0].lead, 0);
	/* .0000507995 of .0300507995 */
	assert_near(c.report.error_at_final, 0.0000507995 / 0.0300507995, 1e-12);
}

/* ---- V2: a send before the jump has little room ---- */

TEST(v2)
{
	ENDED_BY(fini)
	struct corrected c =
		correct(PICOSECONDS V1_SENDER
			"rank 1: mark w @0  mark w @4000000000  ->2 @9800000000  <-0 @9950000000\n"
			"        mark w @12000000000  mark w @30000000000\n"
			"rank 2: mark w @0  <-1 @9811000000  mark w @40000000000");

	TIMES(c.trace, BASE_CLC, 1, 0, 4000000000, 9810000000, 10001000000, 12050979500,
	      30050799500);
	TIMES(c.trace, BASE_CLC, 2, 0, 9811000000, 40000000000);
	assert_int_equal(c.report.violated_all, 1);
	assert_near(c.report.max_slope, 4.1e-5 / 1.5e-4, 1e-12);
}

/* The same with an event on the left piece: from (.00485, 0) to (.0098, 1e-5). */
TEST(v2_left_of_the_send)
{
	ENDED_BY(fini)
	struct corrected c = correct(
		PICOSECONDS V1_SENDER
		"rank 1: mark w @0  mark w @7325000000  ->2 @9800000000  mark w @9875000000\n"
		"        <-0 @9950000000  mark w @12000000000\n"
		"rank 2: mark w @0  <-1 @9811000000");

	/* Half way to the send: 5e-6; half way from there to the jump: (1e-5 + 5.1e-5) / 2. */
	TIMES(c.trace, BASE_CLC, 1, 0, 7330000000, 9810000000, 9905500000, 10001000000,
	      12050979500);
}

/* ---- V3: MPI_Allreduce on three ranks ---- */

TEST(v3)
{
	ENDED_BY(fini)
	struct corrected c = correct(
		PICOSECONDS
		"rank 0: mark w @0 all:MPI_Allreduce 8B @10000000000-10100000000 mark w @20000000000\n"
		"rank 1: mark w @0 all:MPI_Allreduce 8B @9800000000-9900000000 mark w @20000000000\n"
		"rank 2: mark w @0 all:MPI_Allreduce 8B @9950000000-10050000000 mark w @20000000000");

	TIMES(c.trace, BASE_CLC, 0, 0, 10000000000, 10100000000, 20000000000);
	/* The ramp begins with the location: .0098 * (1 + 1.01e-4 / .0099). */
	TIMES(c.trace, BASE_CLC, 1, 0, 9899979798, 10001000000, 20100899000);
	TIMES(c.trace, BASE_CLC, 2, 0, 9950000000, 10050000000, 20000000000);
	assert_int_equal(c.report.violated[LOGICAL_N_TO_N], 1);
	assert_int_equal(c.report.violated_all, 1);
	assert_near(c.report.max_error, 101000000, 1e-6);
}

/* ---- V4 and V5: MPI_Bcast from rank 2, MPI_Reduce to rank 0 ---- */

#define ROOTED(operation)                                                                       \
	PICOSECONDS                                                                             \
	"rank 0: mark w @0 all:" operation " 8B @10000000000-10100000000 mark w @20000000000\n" \
	"rank 1: mark w @0 all:" operation " 8B @9800000000-9900000000 mark w @20000000000\n"   \
	"rank 2: mark w @0 all:" operation " 8B @10200000000-10300000000 mark w @20000000000"

TEST(v4)
{
	ENDED_BY(fini) struct corrected c = correct(ROOTED("MPI_Bcast root 2"));

	/* .010201 + .99999 * .0099 and + .99999 * .0101 */
	TIMES(c.trace, BASE_CLC, 0, 0, 10100000000, 10201000000, 20100901000);
	/* The ramp begins with the location: .0098 * (1 + 3.01e-4 / .0099). */
	TIMES(c.trace, BASE_CLC, 1, 0, 10097959596, 10201000000, 20300899000);
	TIMES(c.trace, BASE_CLC, 2, 0, 10200000000, 10300000000, 20000000000);
	assert_int_equal(c.report.violated[LOGICAL_ONE_TO_N], 2);
	assert_near(c.report.max_error, 301000000, 1e-6);
	assert_near(c.report.max_slope, 0.01, 1e-15);
}

TEST(v5)
{
	ENDED_BY(fini) struct corrected c = correct(ROOTED("MPI_Reduce root 0"));
	struct bounds_nodes *nodes = bounds_nodes_new(c.trace);
	ENDED_BY(group_fini) struct group group = { 0 };
	struct bounds_party parties[3];
	struct bounds bounds;

	TIMES(c.trace, BASE_CLC, 0, 0, 10100000000, 10201000000, 20100901000);
	TIMES(c.trace, BASE_CLC, 1, 0, 9800000000, 9900000000, 20000000000);
	TIMES(c.trace, BASE_CLC, 2, 0, 10200000000, 10300000000, 20000000000);
	assert_int_equal(c.report.violated[LOGICAL_N_TO_ONE], 1);
	/* U of the begins of ranks 1 and 2: .0102. */
	assert_true(logical_group(c.logical, 0, &group));
	bounds_start(&bounds, parties, &group, nodes, true);
	parties[0].value = -10201000000;
	assert_int_equal(bounds_limit(&bounds, parties, &group, &c.lmin, 1), -10200000000);
	assert_int_equal(bounds_limit(&bounds, parties, &group, &c.lmin, 2), -10200000000);
	bounds_nodes_free(nodes);
}

/* ---- choices (specs: correction and patterns, section 11) ---- */

/* A4: the sender that binds is not the latest one: rank 1 is earlier, but on another node. */
TEST(a4_latencies_of_each_pair)
{
	static const char run[] = PICOSECONDS
		"ranks 3; node a 0 2; node b 1\n"
		"rank 0: mark w @0 all:MPI_Barrier 8B @10000000000-10100000000 mark w @20000000000\n"
		"rank 1: mark w @0 all:MPI_Barrier 8B @9999900000-10100000000 mark w @20000000000\n"
		"rank 2: mark w @0 all:MPI_Barrier 8B @9900000000-9950000000 mark w @20000000000";
	static const struct clc_options options;
	struct err err = ERR_INIT;
	ENDED_BY(fini) struct corrected c = { .trace = notation_trace(run) };

	c.logical = logical_new(c.trace, NULL, &err);
	c.lmin = microsecond(c.trace);
	c.lmin.intra = 100000;
	assert_true(clc_run(&c.report, c.trace, c.logical, BASE_MEASURED, &c.lmin, &options, NULL,
			    &err));
	TIMES(c.trace, BASE_CLC, 0, 0, 10000000000, 10100000000, 20000000000);
	TIMES(c.trace, BASE_CLC, 1, 0, 9999900000, 10100000000, 20000000000);
	/* 9999.9 + 1 us, not 10000 + 0.1 us */
	assert_int_equal(trace_event_time(c.trace, BASE_CLC, c.report.locations[2].max_event),
			 10000900000);
	assert_int_equal(c.report.violated[LOGICAL_BARRIER], 1);
}

/* A5, A9: a receive that had to go on without its sender leaves that no room: it stays, and the
 * ramp ends there. */
TEST(a5_no_room_is_no_move)
{
	ENDED_BY(fini)
	struct corrected c = correct(
		"ticks 1000000\n"
		"rank 0: mark w @0  <-1 @500  mark w @850  ->1 @900  mark w @950  <-2 @1000\n"
		"rank 1: mark w @0  <-0 @100  ->0 @200\n"
		"rank 2: ->0 @1099");

	assert_int_equal(c.report.forced, 1);
	/* From 0 at the send to 100 at the receive. */
	TIMES(c.trace, BASE_CLC, 0, 0, 500, 850, 900, 1000, 1100);
	TIMES(c.trace, BASE_CLC, 1, 0, 100, 200);
}

/* A third of the run is lead. */
static const char a6[] = "ticks 1000000; rank 0: ->1 @2000000\n"
			 "rank 1: mark w @0  <-0 @1000000  mark w @1500000  mark w @2000000";

/* A6, A27: every pass begins at the input: three passes end as the third alone. */
TEST(a6_passes_start_anew)
{
	ENDED_BY(fini)
	struct corrected three = correct_with(a6, (struct clc_options){ .passes = 3 });
	ENDED_BY(fini)
	struct corrected last = correct_with(a6, (struct clc_options){ .gamma = 0.999 });
	ENDED_BY(fini)
	struct corrected more = correct_with(a6, (struct clc_options){ .passes = 5 });

	assert_int_equal(three.report.passes, 3);
	assert_near(three.report.gamma, 0.999, 1e-15);
	assert_int_equal(last.report.passes, 1);
	/* 2000001 at the receive; from there .999 of the time. */
	TIMES(three.trace, BASE_CLC, 1, 0, 2000001, 2499501, 2999001);
	TIMES(last.trace, BASE_CLC, 1, 0, 2000001, 2499501, 2999001);
	assert_int_equal(three.report.violated_all, 1);
	assert_int_equal(three.report.corrected, 3);
	assert_near(three.report.error_at_final, 999001.0 / 2999001, 1e-6);
	assert_int_equal(more.report.passes, 5);
	assert_near(more.report.gamma, 0.999 * 0.9 * 0.9, 1e-12);
}

/* The lead at the end of V1 is a five-hundredth: no more passes, however many are allowed. */
TEST(enough_is_enough)
{
	ENDED_BY(fini) struct corrected c = correct_with(v1, (struct clc_options){ .passes = 4 });

	assert_int_equal(c.report.passes, 1);
}

TEST(gamma_lets_the_clock_catch_up)
{
	ENDED_BY(fini) struct corrected c = correct_with(v1, (struct clc_options){ .gamma = 0.9 });

	/* .010001 + .9 * .00205 is before .012. */
	TIMES(c.trace, BASE_CLC, 1, 0, 4000000000, 9950500000, 10001000000, 12000000000,
	      30000000000);
	assert_int_equal(c.report.corrected, 1);
	assert_int_equal(c.report.locations[1].lead, 0);
}

/* A11: what is counted includes what the correction itself turns round: the second message was
 * right. */
TEST(a11_follow_ups_count)
{
	ENDED_BY(fini)
	struct corrected c = correct(PICOSECONDS V1_SENDER
				     "rank 1: mark w @0  <-0 @9950000000  ->2 @9960000000\n"
				     "rank 2: mark w @0  <-1 @9970000000");
	struct check check;

	assert_true(check_make(&check, c.logical, BASE_MEASURED, &c.lmin, NULL));
	assert_int_equal(check.all.violating, 1);
	check_fini(&check);
	assert_int_equal(c.report.violated_all, 2);
	/* .010001 + .99999 * .00001 and a microsecond later */
	TIMES(c.trace, BASE_CLC, 1, 0, 10001000000, 10010999900);
	TIMES(c.trace, BASE_CLC, 2, 0, 10011999900);
}

/* A8: a run of one event has no length. */
TEST(a8_no_run_is_no_error)
{
	ENDED_BY(fini) struct corrected c = correct(PICOSECONDS V1_SENDER "rank 1: <-0 @5");

	assert_true(c.report.done);
	TIMES(c.trace, BASE_CLC, 1, 10001000000); /* the first event, too, if it is a receive */
	assert_near(c.report.error_at_final, 0, 0);
}

/* A10: ties stay ties before the jump; behind it they are a tick apart where a tick is more than a
 * nanosecond, else a nanosecond. Where the clock has caught up they are ties again. */
TEST(a10_spacing)
{
#define A10(ticks)                             \
	"ticks " ticks "\nrank 0: ->1 @1000; " \
	"rank 1: mark w @100 mark w @100 <-0 @900 mark w @900 mark w @900 mark w @5000 mark w @5000"
	struct corrected c = correct_with(A10("1000000"), (struct clc_options){ .gamma = 0.5 });

	TIMES(c.trace, BASE_CLC, 1, 100, 100, 1001, 1002, 1003, 5000, 5000);
	fini(&c);
	/* a nanosecond is four ticks, a microsecond 4000 */
	c = correct_with(A10("4000000000"), (struct clc_options){ .gamma = 0.5 });
	TIMES(c.trace, BASE_CLC, 1, 100, 100, 5000, 5004, 5008, 7058, 7062);
	fini(&c);
}

/* What nobody violates makes no base. */
TEST(consistent_is_left_alone)
{
	ENDED_BY(fini)
	struct corrected c = correct(PICOSECONDS V1_SENDER "rank 1: mark w @0  <-0 @10001000000");

	assert_false(c.report.done);
	assert_int_equal(c.report.violated_all, 0);
	assert_false(trace_has_base(c.trace, BASE_CLC));
}

/* Work that nobody wants any more leaves nothing behind, and that is no error. */
TEST(dropped_is_gone)
{
	static const struct clc_options options;
	atomic_int left = 0;
	const struct progress progress = patience(&left);
	struct err err = ERR_INIT;
	ENDED_BY(fini) struct corrected c = { .trace = notation_trace(v1) };

	c.logical = logical_new(c.trace, NULL, &err);
	c.lmin = microsecond(c.trace);
	assert_false(clc_run(&c.report, c.trace, c.logical, BASE_MEASURED, &c.lmin, &options,
			     &progress, &err));
	assert_int_equal(err.status, 0);
	assert_false(c.report.done);
	assert_false(trace_has_base(c.trace, BASE_CLC));
}
