/* The first sentence on every kind of wait state, in traces made by hand: who, how long, in what call, and why;
 * and that of 64 ranks at a barrier one is named. */
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "model/build/builder.h"
#include "views/explain/explaining.h"
#include "views/query/analyses.h"

enum { PARTIES = 3, MANY = 64, OPENMP = 3, PTHREAD = 7 };

static const struct timescale nanoseconds = { 1000000000, 9 };

struct made {
	struct builder *b;
	uint32_t location[MANY];
	uint64_t window, team;
	struct trace *trace;
	struct analyses *analyses;
	struct query query;
};

static void begin(struct made *m, int32_t parties, bool threads)
{
	*m = (struct made){ .b = builder_new("kinds.trc", &nanoseconds, NULL) };
	for (int32_t i = 0; i < parties; i++)
		m->location[i] =
			builder_location(m->b, &(struct location){ .rank = threads ? 0 : i,
								   .process = -1,
								   .thread = threads ? i : 0 });
}

static void finish(struct made *m)
{
	struct err err = ERR_INIT;

	m->trace = builder_finish(m->b, NULL, NULL, &err);
	assert_non_null(m->trace);
	m->analyses = analyses_new(m->trace, &(struct analysis_options){ .jobs = 1 });
	assert_non_null(analyses_get(m->analyses, BASE_MEASURED, NULL, &err));
	m->query = (struct query){ .trace = m->trace,
				   .base = BASE_MEASURED,
				   .t0 = INT64_MIN,
				   .t1 = INT64_MAX,
				   .analyses = m->analyses,
				   .metric = CUBE_NONE,
				   .callpath = UINT32_MAX };
}

static void fini(struct made *m)
{
	analyses_free(m->analyses);
	trace_free(m->trace);
}

/* ---- events ---- */

static uint32_t site(struct made *m, const char *name, uint8_t role, uint8_t paradigm)
{
	const struct region region = { .name = builder_string(m->b, name, strlen(name)),
				       .picl = 100,
				       .cls = CLASS_USER,
				       .role = role,
				       .paradigm = paradigm };

	return builder_site(m->b, builder_region_define(m->b, &region), 0, 0, 100);
}

static uint32_t mpi(struct made *m, const char *name, enum region_class cls)
{
	return builder_region(m->b, name, cls, 100);
}

static void enter(struct made *m, int l, int64_t t, const char *name, enum region_class cls)
{
	builder_enter(m->b, m->location[l], t, builder_site(m->b, mpi(m, name, cls), 0, 0, 100));
}

static void leave(struct made *m, int l, int64_t t, const char *name, enum region_class cls)
{
	builder_leave(m->b, m->location[l], t, builder_site(m->b, mpi(m, name, cls), 0, 0, 100));
}

static void member(struct made *m, int l, int64_t from, int64_t to, const char *name, uint32_t comm,
		   int32_t root)
{
	enter(m, l, from, name, CLASS_SYNC);
	builder_collective_begin(m->b, m->location[l], from, comm, mpi(m, name, CLASS_SYNC), root,
				 8, 8);
	builder_collective_end(m->b, m->location[l], to, 8, 8);
	leave(m, l, to, name, CLASS_SYNC);
}

static void window_call(struct made *m, int l, int64_t from, int64_t to, const char *name)
{
	enter(m, l, from, name, CLASS_MPI_OTHER);
	builder_detail(m->b, m->location[l], from, DETAIL_RMA_COLLECTIVE_BEGIN, NULL, 0);
	builder_detail(m->b, m->location[l], to, DETAIL_RMA_COLLECTIVE_END,
		       (const uint64_t[]){ 0, 0, m->window, UINT64_MAX, 0, 0 }, 6);
	leave(m, l, to, name, CLASS_MPI_OTHER);
}

static void put(struct made *m, int l, int64_t from, int64_t at, int64_t to, uint64_t target)
{
	enter(m, l, from, "MPI_Put", CLASS_MPI_OTHER);
	builder_detail(m->b, m->location[l], at, DETAIL_RMA_PUT,
		       (const uint64_t[]){ m->window, target, 100, 0 }, 4);
	leave(m, l, to, "MPI_Put", CLASS_MPI_OTHER);
}

