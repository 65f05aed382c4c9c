/* clock_check: the clock condition over all logical messages of a base: how many arrive before they
 * were sent (reversed), or sooner than the minimum latency allows (violating), by class and by pair
 * of locations.
 *
 * Of a group every pair (sender, receiver) is a logical message; they are counted in O(n log n).
 * Sums of pairs of locations have all messages between the two, but of groups only the worst
 * sender of each receive that violates. O(messages); memory is for pairs with a violation. */
#pragma once

#include "correct/clocks/check_sum.h"
#include "correct/clocks/lmin.h"
#include "correct/clocks/logical.h"

enum { CHECK_PAIRS = 16384 };

struct check_pair {
	uint32_t from, to; /* locations */
	struct check_sum sum;
};

struct check {
	struct check_sum all;
	struct check_sum by_class[LOGICAL_CLASSES];
	struct check_pair *pairs; /* pairs with a violation, worst first; the worst CHECK_PAIRS */
	size_t n_pairs;
	size_t more_pairs; /* that are left out */
};

/* False where progress stopped it. */
bool check_make(struct check *check, const struct logical *logical, enum time_base base,
		const struct lmin *lmin, const struct progress *progress);
void check_fini(struct check *check);
