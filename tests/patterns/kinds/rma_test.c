/* Waits of one-sided communication (section 6.5) in traces made by hand, by numbers worked out by
 * hand. */
#include "harness/made_run.h"
#include "harness/test.h"

enum { RANKS = 3 };

static int setup(void **state)
{
	return made_run_setup(state,
			      "mpi mpi; ranks 3; window w; group to_0 0; group to_1 1; inset 1");
}

FIXTURE(setup, made_run_teardown)

static void assert_metric(const struct made_run *f, enum cube_metric metric, double r0, double r1,
			  double r2)
{
	made_assert_metric(f, metric, (const double[RANKS]){ r0, r1, r2 });
}

TEST_WITH(creating_freeing_and_fences_wait_for_the_last, struct made_run *f)
{
	/* The first fence: rank 0 has left before rank 2 comes: an assertion may have taken the
	 * synchronisation away. */
	made_run_write(f, "rank 0: MPI_Win_create@0-60 fence w  MPI_Win_fence@100-110 fence w\n"
			  "        MPI_Win_fence@200-250 fence w  MPI_Win_free@300-350 fence w\n"
			  "rank 1: MPI_Win_create@20-61 fence w  MPI_Win_fence@105-140 fence w\n"
			  "        MPI_Win_fence@230-250 fence w  MPI_Win_free@340-350 fence w\n"
			  "rank 2: MPI_Win_create@50-62 fence w  MPI_Win_fence@130-140 fence w\n"
			  "        MPI_Win_fence@220-250 fence w  MPI_Win_free@330-350 fence w");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_RMA_WAIT_AT_CREATE, 50, 30, 0);
	assert_metric(f, CUBE_MPI_RMA_WAIT_AT_FENCE, 30, 0, 10);
	assert_metric(f, CUBE_MPI_RMA_WAIT_AT_FREE, 40, 0, 10);
	assert_metric(f, CUBE_MPI_RMA_PAIRSYNC_COUNT, 6, 6, 6);
	assert_metric(f, CUBE_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT, 6, 6, 6);
	assert_metric(f, CUBE_SYNCS_RMA_ACTIVE, 2, 2, 2);
}

/* Rank 1 works 40, rank 2 works 20: the 30 and 20 that they wait for rank 1 are its work. */
TEST_WITH(who_comes_last_to_a_fence_is_charged, struct made_run *f)
{
	made_run_write(
		f, "rank 0: MPI_Win_fence@0-10 fence w  MPI_Win_fence@20-60 fence w\n"
		   "rank 1: MPI_Win_fence@0-10 fence w  work@10-50 MPI_Win_fence@50-60 fence w\n"
		   "rank 2: MPI_Win_fence@0-10 fence w  work@10-30 MPI_Win_fence@30-60 fence w");
	made_run_analyse(f);
	made_run_look(f, INT64_MIN, INT64_MAX, CUBE_ALL);
	assert_metric(f, CUBE_MPI_RMA_WAIT_AT_FENCE, 30, 0, 20);
	assert_metric(f, CUBE_DELAY_FENCE, 0, 50, 0);
	assert_metric(f, CUBE_DELAY, 0, 50, 0);
}

TEST_WITH(an_early_fence_waits_for_what_comes_in, struct made_run *f)
{
	/* The put of rank 2 is done before rank 0 is in its fence. */
	made_run_write(f,
		       "rank 0: MPI_Win_fence@0-10 fence w  MPI_Win_fence@50-110 fence w\n"
		       "rank 1: MPI_Win_fence@0-10 fence w  MPI_Put@20-70 [rma-put w 0 100 @25]\n"
		       "        MPI_Win_fence@90-110 fence w\n"
		       "rank 2: MPI_Win_fence@0-10 fence w  MPI_Put@20-30 [rma-put w 0 100 @25]\n"
		       "        MPI_Win_fence@60-110 fence w");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_RMA_WAIT_AT_FENCE, 40, 0, 30);
	assert_metric(f, CUBE_MPI_RMA_EARLY_FENCE, 19, 0, 0); /* 51 to 70 */
	assert_metric(f, CUBE_BYTES_PUT, 0, 100, 100);
	assert_metric(f, CUBE_COMMS_RMA_PUTS, 0, 1, 1);
	assert_metric(f, CUBE_MPI_RMA_PAIRSYNC_COUNT, 6, 6, 6);
	/* second fence: rank 0 was accessed by two, the others accessed one */
	assert_metric(f, CUBE_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT, 4, 5, 5);
}

