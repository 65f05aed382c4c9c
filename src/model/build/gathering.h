/* gathering: what the gathering of collectives (gather.c) shares with that of several processes
 * (share_collectives.c). */
#pragma once

#include "model/build/build.h"

/* A part whose collective may have members in other processes: the caller's `turn`-th call on its
 * communicator. */
struct shared_turn {
	uint32_t part, turn;
};

struct shared_turns {
	VEC(struct shared_turn) list;
	bool by_time;                      /* the order in which parts take their places */
	uint64_t mixed, roots, incomplete; /* of those whose home is this process */
};

/* Whether a part belongs to a collective of the same turn. Of a call that never ended, and may hang
 * for that reason, the root counts, too; of calls that all ended another root is odd and no more.
 * `one_ended`: of its members; `ended`: the part. */
bool gather_belongs(const struct collective *c, bool one_ended, const struct part *part,
		    bool ended);
/* Counts the part as a member; false: it names another root. */
bool gather_add(struct collective *c, const struct part *part);
/* Whether members of the communicator are missing. */
bool gather_incomplete(const struct trace *trace, const struct collective *c);

/* Makes the rows of the collectives of such parts: one home, by communicator and turn, sees all
 * parts of a collective. All processes call it. */
bool build_share_collectives(struct builder *b, struct shared_turns *turns, struct err *err);
