/* What holds of every analysis (harness/severities.h), on samples and on traces of programs that
 * never were; and what fuzzing found, each by number. */
#include <math.h>
#include <stdlib.h>

#include "harness/load_trace.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/random_trace.h"
#include "harness/severities.h"
#include "harness/test.h"
#include "patterns/causes/causes.h"
#include "patterns/patterns.h"

static struct analysis *analyse(const struct trace *trace)
{
	const struct analysis_options options = { .jobs = 1 };
	struct err err = ERR_INIT;
	struct analysis *a = analysis_new(patterns, trace, BASE_MEASURED, &options, NULL, &err);

	if (!a)
		fail_msg("%s", err.text);
	return a;
}

static void assert_holds(const struct trace *trace, const char *name, uint64_t dice)
{
	FREED_BY(analysis_free) struct analysis *a = analyse(trace);
	char *broken = severities_broken(a, dice);

	if (broken)
		fail_msg("%s: %s", name, broken);
}

TEST(of_samples)
{
	static const char *const samples[] = {
		"traces/chain.trc",   "traces/collectives.trc",
		"traces/farm.trc",    "traces/mpicl.trc",
		"traces/ring.trc",    "traces/stencil.trc",
		"traces/sweep.trc",   "traces/picl-1992-table20.trc",
		"traces/otf2/mg.S-4", "traces/otf2/comd-4",
	};

	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		OWNED_TRACE *trace = load_trace(samples[i]);
		assert_holds(trace, samples[i], 0x123456789abu * (i + 1));
	}
}

/* Regions inside calls, collectives across them, tracing on and off. */
TEST(of_programs_that_never_were)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		OWNED_TRACE *trace = random_trace(seed, 150, 1000000000);
		assert_holds(trace, "random", seed * 0x9e3779b97f4a7c15u);
	}
}

/* ---- what fuzzing found ---- */

struct made {
	struct trace *trace;
	struct analysis *analysis;
};

static struct made made(const char *text)
{
	struct made m = { .trace = notation_trace(text) };

	m.analysis = analyse(m.trace);
	return m;
}

static void fini(struct made *m)
{
	analysis_free(m->analysis);
	trace_free(m->trace);
}

static double critical_time(const struct made *m, uint32_t location)
{
	bool chosen[2] = { location == 0, location == 1 };
	struct cube *cube = analysis_cube(m->analysis, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, NULL);
	const double time = cube_total(cube, CUBE_CRITICAL_PATH, chosen);

	cube_free(cube);
	return time;
}

/* Old traces know messages without the calls that sent them: the sender is on the critical path up
 * to the message, not up to the enter of the function that it is in. */
TEST(a_message_outside_of_calls)
{
	struct explanation why;
	ENDED_BY(fini)
	struct made m = made("rank 0: main@0 { ->1 @50 } @70\n"
			     "rank 1: main@0 { MPI_Recv@10-60 <-0 } @100");

	assert_true(critical_time(&m, 0) == 50);
	assert_true(critical_time(&m, 1) == 50);
	/* 40 waited since the sender was 40 longer in main. */
	assert_true(causes_explain(causes_of(m.analysis, NULL, NULL), 1, 0, &why));
	assert_int_equal(why.n, 1);
	assert_int_equal(why.reasons[0].kind, REASON_WORK);
	assert_true(why.reasons[0].excess == 40);
	assert_true(why.reasons[0].share == 40);
}

/* What is left without having been entered was open before: its time is its own. */
TEST(a_region_open_at_the_start)
{
	ENDED_BY(fini)
	struct made m = made("ranks 2; rank 0: mark MPI_Recv @0 leave main @50 mark MPI_Recv @80");
	FREED_BY(cube_free) struct cube *cube;

	cube = analysis_cube(m.analysis, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, NULL);
	for (uint32_t p = 0; p < trace_callpath_count(m.trace); p++)
		assert_true(cube_value(cube, CUBE_CRITICAL_PATH, p, 0) ==
			    cube_value(cube, CUBE_TIME, p, 0));
	assert_true(cube_value(cube, CUBE_CRITICAL_PATH, 0, 0) == 30);
}

