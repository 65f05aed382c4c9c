/* Threads: barriers of a team, forks, locks, idle threads, by numbers worked out by hand. */
#include "harness/made_run.h"
#include "harness/owners.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "patterns/patterns.h"

enum { THREADS = 3 };

/* Paradigms: 3 OpenMP, 7 Pthreads; roles as in OTF2. */
#define REGIONS                                                                 \
	"region main role 1 paradigm 2\n"                                       \
	"region parallel = '!$omp parallel @a.c:1' role 5 paradigm 3\n"         \
	"region barrier = '!$omp implicit barrier @a.c:2' role 16 paradigm 3\n" \
	"region critical = '!$omp critical @a.c:1' role 12 paradigm 3\n"        \
	"region omp_set_lock role 1 paradigm 3\n"                               \
	"region pthread_mutex_lock role 2 paradigm 7\n"                         \
	"region pthread_cond_wait role 2 paradigm 7"

static int setup(void **state)
{
	return made_run_setup(state, "threads 3 rank 0\n" REGIONS);
}

FIXTURE(setup, made_run_teardown)

static void assert_metric(const struct made_run *f, enum cube_metric metric, double t0, double t1,
			  double t2)
{
	made_assert_metric(f, metric, (const double[THREADS]){ t0, t1, t2 });
}

/* main 0..200; a team of three forked at 50, joined at 100; one of two forked at 120, joined at
 * 160. */
static void two_teams(struct made_run *f)
{
	made_run_write(
		f,
		"location 0: main@0 {\n"
		"  [thread-fork 3 3 @50]\n"
		"  [team-begin team @50] parallel@50 { barrier@80-100 } @100 [team-end team @100]\n"
		"  [thread-join 3 @100] [thread-fork 3 2 @120]\n"
		"  [team-begin team @120] parallel@120 { barrier@150-160 } @160 [team-end team @160]\n"
		"  [thread-join 3 @160]\n"
		"} @200\n"
		"location 1:\n"
		"  [team-begin team @53] parallel@53 { barrier@98-100 } @100 [team-end team @100]\n"
		"  [team-begin team @121] parallel@121 { barrier@140-160 } @160 [team-end team @160]\n"
		"location 2:\n"
		"  [team-begin team @57] parallel@57 { barrier@70-100 } @100 [team-end team @100]");
	made_run_analyse(f);
}

TEST_WITH(teams_wait_at_barriers_and_start_late, struct made_run *f)
{
	two_teams(f);
	/* last to come: thread 1 at 98, thread 0 at 150 */
	assert_metric(f, CUBE_OMP_IBARRIER_WAIT, 18, 10, 28);
	assert_metric(f, CUBE_OMP_EBARRIER_WAIT, 0, 0, 0);
	assert_metric(f, CUBE_OMP_IBARRIER, 20 + 10, 2 + 20, 30);
	assert_metric(f, CUBE_OMP_FORK, 0, 3 + 1, 7);
	assert_metric(f, CUBE_OMP_MANAGEMENT, 0, 4, 7);
}

TEST_WITH(idle_threads_cost_time, struct made_run *f)
{
	two_teams(f);
	assert_metric(f, CUBE_TIME, 200, 200, 200);
	/* thread 1: 0..50, 100..120, 160..200; thread 2: 0..50, 100..200, of that 120..160
	 * limited */
	assert_metric(f, CUBE_OMP_IDLE_THREADS, 0, 110, 150);
	assert_metric(f, CUBE_OMP_LIMITED_PARALLELISM, 0, 0, 40);
	assert_metric(f, CUBE_EXECUTION, 200, 90, 50);
	assert_metric(f, CUBE_OMP_TIME, 30, 22 + 4, 30 + 7);
	assert_metric(f, CUBE_COMP, 170, 64, 13);
	made_run_look(f, 110, 130, CUBE_TIMES | CUBE_WAITS);
	assert_metric(f, CUBE_TIME, 20, 20, 20);
	assert_metric(f, CUBE_OMP_IDLE_THREADS, 0, 10, 20);
	assert_metric(f, CUBE_OMP_LIMITED_PARALLELISM, 0, 0, 10);
	assert_metric(f, CUBE_OMP_FORK, 0, 1, 0);
	assert_metric(f, CUBE_COMP, 20, 9, 0);
}

/* The master computes 60 in "main > parallel", where the mean over three threads is 20; the workers
 * 64 and 13 in "parallel", mean 77 / 3. In main the one process has nobody to be compared with, and
 * who is idle does not compute. */
