/* Causes: by hand, against a reference that goes over everything, and by what must hold for any
 * run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/load_trace.h"
#include "harness/notation.h"
#include "harness/one_sided.h"
#include "harness/owners.h"
#include "harness/patience.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "patterns/causes/causes_reference.h"
#include "patterns/causes/causes_state.h"
#include "patterns/kinds/waiting_run.h"
#include "patterns/patterns.h"

enum { RUNS = 150, STEPS = 120, LONG_STEPS = 1500, ODD_TRACES = 40 };

struct fixture {
	struct trace *trace;
	struct analysis *analysis;
	const struct causes *causes;
	struct cube *cube;
};

static void analyse(struct fixture *f, struct trace *trace)
{
	const struct analysis_options options = { 0 };
	struct err err = ERR_INIT;

	f->trace = trace;
	f->analysis = analysis_new(patterns, trace, BASE_MEASURED, &options, NULL, &err);
	assert_non_null(f->analysis);
	f->causes = causes_of(f->analysis, NULL, &err);
	assert_non_null(f->causes);
	f->cube = analysis_cube(f->analysis, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, &err);
	assert_non_null(f->cube);
}

static void fini(struct fixture *f)
{
	cube_free(f->cube);
	analysis_free(f->analysis);
	trace_free(f->trace);
}

static uint32_t path_of(const struct trace *trace, const char *region)
{
	for (uint32_t p = 1; p < trace_callpath_count(trace); p++)
		if (strcmp(trace_region_name(trace, trace_callpath_region(trace, p)), region) == 0)
			return trace_callpath(trace, p)->canon;
	fail_msg("no call path ends in %s", region);
	return 0;
}

static double cell(const struct fixture *f, enum cube_metric metric, const char *region,
		   uint32_t location)
{
	return cube_value(f->cube, metric, path_of(f->trace, region), location);
}

static void assert_near(double is, double should, double tolerance)
{
	if (!(fabs(is - should) <= tolerance))
		fail_msg("%.9g is not %.9g", is, should);
}

/* ---- by hand ---- */

/* Rank 0 works 13 ms before it sends to 1; 1 works 28.2 ms before it sends to 2, which had 5 us to
 * do. */
static struct trace *chain(void)
{
	struct waiting_run run;

	waiting_begin(&run, 3, true);
	waiting_work(&run, 0, 1, 13000);
	waiting_message(&run, 0, 1, false);
	waiting_work(&run, 1, 2, 28200);
	waiting_work(&run, 2, 2, 5);
	waiting_message(&run, 1, 2, false);
	return waiting_end(&run, true);
}

TEST(test_chain_costs)
{
	ENDED_BY(fini) struct fixture f;

	analyse(&f, chain());
	assert_near(cell(&f, CUBE_MPI_LATESENDER, "MPI_Recv", 1), 13000, 0);
	assert_near(cell(&f, CUBE_MPI_LATESENDER, "MPI_Recv", 2), 41195, 0);
	assert_near(cell(&f, CUBE_DELAY_LATESENDER, "work_1", 0), 13000, 1e-6);
	assert_near(cell(&f, CUBE_DELAY_LATESENDER_LONGTERM, "work_1", 0), 13000, 1e-6);
	assert_near(cell(&f, CUBE_DELAY_LATESENDER, "work_2", 1), 28195, 1e-6);
	assert_near(cube_total(f.cube, CUBE_DELAY, NULL), 41195 + 13000, 1e-6);
	assert_near(cell(&f, CUBE_MPI_WAIT_INDIRECT_LATESENDER, "MPI_Recv", 2), 13000, 1e-6);
	assert_near(cell(&f, CUBE_MPI_WAIT_DIRECT_LATESENDER, "MPI_Recv", 2), 28195, 1e-6);
	assert_near(cell(&f, CUBE_MPI_WAIT_DIRECT_LATESENDER, "MPI_Recv", 1), 13000, 1e-6);
	assert_near(cell(&f, CUBE_MPI_WAIT_PROPAGATING_LS, "MPI_Recv", 1), 13000, 1e-6);
	assert_near(cell(&f, CUBE_MPI_WAIT_TERMINAL_LS, "MPI_Recv", 2), 41195, 1e-6);
}