/* A receive waits from 10 to 50 and is interrupted from 20 to 30: 30 of its own time. */
TEST(a_region_inside_a_call)
{
	ENDED_BY(fini)
	struct made m = made("rank 0: main@0 { ->1 @50 } @70\n"
			     "rank 1: MPI_Recv@10 { main@20-30 <-0 @60 } @60");
	struct cube *cube;
	size_t n;

	assert_int_equal(analysis_waits(m.analysis, 1, &n)->length, 40);
	assert_int_equal(n, 1);
	cube = analysis_cube(m.analysis, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, NULL);
	assert_true(cube_total(cube, CUBE_MPI_LATESENDER, NULL) == 30);
	assert_true(cube_total(cube, CUBE_MPI_POINT2POINT, NULL) == 40);
	cube_free(cube);
	cube = analysis_cube(m.analysis, 15, 35, CUBE_ALL, NULL, NULL);
	assert_true(cube_total(cube, CUBE_MPI_LATESENDER, NULL) == 10);
	cube_free(cube);
}

static double value_of(const struct made *m, enum cube_metric metric, uint32_t location)
{
	FREED_BY(cube_free)
	struct cube *cube = analysis_cube(m->analysis, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, NULL);
	double sum = 0;

	for (uint32_t p = 0; p < trace_callpath_count(m->trace); p++)
		sum += cube_value(cube, metric, p, location);
	return sum;
}

/* A thread waits for rank 1 in its own function, outside its team, from 120 to 150. It is idle in
 * 0..20, 30..120 and 150..200, and computes the 10 in the team; nothing else computes in "own". */
TEST(a_thread_that_waits_is_not_idle)
{
	ENDED_BY(fini)
	struct made m =
		made("threads 2 rank 0\n"
		     "location 0: main@0 {\n"
		     "  [thread-fork 3 2 @20] [team-begin team @20] [team-end team @30]\n"
		     "  [thread-join 3 @30]\n"
		     "} @200\n"
		     "rank 1: main@0 { MPI_Barrier@150-160 all } @200\n"
		     "location 1: own@0 {\n"
		     "  [team-begin team @20] [team-end team @30] all:MPI_Barrier @120-160\n"
		     "} @200");

	assert_true(value_of(&m, CUBE_TIME, 1) == 200);
	assert_true(value_of(&m, CUBE_MPI_BARRIER_WAIT, 1) == 30);
	assert_true(value_of(&m, CUBE_OMP_IDLE_THREADS, 1) == 160);
	assert_true(value_of(&m, CUBE_COMP, 1) == 10);
	assert_true(fabs(value_of(&m, CUBE_IMBALANCE_ABOVE_SINGLE, 1) - (10 - 10 / 3.0)) < 1e-9);
}

/* A thread begins in a team at 35, forked at 20, and in one inside it at 40, forked at 30: it
 * starts in 20..35 and 35..40. */
TEST(a_thread_starts_once)
{
	ENDED_BY(fini)
	struct made m = made("threads 2 rank 0\n"
			     "location 0: main@0 {\n"
			     "  [thread-fork 3 2 @20] [team-begin team @20]\n"
			     "  [thread-fork 3 2 @30] [team-begin team @30]\n"
			     "  [team-end team @90] [thread-join 3 @90]\n"
			     "  [team-end team @90] [thread-join 3 @90]\n"
			     "} @100\n"
			     "location 1: [team-begin team @35] [team-begin team @40]\n"
			     "  work@40-90 [team-end team @90] [team-end team @90]");

	assert_true(value_of(&m, CUBE_OMP_FORK, 1) == 20);
}

/* A call inside MPI_Finalize, which rank 1 enters at 80: waiting counts only while rank 0 is in
 * MPI_Finalize itself, 10..20. */
TEST(waiting_in_finalize_is_cut_to_its_own_time)
{
	ENDED_BY(fini)
	struct made m =
		made("rank 0: main@0 { MPI_Finalize@10 { MPI_Comm_free@20-90 } @100 } @110\n"
		     "rank 1: main@0 { MPI_Finalize@80-100 } @110");
	size_t n;

	assert_int_equal(analysis_waits(m.analysis, 0, &n)->length, 70);
	assert_true(value_of(&m, CUBE_MPI_FINALIZE_WAIT, 0) == 10);
}
