/* lmin_pairs: the fastest messages each way between pairs of locations. Of too many pairs those
 * stay whose hash is small: which ones follows from the pairs alone, in whatever order they come,
 * and each of them has all its messages. */
#pragma once

#include "base/exchange.h"
#include "base/keymap.h"
#include "base/vec.h"

struct location_pair {
	uint32_t low, high;
	int64_t fastest[2]; /* ticks: from low to high, and back */
	uint32_t n[2];      /* messages */
};

struct location_pairs {
	VEC(struct location_pair) list;
	struct keymap map; /* (low, high): place in the list */
	size_t most;
	uint64_t bound; /* of hashes, exclusive */
};

void location_pairs_init(struct location_pairs *pairs, size_t most);
void location_pairs_fini(struct location_pairs *pairs);
/* `took`: ticks from the send to the receive, by their clocks. */
void location_pairs_see(struct location_pairs *pairs, uint32_t from, uint32_t to, int64_t took);
/* Makes them those that one process would have that had seen the messages of all. */
void location_pairs_share(struct location_pairs *pairs, struct exchange *x);
