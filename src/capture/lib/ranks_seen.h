/* ranks_seen: what is known of the other ranks at this moment, for receives from any source
 * (others.h, hold.h): of those of this node from the memory that they share (carry_map.h), of those
 * of other nodes as they were told last (far.h). Ranks are numbers. */
#pragma once

#include "capture/lib/carry_map.h"

const struct rank_line *tv_seen_line(int number);
/* When that was true: `now` of a rank of this node. */
uint64_t tv_seen_at(int number, uint64_t now);
/* For so many ticks it was so then, as far as its node knows. */
uint64_t tv_seen_same(int number);

/* The nth (from 0) message under way from one rank to another, or receive that `from` posted for
 * messages of `to`; as carry_under_way(). */
uint64_t tv_seen_under_way(bool posts, int from, int to, uint32_t comm, int tag, unsigned nth,
			   struct carry_entry *e);

/* Of a collective that the rank is in: who came of the first 64 numbers, the latest virtual time of
 * all that came, and the root's (0: it did not come). False: it is over. */
bool tv_seen_meeting(int number, uint64_t ticket, struct carry_meeting *meeting);
