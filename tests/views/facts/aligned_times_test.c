/* Where two runs are put one above the other, worked out by hand: the old one has a collective every
 * 100 ns, the new one every 130 ns, and more of them; each rank begins 7 ns after the one before. */
#include <string.h>

#include "harness/analysed.h"
#include "harness/notation.h"
#include "views/facts/aligned_times.h"
#include "views/facts/iteration_sums.h"

enum { OLD_STEPS = 12, NEW_STEPS = 16, OLD_LENGTH = 100, NEW_LENGTH = 130, OLD_FIRST = 1000 };

static struct trace *steps(int first, int n, int length)
{
	OWNED_STR run = STR_INIT;

	str_add(&run, "mpi collective\n");
	for (int rank = 0; rank < 3; rank++) {
		str_add_fmt(&run, "rank %d: main@%d { MPI_Barrier@%d-%d all ", rank, first,
			    first + 10, first + 30);
		for (int k = 0; k < n; k++) {
			const int t = first + 50 + 7 * rank + k * length;
			str_add_fmt(&run, "work@%d-%d MPI_Allreduce@%d-%d all ", t, t + 40, t + 50,
				    t + 70);
		}
		str_add_fmt(&run, "} @%d\n", first + 100 + (n + 1) * length);
	}
	return notation_trace(run.text);
}

struct two {
	struct analysed new;
	struct other *other;
	struct aligned_memory memory;
};

static int open_two(void **state)
{
	static struct two two;

	two = (struct two){ .new = analysed(steps(0, NEW_STEPS, NEW_LENGTH)),
			    .other = other_new(steps(OLD_FIRST, OLD_STEPS, OLD_LENGTH), NULL,
					       BASE_MEASURED) };
	two.new.query.other = two.other;
	*state = &two;
	return 0;
}

static int close_two(void **state)
{
	struct two *two = *state;

	aligned_memory_fini(&two->memory);
	other_free(two->other);
	analysed_fini(&two->new);
	return 0;
}

FIXTURE(open_two, close_two)

static struct aligned_times find(struct two *two, enum times_alignment by, uint32_t location,
				 int64_t t)
{
	return aligned_times_find(&two->new.query, &two->other->all[0], by, location, t, LEVEL_MAIN,
				  &two->memory);
}

static void assert_at(const struct aligned_times *a, enum times_alignment by, int64_t here,
		      int64_t there, uint32_t nth)
{
	assert_int_equal(a->by, by);
	assert_int_equal(a->at.here, here);
	assert_int_equal(a->at.there, there);
	assert_int_equal(a->nth, nth);
}

TEST_WITH(by_time, struct two *two)
{
	const struct aligned_times a = find(two, ALIGNED_BY_TIME, 1, 500);

	assert_at(&a, ALIGNED_BY_TIME, 0, OLD_FIRST, 0);
}

TEST_WITH(by_a_collective, struct two *two)
{
	struct phrases p = { .trace = two->new.trace };
	/* Before the first one: that. Its end: the barrier's. */
	struct aligned_times a = find(two, ALIGNED_BY_COLLECTIVE, 0, 5);

	assert_at(&a, ALIGNED_BY_COLLECTIVE, 30, OLD_FIRST + 30, 1);
	assert_string_equal(aligned_times_text(&p, &a), "aligned at the end of MPI_Barrier 1 of "
							"rank 0");
	/* The third sum of rank 2 ends at 50 + 14 + 2 x 130 + 70; that of the old run likewise. */
	a = find(two, ALIGNED_BY_COLLECTIVE, 2, 394);
	assert_at(&a, ALIGNED_BY_COLLECTIVE, 394, OLD_FIRST + 334, 3);
	a = find(two, ALIGNED_BY_COLLECTIVE, 2, 393);
	assert_at(&a, ALIGNED_BY_COLLECTIVE, 264, OLD_FIRST + 234, 2);
	/* The old run has no more than 12. */
	a = find(two, ALIGNED_BY_COLLECTIVE, 0, 1 << 20);
	assert_at(&a, ALIGNED_BY_COLLECTIVE, 50 + 11 * 130 + 70, OLD_FIRST + 50 + 11 * 100 + 70,
		  12);
	phrases_fini(&p);
}

TEST_WITH(by_iteration, struct two *two)
{
	const struct aligned_times first = find(two, ALIGNED_BY_ITERATION, 1, 0);
	uint32_t before = 0;

	assert_int_equal(first.by, ALIGNED_BY_ITERATION);
	assert_int_equal(first.nth, 1);
	for (int64_t t = 0; t < NEW_STEPS * NEW_LENGTH; t += 9) {
		const struct aligned_times a = find(two, ALIGNED_BY_ITERATION, 1, t);

		assert_int_equal(a.at.here - first.at.here, (int64_t)(a.nth - 1) * NEW_LENGTH);
		assert_int_equal(a.at.there - first.at.there, (int64_t)(a.nth - 1) * OLD_LENGTH);
		assert_true(a.nth == 1 || a.at.here <= t);
		assert_true(a.nth >= before && a.nth <= OLD_STEPS);
		before = a.nth;
	}
	assert_true(before >= OLD_STEPS - 1);
}

/* The same point in both; distances in each trace's own ticks. */
TEST_WITH(windows_around_the_point, struct two *two)
{
	const struct aligned_times a = find(two, ALIGNED_BY_COLLECTIVE, 0, 400);
	struct query query = two->new.query;

	query.t0 = a.at.here;
	query.t1 = a.at.here + 77;
	const struct span_of_other w = other_window_at(&two->other->all[0], &query, &a.at);
	assert_int_equal(w.t0, a.at.there);
	assert_int_equal(w.t1, a.at.there + 77);
}

/* Nothing in common: by time. */
TEST_WITH(a_rank_that_the_old_run_does_not_have, struct two *two)
{
	struct aligned_times a;

	other_free(two->other);
	two->other = other_new(notation_trace("rank 0: work@50-90"), NULL, BASE_MEASURED);
	two->new.query.other = two->other;
	a = find(two, ALIGNED_BY_COLLECTIVE, 0, 400);
	assert_at(&a, ALIGNED_BY_TIME, 0, 50, 0);
	a = find(two, ALIGNED_BY_ITERATION, 0, 400);
	assert_at(&a, ALIGNED_BY_TIME, 0, 50, 0);
	a = find(two, ALIGNED_BY_COLLECTIVE, 2, 400);
	assert_at(&a, ALIGNED_BY_TIME, 0, 50, 0);
}