/* The post comes while the origin is in `complete`, in `start`, in a put. */
TEST_WITH(late_posts_are_found_where_they_block, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Win_start@0-10 [rma-group-sync 0 w to_1 @5]\n"
			  "        MPI_Put@12-14 [rma-put w 1 100 @13]\n"
			  "        MPI_Win_complete@20-60 [rma-group-sync 0 w to_1 @40]\n"
			  "rank 1: MPI_Win_post@50-52 [rma-group-sync 0 w to_0 @51]\n"
			  "        MPI_Win_wait@53-70 [rma-group-sync 0 w to_0 @61]\n"

			  "rank 0: MPI_Win_start@100-160 [rma-group-sync 0 w to_1 @130]\n"
			  "        MPI_Win_complete@165-170 [rma-group-sync 0 w to_1 @167]\n"
			  "rank 1: MPI_Win_post@140-145 [rma-group-sync 0 w to_0 @142]\n"
			  "        MPI_Win_wait@150-190 [rma-group-sync 0 w to_0 @170]\n"

			  "rank 0: MPI_Win_start@200-210 [rma-group-sync 0 w to_1 @205]\n"
			  "        MPI_Put@215-260 [rma-put w 1 100 @220]\n"
			  "        MPI_Win_complete@270-280 [rma-group-sync 0 w to_1 @275]\n"
			  "rank 1: MPI_Win_post@240-245 [rma-group-sync 0 w to_0 @242]\n"
			  "        MPI_Win_wait@250-290 [rma-group-sync 0 w to_0 @270]");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_RMA_SYNC_LATE_POST, 30 + 40, 0, 0);
	assert_metric(f, CUBE_MPI_RMA_COMM_LATE_POST, 20, 0, 0);
	/* complete entered 20 (before the wait), 165, 270 */
	assert_metric(f, CUBE_MPI_RMA_EARLY_WAIT, 0, 15 + 20, 0);
	/* behind the last put: none in the second, left at 260 in the third */
	assert_metric(f, CUBE_MPI_RMA_LATE_COMPLETE, 0, 15 + 10, 0);
	assert_metric(f, CUBE_MPI_RMA_PAIRSYNC_COUNT, 3, 3, 0);
	assert_metric(f, CUBE_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT, 1, 1, 0);
	assert_metric(f, CUBE_SYNCS_RMA_ACTIVE, 6, 6, 0);
}

/* Rank 0 holds rank 2's window until 50; rank 1 is held up in its lock. Shared ones let each other
 * in. */
TEST_WITH(locks_wait_for_the_epoch_before, struct made_run *f)
{
	/* Last a lock that returns at once, and an operation that has to wait. */
	made_run_write(f, "rank 0: MPI_Win_lock@0-6 [rma-acquire-lock w 2 0 0 @5]\n"
			  "        MPI_Put@10-20 [rma-put w 2 100 @11]\n"
			  "        MPI_Win_unlock@40-51 [rma-release-lock w 2 0 @50]\n"
			  "rank 1: MPI_Win_lock@20-55 [rma-acquire-lock w 2 0 0 @52]\n"
			  "        MPI_Win_unlock@60-62 [rma-release-lock w 2 0 @61]\n"

			  "rank 0: MPI_Win_lock@100-102 [rma-acquire-lock w 2 0 1 @101]\n"
			  "        MPI_Win_unlock@120-131 [rma-release-lock w 2 0 @130]\n"
			  "rank 1: MPI_Win_lock@105-140 [rma-acquire-lock w 2 0 1 @106]\n"
			  "        MPI_Win_unlock@150-152 [rma-release-lock w 2 0 @151]\n"

			  "rank 0: MPI_Win_lock@200-202 [rma-acquire-lock w 2 0 0 @201]\n"
			  "        MPI_Win_unlock@240-251 [rma-release-lock w 2 0 @250]\n"
			  "rank 1: MPI_Win_lock@205-207 [rma-acquire-lock w 2 0 1 @206]\n"
			  "        MPI_Put@210-260 [rma-put w 2 100 @220]\n"
			  "        MPI_Win_unlock@270-272 [rma-release-lock w 2 0 @271]");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_RMA_SYNC_LOCK_COMPETITION, 0, 30, 0);
	assert_metric(f, CUBE_MPI_RMA_COMM_LOCK_COMPETITION, 0, 40, 0);
	assert_metric(f, CUBE_SYNCS_RMA_PASSIVE, 6, 6, 0);
	assert_metric(f, CUBE_COMMS_RMA_PUTS, 1, 1, 0);
}

