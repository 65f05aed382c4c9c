/* Whom the end of a collective depends on, with what ranks say of themselves: by hand. */
#include "capture/lib/carry_places.h"
#include "capture/lib/carry_ring.h"
#include "capture/lib/virtual_time.h"
#include "harness/test.h"

/* Ranks enter at these times, with so much intrusion: 0 at 100 (virtual 60), 1 at 90 (80), 2 at 120
 * (70), 3 at 110 (110). */
static const struct carry_place entered[] = {
	{ .time = 100, .intrusion = 40 },
	{ .time = 90, .intrusion = 10 },
	{ .time = 120, .intrusion = 50 },
	{ .time = 110, .intrusion = 0 },
};

enum { RANKS = 4, NEVER = -1 };

/* The virtual end of the call of rank `me`, which really ends at `until`; a partner's entry takes
 * `lag` to reach it. */
static int64_t end_of(enum virtual_rule rule, int root, int me, int64_t until, int64_t lag)
{
	struct virtual_sum sum;

	virtual_begin(&sum, (struct virtual_entry){ entered[me].time, entered[me].intrusion, 0, 0 },
		      until);
	for (int other = 0; other < RANKS; other++)
		if (virtual_depends(rule, root, me, other))
			virtual_depend(&sum,
				       (struct virtual_entry){ entered[other].time,
							       entered[other].intrusion, lag, 0 },
				       virtual_about(lag, 0));
	return until - virtual_complete(&sum, rule).intrusion;
}

/* MPI_Scan: rank 0 waits for none, 1 for 0, 2 for 0 and 1, 3 for all. Lag 5.
 * 0: ends at 101, its intrusion is 40: 61.
 * 1: really ready at 105 (rank 0), virtually at 80 (its own entry; rank 0: 65). Ends at 106: 81.
 * 2: really at 120 (own), virtually at 85 (rank 1: 80 + 5). Ends at 121: 86.
 * 3: really at 125 (rank 2), virtually at 110 (own). Ends at 126: 111. */
TEST(prefix_sums)
{
	assert_int_equal(end_of(VIRTUAL_BELOW, NEVER, 0, 101, 5), 61);
	assert_int_equal(end_of(VIRTUAL_BELOW, NEVER, 1, 106, 5), 81);
	assert_int_equal(end_of(VIRTUAL_BELOW, NEVER, 2, 121, 5), 86);
	assert_int_equal(end_of(VIRTUAL_BELOW, NEVER, 3, 126, 5), 111);
}

/* Fences, communicators: all wait for all. Really for rank 2 (120), virtually for rank 3 (110), so
 * an end at 122 is one at 112, on every rank. */
TEST(all_together)
{
	for (int me = 0; me < RANKS; me++)
		assert_int_equal(end_of(VIRTUAL_ALL, NEVER, me, 122, 0), 112);
}

/* MPI_Ireduce to rank 1, whose members started as above: rank 1 computes, and waits from 200 on
 * with 60 of intrusion (virtual 140): the others came before, and all 60 stay. Had it waited from
 * 95 on with 10 (85), rank 2 would decide really (120) and rank 3 virtually (110): 10. */
TEST(starts_count_for_requests)
{
	struct virtual_sum sum;

	for (int late = 0; late < 2; late++) {
		const struct virtual_entry own = late ? (struct virtual_entry){ 200, 60, 0, 0 }
						      : (struct virtual_entry){ 95, 10, 0, 0 };
		virtual_begin(&sum, own, 201);
		for (int other = 0; other < RANKS; other++)
			if (virtual_depends(VIRTUAL_TO_ROOT, 1, 1, other))
				virtual_depend(&sum,
					       (struct virtual_entry){ entered[other].time,
								       entered[other].intrusion, 0,
								       0 },
					       virtual_about(0, 0));
		assert_int_equal(virtual_complete(&sum, VIRTUAL_PAIR).intrusion, late ? 60 : 10);
	}
}

/* Rank 2 of a chain 1 - 2 - 3 depends on those two: really on itself (120), virtually on rank 3
 * (110): 10 are left of its 50. */
TEST(neighbours)
{
	struct virtual_sum sum;

	virtual_begin(&sum, (struct virtual_entry){ 120, 50, 0, 0 }, 121);
	for (int other = 1; other < RANKS; other += 2)
		virtual_depend(&sum,
			       (struct virtual_entry){ entered[other].time,
						       entered[other].intrusion, 0, 0 },
			       virtual_about(0, 0));
	assert_int_equal(virtual_complete(&sum, VIRTUAL_PAIR).intrusion, 10);
}

/* Another ticket of the same place makes the earlier one unknown, and one that no rank told is. */
TEST(places_are_found_by_ticket)
{
	static struct carry_places places;

	carry_place_put(&places, (struct carry_place){ 2 + CARRY_PLACES, 70, 5, 1 });
	assert_int_equal(carry_place_get(&places, 2).time, 0);
	assert_int_equal(carry_place_get(&places, 2 + CARRY_PLACES).time, 70);
	assert_int_equal(carry_place_get(&places, 2 + CARRY_PLACES).intrusion, 5);
	carry_place_put(&places, (struct carry_place){ 3, 80, 0, 0 });
	assert_int_equal(carry_place_get(&places, 2 + CARRY_PLACES).time, 70);
	carry_place_put(&places, (struct carry_place){ 2, 90, 0, 0 });
	assert_int_equal(carry_place_get(&places, 2 + CARRY_PLACES).time, 0);
	assert_int_equal(carry_place_get(&places, 2).time, 90);
}

/* A probe sees the entry that the receive after it takes. */
TEST(a_probe_leaves_the_entry)
{
	static struct carry_ring ring;
	struct carry_reader reader = { 0 };

	carry_put(&ring, 1, 5, 100);
	carry_put(&ring, 1, 6, 110);
	assert_int_equal(carry_peek(&reader, &ring, 1, 6).time, 110);
	assert_int_equal(carry_peek(&reader, &ring, 1, 6).time, 110);
	assert_int_equal(carry_take(&reader, &ring, 1, 6), 110);
	assert_int_equal(carry_peek(&reader, &ring, 1, 6).time, 0);
	assert_int_equal(carry_peek(&reader, &ring, 2, 5).time, 0);
	assert_int_equal(carry_take(&reader, &ring, 1, 5), 100);
	/* So many are put that the first one is gone. */
	for (int i = 0; i <= CARRY_ENTRIES; i++)
		carry_put(&ring, 1, 7, 200 + (uint64_t)i);
	assert_int_equal(carry_peek(&reader, &ring, 1, 7).time, 0);
}
