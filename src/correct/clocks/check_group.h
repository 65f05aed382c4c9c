/* check_group: the clock condition in one group, of any class but neighbours: all its pairs
 * (sender, receiver), counted without going over them: O(n) where none violates, else
 * O(n log n). */
#pragma once

#include "base/vec.h"
#include "correct/clocks/clock_check.h"

/* A receive that violates, with the sender that is worst (largest send + lmin). */
struct check_blame {
	uint32_t from, to; /* parties */
	int64_t early;     /* ticks: send - receive */
	int64_t late;      /* ticks: send + lmin - receive, above 0 */
};

struct check_room; /* what the counting needs, kept for the next group */

struct check_group {
	struct group group; /* filled by the caller: logical_group() */
	struct check_sum sum;
	VEC(struct check_blame) blamed;
	struct check_room *room;
};

void check_group(struct check_group *g, const struct trace *trace, enum time_base base,
		 const struct lmin *lmin);
void check_group_fini(struct check_group *g);
