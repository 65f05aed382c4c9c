/* core_parts: which function a location was in while it waited for a core. Only the stretch between
 * two calls of MPI is known (model/trace/core_wait.h). The wait is dealt out to the groups of call
 * paths in it, and all else as one, in proportion to the time of each beyond its shortest one in
 * any stretch; what is left then, in proportion to the shortest ones.
 *
 *	struct core_parts p;
 *	core_parts_init(&p);
 *	core_parts_add(&p, group, cell, ticks);	for each piece of a stretch
 *	core_parts_end(&p, ticks);		at its end: the wait, or -1: not known
 *	core_parts_take(&p, time, core);	moves waits from cells of `time` to those of `core`
 *	core_parts_fini(&p); */
#pragma once

#include "base/vec.h"
#include "patterns/causes/naming_state.h"

/* Time in a group in a cell; group GROUPS: in none. */
struct core_part {
	uint32_t group;
	size_t cell;
	int64_t ticks;
};

struct core_stretch {
	size_t first, end; /* of the parts */
	int64_t wait;      /* ticks */
};

struct core_parts {
	VEC(struct core_part) of;
	VEC(struct core_stretch) stretches;
	size_t begun; /* where the parts of the stretch begin that has not ended */
};

void core_parts_init(struct core_parts *parts);
void core_parts_fini(struct core_parts *parts);
/* Cells of a group come in order. */
void core_parts_add(struct core_parts *parts, uint32_t group, size_t cell, int64_t ticks);
void core_parts_end(struct core_parts *parts, int64_t wait);
void core_parts_take(const struct core_parts *parts, int64_t *time, int64_t *core);
