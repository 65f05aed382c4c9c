/* Who waits how long for whom: the table C8, by numbers worked out by hand; section 7's vectors. */
#include <stdlib.h>

#include "harness/test.h"
#include "patterns/kinds/sync.h"

enum { MOST = 8 };

static struct sync_party parties[MOST];

/* n parties with begins and ends, some bytes to and from everybody. */
static struct sync_group group_of(enum logical_class cls, uint32_t n, const int64_t *begin,
				  const int64_t *end)
{
	for (uint32_t i = 0; i < n; i++)
		parties[i] = (struct sync_party){ .location = i,
						  .waits = true,
						  .begin_event = 10 + i,
						  .end_event = 20 + i,
						  .begin = begin[i],
						  .end = end[i],
						  .en = begin[i],
						  .lv = end[i],
						  .sent = 8,
						  .received = 8 };
	return (struct sync_group){
		.cls = cls, .n = n, .parties = parties, .root = UINT32_MAX, .blame = UINT32_MAX
	};
}

/* INT64_MIN: does not synchronise. */
static void assert_waits(const struct sync_group *group, const int64_t *w)
{
	for (uint32_t i = 0; i < group->n; i++) {
		assert_int_equal(group->parties[i].sync, w[i] != INT64_MIN);
		if (w[i] != INT64_MIN)
			assert_int_equal(group->parties[i].w, w[i]);
	}
}

static void assert_completions(const struct sync_group *group, const int64_t *k)
{
	for (uint32_t i = 0; i < group->n; i++)
		if (group->parties[i].sync)
			assert_int_equal(group->parties[i].k, k[i]);
}

#define NO        INT64_MIN
#define LIST(...) ((const int64_t[]){ __VA_ARGS__ })

TEST(a_barrier_waits_for_its_last)
{
	struct sync_group g = group_of(LOGICAL_BARRIER, 3, LIST(10, 20, 50), LIST(51, 53, 52));

	assert_true(barrier_evaluate(&g));
	assert_int_equal(g.blame, 2);
	assert_waits(&g, LIST(40, 30, 0));
	assert_completions(&g, LIST(0, 2, 1));
}

/* Somebody is said to have left before the last came: clocks that disagree. */
TEST(waits_end_with_the_own_end)
{
	struct sync_group g = group_of(LOGICAL_BARRIER, 3, LIST(10, 20, 50), LIST(40, 53, 52));

	assert_true(barrier_evaluate(&g));
	assert_waits(&g, LIST(30, 30, 0));
	/* first end 40; late 40, 50, 50 */
	assert_completions(&g, LIST(0, 3, 2));
}

TEST(ties_go_to_the_lowest_rank)
{
	struct sync_group g = group_of(LOGICAL_BARRIER, 3, LIST(10, 50, 50), LIST(60, 60, 60));

	assert_true(barrier_evaluate(&g));
	assert_int_equal(g.blame, 1);
}

TEST(n_to_n_with_full_overlap_ignores_bytes)
{
	struct sync_group g = group_of(LOGICAL_N_TO_N, 3, LIST(10, 20, 50), LIST(51, 53, 52));

	parties[2].sent = 0;
	parties[0].received = 0;
	assert_true(nxn_evaluate(&g));
	assert_int_equal(g.blame, 2);
	assert_waits(&g, LIST(40, 30, 0));
	assert_completions(&g, LIST(0, 2, 1));
}

/* min E = 30 <= max B = 50: only those that sent are waited for, only those that received wait. */
TEST(n_to_n_with_partial_overlap_goes_by_bytes)
{
	struct sync_group g =
		group_of(LOGICAL_N_TO_N, 4, LIST(10, 20, 50, 15), LIST(30, 53, 52, 45));

	parties[2].sent = 0;     /* the last one has nothing to give: rank 1 is blamed */
	parties[3].received = 0; /* wants nothing */
	assert_true(nxn_evaluate(&g));
	assert_int_equal(g.blame, 1);
	assert_waits(&g, LIST(10, 0, NO, NO));
	/* first end of 0 and 1: 30; rank 0: 30 - 30, rank 1: 53 - 30 */
	assert_completions(&g, LIST(0, 23, 0, 0));
}

TEST(n_to_n_without_bytes_is_none)
{
	struct sync_group g = group_of(LOGICAL_N_TO_N, 2, LIST(10, 20), LIST(30, 30));

	for (int i = 0; i < 2; i++)
		parties[i].sent = parties[i].received = 0;
	assert_false(nxn_evaluate(&g));
	parties[1].sent = UINT64_MAX; /* unknown: some */
	assert_true(nxn_evaluate(&g));
}

TEST(a_broadcast_waits_for_its_root)
{
	struct sync_group g = group_of(LOGICAL_ONE_TO_N, 3, LIST(40, 10, 50), LIST(60, 55, 52));

	g.root = 0;
	assert_true(one_to_n_evaluate(&g));
	assert_int_equal(g.blame, 0);
	assert_waits(&g, LIST(0, 30, NO));
	/* first end over those that waited: 55 */
	assert_completions(&g, LIST(5, 0, 0));
	g = group_of(LOGICAL_ONE_TO_N, 3, LIST(40, 10, 50), LIST(60, 55, 52));
	g.root = 0;
	parties[0].sent = 0;
	assert_false(one_to_n_evaluate(&g));
	parties[0].sent = 8;
	parties[1].received = 0;
	assert_false(one_to_n_evaluate(&g));
	assert_false(parties[0].sync);
}