/* Work of more ticks than 32 bits hold: rank 0 works 5 G and 7 ticks before it sends to 1. */
TEST(test_long_work)
{
	const int64_t ticks = 5000000007;
	ENDED_BY(fini) struct fixture f;
	struct waiting_run run;

	waiting_begin(&run, 2, true);
	waiting_work(&run, 0, 1, ticks);
	waiting_work(&run, 1, 1, 7);
	waiting_message(&run, 0, 1, false);
	analyse(&f, waiting_end(&run, true));
	assert_near(cell(&f, CUBE_MPI_LATESENDER, "MPI_Recv", 1), (double)ticks - 7, 0);
	assert_near(cell(&f, CUBE_DELAY_LATESENDER, "work_1", 0), (double)ticks - 7, 1e-6);
}

/* On the path: 13 ms of rank 0, 28.2 ms of rank 1. */
TEST(test_chain_path)
{
	const struct path_stretch *path;
	ENDED_BY(fini) struct fixture f;
	size_t n;

	analyse(&f, chain());
	path = causes_critical_path(f.causes, &n);
	assert_int_equal(n, 2);
	assert_int_equal(path[0].location, 0);
	assert_int_equal(path[0].from, 0);
	assert_int_equal(path[0].to, 13000);
	assert_int_equal(path[0].wait_location, 1);
	assert_int_equal(path[1].location, 1);
	assert_int_equal(path[1].from, 13000);
	assert_int_equal(path[1].to, 41200);
	assert_int_equal(path[1].wait, UINT32_MAX);
	assert_near(cell(&f, CUBE_CRITICAL_PATH, "work_1", 0), 13000, 0);
	assert_near(cell(&f, CUBE_CRITICAL_PATH, "work_2", 1), 28200, 0);
	assert_near(cube_total(f.cube, CUBE_CRITICAL_PATH, NULL), 41200, 0);
	/* 28,205 us of work_2 on three locations; 28,200 of them on the path. */
	assert_near(cube_value(f.cube, CUBE_CRITICAL_PATH_IMBALANCE, path_of(f.trace, "work_2"), 1),
		    28200 - 28205 / 3.0, 1e-6);
}

TEST(test_chain_explained)
{
	struct explanation e;
	ENDED_BY(fini) struct fixture f;

	analyse(&f, chain());
	assert_true(causes_explain(f.causes, 2, 0, &e));
	assert_int_equal(e.delayer, 1);
	assert_int_equal(e.from, 0);
	assert_int_equal(e.to, 41200);
	assert_int_equal(e.n, 2);
	assert_int_equal(e.reasons[0].kind, REASON_WORK);
	assert_int_equal(e.reasons[0].path, path_of(f.trace, "work_2"));
	assert_near(e.reasons[0].share, 28195, 1e-6);
	assert_near(e.reasons[0].excess, 28195, 0);
	assert_int_equal(trace_event_time(f.trace, BASE_MEASURED, e.reasons[0].event), 13000);
	assert_int_equal(e.reasons[1].kind, REASON_WAIT);
	assert_int_equal(e.reasons[1].location, 1);
	assert_near(e.reasons[1].share, 13000, 1e-6);
	/* On from there. */
	assert_true(causes_explain(f.causes, 1, e.reasons[1].wait, &e));
	assert_int_equal(e.delayer, 0);
	assert_int_equal(e.n, 1);
	assert_int_equal(e.reasons[0].path, path_of(f.trace, "work_1"));
	assert_near(e.reasons[0].share, 13000, 1e-6);
}

/* Rank 5 is late for a barrier by 300 us more than the others: for each of them 300 are its
 * cost. */
TEST(test_barrier)
{
	struct waiting_run run;
	struct explanation e;
	ENDED_BY(fini) struct fixture f;

	waiting_begin(&run, 8, true);
	for (uint32_t l = 0; l < 8; l++)
		waiting_work(&run, l, 0, l == 5 ? 400 : 100);
	waiting_collective(&run, WAITING_BARRIER, false, 0);
	analyse(&f, waiting_end(&run, true));
	assert_near(cube_total(f.cube, CUBE_MPI_BARRIER_WAIT, NULL), 7 * 300, 0);
	assert_near(cell(&f, CUBE_DELAY_BARRIER, "work_0", 5), 7 * 300, 1e-6);
	assert_near(cube_total(f.cube, CUBE_DELAY, NULL), 7 * 300, 1e-6);
	assert_true(causes_explain(f.causes, 2, 0, &e));
	assert_int_equal(e.delayer, 5);
	assert_int_equal(e.reasons[0].path, path_of(f.trace, "work_0"));
	assert_near(e.reasons[0].share, 300, 1e-6);
}

