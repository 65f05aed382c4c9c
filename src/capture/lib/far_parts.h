/* far_parts: what an answer from another node (far_wire.h) consists of, and whether it may be used:
 * a node is believed nothing that would lead out of an array. libc alone, no state. */
#pragma once

#include "capture/lib/far_wire.h"

struct far_parts {
	uint32_t lines_n, rings_n, entries_n, reads_n;
	struct far_line *lines;
	struct far_ring *rings; /* far_parts_sort(): by posts, from, to */
	struct far_entry *entries;
	struct far_read *reads; /* the same: by from, to */
};

/* Of an answer, whose bytes are all there and as many as its head says. */
struct far_parts far_parts_of(struct far_answer *a);
/* Counts agree with bytes; ranks are less than `size`, those that tell of themselves of that node.
 */
bool far_parts_are_sound(const struct far_answer *a, const struct far_parts *parts,
			 const int16_t *node_of, int node, int size);
void far_parts_sort(struct far_parts *parts);
/* NULL: there is none. */
const struct far_ring *far_parts_ring(const struct far_parts *parts, bool posts, int from, int to);
const struct far_read *far_parts_read(const struct far_parts *parts, int from, int to);
