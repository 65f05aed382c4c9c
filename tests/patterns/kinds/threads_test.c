/* Threads: barriers of a team, forks, locks, idle threads, by numbers worked out by hand. */
#include <string.h>

#include "harness/made_run.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "patterns/patterns.h"

enum { THREADS = 3, OPENMP = 3, PTHREAD = 7 };

struct fixture {
	struct made_run run;
	uint64_t team;
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	made_run_begin(&f->run, CLASS_USER);
	f->team = made_run_threads(&f->run, THREADS, 0, UINT32_MAX);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	made_run_fini(&f->run);
	test_free(f);
	return 0;
}

FIXTURE(setup, teardown)

static uint32_t site(struct fixture *f, const char *name, uint8_t role, uint8_t paradigm)
{
	const uint32_t region =
		builder_region_define(f->run.b,
				      &(struct region){
					      .name = builder_string(f->run.b, name, strlen(name)),
					      .picl = 100,
					      .cls = CLASS_USER,
					      .role = role,
					      .paradigm = paradigm });
	return builder_site(f->run.b, region, 0, 0, 100);
}

static void detail(struct fixture *f, int thread, int64_t time, enum detail_type type, uint64_t a,
		   uint64_t b, uint64_t c)
{
	const uint64_t values[] = { a, b, c };

	builder_detail(f->run.b, f->run.location[thread], time, type, values, 3);
}

/* A thread's part of a team: parallel region from begin to end, an implicit barrier at its end. */
static void part(struct fixture *f, int thread, int64_t begin, int64_t barrier, int64_t end)
{
	const uint32_t parallel = site(f, "!$omp parallel @a.c:1", 5, OPENMP);
	const uint32_t wait = site(f, "!$omp implicit barrier @a.c:2", 16, OPENMP);
	const uint32_t l = f->run.location[thread];

	builder_detail(f->run.b, l, begin, DETAIL_TEAM_BEGIN, &f->team, 1);
	builder_enter(f->run.b, l, begin, parallel);
	builder_enter(f->run.b, l, barrier, wait);
	builder_leave(f->run.b, l, end, wait);
	builder_leave(f->run.b, l, end, parallel);
	builder_detail(f->run.b, l, end, DETAIL_TEAM_END, &f->team, 1);
}

static void assert_metric(const struct fixture *f, enum cube_metric metric, double t0, double t1,
			  double t2)
{
	made_assert_metric(&f->run, metric, (const double[THREADS]){ t0, t1, t2 });
}

/* main 0..200; a team of three forked at 50, joined at 100; one of two forked at 120, joined at 160. */
static void two_teams(struct fixture *f)
{
	const uint32_t main_site = site(f, "main", 1, 2);

	builder_enter(f->run.b, f->run.location[0], 0, main_site);
	detail(f, 0, 50, DETAIL_THREAD_FORK, OPENMP, 3, 0);
	part(f, 0, 50, 80, 100);
	detail(f, 0, 100, DETAIL_THREAD_JOIN, OPENMP, 0, 0);
	detail(f, 0, 120, DETAIL_THREAD_FORK, OPENMP, 2, 0);
	part(f, 0, 120, 150, 160);
	detail(f, 0, 160, DETAIL_THREAD_JOIN, OPENMP, 0, 0);
	builder_leave(f->run.b, f->run.location[0], 200, main_site);
	part(f, 1, 53, 98, 100);
	part(f, 1, 121, 140, 160);
	part(f, 2, 57, 70, 100);
	made_run_analyse(&f->run);
}

TEST_WITH(teams_wait_at_barriers_and_start_late, struct fixture *f)
{
	two_teams(f);
	/* last to come: thread 1 at 98, thread 0 at 150 */
	assert_metric(f, CUBE_OMP_IBARRIER_WAIT, 18, 10, 28);
	assert_metric(f, CUBE_OMP_EBARRIER_WAIT, 0, 0, 0);
	assert_metric(f, CUBE_OMP_IBARRIER, 20 + 10, 2 + 20, 30);
	assert_metric(f, CUBE_OMP_FORK, 0, 3 + 1, 7);
	assert_metric(f, CUBE_OMP_MANAGEMENT, 0, 4, 7);
}

TEST_WITH(idle_threads_cost_time, struct fixture *f)
{
	two_teams(f);
	assert_metric(f, CUBE_TIME, 200, 200, 200);
	/* thread 1: 0..50, 100..120, 160..200; thread 2: 0..50, 100..200, of that 120..160 limited */
	assert_metric(f, CUBE_OMP_IDLE_THREADS, 0, 110, 150);
	assert_metric(f, CUBE_OMP_LIMITED_PARALLELISM, 0, 0, 40);
	assert_metric(f, CUBE_EXECUTION, 200, 90, 50);
	assert_metric(f, CUBE_OMP_TIME, 30, 22 + 4, 30 + 7);
	assert_metric(f, CUBE_COMP, 170, 64, 13);
	made_run_look(&f->run, 110, 130, CUBE_TIMES | CUBE_WAITS);
	assert_metric(f, CUBE_TIME, 20, 20, 20);
	assert_metric(f, CUBE_OMP_IDLE_THREADS, 0, 10, 20);
	assert_metric(f, CUBE_OMP_LIMITED_PARALLELISM, 0, 0, 10);
	assert_metric(f, CUBE_OMP_FORK, 0, 1, 0);
	assert_metric(f, CUBE_COMP, 20, 9, 0);
}

