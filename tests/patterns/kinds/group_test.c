/* Collectives from the trace to the cube: what the stage of the groups gathers, with non-blocking
 * ones, neighbourhoods, intercommunicators and PICL's own barrier; by numbers worked out by
 * hand. */
#include "harness/made_run.h"
#include "harness/test.h"

enum { RANKS = 4 };

static int setup(void **state)
{
	return made_run_setup(state, "mpi sync; ranks 4");
}

FIXTURE(setup, made_run_teardown)

static void assert_metric(const struct made_run *f, enum cube_metric metric, double r0, double r1,
			  double r2, double r3)
{
	made_assert_metric(f, metric, (const double[RANKS]){ r0, r1, r2, r3 });
}

static void assert_extended(const struct made_run *f, uint32_t location)
{
	size_t n;
	const struct wait *waits = analysis_waits(f->analysis, location, &n);

	assert_true(n >= 1);
	/* What may follow is no wait. */
	assert_true(n == 1 || cube_metric_within(waits[1].metric, CUBE_MPI_LATE));
	assert_true(waits->flags & WAIT_EXTENDED);
	assert_true(waits->flags & WAIT_COLLECTIVE);
}

/* Ranks stand in the communicator as 3, 1, 0, 2: the root of world rank 1 is its second. */
TEST_WITH(ranks_are_in_the_order_of_the_communicator, struct made_run *f)
{
	made_run_write(
		f,
		"comm turned 3 1 0 2\n"
		"rank 0: MPI_Scan@10-60 all comm turned 8B  MPI_Bcast@110-160 all comm turned root 1 8B\n"
		"rank 1: MPI_Scan@40-60 all comm turned 8B  MPI_Bcast@140-161 all comm turned root 1 8B\n"
		"rank 2: MPI_Scan@20-60 all comm turned 8B  MPI_Bcast@120-160 all comm turned root 1 8B\n"
		"rank 3: MPI_Scan@30-60 all comm turned 8B  MPI_Bcast@150-160 all comm turned root 1 8B");
	made_run_analyse(f);
	/* in the order 3, 1, 0, 2: begins 30, 40, 10, 20 */
	assert_metric(f, CUBE_MPI_EARLYSCAN, 30, 0, 20, 0);
	assert_metric(f, CUBE_MPI_LATEBROADCAST, 30, 0, 20, 0);
}

/* Requests at 10, 20, 60, 30; MPI_Wait of rank 0 from 40, of rank 1 from 65. */
TEST_WITH(requested_collectives_wait_in_the_completing_call, struct made_run *f)
{
	made_run_write(f,
		       "rank 0: MPI_Ibarrier@10-11 ask 7  MPI_Wait@40-72 got 7 MPI_Ibarrier @70\n"
		       "rank 1: MPI_Ibarrier@20-21 ask 7  MPI_Wait@65-72 got 7 MPI_Ibarrier @70\n"
		       "rank 2: MPI_Ibarrier@60-61 ask 7  MPI_Wait@61-72 got 7 MPI_Ibarrier @70\n"
		       "rank 3: MPI_Ibarrier@30-31 ask 7  MPI_Test@50-72 got 7 MPI_Ibarrier @70");
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
	made_run_write(f, "grid 4\n"
			  "rank 0: MPI_Neighbor_alltoall@10-100 all 8B\n"
			  "rank 1: MPI_Neighbor_alltoall@30-100 all 8B\n"
			  "rank 2: MPI_Neighbor_alltoall@20-100 all 8B\n"
			  "rank 3: MPI_Neighbor_alltoall@60-100 all 8B");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_WAIT_NXN, 20, 0, 40, 0);
	assert_metric(f, CUBE_MPI_NXN_COMPLETION, 0, 0, 0, 0);
	assert_extended(f, f->location[0]);
	assert_int_equal(analysis_counts(f->analysis)->skipped, 0);
}

TEST_WITH(neighbours_that_nobody_knows_are_counted, struct made_run *f)
{
	for (int r = 0; r < RANKS; r++)
		made_run_write(f, "rank %d: MPI_Neighbor_alltoall@%d-100 all 8B", r, 10 * r);
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_WAIT_NXN, 0, 0, 0, 0);
	assert_int_equal(analysis_counts(f->analysis)->skipped, 1);
}

/* Rank 1 is the last that sends something; rank 2 gets nothing, rank 3 has left before. */
TEST_WITH(vectors_wait_for_the_last_that_sends, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Alltoallv@10-100 all 8B\n"
			  "rank 1: MPI_Alltoallv@30-100 all 8B\n"
			  "rank 2: MPI_Alltoallv@40-100 all 0B\n"
			  "rank 3: MPI_Alltoallv@20-28 all 8B");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_WAIT_NXN, 20, 0, 0, 0);
	assert_metric(f, CUBE_MPI_NXN_COMPLETION, 0, 0, 0, 0);
	assert_extended(f, f->location[0]);
	assert_int_equal(analysis_counts(f->analysis)->skipped, 0);
}

