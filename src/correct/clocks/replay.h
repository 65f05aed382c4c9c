/* replay: every location's events in their order, handed out so that a logical receive comes after
 * its logical sends. What a partner knows is looked up in the column that is being written: the
 * sender's time is there when the receive is handed out. All
 * corrections exchange times in this way alone.
 *
 * A step is a stretch of events of one block of which only the last can be more than local, so that
 * a consumer's inner loop is over plain events. Locations take turns, block by block, the earliest
 * in the base that the replay follows first: what is in flight stays as little as it was in the
 * run.
 *
 * Where no location can go on (the trace contradicts itself), the earliest parked receive goes
 * on without its senders (A9): `forced` is set, and it is counted. Of a group the senders that are
 * not there then are absent for all its parties (their `sends` is taken back).
 *
 * O(events + messages + parties), and the logarithm of the number of locations for each block and
 * each wait; memory O(locations + parties of open groups). No recursion.
 *
 *	struct replay *replay = replay_new(logical, BASE_LINEAR, sizeof(struct my_group),
 *					   sizeof(struct my_party));
 *	while (replay_next(replay, &step)) ...
 *	replay_free(replay); */
#pragma once

#include "correct/clocks/logical.h"

struct replay;

struct replay_step {
	uint32_t location;
	uint32_t block;         /* id, and of its events */
	uint32_t from, to;      /* slots from .. to - 1 */
	enum logical_part part; /* of the last event */
	bool forced;            /* its senders are not there (not all of a group's) */
	uint32_t row;           /* message or group of the last event */
	uint32_t party;
	const struct group *group; /* of a PART_BEGIN or PART_END, else NULL */
	/* The consumer's, zeroed when the group's first party comes, gone with the step after its
	 * last: what all parties need of each other is computed once. */
	void *state, *parties; /* as many bytes as replay_new() was told; of every party */
};

/* Follows `base`, which must be made. */
struct replay *replay_new(const struct logical *logical, enum time_base base, size_t state,
			  size_t party);
bool replay_next(struct replay *replay, struct replay_step *step);
uint64_t replay_forced(const struct replay *replay);
void replay_free(struct replay *replay);
