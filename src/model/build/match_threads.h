/* match_threads: messages of channels on which several threads of a rank send or receive. MPI
 * orders the operations of one thread, and those of which one had returned before the other was
 * called; it does not say in which order those come that were under way at once.
 *
 * Sends take their turns by the times of their events, receives by the times of the calls that
 * posted them. Where a message would then arrive before it was sent, the receives that take part
 * take their turns by their completions instead, if fewer are reversed so. Pairs whose calls
 * overlap with those of other threads are marked as guessed. O(n log n). */
#pragma once

#include "base/vec.h"
#include "model/build/build.h"

/* An operation on such a channel: the row of a message, or of a receive. */
struct match_turn {
	uint32_t channel;
	uint32_t row;
	uint32_t location;
	uint32_t nth;         /* as it was listed */
	int64_t begin, until; /* of the call that sends or posts */
	int64_t done;         /* of a receive; INT64_MAX: never */
};

struct match_turns {
	VEC(struct match_turn) sends, recvs;
};

/* Lists an operation; those of one location in the order in which it called them. */
void match_turns_send(struct match_turns *turns, const struct builder *b, uint32_t channel,
		      uint32_t row);
void match_turns_recv(struct match_turns *turns, const struct builder *b, uint32_t channel,
		      uint32_t row);

/* Joins the rows that belong together. */
void match_threads(struct builder *b, struct match_turns *turns);
