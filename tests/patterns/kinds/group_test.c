/* Collectives from the trace to the cube: what the stage of the groups gathers, with non-blocking ones,
 * neighbourhoods, intercommunicators and PICL's own barrier; by numbers worked out by hand. */
#include "harness/made_run.h"
#include "harness/test.h"

enum { RANKS = 4 };

static int setup(void **state)
{
	struct made_run *f = test_calloc(1, sizeof *f);

	made_run_begin(f, CLASS_SYNC);
	made_run_ranks(f, RANKS);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	made_run_fini(*state);
	test_free(*state);
	return 0;
}

FIXTURE(setup, teardown)

static void part(struct made_run *f, int rank, int64_t begin, int64_t end, const char *name,
		 uint32_t comm, int32_t root)
{
	made_enter(f, rank, begin, name);
	builder_collective_begin(f->b, f->location[rank], begin, comm, made_region(f, name), root,
				 8, 8);
	builder_collective_end(f->b, f->location[rank], end, 8, 8);
	made_leave(f, rank, end, name);
}

static void assert_metric(const struct made_run *f, enum cube_metric metric, double r0, double r1,
			  double r2, double r3)
{
	made_assert_metric(f, metric, (const double[RANKS]){ r0, r1, r2, r3 });
}

static void assert_extended(const struct made_run *f, uint32_t location)
{
	size_t n;
	const struct wait *waits = analysis_waits(f->analysis, location, &n);

	assert_int_equal(n, 1);
	assert_true(waits->flags & WAIT_EXTENDED);
	assert_true(waits->flags & WAIT_COLLECTIVE);
}

/* Ranks stand in the communicator as 3, 1, 0, 2: the root of world rank 1 is its second. */
TEST_WITH(ranks_are_in_the_order_of_the_communicator, struct made_run *f)
{
	const uint32_t comm =
		builder_comm(f->b, "turned", (const int32_t[]){ 3, 1, 0, 2 }, RANKS, 0);

	part(f, 0, 10, 60, "MPI_Scan", comm, -1);
	part(f, 1, 40, 60, "MPI_Scan", comm, -1);
	part(f, 2, 20, 60, "MPI_Scan", comm, -1);
	part(f, 3, 30, 60, "MPI_Scan", comm, -1);
	part(f, 0, 110, 160, "MPI_Bcast", comm, 1);
	part(f, 1, 140, 161, "MPI_Bcast", comm, 1);
	part(f, 2, 120, 160, "MPI_Bcast", comm, 1);
	part(f, 3, 150, 160, "MPI_Bcast", comm, 1);
	made_run_analyse(f);
	/* in the order 3, 1, 0, 2: begins 30, 40, 10, 20 */
	assert_metric(f, CUBE_MPI_EARLYSCAN, 30, 0, 20, 0);
	assert_metric(f, CUBE_MPI_LATEBROADCAST, 30, 0, 20, 0);
}

/* Requests at 10, 20, 60, 30; MPI_Wait of rank 0 from 40, of rank 1 from 65. */
TEST_WITH(requested_collectives_wait_in_the_completing_call, struct made_run *f)
{
	static const int64_t posted[RANKS] = { 10, 20, 60, 30 }, from[RANKS] = { 40, 65, 61, 50 };

	for (int r = 0; r < RANKS; r++) {
		const char *wait = r == 3 ? "MPI_Test" : "MPI_Wait";
		made_enter(f, r, posted[r], "MPI_Ibarrier");
		builder_collective_request(f->b, f->location[r], posted[r], 7);
		made_leave(f, r, posted[r] + 1, "MPI_Ibarrier");
		made_enter(f, r, from[r], wait);
		builder_collective_complete(f->b, f->location[r], 70, 7, 0,
					    made_region(f, "MPI_Ibarrier"), -1, 0, 0);
		made_leave(f, r, 72, wait);
	}
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_BARRIER_WAIT, 20, 0, 0, 0);
	assert_extended(f, f->location[0]);
	assert_int_equal(analysis_counts(f->analysis)->extended, 1);
	/* MPI_Wait from 40 to 72: 20 of it are the barrier's, as is MPI_Ibarrier itself */
	assert_metric(f, CUBE_MPI_SYNC_COLLECTIVE, 21, 1, 1, 1);
	assert_metric(f, CUBE_MPI_POINT2POINT, 12, 7, 11, 22);
	assert_metric(f, CUBE_MPI, 33, 8, 12, 23);
}

/* A line of four, not closed: rank 0 hears of 1 alone, rank 3 of 2. */
TEST_WITH(neighbours_wait_for_neighbours, struct made_run *f)
{
	builder_world(f->b, (const int32_t[]){ 0, 1, 2, 3 }, RANKS);
	builder_topology(f->b,
			 &(struct topology){ .comm = 0,
					     .dims = 1,
					     .size = (const int32_t[]){ 4 },
					     .periodic = (const uint8_t[]){ 0 },
					     .coords = (const int32_t[]){ 0, 1, 2, 3 } },
			 4);
	part(f, 0, 10, 100, "MPI_Neighbor_alltoall", 0, -1);
	part(f, 1, 30, 100, "MPI_Neighbor_alltoall", 0, -1);
	part(f, 2, 20, 100, "MPI_Neighbor_alltoall", 0, -1);
	part(f, 3, 60, 100, "MPI_Neighbor_alltoall", 0, -1);
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_WAIT_NXN, 20, 0, 40, 0);
	assert_metric(f, CUBE_MPI_NXN_COMPLETION, 0, 0, 0, 0);
	assert_extended(f, f->location[0]);
	assert_int_equal(analysis_counts(f->analysis)->skipped, 0);
}

TEST_WITH(neighbours_that_nobody_knows_are_counted, struct made_run *f)
{
	for (int r = 0; r < RANKS; r++) {
		part(f, r, 10 * r, 100, "MPI_Neighbor_alltoall", 0, -1);
		part(f, r, 110, 120, "MPI_Alltoallv", 0, -1);
	}
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_WAIT_NXN, 0, 0, 0, 0);
	assert_int_equal(analysis_counts(f->analysis)->skipped, 2);
}

/* Groups {0, 1} and {2, 3}: who waits, waits for the other group. */
TEST_WITH(two_groups_wait_for_each_other, struct made_run *f)
{
	const uint32_t comm =
		builder_comm_define(f->b, &(struct comm){ .name = builder_string(f->b, "inter", 5),
							  .size = 2,
							  .ranks = (const int32_t[]){ 0, 1 },
							  .parent = UINT32_MAX,
							  .remote_size = 2,
							  .remote = (const int32_t[]){ 2, 3 },
							  .kind = COMM_INTER });

	part(f, 0, 10, 100, "MPI_Barrier", comm, -1);
	part(f, 1, 50, 100, "MPI_Barrier", comm, -1);
	part(f, 2, 20, 100, "MPI_Barrier", comm, -1);
	part(f, 3, 30, 100, "MPI_Barrier", comm, -1);
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_BARRIER_WAIT, 20, 0, 30, 20);
	assert_extended(f, f->location[2]);
}

TEST_WITH(picl_has_a_barrier_of_its_own, struct made_run *f)
{
	for (int r = 0; r < RANKS; r++) {
		const uint32_t sync = builder_region(f->b, "sync0", CLASS_SYNC, -402);
		builder_collective_begin(f->b, f->location[r], 10 * r, 0, sync, -1, 0, 0);
		builder_collective_end(f->b, f->location[r], 40, 0, 0);
	}
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_BARRIER_WAIT, 30, 20, 10, 0);
}
