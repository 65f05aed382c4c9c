/* correct_room_state: what the files share that make the bounds of clocks. */
#pragma once

#include "base/vec.h"
#include "correct/correct_room.h"
#include "model/trace/store.h"

struct room_making {
	struct room *room;
	const struct trace *trace;
	const struct logical *logical;
	const struct progress *progress;
	const struct clock_map *map;
	const struct fit_report *fit; /* NULL: no steps */
	enum time_base base;
	int64_t origin;
	double first, last; /* of windows */
	VEC(struct room_party) parties;
};

/* Ticks from the origin. */
static inline double making_time(const struct room_making *m, uint32_t event)
{
	return (double)(trace_event_time(m->trace, m->base, event) - m->origin);
}

/* The steps of a location's clock are those of the fit from *first on, which are by clock and
 * time. */
uint32_t making_steps(const struct room_making *m, uint32_t location, uint32_t *first);

/* ---- correct_room_messages.c ---- */

/* Messages and collectives. False: dropped. */
bool making_add_messages(struct room_making *m);
bool making_add_groups(struct room_making *m);
