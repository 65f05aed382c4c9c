/* grouping: locations put into groups: a partition, in which each location is in exactly one group,
 * and members keep the order in which they were given. Groups are in the order of their first
 * members.
 *
 * By node: the node's name. By process: threads of one process. By range: ranks n*k ... n*k + n -
 * 1, n a power of two; the host and locations without a rank are groups of their own. By likeness:
 * each location is a point, its shares of time by class and by the regions with most time, over the
 * whole run; two locations differ by the share of their time that they spend differently (half the
 * sum of differences). In order, a location joins the group of the nearest leader that it differs
 * from by no more than a threshold, or leads a group of its own. The threshold is the smallest of a
 * few steps with no more groups than fit. Costs locations x groups. */
#pragma once

#include "views/query/arrangement.h"
#include "views/query/view.h"

struct location_group {
	uint32_t first, n; /* in `members` */
};

struct grouping {
	enum group_key key;
	uint32_t range;     /* ranks in a group, by range */
	unsigned threshold; /* percent, by likeness */
	VEC(struct location_group) groups;
	uint32_t *members; /* [n] locations */
};

/* What locations spend their time on: shares[i * slots + slot] of the i-th location, sum 1. */
struct portraits {
	unsigned slots;
	const float *shares;
};

/* `portraits` are needed by likeness only. `range` 0: such that there are at most `fit` groups. */
void grouping_make(struct grouping *grouping, const struct trace *trace, enum group_key key,
		   const uint32_t *locations, uint32_t n, uint32_t range, uint32_t fit,
		   const struct portraits *portraits);
void grouping_fini(struct grouping *grouping);

/* Ranks in a group by range, the smallest power of two with at most `fit` groups (0: 32). */
uint32_t grouping_range(const struct trace *trace, const uint32_t *locations, uint32_t n,
			uint32_t fit);

/* "node7", "rank 3", "0-255", "like 12": short, clean, without the number of members. */
void grouping_name(const struct grouping *grouping, const struct trace *trace, uint32_t group,
		   struct str *out);
/* The number of groups that a key would make, at most `limit`; 1 or one for each location: the key
 * is of no use. */
uint32_t grouping_count(const struct trace *trace, enum group_key key, const uint32_t *locations,
			uint32_t n, uint32_t limit);