/* The master computes 60 in "main > parallel", where the mean over three threads is 20; the workers 64 and
 * 13 in "parallel", mean 77 / 3. In main the one process has nobody to be compared with, and who is idle
 * does not compute. */
TEST_WITH(imbalance_is_without_idle_threads, struct fixture *f)
{
	two_teams(f);
	made_run_look(&f->run, INT64_MIN, INT64_MAX, CUBE_ALL);
	assert_metric(f, CUBE_IMBALANCE_ABOVE, 60 - 20, 64 - 77 / 3.0, 0);
	assert_metric(f, CUBE_IMBALANCE_BELOW, 77 / 3.0, 20, 20 + (77 / 3.0 - 13));
	assert_metric(f, CUBE_IMBALANCE_BELOW_BYPASS, 77 / 3.0, 20, 20);
	assert_metric(f, CUBE_IMBALANCE_BELOW_SINGULARITY, 0, 20, 20);
	assert_metric(f, CUBE_IMBALANCE_ABOVE_SINGLE, 40, 0, 0);
}

/* Who gets a lock second waits from the enter of its call to the release before. */
static void hold(struct fixture *f, int thread, uint32_t call, uint64_t paradigm, uint64_t order,
		 int64_t en, int64_t got, int64_t freed)
{
	builder_enter(f->run.b, f->run.location[thread], en, call);
	detail(f, thread, got, DETAIL_LOCK_ACQUIRE, paradigm, 1, order);
	builder_leave(f->run.b, f->run.location[thread], got + 1, call);
	detail(f, thread, freed, DETAIL_LOCK_RELEASE, paradigm, 1, order);
}

TEST_WITH(locks_are_waited_for, struct fixture *f)
{
	const uint32_t lock = site(f, "omp_set_lock", 1, OPENMP);
	const uint32_t mutex = site(f, "pthread_mutex_lock", 2, PTHREAD);
	const uint32_t critical = site(f, "!$omp critical @a.c:1", 12, OPENMP);

	hold(f, 0, lock, OPENMP, 1, 0, 1, 50);
	hold(f, 1, lock, OPENMP, 2, 20, 52, 60);
	hold(f, 2, lock, OPENMP, 3, 70, 71, 80);
	hold(f, 0, mutex, PTHREAD, 1, 100, 101, 130);
	hold(f, 2, mutex, PTHREAD, 2, 110, 131, 150);
	hold(f, 1, mutex, PTHREAD, 3, 120, 151, 160);
	/* no order in the trace: by time */
	hold(f, 0, critical, OPENMP + 20, 0, 200, 201, 230);
	hold(f, 1, critical, OPENMP + 20, 0, 205, 231, 250);
	made_run_analyse(&f->run);
	assert_metric(f, CUBE_OMP_LOCK_CONTENTION_API, 0, 30, 0);
	assert_metric(f, CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK, 0, 30, 20);
	assert_metric(f, CUBE_OMP_LOCK_CONTENTION_CRITICAL, 0, 25, 0);
}

/* Thread 0 waits for a condition from 10; thread 1 takes the mutex at 40, signals, frees it at 60. */
TEST_WITH(a_condition_is_not_contention, struct fixture *f)
{
	const uint32_t mutex = site(f, "pthread_mutex_lock", 2, PTHREAD);
	const uint32_t condition = site(f, "pthread_cond_wait", 2, PTHREAD);
	const uint32_t l = f->run.location[0];

	builder_enter(f->run.b, l, 1, mutex);
	detail(f, 0, 2, DETAIL_LOCK_ACQUIRE, PTHREAD, 1, 1);
	builder_leave(f->run.b, l, 3, mutex);
	builder_enter(f->run.b, l, 10, condition);
	detail(f, 0, 11, DETAIL_LOCK_RELEASE, PTHREAD, 1, 1);
	detail(f, 0, 61, DETAIL_LOCK_ACQUIRE, PTHREAD, 1, 3);
	builder_leave(f->run.b, l, 62, condition);
	detail(f, 0, 70, DETAIL_LOCK_RELEASE, PTHREAD, 1, 3);
	hold(f, 1, mutex, PTHREAD, 2, 39, 40, 60);
	made_run_analyse(&f->run);
	assert_metric(f, CUBE_PTHREAD_LOCK_CONTENTION_CONDITIONAL, 20, 0, 0);
	assert_metric(f, CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK, 0, 0, 0);
}

/* No rank, as in programs without MPI: who belongs together is told by the process. */
TEST_WITH(threads_without_a_rank_belong_to_a_process, struct fixture *f)
{
	const struct process process = { .node = UINT32_MAX, .type = 1, .creator = UINT32_MAX };

	made_run_fini(&f->run);
	made_run_begin(&f->run, CLASS_USER);
	f->team = made_run_threads(&f->run, THREADS, RANK_UNKNOWN,
				   builder_process(f->run.b, &process));
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
		struct trace *trace = random_trace(seed, 300, 1000000000);
		struct analysis *analysis =
			analysis_new(patterns, trace, BASE_MEASURED, NULL, NULL, &err);
		struct cube *cube =
			analysis_cube(analysis, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, &err);
		for (uint32_t l = 0; l < trace_location_count(trace); l++) {
			size_t n;
			const struct wait *waits = analysis_waits(analysis, l, &n);
			for (size_t i = 0; i < n; i++)
				assert_true(waits[i].length > 0);
		}
		assert_true(cube_total(cube, CUBE_TIME, NULL) >= 0);
		cube_free(cube);
		analysis_free(analysis);
		trace_free(trace);
	}
}