static void epoch_call(struct made *m, int l, int64_t from, int64_t to, const char *name,
		       uint64_t group)
{
	enter(m, l, from, name, CLASS_MPI_OTHER);
	builder_detail(m->b, m->location[l], from + (to - from) / 2, DETAIL_RMA_GROUP_SYNC,
		       (const uint64_t[]){ 0, m->window, group }, 3);
	leave(m, l, to, name, CLASS_MPI_OTHER);
}

static void lock_call(struct made *m, int l, int64_t from, int64_t at, int64_t to, bool exclusive)
{
	enter(m, l, from, "MPI_Win_lock", CLASS_MPI_OTHER);
	builder_detail(m->b, m->location[l], at, DETAIL_RMA_ACQUIRE_LOCK,
		       (const uint64_t[]){ m->window, 2, 0, exclusive ? 0 : 1 }, 4);
	leave(m, l, to, "MPI_Win_lock", CLASS_MPI_OTHER);
}

static void unlock_call(struct made *m, int l, int64_t from, int64_t at, int64_t to)
{
	enter(m, l, from, "MPI_Win_unlock", CLASS_MPI_OTHER);
	builder_detail(m->b, m->location[l], at, DETAIL_RMA_RELEASE_LOCK,
		       (const uint64_t[]){ m->window, 2, 0 }, 3);
	leave(m, l, to, "MPI_Win_unlock", CLASS_MPI_OTHER);
}

static void detail(struct made *m, int l, int64_t t, enum detail_type type, uint64_t a, uint64_t b,
		   uint64_t c)
{
	builder_detail(m->b, m->location[l], t, type, (const uint64_t[]){ a, b, c }, 3);
}

static void part(struct made *m, int l, int64_t from, int64_t barrier, int64_t to)
{
	const uint32_t parallel = site(m, "!$omp parallel @a.c:1", 5, OPENMP);
	const uint32_t wait = site(m, "!$omp implicit barrier @a.c:2", 16, OPENMP);

	builder_detail(m->b, m->location[l], from, DETAIL_TEAM_BEGIN, &m->team, 1);
	builder_enter(m->b, m->location[l], from, parallel);
	builder_enter(m->b, m->location[l], barrier, wait);
	builder_leave(m->b, m->location[l], to, wait);
	builder_leave(m->b, m->location[l], to, parallel);
	builder_detail(m->b, m->location[l], to, DETAIL_TEAM_END, &m->team, 1);
}

static void hold(struct made *m, int l, uint32_t call, uint64_t paradigm, uint64_t order,
		 int64_t en, int64_t got, int64_t freed)
{
	builder_enter(m->b, m->location[l], en, call);
	detail(m, l, got, DETAIL_LOCK_ACQUIRE, paradigm, 1, order);
	builder_leave(m->b, m->location[l], got + 1, call);
	detail(m, l, freed, DETAIL_LOCK_RELEASE, paradigm, 1, order);
}

/* ---- what is said ---- */

struct said {
	enum cube_metric metric;
	const char *sentence;
};

/* The first line on a wait of a metric with that text is there. */
static void assert_said(const struct made *m, const struct said *said, bool *kinds)
{
	const struct analysis *analysis = analyses_peek(m->analyses, BASE_MEASURED);
	const struct causes *causes = analyses_causes(m->analyses, BASE_MEASURED);
	bool found = false;

	for (uint32_t l = 0; l < trace_location_count(m->trace); l++) {
		size_t n;
		const struct wait *waits = analysis_waits(analysis, l, &n);

		for (uint32_t i = 0; i < n; i++) {
			const struct wait_bounds none = { .pending = false };
			struct explain e = { .subject = { l, i, EVENT_NONE, UINT32_MAX } };

			kinds[waits[i].metric] = true;
			if (waits[i].metric != said->metric)
				continue;
			explain_chain(&e, &m->query, analysis, causes, &none);
			assert_true(e.lines.n > 0 && e.lines.data[0].location == l);
			found |= strcmp(e.lines.data[0].text, said->sentence) == 0;
			if (!found)
				print_message("# %s\n", e.lines.data[0].text);
			explain_fini(&e);
		}
	}
	if (!found)
		fail_msg("%s: nobody says '%s'", cube_metric_info(said->metric)->name,
			 said->sentence);
}