/* A sender that waits for its receiver, which is busy: 70 of 100 us are more than it did itself. */
TEST(test_late_receiver)
{
	struct waiting_run run;
	ENDED_BY(fini) struct fixture f;

	waiting_begin(&run, 2, true);
	waiting_work(&run, 0, 1, 30);
	waiting_work(&run, 1, 1, 100);
	waiting_message(&run, 0, 1, true);
	analyse(&f, waiting_end(&run, true));
	assert_near(cell(&f, CUBE_MPI_LATERECEIVER, "MPI_Ssend", 0), 70, 0);
	assert_near(cell(&f, CUBE_DELAY_LATERECEIVER, "work_1", 1), 70, 1e-6);
	assert_near(cell(&f, CUBE_MPI_WAIT_DIRECT_LATERECEIVER, "MPI_Ssend", 0), 70, 1e-6);
}

/* Rank 1 spends 80 more than rank 0 between two barriers, of which so much as `text` says was
 * estimated in a gap. */
static void analyse_gap(struct fixture *f, const char *text)
{
	OWNED_STR all = STR_INIT;

	str_add_fmt(
		&all,
		"ticks 1000000; region MPI_Barrier class sync\n"
		"region tview_gap class overhead\n"
		"rank 0: main@0 { MPI_Barrier@0-10 all work@10-20 MPI_Barrier@20-110 all } @120\n"
		"rank 1: main@0 { MPI_Barrier@0-10 all %s MPI_Barrier@100-110 all } @120",
		text);
	analyse(f, notation_trace(all.text));
	assert_near(cube_total(f->cube, CUBE_MPI_BARRIER_WAIT, NULL), 80, 0);
}

/* An excess that is in a gap alone is no call path's: nothing is charged, the wait stays
 * unexplained. */
TEST(test_excess_in_gap)
{
	ENDED_BY(fini) struct fixture f;
	struct explanation e;

	analyse_gap(&f, "work@10-100, gap 8 @100,");
	assert_near(cube_total(f.cube, CUBE_ESTIMATED, NULL), 90, 0);
	assert_near(cube_total(f.cube, CUBE_DELAY, NULL), 0, 0);
	assert_near(f.causes->account.unexplained[DELAY_BARRIER], 80, 1e-6);
	assert_true(causes_explain(f.causes, 0, 0, &e));
	assert_int_equal(e.n, 1);
	assert_int_equal(e.reasons[0].kind, REASON_UNEXPLAINED);
	assert_near(e.reasons[0].share, 80, 1e-6);
	assert_near(cube_total(f.cube, CUBE_IMBALANCE_ABOVE, NULL), 0, 0);
	assert_near(cube_total(f.cube, CUBE_CRITICAL_PATH_IMBALANCE, NULL), 0, 0);
}

TEST(test_excess_beside_gap)
{
	ENDED_BY(fini) struct fixture f;

	analyse_gap(&f, "work@10-100");
	assert_near(cell(&f, CUBE_DELAY_BARRIER, "work", 1), 80, 1e-6);
	assert_near(cell(&f, CUBE_IMBALANCE_ABOVE, "work", 1), 40, 1e-6);
}

/* Of 89 in all so many are in a gap before another call: the excess of 79 is more than 29 and 60,
 * not more than 85. */
TEST(test_excess_partly_in_gap)
{
	static const struct {
		int end;
		double named;
	} gaps[] = { { 39, 79 }, { 70, 79 }, { 95, 0 } };

	for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
		ENDED_BY(fini) struct fixture f;
		struct explanation e;
		OWNED_STR text = STR_INIT;
		const int end = gaps[i].end;

		str_add_fmt(&text, "work@10-%d, gap 8 @%d, MPI_Comm_rank@%d-%d work@%d-100", end,
			    end, end, end + 1, end + 1);
		analyse_gap(&f, text.text);
		assert_near(cell(&f, CUBE_DELAY_BARRIER, "work", 1), gaps[i].named, 1e-6);
		assert_true(causes_explain(f.causes, 0, 0, &e));
		if (gaps[i].named > 0)
			assert_near(e.reasons[0].estimated, gaps[i].end - 10, 0);
	}
}

/* Three threads that are forked at 50 and come to the barrier at 80, 98, 70. What the first did
 * before the fork is nobody's delay. */