/* Rank 3 is the last; rank 2 had left before. No bytes are needed. */
TEST_WITH(the_makers_of_a_communicator_wait, struct made_run *f)
{
	made_run_write(f, "region MPI_Comm_split class mpi\n"
			  "rank 0: MPI_Comm_split@10-100 all\n"
			  "rank 1: MPI_Comm_split@30-100 all\n"
			  "rank 2: MPI_Comm_split@20-45 all\n"
			  "rank 3: work@0-50 MPI_Comm_split@50-90 all");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_COMM_WAIT, 40, 20, 0, 0);
	assert_metric(f, CUBE_MPI_MGMT_COMM, 90, 70, 25, 40);
	assert_metric(f, CUBE_MPI_WAIT_NXN, 0, 0, 0, 0);
	made_run_look(f, INT64_MIN, INT64_MAX, CUBE_ALL);
	assert_metric(f, CUBE_DELAY_CREATION, 0, 0, 0, 60);
}

/* All wait until rank 3 comes; what follows may be writing. */
TEST_WITH(all_ranks_of_a_file_wait, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_File_write_all@10-100 all\n"
			  "rank 1: MPI_File_write_all@30-60 all\n"
			  "rank 2: MPI_File_write_all@20-100 all\n"
			  "rank 3: work@0-50 MPI_File_write_all@50-90 all");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_IO_WAIT, 40, 20, 30, 0);
	assert_metric(f, CUBE_MPI_IO_COLLECTIVE, 90, 30, 80, 40);
	assert_metric(f, CUBE_SYNCS_COLL, 0, 0, 0, 0);
	assert_extended(f, f->location[0]);
	made_run_look(f, INT64_MIN, INT64_MAX, CUBE_ALL);
	assert_metric(f, CUBE_DELAY_FILE, 0, 0, 0, 90);
}

/* Rank 1 has written when rank 3 comes: MPI made none wait. */
TEST_WITH(who_writes_alone_does_not_wait, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_File_write_all@10-100 all\n"
			  "rank 1: MPI_File_write_all@30-45 all\n"
			  "rank 2: MPI_File_write_all@20-100 all\n"
			  "rank 3: work@0-50 MPI_File_write_all@50-90 all");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_IO_WAIT, 0, 0, 0, 0);
}

/* Of closing a file only rank 1 was spared. */
TEST_WITH(files_are_closed_together, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_File_close@10-100 all\n"
			  "rank 1: MPI_File_close@30-45 all\n"
			  "rank 2: MPI_File_close@20-100 all\n"
			  "rank 3: work@0-50 MPI_File_close@50-90 all");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_FILE_WAIT, 40, 0, 30, 0);
	assert_metric(f, CUBE_MPI_MGMT_FILE, 90, 15, 80, 40);
}

/* The end waits for the latest begin. */
TEST_WITH(split_collectives_wait_at_their_end, struct made_run *f)
{
	made_run_write(
		f, "rank 0: MPI_File_read_all_begin@10-11 ask 7  MPI_File_read_all_end@12-72 got 7 "
		   "MPI_File_read_all_begin @70\n"
		   "rank 1: MPI_File_read_all_begin@20-21 ask 7  MPI_File_read_all_end@65-72 got 7 "
		   "MPI_File_read_all_begin @70\n"
		   "rank 2: MPI_File_read_all_begin@60-61 ask 7  MPI_File_read_all_end@61-72 got 7 "
		   "MPI_File_read_all_begin @70\n"
		   "rank 3: MPI_File_read_all_begin@30-31 ask 7  MPI_File_read_all_end@50-72 got 7 "
		   "MPI_File_read_all_begin @70");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_IO_WAIT, 48, 0, 0, 10);
}

/* Rank 1 works 20 more than the others before an operation. */
static void late(struct made_run *f, const char *operation)
{
	for (int r = 0; r < RANKS; r++)
		made_run_write(f, "rank %d: work@0-%d %s@%d-100 all 8B", r, r == 1 ? 30 : 10,
			       operation, r == 1 ? 30 : 10);
	made_run_analyse(f);
	made_run_look(f, INT64_MIN, INT64_MAX, CUBE_ALL);
}

TEST_WITH(a_late_neighbour_is_charged, struct made_run *f)
{
	made_run_write(f, "grid 4");
	late(f, "MPI_Neighbor_alltoall");
	assert_metric(f, CUBE_MPI_WAIT_NXN, 20, 0, 20, 0);
	assert_metric(f, CUBE_DELAY_N2N, 0, 40, 0, 0);
	assert_metric(f, CUBE_DELAY, 0, 40, 0, 0);
}