static void assert_all_said(const struct made *m, const struct said *said, size_t n)
{
	bool kinds[CUBE_METRICS] = { false };

	for (size_t i = 0; i < n; i++)
		assert_said(m, &said[i], kinds);
	/* No kind that is not spoken of here. */
	for (size_t i = 0; i < n; i++)
		kinds[said[i].metric] = false;
	for (int k = 0; k < CUBE_METRICS; k++)
		if (kinds[k])
			fail_msg("%s is not asked for",
				 cube_metric_info((enum cube_metric)k)->name);
}

#define ALL_SAID(m, said) assert_all_said(m, said, sizeof(said) / sizeof *(said))

TEST(collectives)
{
	static const struct said said[] = {
		{ CUBE_MPI_BARRIER_WAIT,
		  "rank 0 waited 40 ns in MPI_Barrier: rank 2 came last of 3." },
		{ CUBE_MPI_BARRIER_COMPLETION,
		  "rank 1 spent 5 ns in MPI_Barrier: all were there, and the first had left: "
		  "completing took so long, and nobody was late." },
		{ CUBE_MPI_WAIT_NXN,
		  "rank 1 waited 30 ns in MPI_Allreduce: rank 0 came last of 3." },
		{ CUBE_MPI_NXN_COMPLETION,
		  "rank 2 spent 7 ns in MPI_Allreduce: all were there, and the first had left: "
		  "completing took so long, and nobody was late." },
		{ CUBE_MPI_LATEBROADCAST,
		  "rank 0 waited 20 ns in MPI_Bcast: rank 1, the root, came late." },
		{ CUBE_MPI_EARLYREDUCE,
		  "rank 0 waited 25 ns in MPI_Reduce: rank 2 gave its part last." },
		{ CUBE_MPI_EARLYSCAN, "rank 2 waited 35 ns in MPI_Scan: rank 1, before it in the "
				      "order, came late." },
	};
	struct made m;

	begin(&m, PARTIES, false);
	const uint32_t comm = builder_comm(m.b, "all", (const int32_t[]){ 0, 1, 2 }, PARTIES, 0);
	member(&m, 0, 10, 60, "MPI_Barrier", comm, -1);
	member(&m, 1, 20, 65, "MPI_Barrier", comm, -1);
	member(&m, 2, 50, 60, "MPI_Barrier", comm, -1);
	member(&m, 0, 140, 150, "MPI_Allreduce", comm, -1);
	member(&m, 1, 110, 150, "MPI_Allreduce", comm, -1);
	member(&m, 2, 120, 157, "MPI_Allreduce", comm, -1);
	member(&m, 0, 210, 240, "MPI_Bcast", comm, 1);
	member(&m, 1, 230, 240, "MPI_Bcast", comm, 1);
	member(&m, 2, 235, 240, "MPI_Bcast", comm, 1);
	member(&m, 0, 310, 340, "MPI_Reduce", comm, 0);
	member(&m, 1, 320, 325, "MPI_Reduce", comm, 0);
	member(&m, 2, 335, 338, "MPI_Reduce", comm, 0);
	member(&m, 0, 405, 410, "MPI_Scan", comm, -1);
	member(&m, 1, 440, 450, "MPI_Scan", comm, -1);
	member(&m, 2, 405, 450, "MPI_Scan", comm, -1);
	finish(&m);
	ALL_SAID(&m, said);
	fini(&m);
}