/* Rank 1 locks all, and puts to ranks 0 and 2: the lock of 2 it gets from rank 0 at 50, while it
 * unlocks; for that of 0 none waits. Later rank 0 waits for it to unlock, from 105 to 130, where it
 * has put to rank 2; but not where it has put to rank 1 alone. */
TEST_WITH(locks_of_all_are_of_the_targets_accessed, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Win_lock@0-6 [rma-acquire-lock w 2 0 0 @5]\n"
			  "        MPI_Put@7-8 [rma-put w 2 100 @8]\n"
			  "        MPI_Win_flush@9-10 [rma-complete-remote w 100 @10]\n"
			  "        MPI_Win_unlock@40-51 [rma-release-lock w 2 0 @50]\n"
			  "rank 1: MPI_Win_lock_all@12-13 [rma-acquire-lock w -1 0 1 @13]\n"
			  "        MPI_Put@14-16 [rma-put w 0 101 @15]\n"
			  "        MPI_Put@20-22 [rma-put w 2 102 @21]\n"
			  "        MPI_Win_unlock_all@30-56 [rma-release-lock w -1 0 @55]\n"

			  "rank 1: MPI_Win_lock_all@100-102 [rma-acquire-lock w -1 0 1 @101]\n"
			  "        MPI_Put@103-104 [rma-put w 2 103 @104]\n"
			  "        MPI_Win_unlock_all@110-131 [rma-release-lock w -1 0 @130]\n"
			  "rank 0: MPI_Win_lock@105-140 [rma-acquire-lock w 2 0 0 @139]\n"
			  "        MPI_Win_unlock@150-152 [rma-release-lock w 2 0 @151]\n"

			  "rank 1: MPI_Win_lock_all@200-202 [rma-acquire-lock w -1 0 1 @201]\n"
			  "        MPI_Put@203-204 [rma-put w 1 104 @204]\n"
			  "        MPI_Win_unlock_all@210-231 [rma-release-lock w -1 0 @230]\n"
			  "rank 0: MPI_Win_lock@205-240 [rma-acquire-lock w 2 0 0 @239]\n"
			  "        MPI_Win_unlock@250-252 [rma-release-lock w 2 0 @251]");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_RMA_SYNC_LOCK_COMPETITION, 25, 20, 0);
	assert_metric(f, CUBE_MPI_RMA_COMM_LOCK_COMPETITION, 0, 0, 0);
}

/* Rank 0's unlock returns after rank 1 has locked, put and unlocked: its put was complete at 20, so
 * it had the lock first, and never waited. */
TEST_WITH(who_has_the_lock_first_is_told_from_what_completed, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Win_lock@0-6 [rma-acquire-lock w 2 0 0 @6]\n"
			  "        MPI_Put@10-12 [rma-put w 2 100 7 @11]\n"
			  "        MPI_Win_flush@15-20 [rma-complete-remote w 7 @20]\n"
			  "        MPI_Win_unlock@50-90 [rma-release-lock w 2 0 @90]\n"
			  "rank 1: MPI_Win_lock@25-52 [rma-acquire-lock w 2 0 0 @52]\n"
			  "        MPI_Put@54-56 [rma-put w 2 100 3 @55]\n"
			  "        MPI_Win_flush@57-58 [rma-complete-remote w 3 @58]\n"
			  "        MPI_Win_unlock@60-70 [rma-release-lock w 2 0 @70]");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_RMA_SYNC_LOCK_COMPETITION, 0, 27, 0);
	assert_metric(f, CUBE_MPI_RMA_COMM_LOCK_COMPETITION, 0, 0, 0);
}

/* Rank 1 has the lock, and goes on, before rank 0 is out of its unlock. */
TEST_WITH(a_lock_is_released_before_the_unlock_returns, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Win_lock@0-6 [rma-acquire-lock w 2 0 0 @5]\n"
			  "        MPI_Win_unlock@40-51 [rma-release-lock w 2 0 @51]\n"
			  "rank 1: MPI_Win_lock@20-46 [rma-acquire-lock w 2 0 0 @46]\n"
			  "        MPI_Put@48-60 [rma-put w 2 100 @49]\n"
			  "        MPI_Win_unlock@62-64 [rma-release-lock w 2 0 @64]");
	made_run_analyse(f);
	assert_metric(f, CUBE_MPI_RMA_SYNC_LOCK_COMPETITION, 0, 26, 0);
	assert_metric(f, CUBE_MPI_RMA_COMM_LOCK_COMPETITION, 0, 0, 0);
}