TEST(test_team)
{
	ENDED_BY(fini) struct fixture f;

	analyse(&f, notation_trace(
			    "ticks 1000000; threads 3 rank 0; region main role 1 paradigm 2\n"
			    "region parallel = '!$omp parallel @a.c:1' role 5 paradigm 3\n"
			    "region barrier = '!$omp implicit barrier @a.c:2' role 16 paradigm 3\n"
			    "location 0: main@0 { [thread-fork 4 3 @50] [team-begin team @50]\n"
			    "  parallel@50 { barrier@80-100 } @100 [team-end team @100]\n"
			    "  [thread-join 4 3 @100] } @120\n"
			    "location 1: [team-begin team @53]\n"
			    "  parallel@53 { barrier@98-100 } @100 [team-end team @100]\n"
			    "location 2: [team-begin team @57]\n"
			    "  parallel@57 { barrier@70-100 } @100 [team-end team @100]"));
	assert_near(cube_total(f.cube, CUBE_OMP_IBARRIER_WAIT, NULL), 18 + 28, 0);
	/* The first thread is in main besides, so that its parallel region is another call path: of
	 * the second's 45 all are more. */
	assert_near(cube_total(f.cube, CUBE_DELAY_OMPBARRIER, NULL), 18 + 28, 1e-6);
	assert_near(f.causes->account.charged[DELAY_TEAM], 18 + 28, 1e-6);
	assert_near(f.causes->delays->data[0].total, 45, 0);
	assert_near(f.causes->delays->data[1].total, 45 - 13, 0);
}

/* A run in which everybody does the same but for one, whom all the costs must name. */
TEST(test_culprit)
{
	for (uint32_t culprit = 0; culprit < 8; culprit++) {
		struct waiting_run run;
		ENDED_BY(fini) struct fixture f;
		waiting_begin(&run, 8, true);
		for (int step = 0; step < 20; step++) {
			for (uint32_t l = 0; l < 8; l++)
				waiting_work(&run, l, 0, 100);
			if (step % 5 == 3)
				waiting_work(&run, culprit, 3, 500);
			for (uint32_t l = 0; l < 8; l++)
				waiting_post(&run, l, (l + 1) % 8);
			for (uint32_t l = 0; l < 8; l++)
				waiting_complete(&run, l);
			if (step % 10 == 9)
				waiting_collective(&run, WAITING_ALLREDUCE, false, 0);
		}
		analyse(&f, waiting_end(&run, true));
		assert_true(cube_total(f.cube, CUBE_DELAY, NULL) > 4 * 500);
		assert_near(cell(&f, CUBE_DELAY, "work_3", culprit),
			    cube_total(f.cube, CUBE_DELAY, NULL), 1e-3);
	}
}

/* ---- for any run ---- */

/* Every metric of the causes in four windows side by side is that of the run; and what is explained
 * and what is not are what was waited. */
static void windows_add_up(const struct fixture *f)
{
	static const enum cube_metric sums[] = { CUBE_DELAY, CUBE_DELAY_LATESENDER_LONGTERM,
						 CUBE_MPI_WAIT_INDIRECT, CUBE_MPI_WAIT_PROPAGATING,
						 CUBE_CRITICAL_PATH };
	double total[sizeof sums / sizeof *sums] = { 0 };
	struct err err = ERR_INIT;
	int64_t begin, end;

	trace_span(f->trace, BASE_MEASURED, &begin, &end);
	for (int w = 0; w < 4; w++) {
		const int64_t t0 = w == 0 ? INT64_MIN / 2 : begin + (end - begin) * w / 4;
		const int64_t t1 = w == 3 ? INT64_MAX / 2 : begin + (end - begin) * (w + 1) / 4;
		FREED_BY(cube_free)
		struct cube *cube = analysis_cube(f->analysis, t0, t1, CUBE_CAUSES, NULL, &err);
		for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
			total[i] += cube_total(cube, sums[i], NULL);
	}
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		assert_near(total[i], cube_total(f->cube, sums[i], NULL), 1e-5);
}

