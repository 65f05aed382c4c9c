/* far_state: what the ranks of a node say of themselves, as one answer for a rank of another node
 * (far_wire.h). One thread. */
#pragma once

#include "capture/lib/far_wire.h"
#include "capture/lib/rank_look.h"

struct far_part { /* of an answer */
	char *data;
	size_t bytes, room;
	bool failed;
};

struct far_state {
	const struct carry_map *map;
	struct rank_look *look; /* [size] */
	uint32_t space;
	uint64_t *read; /* [size * size] up to which a rank elsewhere has taken messages */
	struct far_part lines, rings, entries, reads, whole;
};

bool far_state_init(struct far_state *s, const struct carry_map *map);
void far_state_fini(struct far_state *s);
/* What the asker has taken of messages of this node. */
void far_state_learn(struct far_state *s, const struct far_ask *ask, const struct far_have *haves);
/* Whether none of the node's ranks can still send what would be earlier than the asker's, or they
 * wait for ranks of other nodes. */
bool far_state_is_settled(struct far_state *s, const struct far_ask *ask,
			  const struct far_told *told);
/* Valid until the next one; NULL: no memory. `settled`: it was so, and it is of one moment. */
struct far_answer *far_state_answer(struct far_state *s, const struct far_ask *ask,
				    const struct far_told *told, uint64_t asked, bool *settled);