TEST(one_sided)
{
	static const struct said said[] = {
		{ CUBE_MPI_RMA_WAIT_AT_CREATE,
		  "rank 0 waited 50 ns in MPI_Win_create: rank 2 came last." },
		{ CUBE_MPI_RMA_WAIT_AT_FENCE,
		  "rank 0 waited 40 ns in MPI_Win_fence: rank 1 came last." },
		{ CUBE_MPI_RMA_EARLY_FENCE, "rank 0 waited 20 ns in MPI_Win_fence: operations on "
					    "its memory were still coming in." },
		{ CUBE_MPI_RMA_SYNC_LATE_POST,
		  "rank 0 waited 30 ns in MPI_Win_complete: rank 1, the target, posted late." },
		{ CUBE_MPI_RMA_COMM_LATE_POST,
		  "rank 0 waited 20 ns in MPI_Put: rank 1, the target, posted late." },
		{ CUBE_MPI_RMA_EARLY_WAIT, "rank 1 waited 20 ns in MPI_Win_wait: rank 0 was the "
					   "last to complete its access." },
		{ CUBE_MPI_RMA_LATE_COMPLETE,
		  "rank 1 waited 10 ns in MPI_Win_wait: rank 0 completed its access late, behind "
		  "its last operation." },
		{ CUBE_MPI_RMA_SYNC_LOCK_COMPETITION,
		  "rank 1 waited 30 ns in MPI_Win_lock: rank 0 held the lock of the window." },
		{ CUBE_MPI_RMA_COMM_LOCK_COMPETITION,
		  "rank 1 waited 40 ns in MPI_Put: rank 0 held the lock of the window." },
		{ CUBE_MPI_RMA_WAIT_AT_FREE,
		  "rank 0 waited 40 ns in MPI_Win_free: rank 1 came last." },
	};
	struct made m;

	begin(&m, PARTIES, false);
	m.window = builder_object(m.b, OBJECT_RMA_WINDOW, builder_string(m.b, "w", 1),
				  (const uint64_t[]){ 0, 0 }, 2);
	const uint64_t to_1 = builder_object(m.b, OBJECT_GROUP, builder_string(m.b, "1", 1),
					     (const uint64_t[]){ 0, 4, 0, 1 }, 4);
	const uint64_t to_0 = builder_object(m.b, OBJECT_GROUP, builder_string(m.b, "0", 1),
					     (const uint64_t[]){ 0, 4, 0, 0 }, 4);
	window_call(&m, 0, 0, 60, "MPI_Win_create");
	window_call(&m, 1, 20, 60, "MPI_Win_create");
	window_call(&m, 2, 50, 60, "MPI_Win_create");
	for (int l = 0; l < PARTIES; l++)
		window_call(&m, l, 100, 110, "MPI_Win_fence");
	put(&m, 1, 120, 125, 170, 0);
	window_call(&m, 0, 150, 210, "MPI_Win_fence");
	window_call(&m, 1, 190, 210, "MPI_Win_fence");
	window_call(&m, 2, 160, 210, "MPI_Win_fence");
	epoch_call(&m, 0, 300, 310, "MPI_Win_start", to_1);
	put(&m, 0, 312, 313, 314, 1);
	epoch_call(&m, 0, 320, 360, "MPI_Win_complete", to_1);
	epoch_call(&m, 1, 350, 352, "MPI_Win_post", to_0);
	epoch_call(&m, 1, 353, 370, "MPI_Win_wait", to_0);
	epoch_call(&m, 0, 400, 410, "MPI_Win_start", to_1);
	put(&m, 0, 415, 420, 460, 1);
	epoch_call(&m, 0, 470, 480, "MPI_Win_complete", to_1);
	epoch_call(&m, 1, 440, 445, "MPI_Win_post", to_0);
	epoch_call(&m, 1, 450, 490, "MPI_Win_wait", to_0);
	lock_call(&m, 0, 500, 505, 506, true);
	unlock_call(&m, 0, 540, 550, 551);
	lock_call(&m, 1, 520, 552, 555, true);
	unlock_call(&m, 1, 560, 561, 562);
	lock_call(&m, 0, 600, 601, 602, true);
	unlock_call(&m, 0, 640, 650, 651);
	lock_call(&m, 1, 605, 606, 607, false);
	put(&m, 1, 610, 620, 660, 2);
	unlock_call(&m, 1, 670, 671, 672);
	window_call(&m, 0, 700, 750, "MPI_Win_free");
	window_call(&m, 1, 740, 750, "MPI_Win_free");
	window_call(&m, 2, 730, 750, "MPI_Win_free");
	finish(&m);
	ALL_SAID(&m, said);
	fini(&m);
}

