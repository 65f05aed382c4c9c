/* Waits of one-sided communication (section 6.5) in traces made by hand, by numbers worked out by hand. */
#include "harness/made_run.h"
#include "harness/test.h"

enum { RANKS = 3 };

struct fixture {
	struct made_run run;
	uint64_t window;
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	made_run_begin(&f->run, CLASS_MPI_OTHER);
	made_run_ranks(&f->run, RANKS);
	f->window = builder_object(f->run.b, OBJECT_RMA_WINDOW, builder_string(f->run.b, "w", 1),
				   (const uint64_t[]){ 0, 0 }, 2);
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

/* A call that all ranks of the window make: entered at en, begun 1 later, ended 1 before lv. */
static void together(struct fixture *f, int rank, int64_t en, int64_t lv, const char *name)
{
	made_enter(&f->run, rank, en, name);
	builder_detail(f->run.b, f->run.location[rank], en + 1, DETAIL_RMA_COLLECTIVE_BEGIN, NULL,
		       0);
	builder_detail(f->run.b, f->run.location[rank], lv - 1, DETAIL_RMA_COLLECTIVE_END,
		       (const uint64_t[]){ 0, 0, f->window, UINT64_MAX, 0, 0 }, 6);
	made_leave(&f->run, rank, lv, name);
}

static void put(struct fixture *f, int rank, int64_t en, int64_t at, int64_t lv, int32_t remote)
{
	made_enter(&f->run, rank, en, "MPI_Put");
	builder_detail(f->run.b, f->run.location[rank], at, DETAIL_RMA_PUT,
		       (const uint64_t[]){ f->window, (uint64_t)remote, 100, 0 }, 4);
	made_leave(&f->run, rank, lv, "MPI_Put");
}

static uint64_t group(struct fixture *f, const char *name, uint64_t member)
{
	return builder_object(f->run.b, OBJECT_GROUP, builder_string(f->run.b, name, 1),
			      (const uint64_t[]){ 0, 4, 0, member }, 4);
}

static void sync_call(struct fixture *f, int rank, int64_t en, int64_t lv, const char *name,
		      uint64_t members)
{
	made_enter(&f->run, rank, en, name);
	builder_detail(f->run.b, f->run.location[rank], en + (lv - en) / 2, DETAIL_RMA_GROUP_SYNC,
		       (const uint64_t[]){ 0, f->window, members }, 3);
	made_leave(&f->run, rank, lv, name);
}

static void lock_call(struct fixture *f, int rank, int64_t en, int64_t at, int64_t lv,
		      int32_t target, bool exclusive)
{
	made_enter(&f->run, rank, en, "MPI_Win_lock");
	builder_detail(f->run.b, f->run.location[rank], at, DETAIL_RMA_ACQUIRE_LOCK,
		       (const uint64_t[]){ f->window, (uint64_t)target, 0, exclusive ? 0 : 1 }, 4);
	made_leave(&f->run, rank, lv, "MPI_Win_lock");
}

static void unlock_call(struct fixture *f, int rank, int64_t en, int64_t at, int64_t lv,
			int32_t target)
{
	made_enter(&f->run, rank, en, "MPI_Win_unlock");
	builder_detail(f->run.b, f->run.location[rank], at, DETAIL_RMA_RELEASE_LOCK,
		       (const uint64_t[]){ f->window, (uint64_t)target, 0 }, 3);
	made_leave(&f->run, rank, lv, "MPI_Win_unlock");
}

static void assert_metric(const struct fixture *f, enum cube_metric metric, double r0, double r1,
			  double r2)
{
	made_assert_metric(&f->run, metric, (const double[RANKS]){ r0, r1, r2 });
}

TEST_WITH(creating_freeing_and_fences_wait_for_the_last, struct fixture *f)
{
	together(f, 0, 0, 60, "MPI_Win_create");
	together(f, 1, 20, 61, "MPI_Win_create");
	together(f, 2, 50, 62, "MPI_Win_create");
	/* rank 0 has left before rank 2 comes: an assertion may have taken the synchronisation away */
	together(f, 0, 100, 110, "MPI_Win_fence");
	together(f, 1, 105, 140, "MPI_Win_fence");
	together(f, 2, 130, 140, "MPI_Win_fence");
	together(f, 0, 200, 250, "MPI_Win_fence");
	together(f, 1, 230, 250, "MPI_Win_fence");
	together(f, 2, 220, 250, "MPI_Win_fence");
	together(f, 0, 300, 350, "MPI_Win_free");
	together(f, 1, 340, 350, "MPI_Win_free");
	together(f, 2, 330, 350, "MPI_Win_free");
	made_run_analyse(&f->run);
	assert_metric(f, CUBE_MPI_RMA_WAIT_AT_CREATE, 50, 30, 0);
	assert_metric(f, CUBE_MPI_RMA_WAIT_AT_FENCE, 30, 0, 10);
	assert_metric(f, CUBE_MPI_RMA_WAIT_AT_FREE, 40, 0, 10);
	assert_metric(f, CUBE_MPI_RMA_PAIRSYNC_COUNT, 6, 6, 6);
	assert_metric(f, CUBE_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT, 6, 6, 6);
	assert_metric(f, CUBE_SYNCS_RMA_ACTIVE, 2, 2, 2);
}

TEST_WITH(an_early_fence_waits_for_what_comes_in, struct fixture *f)
{
	together(f, 0, 0, 10, "MPI_Win_fence");
	together(f, 1, 0, 10, "MPI_Win_fence");
	together(f, 2, 0, 10, "MPI_Win_fence");
	put(f, 1, 20, 25, 70, 0);
	put(f, 2, 20, 25, 30, 0); /* done before rank 0 is in its fence */
	together(f, 0, 50, 110, "MPI_Win_fence");
	together(f, 1, 90, 110, "MPI_Win_fence");
	together(f, 2, 60, 110, "MPI_Win_fence");
	made_run_analyse(&f->run);
	assert_metric(f, CUBE_MPI_RMA_WAIT_AT_FENCE, 40, 0, 30);
	assert_metric(f, CUBE_MPI_RMA_EARLY_FENCE, 19, 0, 0); /* 51 to 70 */
	assert_metric(f, CUBE_BYTES_PUT, 0, 100, 100);
	assert_metric(f, CUBE_COMMS_RMA_PUTS, 0, 1, 1);
	assert_metric(f, CUBE_MPI_RMA_PAIRSYNC_COUNT, 6, 6, 6);
	/* second fence: rank 0 was accessed by two, the others accessed one */
	assert_metric(f, CUBE_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT, 4, 5, 5);
}

/* The post comes while the origin is in `complete`, in `start`, in a put. */
TEST_WITH(late_posts_are_found_where_they_block, struct fixture *f)
{
	const uint64_t to_1 = group(f, "1", 1), to_0 = group(f, "0", 0);

	sync_call(f, 0, 0, 10, "MPI_Win_start", to_1);
	put(f, 0, 12, 13, 14, 1);
	sync_call(f, 0, 20, 60, "MPI_Win_complete", to_1);
	sync_call(f, 1, 50, 52, "MPI_Win_post", to_0);
	sync_call(f, 1, 53, 70, "MPI_Win_wait", to_0);

	sync_call(f, 0, 100, 160, "MPI_Win_start", to_1);
	sync_call(f, 0, 165, 170, "MPI_Win_complete", to_1);
	sync_call(f, 1, 140, 145, "MPI_Win_post", to_0);
	sync_call(f, 1, 150, 190, "MPI_Win_wait", to_0);

	sync_call(f, 0, 200, 210, "MPI_Win_start", to_1);
	put(f, 0, 215, 220, 260, 1);
	sync_call(f, 0, 270, 280, "MPI_Win_complete", to_1);
	sync_call(f, 1, 240, 245, "MPI_Win_post", to_0);
	sync_call(f, 1, 250, 290, "MPI_Win_wait", to_0);
	made_run_analyse(&f->run);
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

/* Rank 0 holds rank 2's window until 50; rank 1 is held up in its lock. Shared ones let each other in. */
TEST_WITH(locks_wait_for_the_epoch_before, struct fixture *f)
{
	lock_call(f, 0, 0, 5, 6, 2, true);
	put(f, 0, 10, 11, 20, 2);
	unlock_call(f, 0, 40, 50, 51, 2);
	lock_call(f, 1, 20, 52, 55, 2, true);
	unlock_call(f, 1, 60, 61, 62, 2);

	lock_call(f, 0, 100, 101, 102, 2, false);
	unlock_call(f, 0, 120, 130, 131, 2);
	lock_call(f, 1, 105, 106, 140, 2, false);
	unlock_call(f, 1, 150, 151, 152, 2);

	/* a lock that returns at once, and an operation that has to wait */
	lock_call(f, 0, 200, 201, 202, 2, true);
	unlock_call(f, 0, 240, 250, 251, 2);
	lock_call(f, 1, 205, 206, 207, 2, false);
	put(f, 1, 210, 220, 260, 2);
	unlock_call(f, 1, 270, 271, 272, 2);
	made_run_analyse(&f->run);
	assert_metric(f, CUBE_MPI_RMA_SYNC_LOCK_COMPETITION, 0, 30, 0);
	assert_metric(f, CUBE_MPI_RMA_COMM_LOCK_COMPETITION, 0, 40, 0);
	assert_metric(f, CUBE_SYNCS_RMA_PASSIVE, 6, 6, 0);
	assert_metric(f, CUBE_COMMS_RMA_PUTS, 1, 1, 0);
}
