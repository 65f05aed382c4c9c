/* The first sentence on every kind of wait state, in traces made by hand: who, how long, in what
 * call, and why; and that of 64 ranks at a barrier one is named. */
#include <stdlib.h>
#include <string.h>

#include "harness/analysed.h"
#include "harness/notation.h"
#include "views/explain/explaining.h"

enum { MANY = 64 };

struct said {
	enum cube_metric metric;
	const char *sentence;
};

/* The first line on a wait of a metric with that text is there. */
static void assert_said(const struct analysed *a, const struct said *said, bool *kinds)
{
	bool found = false;

	for (uint32_t l = 0; l < trace_location_count(a->trace); l++) {
		size_t n;
		const struct wait *waits = analysis_waits(a->analysis, l, &n);

		for (uint32_t i = 0; i < n; i++) {
			const struct wait_bounds none = { .pending = false };
			struct explain e = { .subject = { l, i, EVENT_NONE, UINT32_MAX } };

			kinds[waits[i].metric] = true;
			if (waits[i].metric != said->metric)
				continue;
			explain_chain(&e, &a->query, a->analysis, a->causes, &none);
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

static void assert_all_said(const struct analysed *a, const struct said *said, size_t n)
{
	bool kinds[CUBE_METRICS] = { false };

	for (size_t i = 0; i < n; i++)
		assert_said(a, &said[i], kinds);
	/* No kind that is not spoken of here. */
	for (size_t i = 0; i < n; i++)
		kinds[said[i].metric] = false;
	for (int k = 0; k < CUBE_METRICS; k++)
		if (kinds[k])
			fail_msg("%s is not asked for",
				 cube_metric_info((enum cube_metric)k)->name);
}

#define ALL_SAID(a, said) assert_all_said(a, said, sizeof(said) / sizeof *(said))

TEST(collectives)
{
	static const struct said said[] = {
		{ CUBE_MPI_BARRIER_WAIT,
		  "rank 0 waited 40 ns in MPI_Barrier: rank 2 came last of 3." },
		{ CUBE_MPI_BARRIER_COMPLETION,
		  "rank 1 spent 5 ns in MPI_Barrier: no rank was late: this is the time the operation took to complete." },
		{ CUBE_MPI_WAIT_NXN,
		  "rank 1 waited 30 ns in MPI_Allreduce: rank 0 came last of 3." },
		{ CUBE_MPI_NXN_COMPLETION,
		  "rank 2 spent 7 ns in MPI_Allreduce: no rank was late: this is the time the operation took to complete." },
		{ CUBE_MPI_LATEBROADCAST,
		  "rank 0 waited 20 ns in MPI_Bcast: rank 1, the root, came late." },
		{ CUBE_MPI_EARLYREDUCE,
		  "rank 0 waited 25 ns in MPI_Reduce: rank 2 contributed last." },
		{ CUBE_MPI_EARLYSCAN,
		  "rank 2 waited 35 ns in MPI_Scan: rank 1, a lower rank, came late." },
	};
	ANALYSED a = analysed(notation_trace(
		"mpi sync; comm c 0 1 2\n"
		"rank 0: MPI_Barrier@10-60 all comm c 8B  MPI_Allreduce@140-150 all comm c 8B\n"
		"  MPI_Bcast@210-240 all comm c root 1 8B  MPI_Reduce@310-340 all comm c root 0 8B\n"
		"  MPI_Scan@405-410 all comm c 8B\n"
		"rank 1: MPI_Barrier@20-65 all comm c 8B  MPI_Allreduce@110-150 all comm c 8B\n"
		"  MPI_Bcast@230-240 all comm c root 1 8B  MPI_Reduce@320-325 all comm c root 0 8B\n"
		"  MPI_Scan@440-450 all comm c 8B\n"
		"rank 2: MPI_Barrier@50-60 all comm c 8B  MPI_Allreduce@120-157 all comm c 8B\n"
		"  MPI_Bcast@235-240 all comm c root 1 8B  MPI_Reduce@335-338 all comm c root 0 8B\n"
		"  MPI_Scan@405-450 all comm c 8B"));

	ALL_SAID(&a, said);
}

TEST(one_sided)
{
	static const struct said said[] = {
		{ CUBE_MPI_RMA_WAIT_AT_CREATE,
		  "rank 0 waited 50 ns in MPI_Win_create: rank 2 came last." },
		{ CUBE_MPI_RMA_WAIT_AT_FENCE,
		  "rank 0 waited 40 ns in MPI_Win_fence: rank 1 came last." },
		{ CUBE_MPI_RMA_EARLY_FENCE,
		  "rank 0 waited 20 ns in MPI_Win_fence: other ranks were still accessing its window." },
		{ CUBE_MPI_RMA_SYNC_LATE_POST,
		  "rank 0 waited 30 ns in MPI_Win_complete: rank 1, the target, posted late." },
		{ CUBE_MPI_RMA_COMM_LATE_POST,
		  "rank 0 waited 20 ns in MPI_Put: rank 1, the target, posted late." },
		{ CUBE_MPI_RMA_EARLY_WAIT, "rank 1 waited 20 ns in MPI_Win_wait: rank 0 was the "
					   "last to complete its access." },
		{ CUBE_MPI_RMA_LATE_COMPLETE,
		  "rank 1 waited 10 ns in MPI_Win_wait: rank 0 completed its access long after its last operation." },
		{ CUBE_MPI_RMA_SYNC_LOCK_COMPETITION,
		  "rank 1 waited 30 ns in MPI_Win_lock: rank 0 held the lock of the window." },
		{ CUBE_MPI_RMA_COMM_LOCK_COMPETITION,
		  "rank 1 waited 40 ns in MPI_Put: rank 0 held the lock of the window." },
		{ CUBE_MPI_RMA_WAIT_AT_FREE,
		  "rank 0 waited 40 ns in MPI_Win_free: rank 1 came last." },
	};
	ANALYSED a = analysed(notation_trace(
		"mpi mpi; window w; group to_1 1; group to_0 0\n"
		"rank 0: MPI_Win_create@0-60 fence w  MPI_Win_fence@100-110 fence w\n"
		"  MPI_Win_fence@150-210 fence w\n"
		"  MPI_Win_start@300-310 [rma-group-sync 0 w to_1 @305]\n"
		"  MPI_Put@312-314 [rma-put w 1 100 @313]\n"
		"  MPI_Win_complete@320-360 [rma-group-sync 0 w to_1 @340]\n"
		"  MPI_Win_start@400-410 [rma-group-sync 0 w to_1 @405]\n"
		"  MPI_Put@415-460 [rma-put w 1 100 @420]\n"
		"  MPI_Win_complete@470-480 [rma-group-sync 0 w to_1 @475]\n"
		"  MPI_Win_lock@500-506 [rma-acquire-lock w 2 0 0 @505]\n"
		"  MPI_Win_unlock@540-551 [rma-release-lock w 2 0 @550]\n"
		"  MPI_Win_lock@600-602 [rma-acquire-lock w 2 0 0 @601]\n"
		"  MPI_Win_unlock@640-651 [rma-release-lock w 2 0 @650]\n"
		"  MPI_Win_free@700-750 fence w\n"
		"rank 1: MPI_Win_create@20-60 fence w  MPI_Win_fence@100-110 fence w\n"
		"  MPI_Put@120-170 [rma-put w 0 100 @125]\n"
		"  MPI_Win_fence@190-210 fence w\n"
		"  MPI_Win_post@350-352 [rma-group-sync 0 w to_0 @351]\n"
		"  MPI_Win_wait@353-370 [rma-group-sync 0 w to_0 @361]\n"
		"  MPI_Win_post@440-445 [rma-group-sync 0 w to_0 @442]\n"
		"  MPI_Win_wait@450-490 [rma-group-sync 0 w to_0 @470]\n"
		"  MPI_Win_lock@520-555 [rma-acquire-lock w 2 0 0 @552]\n"
		"  MPI_Win_unlock@560-562 [rma-release-lock w 2 0 @561]\n"
		"  MPI_Win_lock@605-607 [rma-acquire-lock w 2 0 1 @606]\n"
		"  MPI_Put@610-660 [rma-put w 2 100 @620]\n"
		"  MPI_Win_unlock@670-672 [rma-release-lock w 2 0 @671]\n"
		"  MPI_Win_free@740-750 fence w\n"
		"rank 2: MPI_Win_create@50-60 fence w  MPI_Win_fence@100-110 fence w\n"
		"  MPI_Win_fence@160-210 fence w  MPI_Win_free@730-750 fence w"));

	ALL_SAID(&a, said);
}

TEST(threads)
{
	static const struct said said[] = {
		{ CUBE_OMP_IBARRIER_WAIT,
		  "rank 0 thread 2 waited 28 ns in !$omp implicit barrier @a.c:2: "
		  "rank 0 thread 1 came last." },
		{ CUBE_OMP_FORK,
		  "rank 0 thread 2 spent 7 ns in code outside all recorded functions: no thread was late: this is the time from the fork to the thread's start." },
		{ CUBE_OMP_LOCK_CONTENTION_API,
		  "rank 0 thread 1 waited 30 ns in omp_set_lock: rank 0 held the lock." },
		{ CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK,
		  "rank 0 thread 2 waited 20 ns in pthread_mutex_lock: rank 0 held the mutex." },
		{ CUBE_OMP_LOCK_CONTENTION_CRITICAL,
		  "rank 0 thread 1 waited 25 ns in !$omp critical "
		  "@a.c:3: rank 0 was in the critical section." },
	};
	ANALYSED a = analysed(notation_trace(
		"threads 3 rank 0; region omp_set_lock role 1 paradigm 3\n"
		"region pthread_mutex_lock role 2 paradigm 7\n"
		"region critical = '!$omp critical @a.c:3' role 12 paradigm 3\n"
		"region parallel = '!$omp parallel @a.c:1' role 5 paradigm 3\n"
		"region barrier = '!$omp implicit barrier @a.c:2' role 16 paradigm 3\n"
		"location 0: [thread-fork 3 3 @50]\n"
		"  [team-begin team @50] parallel@50 { barrier@80-100 } @100 [team-end team @100]\n"
		"  [thread-join 3 @100]\n"
		"location 1:\n"
		"  [team-begin team @53] parallel@53 { barrier@98-100 } @100 [team-end team @100]\n"
		"location 2:\n"
		"  [team-begin team @57] parallel@57 { barrier@70-100 } @100 [team-end team @100]\n"
		"location 0: omp_set_lock@200-202 [lock-acquire 3 1 1 @201], [lock-release 3 1 1 @250]\n"
		"location 1: omp_set_lock@220-253 [lock-acquire 3 1 2 @252], [lock-release 3 1 2 @260]\n"
		"location 0: pthread_mutex_lock@300-302 [lock-acquire 7 1 1 @301],\n"
		"  [lock-release 7 1 1 @330]\n"
		"location 2: pthread_mutex_lock@310-332 [lock-acquire 7 1 2 @331],\n"
		"  [lock-release 7 1 2 @350]\n"
		"location 0: critical@400-402 [lock-acquire 23 1 @401], [lock-release 23 1 @430]\n"
		"location 1: critical@405-432 [lock-acquire 23 1 @431], [lock-release 23 1 @450]"));

	ALL_SAID(&a, said);
}

/* A line of four: rank 3 comes last, but ranks 0 and 1 do not wait for it. */
TEST(neighbours)
{
	static const struct said said[] = {
		{ CUBE_MPI_WAIT_NXN,
		  "rank 0 waited 20 ns in MPI_Neighbor_alltoall: rank 1 came last of the neighbours. "
		  "(By extension of the formula: nonblocking or neighbourhood collective, persistent request.)" },
	};
	ANALYSED a = analysed(notation_trace("mpi collective; ranks 4; grid 4\n"
					     "rank 0: MPI_Neighbor_alltoall@10-100 all 8B\n"
					     "rank 1: MPI_Neighbor_alltoall@30-100 all 8B\n"
					     "rank 2: MPI_Neighbor_alltoall@30-100 all 8B\n"
					     "rank 3: MPI_Neighbor_alltoall@60-100 all 8B"));

	ALL_SAID(&a, said);
}

/* Of a request the operation that the call completes. */
TEST(requests)
{
	static const struct said said[] = {
		{ CUBE_MPI_WAIT_NXN,
		  "rank 0 waited 30 ns in MPI_Wait for MPI_Iallreduce: rank 1 came last. "
		  "(By extension of the formula: nonblocking or neighbourhood collective, persistent request.)" },
	};
	ANALYSED a = analysed(notation_trace(
		"mpi collective; ranks 2\n"
		"rank 0: MPI_Iallreduce@10-12 ask 1 MPI_Wait@20-100 got 1 MPI_Iallreduce 8B\n"
		"rank 1: MPI_Iallreduce@50-52 ask 1 MPI_Wait@60-100 got 1 MPI_Iallreduce 8B"));

	ALL_SAID(&a, said);
}

TEST(before_a_receive)
{
	static const struct said said[] = {
		{ CUBE_MPI_PROBE_WAIT, "rank 0 waited 15 ns in MPI_Probe: rank 1 sent late." },
		{ CUBE_MPI_POLLING, "rank 0 waited 20 ns in MPI_Iprobe: rank 1 sent late." },
		{ CUBE_MPI_COMM_WAIT, "rank 0 waited 30 ns in MPI_Comm_dup: rank 1 came last." },
	};
	ANALYSED a = analysed(notation_trace(
		"mpi p2p; ranks 2; region MPI_Comm_dup class mpi\n"
		"rank 0: MPI_Probe@10-32 MPI_Recv@35-40 <-1 tag 1\n"
		"        MPI_Iprobe@50-52 MPI_Iprobe@65-75 MPI_Recv@80-85 <-1 tag 2\n"
		"        MPI_Comm_dup@100-150 all\n"
		"rank 1: MPI_Send@25-27 ->0 tag 1 MPI_Send@70-71 ->0 tag 2\n"
		"        MPI_Comm_dup@130-150 all"));

	ALL_SAID(&a, said);
}

TEST(devices)
{
	static const struct said said[] = {
		{ CUBE_DEVICE_WAIT,
		  "rank 0 waited 30 ns in cudaStreamSynchronize: rank 0 thread 1 was still at work." },
		{ CUBE_DEVICE_WAIT,
		  "rank 0 waited 25 ns in cudaStreamSynchronize: the trace does not say for which work." },
	};
	struct notation n;

	notation_begin(&n, 1000000000);
	notation_write(&n, "threads 2 rank 0\n"
			   "region wait = cudaStreamSynchronize role 1 paradigm 5\n"
			   "region kernel role 1 paradigm 5\n"
			   "location 0: wait@10-50 wait@60-85\n"
			   "location 1: kernel@20-40");
	builder_location_owner(n.b, 1, UINT32_MAX, LOCATION_ACCELERATOR, 0);
	ANALYSED a = analysed(notation_finish(&n));
	ALL_SAID(&a, said);
}

/* All but rank 17 work 10 and wait; it works 1,000: it is named, and what it did, and nobody
 * else. */
TEST(one_of_many_is_named)
{
	struct explain e = { .subject = { 5, 0, EVENT_NONE, UINT32_MAX } };
	struct notation n;

	notation_begin(&n, 1000000000);
	notation_write(&n, "mpi sync; ranks %d", MANY);
	for (int l = 0; l < MANY; l++)
		notation_write(&n, "rank %d: work@0-%d MPI_Barrier@%d-1001 all 8B", l,
			       l == 17 ? 1000 : 10, l == 17 ? 1000 : 10);
	ANALYSED a = analysed(notation_finish(&n));
	explain_chain(&e, &a.query, a.analysis, a.causes,
		      &(struct wait_bounds){ .pending = false });
	assert_int_equal(e.lines.n, 3);
	assert_string_equal(e.lines.data[0].text,
			    "rank 5 waited 990 ns in MPI_Barrier: rank 17 came last of 64.");
	assert_string_equal(
		e.lines.data[2].text,
		"Rank 17 was late because it spent 990 ns more than rank 5 in work(): 1.00 us "
		"a call instead of 10 ns");
	explain_fini(&e);
}