static void costs_add_up(const struct fixture *f)
{
	struct causes_account account;

	causes_account(f->causes, &account);
	assert_near(account.charged + account.unexplained, account.waited,
		    1e-9 * account.waited + 1e-6);
	assert_near(cube_total(f->cube, CUBE_DELAY, NULL), account.charged,
		    1e-9 * account.waited + 1e-6);
	assert_near(cube_total(f->cube, CUBE_WAITSTATES_DIRECT_VS_INDIRECT, NULL),
		    cube_total(f->cube, CUBE_MPI_LATESENDER, NULL) +
			    cube_total(f->cube, CUBE_MPI_LATERECEIVER, NULL),
		    1e-5);
	assert_near(cube_total(f->cube, CUBE_WAITSTATES_PROPAGATING_VS_TERMINAL, NULL),
		    cube_total(f->cube, CUBE_WAITSTATES_DIRECT_VS_INDIRECT, NULL), 1e-5);
}

/* From the last MPI_Finalize to MPI_Init each stretch ends where the next begins. */
static void path_is_the_run(const struct fixture *f)
{
	size_t n;
	const struct path_stretch *path = causes_critical_path(f->causes, &n);
	int64_t begin, end, length = 0;

	trace_span(f->trace, BASE_MEASURED, &begin, &end);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++) {
		length += path[i].to - path[i].from;
		if (i > 0)
			assert_int_equal(path[i].from, path[i - 1].to);
	}
	assert_int_equal(path[n - 1].to, end);
	assert_int_equal(length, end - path[0].from);
	assert_near(cube_total(f->cube, CUBE_CRITICAL_PATH, NULL), (double)length, 0);
}

static void explanations_add_up(const struct fixture *f)
{
	struct explanation e;

	for (uint32_t l = 0; l < trace_location_count(f->trace); l++) {
		size_t n;
		const struct wait *waits = analysis_waits(f->analysis, l, &n);
		for (size_t i = 0; i < n; i++) {
			double sum = 0;
			if (!causes_explain(f->causes, l, (uint32_t)i, &e))
				continue;
			assert_true(e.n <= REASONS);
			for (unsigned r = 0; r < e.n; r++) {
				sum += e.reasons[r].share;
				assert_true(e.reasons[r].share > 0);
				if (e.reasons[r].kind == REASON_WORK)
					assert_int_not_equal(e.reasons[r].event, EVENT_NONE);
			}
			assert_near(sum, (double)waits[i].length, 1);
		}
	}
}

static void check_random(uint64_t seed, uint32_t locations, uint32_t steps, double *waited)
{
	ENDED_BY(fini) struct fixture f;

	analyse(&f, waiting_random(seed, locations, steps));
	costs_add_up(&f);
	path_is_the_run(&f);
	windows_add_up(&f);
	explanations_add_up(&f);
	causes_reference_check(f.causes);
	for (int k = 0; k < DELAY_CLASSES; k++)
		waited[k] += f.causes->account.charged[k];
}

TEST(test_random)
{
	double waited[DELAY_CLASSES] = { 0 };

	for (uint64_t seed = 1; seed <= RUNS; seed++)
		check_random(seed, 2 + (uint32_t)(seed % 7), STEPS, waited);
	check_random(RUNS + 1, 3, LONG_STEPS, waited);
	for (int k = 0; k < DELAY_TEAM; k++)
		if (k < DELAY_WINDOW || k > DELAY_LOCK)
			assert_true(waited[k] > 10000);
}

TEST(test_random_one_sided)
{
	double waited = 0;
	int compared = 0;

	for (uint64_t seed = 1; seed <= ODD_TRACES; seed++) {
		ENDED_BY(fini) struct fixture f;
		analyse(&f, one_sided_random(seed));
		costs_add_up(&f);
		/* The reference does not cut waits that wait for each other. */
		if (f.causes->account.cut)
			continue;
		causes_reference_check(f.causes);
		compared++;
		for (int k = DELAY_WINDOW; k <= DELAY_LOCK; k++)
			waited += f.causes->account.charged[k];
	}
	assert_true(waited > 0);
	assert_true(compared > ODD_TRACES / 2);
}

/* Traces of programs that never were: nothing holds but that it ends. */
TEST(test_odd_traces)
{
	for (uint64_t seed = 1; seed <= ODD_TRACES; seed++) {
		ENDED_BY(fini) struct fixture f;
		struct causes_account account;
		analyse(&f, random_trace(seed, 60, 1000000));
		causes_account(f.causes, &account);
		assert_near(account.charged + account.unexplained, account.waited,
			    1e-6 * account.waited + 1e-6);
		explanations_add_up(&f);
	}
}