/* On a graph 0 <- 1, 1 <- 2, 2 <- 3, 3 <- 0 each waits for the one that it receives from. */
TEST_WITH(only_who_receives_waits, struct made_run *f)
{
	static const int32_t world[] = { 0, 1, 2, 3 }, sources[] = { 1, 2, 3, 0 }, size = 4;
	static const uint8_t open = 0;
	const struct topology graph = { .name = builder_string(f->b, "tview:sources", 13),
					.dims = 1,
					.size = &size,
					.periodic = &open,
					.coords = sources };

	builder_world(f->b, world, RANKS);
	builder_topology(f->b, &graph, RANKS);
	late(f, "MPI_Neighbor_alltoall");
	assert_metric(f, CUBE_MPI_WAIT_NXN, 20, 0, 0, 0);
	assert_metric(f, CUBE_DELAY_N2N, 0, 20, 0, 0);
}

TEST_WITH(a_late_lower_rank_is_charged, struct made_run *f)
{
	late(f, "MPI_Scan");
	assert_metric(f, CUBE_MPI_EARLYSCAN, 0, 0, 20, 20);
	assert_metric(f, CUBE_DELAY_SCAN, 0, 40, 0, 0);
	assert_metric(f, CUBE_DELAY, 0, 40, 0, 0);
}

/* Groups {0, 1} and {2, 3}: who waits, waits for the other group. */
TEST_WITH(two_groups_wait_for_each_other, struct made_run *f)
{
	made_run_write(f, "comm inter 0 1 | 2 3\n"
			  "rank 0: MPI_Barrier@10-100 all comm inter 8B\n"
			  "rank 1: MPI_Barrier@50-100 all comm inter 8B\n"
			  "rank 2: MPI_Barrier@20-100 all comm inter 8B\n"
			  "rank 3: MPI_Barrier@30-100 all comm inter 8B");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_BARRIER_WAIT, 20, 0, 30, 20);
	assert_extended(f, f->location[2]);
}

/* Rank 1 sends to the other group, of which rank 3 comes late. */
TEST_WITH(a_group_waits_for_the_root_of_the_other, struct made_run *f)
{
	made_run_write(f, "comm inter 0 1 | 2 3\n"
			  "rank 0: MPI_Bcast@10-12 all comm inter root 1 0B\n"
			  "rank 1: work@0-50 MPI_Bcast@50-60 all comm inter root 1 16B/0B\n"
			  "rank 2: MPI_Bcast@20-61 all comm inter root 1 0B/8B\n"
			  "rank 3: work@0-55 MPI_Bcast@55-61 all comm inter root 1 0B/8B");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_LATEBROADCAST, 0, 0, 30, 0);
	assert_extended(f, f->location[2]);
	made_run_look(f, INT64_MIN, INT64_MAX, CUBE_ALL);
	assert_metric(f, CUBE_DELAY_12N, 0, 30, 0, 0);
}

/* Rank 2 gathers from ranks 0 and 1; rank 3 has nothing to do. */
TEST_WITH(a_root_waits_for_the_other_group, struct made_run *f)
{
	made_run_write(f, "comm inter 0 1 | 2 3\n"
			  "rank 0: MPI_Gather@10-12 all comm inter root 2 8B/0B\n"
			  "rank 1: work@0-50 MPI_Gather@50-60 all comm inter root 2 8B/0B\n"
			  "rank 2: MPI_Gather@20-61 all comm inter root 2 0B/16B\n"
			  "rank 3: MPI_Gather@15-16 all comm inter root 2 0B");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_EARLYREDUCE, 0, 0, 30, 0);
	made_run_look(f, INT64_MIN, INT64_MAX, CUBE_ALL);
	assert_metric(f, CUBE_DELAY_N21, 0, 30, 0, 0);
}

/* Rank 0 has left when rank 3, the last of the other group, comes: it got nothing from that one. */
TEST_WITH(vectors_between_two_groups, struct made_run *f)
{
	made_run_write(f, "comm inter 0 1 | 2 3\n"
			  "rank 0: MPI_Alltoallv@10-45 all comm inter 8B\n"
			  "rank 1: MPI_Alltoallv@30-70 all comm inter 8B\n"
			  "rank 2: MPI_Alltoallv@20-70 all comm inter 8B\n"
			  "rank 3: MPI_Alltoallv@50-70 all comm inter 8B");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_WAIT_NXN, 0, 20, 10, 0);
	assert_int_equal(analysis_counts(f->analysis)->skipped, 0);
}

TEST_WITH(picl_has_a_barrier_of_its_own, struct made_run *f)
{
	made_run_write(f, "region sync0 class sync picl -402\n"
			  "rank 0: all:sync0@0-40; rank 1: all:sync0@10-40\n"
			  "rank 2: all:sync0@20-40; rank 3: all:sync0@30-40");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_BARRIER_WAIT, 30, 20, 10, 0);
}