TEST_WITH(imbalance_is_without_idle_threads, struct made_run *f)
{
	two_teams(f);
	made_run_look(f, INT64_MIN, INT64_MAX, CUBE_ALL);
	assert_metric(f, CUBE_IMBALANCE_ABOVE, 60 - 20, 64 - 77 / 3.0, 0);
	assert_metric(f, CUBE_IMBALANCE_BELOW, 77 / 3.0, 20, 20 + (77 / 3.0 - 13));
	assert_metric(f, CUBE_IMBALANCE_BELOW_BYPASS, 77 / 3.0, 20, 20);
	assert_metric(f, CUBE_IMBALANCE_BELOW_SINGULARITY, 0, 20, 20);
	assert_metric(f, CUBE_IMBALANCE_ABOVE_SINGLE, 40, 0, 0);
}

/* Who gets a lock second waits from the enter of its call to the release before. The last ones have
 * no order in the trace: by time. */
TEST_WITH(locks_are_waited_for, struct made_run *f)
{
	made_run_write(
		f,
		"location 0: omp_set_lock@0-2 [lock-acquire 3 1 1 @1], [lock-release 3 1 1 @50]\n"
		"location 1: omp_set_lock@20-53 [lock-acquire 3 1 2 @52], [lock-release 3 1 2 @60]\n"
		"location 2: omp_set_lock@70-72 [lock-acquire 3 1 3 @71], [lock-release 3 1 3 @80]\n"
		"location 0: pthread_mutex_lock@100-102 [lock-acquire 7 1 1 @101], [lock-release 7 1 1 @130]\n"
		"location 2: pthread_mutex_lock@110-132 [lock-acquire 7 1 2 @131], [lock-release 7 1 2 @150]\n"
		"location 1: pthread_mutex_lock@120-152 [lock-acquire 7 1 3 @151], [lock-release 7 1 3 @160]\n"
		"location 0: critical@200-202 [lock-acquire 23 1 @201], [lock-release 23 1 @230]\n"
		"location 1: critical@205-232 [lock-acquire 23 1 @231], [lock-release 23 1 @250]");
	made_run_analyse(f);
	assert_metric(f, CUBE_OMP_LOCK_CONTENTION_API, 0, 30, 0);
	assert_metric(f, CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK, 0, 30, 20);
	assert_metric(f, CUBE_OMP_LOCK_CONTENTION_CRITICAL, 0, 25, 0);
}

/* Thread 0 waits for a condition from 10; thread 1 takes the mutex at 40, signals, frees it at
 * 60. */
TEST_WITH(a_condition_is_not_contention, struct made_run *f)
{
	made_run_write(
		f,
		"location 0: pthread_mutex_lock@1-3 [lock-acquire 7 1 1 @2]\n"
		"location 0: pthread_cond_wait@10-62 [lock-release 7 1 1 @11] [lock-acquire 7 1 3 @61],"
		" [lock-release 7 1 3 @70]\n"
		"location 1: pthread_mutex_lock@39-41 [lock-acquire 7 1 2 @40], [lock-release 7 1 2 @60]");
	made_run_analyse(f);
	assert_metric(f, CUBE_PTHREAD_LOCK_CONTENTION_CONDITIONAL, 20, 0, 0);
	assert_metric(f, CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK, 0, 0, 0);
}

/* No rank, as in programs without MPI: who belongs together is told by the process. */
TEST_WITH(threads_without_a_rank_belong_to_a_process, struct made_run *f)
{
	made_run_fini(f);
	made_run_begin(f, CLASS_USER);
	made_run_write(f, "threads 3\n" REGIONS);
	two_teams(f);
	assert_metric(f, CUBE_TIME, 200, 200, 200);
	assert_metric(f, CUBE_OMP_IDLE_THREADS, 0, 110, 150);
	assert_metric(f, CUBE_COMP, 170, 64, 13);
}

/* Traces of everything at once: nothing breaks, and no wait is negative. */
TEST(any_trace_is_survived)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct err err = ERR_INIT;
		OWNED_TRACE *trace = random_trace(seed, 300, 1000000000);
		FREED_BY(analysis_free)
		struct analysis *analysis =
			analysis_new(patterns, trace, BASE_MEASURED, NULL, NULL, &err);
		FREED_BY(cube_free)
		struct cube *cube =
			analysis_cube(analysis, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, &err);
		for (uint32_t l = 0; l < trace_location_count(trace); l++) {
			size_t n;
			const struct wait *waits = analysis_waits(analysis, l, &n);
			for (size_t i = 0; i < n; i++)
				assert_true(waits[i].length > 0);
		}
		assert_true(cube_total(cube, CUBE_TIME, NULL) >= 0);
	}
}