TEST(test_impossible)
{
	struct causes_account account;
	ENDED_BY(fini) struct fixture f;
	size_t n;

	analyse(&f, waiting_impossible(1000));
	assert_near(cube_total(f.cube, CUBE_MPI_LATESENDER, NULL), 2000 * 10, 0);
	causes_account(f.causes, &account);
	assert_true(account.cut > 0);
	assert_near(account.charged + account.unexplained, account.waited, 1e-6);
	causes_critical_path(f.causes, &n);
	assert_true(n > 0 && n < 20000);
}

/* ---- stopping ---- */

/* Dropped at any step there are none, and no err; asked again they are the same. */
TEST(test_dropped)
{
	const struct analysis_options options = { .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace = waiting_random(7, 5, 200);
	struct analysis *a = analysis_new(patterns, trace, BASE_MEASURED, &options, NULL, &err);
	const struct causes *causes = NULL;
	struct causes_account whole, account;
	ENDED_BY(fini) struct fixture f;
	int steps = 0;

	for (; !causes; steps++) {
		atomic_int left = steps;
		const struct progress progress = patience(&left);
		causes = causes_of(a, &progress, &err);
		assert_true(steps < 1000);
		assert_int_equal(err.status, 0);
	}
	assert_true(steps > 5);
	causes_account(causes, &account);
	analysis_free(a);
	analyse(&f, trace);
	causes_account(f.causes, &whole);
	assert_near(account.charged, whole.charged, 0);
	assert_true(whole.charged > 0);
}

/* ---- efficiencies ---- */

/* Useful 300, 100, 100, 100 of a run of 400: the balance is 1/2, communication 3/4. Ranks 1 to 3
 * wait for 0 in an MPI_Allreduce, and all for 100 us of network, which is not there in the ideal
 * run. */
TEST(test_efficiency)
{
	struct waiting_run run;
	struct efficiency e;
	ENDED_BY(fini) struct fixture f;

	waiting_begin(&run, 4, true);
	for (uint32_t l = 0; l < 4; l++)
		waiting_work(&run, l, 0, l == 0 ? 300 : 100);
	waiting_collective(&run, WAITING_ALLREDUCE, false, 0);
	for (uint32_t l = 0; l < 4; l++)
		waiting_idle(&run, l, 100);
	analyse(&f, waiting_end(&run, true));
	efficiency_of(f.causes, f.cube, NULL, INT64_MIN, INT64_MAX, &e);
	assert_near(e.run_time, 400, 0);
	assert_near(e.load_balance, 0.5, 1e-9);
	assert_near(e.communication, 0.75, 1e-9);
	assert_near(e.parallel, 0.375, 1e-9);
	assert_near(e.serialisation, 1, 1e-9);
	assert_near(e.transfer, 0.75, 1e-9);
}

/* Two ranks that work one after the other: half of the time is serialisation, nothing transfer. */
TEST(test_serial)
{
	struct waiting_run run;
	struct efficiency e;
	ENDED_BY(fini) struct fixture f;

	waiting_begin(&run, 2, true);
	waiting_work(&run, 0, 0, 200);
	waiting_message(&run, 0, 1, false);
	waiting_work(&run, 1, 0, 200);
	analyse(&f, waiting_end(&run, true));
	efficiency_of(f.causes, f.cube, NULL, INT64_MIN, INT64_MAX, &e);
	assert_near(e.load_balance, 1, 1e-9);
	assert_near(e.serialisation, 0.5, 1e-9);
	assert_near(e.transfer, 1, 1e-9);
	assert_near(e.parallel, 0.5, 1e-9);
}

/* ---- of a real run: where SCOUT loses long-term costs (Q1), ours are the waiting again ---- */

TEST(test_conservation)
{
	static const char *const names[] = { "sweep3d-4", "comd-4", "mg.S-4", "ft.S-4" };
	const char *folder = getenv("TVIEW_TRACES");

	if (!folder)
		skip();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		ENDED_BY(fini) struct fixture f;
		char path[600];
		snprintf(path, sizeof path, "%s/otf2/%s/traces.otf2", folder, names[i]);
		analyse(&f, load_trace(path));
		costs_add_up(&f);
		for (int k = 0; k < DELAY_CLASSES; k++)
			assert_near(f.causes->account.charged[k] + f.causes->account.unexplained[k],
				    f.causes->account.waited[k], 1e-3);
	}
}
