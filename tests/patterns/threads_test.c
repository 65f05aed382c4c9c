/* Threads: barriers of a team, forks, locks, idle threads, by numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "harness/random_trace.h"
#include "model/builder.h"
#include "patterns/analysis.h"

enum { THREADS = 3, OPENMP = 3, PTHREAD = 7 };

static const struct timescale nanoseconds = { 1000000000, 9 };

struct fixture {
	struct builder *b;
	struct trace *t;
	struct analysis *analysis;
	struct cube *cube;
	uint32_t location[THREADS];
	uint64_t team;
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);
	int32_t ranks[THREADS];

	f->b = builder_new("test.trc", &nanoseconds, NULL);
	for (int32_t i = 0; i < THREADS; i++) {
		f->location[i] =
			builder_location(f->b, &(struct location){
						       .rank = 0, .process = -1, .thread = i });
		ranks[i] = (int32_t)f->location[i];
	}
	f->team = builder_comm_define(f->b, &(struct comm){ .name = builder_string(f->b, "team", 4),
							    .size = THREADS,
							    .ranks = ranks,
							    .parent = UINT32_MAX,
							    .kind = COMM_THREADS });
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	cube_free(f->cube);
	analysis_free(f->analysis);
	builder_abandon(f->b);
	trace_free(f->t);
	test_free(f);
	return 0;
}

static void look(struct fixture *f, int64_t t0, int64_t t1)
{
	struct err err = ERR_INIT;

	cube_free(f->cube);
	f->cube = analysis_cube(f->analysis, t0, t1, CUBE_TIMES | CUBE_WAITS, NULL, &err);
	assert_non_null(f->cube);
}

static void finish(struct fixture *f)
{
	struct err err = ERR_INIT;

	f->t = builder_finish(f->b, NULL, NULL, &err);
	f->b = NULL;
	assert_non_null(f->t);
	f->analysis = analysis_new(f->t, BASE_MEASURED, NULL, NULL, &err);
	assert_non_null(f->analysis);
	look(f, INT64_MIN, INT64_MAX);
}

static uint32_t site(struct fixture *f, const char *name, uint8_t role, uint8_t paradigm)
{
	const uint32_t region =
		builder_region_define(f->b, &(struct region){ .name = builder_string(f->b, name,
										     strlen(name)),
							      .picl = 100,
							      .cls = CLASS_USER,
							      .role = role,
							      .paradigm = paradigm });
	return builder_site(f->b, region, 0, 0, 100);
}

static void detail(struct fixture *f, int thread, int64_t time, enum detail_type type, uint64_t a,
		   uint64_t b, uint64_t c)
{
	const uint64_t values[] = { a, b, c };

	builder_detail(f->b, f->location[thread], time, type, values, 3);
}

/* A thread's part of a team: parallel region from begin to end, an implicit barrier at its end. */
static void part(struct fixture *f, int thread, int64_t begin, int64_t barrier, int64_t end)
{
	const uint32_t parallel = site(f, "!$omp parallel @a.c:1", 5, OPENMP);
	const uint32_t wait = site(f, "!$omp implicit barrier @a.c:2", 16, OPENMP);
	const uint32_t l = f->location[thread];

	builder_detail(f->b, l, begin, DETAIL_TEAM_BEGIN, &f->team, 1);
	builder_enter(f->b, l, begin, parallel);
	builder_enter(f->b, l, barrier, wait);
	builder_leave(f->b, l, end, wait);
	builder_leave(f->b, l, end, parallel);
	builder_detail(f->b, l, end, DETAIL_TEAM_END, &f->team, 1);
}

static void assert_metric(const struct fixture *f, enum cube_metric metric, double t0, double t1,
			  double t2)
{
	const double want[THREADS] = { t0, t1, t2 };

	for (uint32_t l = 0; l < THREADS; l++) {
		bool chosen[THREADS] = { false };
		chosen[l] = true;
		if (fabs(cube_total(f->cube, metric, chosen) - want[l]) > 1e-9)
			fail_msg("%s of thread %u: %g, not %g", cube_metric_info(metric)->name, l,
				 cube_total(f->cube, metric, chosen), want[l]);
	}
}

