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
 * not there then are absent for all its parties (their `sends` is taken back, their begins are
 * PART_LOCAL); `forced` are the ends that lack one.
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

/* Bytes that the consumer keeps: of an open group, and of each of its parties. */
struct replay_sizes {
	size_t state, party;
	size_t send, begin, end; /* of the values of steps: multiples of 8 */
};

struct replay_step {
	uint32_t location;
	uint32_t block;         /* id, and of its events */
	uint32_t from, to;      /* slots from .. to - 1 */
	enum logical_part part; /* of the last event */
	bool forced;            /* its senders are not there (not all of a group's) */
	uint32_t row;           /* message or group of the last event */
	uint32_t party;
	enum logical_class cls; /* of all but PART_LOCAL */
	const struct group
		*group; /* of a PART_BEGIN or PART_END that is evaluated here, else NULL */
	/* The consumer's, zeroed when the group's first party comes, gone with the step after its
	 * last: what all parties need of each other is computed once. */
	void *state, *parties; /* as many bytes as replay_new() was told; of every party */
	/* Of a part that crosses to another process, else NULL. A PART_SEND or PART_BEGIN: the
	 * consumer says it. A PART_RECV: what its sender said; a PART_END: what the group's home
	 * said. */
	void *value;
	/* A party elsewhere of a group whose home this is: there is no event (from == to). Of a
	 * PART_BEGIN the value is what the party said, of a PART_END the consumer says it. */
	bool home;
};

/* Follows `base`, which must be made. Of a trace that is shared (logical_share()) all processes
 * replay together, and each until its end: what they say to each other is in the value of a step.
 * Where no location can go on, the earliest one of all processes does. */
struct replay *replay_new(const struct logical *logical, enum time_base base,
			  const struct replay_sizes *sizes);
bool replay_next(struct replay *replay, struct replay_step *step);
uint64_t replay_forced(const struct replay *replay); /* in this process */
void replay_free(struct replay *replay);