TEST(threads)
{
	static const struct said said[] = {
		{ CUBE_OMP_IBARRIER_WAIT,
		  "rank 0 thread 2 waited 28 ns in !$omp implicit barrier @a.c:2(): "
		  "rank 0 thread 1 came last." },
		{ CUBE_OMP_FORK,
		  "rank 0 thread 2 spent 7 ns in code outside the recorded functions: the team was forked, "
		  "and the thread began so much later: nobody was late." },
		{ CUBE_OMP_LOCK_CONTENTION_API,
		  "rank 0 thread 1 waited 30 ns in omp_set_lock(): rank 0 held the lock." },
		{ CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK,
		  "rank 0 thread 2 waited 20 ns in pthread_mutex_lock(): rank 0 held the mutex." },
		{ CUBE_OMP_LOCK_CONTENTION_CRITICAL,
		  "rank 0 thread 1 waited 25 ns in !$omp critical "
		  "@a.c:3(): rank 0 was in the critical section." },
	};
	struct made m;
	int32_t team[PARTIES];

	begin(&m, PARTIES, true);
	for (int i = 0; i < PARTIES; i++)
		team[i] = (int32_t)m.location[i];
	m.team = builder_comm_define(m.b, &(struct comm){ .name = builder_string(m.b, "team", 4),
							  .size = PARTIES,
							  .ranks = team,
							  .parent = UINT32_MAX,
							  .kind = COMM_THREADS });
	const uint32_t lock = site(&m, "omp_set_lock", 1, OPENMP);
	const uint32_t mutex = site(&m, "pthread_mutex_lock", 2, PTHREAD);
	const uint32_t critical = site(&m, "!$omp critical @a.c:3", 12, OPENMP);
	detail(&m, 0, 50, DETAIL_THREAD_FORK, OPENMP, 3, 0);
	part(&m, 0, 50, 80, 100);
	detail(&m, 0, 100, DETAIL_THREAD_JOIN, OPENMP, 0, 0);
	part(&m, 1, 53, 98, 100);
	part(&m, 2, 57, 70, 100);
	hold(&m, 0, lock, OPENMP, 1, 200, 201, 250);
	hold(&m, 1, lock, OPENMP, 2, 220, 252, 260);
	hold(&m, 0, mutex, PTHREAD, 1, 300, 301, 330);
	hold(&m, 2, mutex, PTHREAD, 2, 310, 331, 350);
	hold(&m, 0, critical, OPENMP + 20, 0, 400, 401, 430);
	hold(&m, 1, critical, OPENMP + 20, 0, 405, 431, 450);
	finish(&m);
	ALL_SAID(&m, said);
	fini(&m);
}

/* All but rank 17 work 10 and wait; it works 1,000: it is named, and what it did, and nobody else. */
TEST(one_of_many_is_named)
{
	struct explain e = { .subject = { 5, 0, EVENT_NONE, UINT32_MAX } };
	int32_t ranks[MANY];
	struct made m;

	begin(&m, MANY, false);
	for (int i = 0; i < MANY; i++)
		ranks[i] = i;
	const uint32_t comm = builder_comm(m.b, "all", ranks, MANY, 0);
	for (int l = 0; l < MANY; l++) {
		enter(&m, l, 0, "work", CLASS_USER);
		leave(&m, l, l == 17 ? 1000 : 10, "work", CLASS_USER);
		member(&m, l, l == 17 ? 1000 : 10, 1001, "MPI_Barrier", comm, -1);
	}
	finish(&m);
	explain_chain(&e, &m.query, analyses_peek(m.analyses, BASE_MEASURED),
		      analyses_causes(m.analyses, BASE_MEASURED),
		      &(struct wait_bounds){ .pending = false });
	assert_int_equal(e.lines.n, 3);
	assert_string_equal(e.lines.data[0].text,
			    "rank 5 waited 990 ns in MPI_Barrier: rank 17 came last of 64.");
	assert_string_equal(e.lines.data[2].text,
			    "Rank 17 was late because it spent 990 ns more than rank 5 in work()");
	explain_fini(&e);
	fini(&m);
}