/* Section 7 as corrected by C8: the root waits for the latest, not for the first other. */
TEST(a_reduce_waits_for_the_latest)
{
	struct sync_group g = group_of(LOGICAL_N_TO_ONE, 3, LIST(10, 30, 20), LIST(35, 31, 21));

	g.root = 0;
	assert_true(n_to_one_evaluate(&g));
	assert_int_equal(g.blame, 1);
	assert_waits(&g, LIST(20, 0, NO));
	/* first end of root and latest: 31 */
	assert_completions(&g, LIST(4, 0, 0));
	g = group_of(LOGICAL_N_TO_ONE, 3, LIST(10, 30, 20), LIST(25, 31, 21));
	g.root = 0;
	assert_true(n_to_one_evaluate(&g));
	assert_waits(&g, LIST(15, 0, NO));
}

TEST(a_reduce_with_the_root_last_waits_for_nobody)
{
	struct sync_group g = group_of(LOGICAL_N_TO_ONE, 3, LIST(40, 30, 20), LIST(45, 31, 21));

	g.root = 0;
	assert_false(n_to_one_evaluate(&g));
	g.root = 2;
	parties[2].received = 0;
	assert_false(n_to_one_evaluate(&g));
}

/* The latest has nothing to send: the one before it is waited for. */
TEST(a_reduce_waits_for_senders_only)
{
	struct sync_group g = group_of(LOGICAL_N_TO_ONE, 3, LIST(10, 30, 20), LIST(35, 31, 21));

	g.root = 0;
	parties[1].sent = 0;
	assert_true(n_to_one_evaluate(&g));
	assert_int_equal(g.blame, 2);
	assert_waits(&g, LIST(10, NO, 0));
}

TEST(a_scan_waits_for_lower_ranks)
{
	struct sync_group g =
		group_of(LOGICAL_PREFIX, 4, LIST(30, 10, 20, 40), LIST(41, 42, 43, 44));

	assert_true(prefix_evaluate(&g));
	assert_waits(&g, LIST(NO, 20, 10, NO));
	assert_int_equal(parties[1].blame, 0);
	assert_int_equal(parties[2].blame, 0);
	g = group_of(LOGICAL_PREFIX, 3, LIST(30, 10, 20), LIST(41, 42, 43));
	parties[0].sent = 0; /* has nothing for the others */
	parties[2].sent = parties[2].received = 0;
	assert_false(prefix_evaluate(&g));
}

TEST(init_has_no_waiting_and_finalize_has)
{
	struct sync_group g = group_of(LOGICAL_WORLD, 2, LIST(10, 30), LIST(40, 45));

	g.init = true;
	assert_true(init_finalize_evaluate(&g));
	assert_waits(&g, LIST(0, 0));
	assert_completions(&g, LIST(0, 5));
	g = group_of(LOGICAL_WORLD, 2, LIST(10, 30), LIST(40, 45));
	g.finalize = true;
	assert_true(init_finalize_evaluate(&g));
	assert_waits(&g, LIST(20, 0));
}

/* Requests at 10, 20, 50; MPI_Wait entered at 30, 60, 55: rank 0 waits from 30 to 50; rank 1 came
 * to its MPI_Wait when all was under way. */
TEST(a_requested_collective_waits_in_the_completing_call)
{
	struct sync_group g = group_of(LOGICAL_BARRIER, 3, LIST(10, 20, 50), LIST(70, 72, 71));

	g.extended = true;
	parties[0].en = 30;
	parties[1].en = 60;
	parties[2].en = 55;
	assert_true(barrier_evaluate(&g));
	assert_waits(&g, LIST(20, 0, 0));
	assert_completions(&g, LIST(0, 2, 1));
	parties[0].waits = false; /* MPI_Test found it done */
	assert_true(barrier_evaluate(&g));
	assert_waits(&g, LIST(0, 0, 0));
}

/* Properties over random groups: w and k are not negative, and together no longer than the
 * operation; who is blamed by all waits for nobody. */
TEST(waits_fit_into_the_operation)
{
	static bool (*const evaluate[])(
		struct sync_group *) = { barrier_evaluate, nxn_evaluate, one_to_n_evaluate,
					 n_to_one_evaluate, prefix_evaluate };
	unsigned evaluated = 0;

	srand(7);
	for (int round = 0; round < 20000; round++) {
		int64_t begin[MOST], end[MOST];
		const uint32_t n = 1 + (uint32_t)rand() % MOST;
		struct sync_group g;
		for (uint32_t i = 0; i < n; i++) {
			begin[i] = rand() % 40;
			end[i] = begin[i] + rand() % 40;
		}
		g = group_of(LOGICAL_BARRIER, n, begin, end);
		g.root = (uint32_t)rand() % n;
		for (uint32_t i = 0; i < n; i++) {
			parties[i].sent = (uint64_t)(rand() % 3);
			parties[i].received = (uint64_t)(rand() % 3);
		}
		if (!evaluate[round % 5](&g))
			continue;
		evaluated++;
		for (uint32_t i = 0; i < n; i++) {
			const struct sync_party *p = &parties[i];
			if (!p->sync)
				continue;
			assert_true(p->w >= 0 && p->k >= 0 && p->w + p->k <= p->end - p->begin);
			assert_true(p->blame < n);
			if (i == p->blame)
				assert_int_equal(p->w, 0);
		}
	}
	assert_true(evaluated > 5000);
}