/* main 0..200; a team of three forked at 50, joined at 100; one of two forked at 120, joined at 160. */
static void two_teams(struct fixture *f)
{
	const uint32_t main_site = site(f, "main", 1, 2);

	builder_enter(f->b, f->location[0], 0, main_site);
	detail(f, 0, 50, DETAIL_THREAD_FORK, OPENMP, 3, 0);
	part(f, 0, 50, 80, 100);
	detail(f, 0, 100, DETAIL_THREAD_JOIN, OPENMP, 0, 0);
	detail(f, 0, 120, DETAIL_THREAD_FORK, OPENMP, 2, 0);
	part(f, 0, 120, 150, 160);
	detail(f, 0, 160, DETAIL_THREAD_JOIN, OPENMP, 0, 0);
	builder_leave(f->b, f->location[0], 200, main_site);
	part(f, 1, 53, 98, 100);
	part(f, 1, 121, 140, 160);
	part(f, 2, 57, 70, 100);
	finish(f);
}

static void teams_wait_at_barriers_and_start_late(void **state)
{
	struct fixture *f = *state;

	two_teams(f);
	/* last to come: thread 1 at 98, thread 0 at 150 */
	assert_metric(f, CUBE_OMP_IBARRIER_WAIT, 18, 10, 28);
	assert_metric(f, CUBE_OMP_EBARRIER_WAIT, 0, 0, 0);
	assert_metric(f, CUBE_OMP_IBARRIER, 20 + 10, 2 + 20, 30);
	assert_metric(f, CUBE_OMP_FORK, 0, 3 + 1, 7);
	assert_metric(f, CUBE_OMP_MANAGEMENT, 0, 4, 7);
}

static void idle_threads_cost_time(void **state)
{
	struct fixture *f = *state;

	two_teams(f);
	assert_metric(f, CUBE_TIME, 200, 200, 200);
	/* thread 1: 0..50, 100..120, 160..200; thread 2: 0..50, 100..200, of that 120..160 limited */
	assert_metric(f, CUBE_OMP_IDLE_THREADS, 0, 110, 150);
	assert_metric(f, CUBE_OMP_LIMITED_PARALLELISM, 0, 0, 40);
	assert_metric(f, CUBE_EXECUTION, 200, 90, 50);
	assert_metric(f, CUBE_OMP_TIME, 30, 22 + 4, 30 + 7);
	assert_metric(f, CUBE_COMP, 170, 64, 13);
	look(f, 110, 130);
	assert_metric(f, CUBE_TIME, 20, 20, 20);
	assert_metric(f, CUBE_OMP_IDLE_THREADS, 0, 10, 20);
	assert_metric(f, CUBE_OMP_LIMITED_PARALLELISM, 0, 0, 10);
	assert_metric(f, CUBE_OMP_FORK, 0, 1, 0);
	assert_metric(f, CUBE_COMP, 20, 9, 0);
}

/* The master computes 60 in "main > parallel", where the mean over three threads is 20; the workers 64 and
 * 13 in "parallel", mean 77 / 3. In main the one process has nobody to be compared with, and who is idle
 * does not compute. */
static void imbalance_is_without_idle_threads(void **state)
{
	struct fixture *f = *state;
	struct err err = ERR_INIT;

	two_teams(f);
	cube_free(f->cube);
	f->cube = analysis_cube(f->analysis, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, &err);
	assert_non_null(f->cube);
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
	builder_enter(f->b, f->location[thread], en, call);
	detail(f, thread, got, DETAIL_LOCK_ACQUIRE, paradigm, 1, order);
	builder_leave(f->b, f->location[thread], got + 1, call);
	detail(f, thread, freed, DETAIL_LOCK_RELEASE, paradigm, 1, order);
}

static void locks_are_waited_for(void **state)
{
	struct fixture *f = *state;
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
	finish(f);
	assert_metric(f, CUBE_OMP_LOCK_CONTENTION_API, 0, 30, 0);
	assert_metric(f, CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK, 0, 30, 20);
	assert_metric(f, CUBE_OMP_LOCK_CONTENTION_CRITICAL, 0, 25, 0);
}

/* Thread 0 waits for a condition from 10; thread 1 takes the mutex at 40, signals, frees it at 60. */
static void a_condition_is_not_contention(void **state)
{
	struct fixture *f = *state;
	const uint32_t mutex = site(f, "pthread_mutex_lock", 2, PTHREAD);
	const uint32_t condition = site(f, "pthread_cond_wait", 2, PTHREAD);
	const uint32_t l = f->location[0];

	builder_enter(f->b, l, 1, mutex);
	detail(f, 0, 2, DETAIL_LOCK_ACQUIRE, PTHREAD, 1, 1);
	builder_leave(f->b, l, 3, mutex);
	builder_enter(f->b, l, 10, condition);
	detail(f, 0, 11, DETAIL_LOCK_RELEASE, PTHREAD, 1, 1);
	detail(f, 0, 61, DETAIL_LOCK_ACQUIRE, PTHREAD, 1, 3);
	builder_leave(f->b, l, 62, condition);
	detail(f, 0, 70, DETAIL_LOCK_RELEASE, PTHREAD, 1, 3);
	hold(f, 1, mutex, PTHREAD, 2, 39, 40, 60);
	finish(f);
	assert_metric(f, CUBE_PTHREAD_LOCK_CONTENTION_CONDITIONAL, 20, 0, 0);
	assert_metric(f, CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK, 0, 0, 0);
}

/* No rank, as in programs without MPI: who belongs together is told by the process. */
static void threads_without_a_rank_belong_to_a_process(void **state)
{
	struct fixture *f = *state;
	const uint32_t owner =
		builder_process(f->b, &(struct process){ .name = builder_string(f->b, "process", 7),
							 .node = UINT32_MAX,
							 .type = 1,
							 .creator = UINT32_MAX });
	int32_t ranks[THREADS];

	builder_abandon(f->b);
	f->b = builder_new("test.trc", &nanoseconds, NULL);
	assert_int_equal(builder_process(f->b, &(struct process){ .node = UINT32_MAX,
								  .type = 1,
								  .creator = UINT32_MAX }),
			 owner);
	for (int32_t i = 0; i < THREADS; i++) {
		f->location[i] = builder_location(f->b, &(struct location){ .rank = RANK_UNKNOWN,
									    .process = -1,
									    .thread = i });
		builder_location_owner(f->b, f->location[i], owner, LOCATION_CPU, (uint64_t)i);
		ranks[i] = (int32_t)f->location[i];
	}
	f->team = builder_comm_define(f->b, &(struct comm){ .name = builder_string(f->b, "team", 4),
							    .size = THREADS,
							    .ranks = ranks,
							    .parent = UINT32_MAX,
							    .kind = COMM_THREADS });
	two_teams(f);
	assert_metric(f, CUBE_TIME, 200, 200, 200);
	assert_metric(f, CUBE_OMP_IDLE_THREADS, 0, 110, 150);
	assert_metric(f, CUBE_COMP, 170, 64, 13);
}

/* Traces of everything at once: nothing breaks, and no wait is negative. */
static void any_trace_is_survived(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct err err = ERR_INIT;
		struct trace *trace = random_trace(seed, 300, 1000000000);
		struct analysis *analysis = analysis_new(trace, BASE_MEASURED, NULL, NULL, &err);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(teams_wait_at_barriers_and_start_late, setup,
						teardown),
		cmocka_unit_test_setup_teardown(idle_threads_cost_time, setup, teardown),
		cmocka_unit_test_setup_teardown(imbalance_is_without_idle_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(locks_are_waited_for, setup, teardown),
		cmocka_unit_test_setup_teardown(a_condition_is_not_contention, setup, teardown),
		cmocka_unit_test_setup_teardown(threads_without_a_rank_belong_to_a_process, setup,
						teardown),
		cmocka_unit_test(any_trace_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
