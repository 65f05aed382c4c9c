/* ghosts: makes the ghosts of a halo (model/trace/halo.h). */
#pragma once

#include "model/build/build.h"
#include "model/trace/halo.h"

struct ghosts {
	struct trace *trace;
	uint32_t *block; /* [locations] the one that grows, UINT32_MAX: none */
	struct err *err;
};

void ghosts_init(struct ghosts *g, struct trace *trace, struct err *err);
void ghosts_fini(struct ghosts *g);
/* Adds a ghost, without times and call path, to those of its location. EVENT_NONE with the err: no
 * room. */
uint32_t ghost_add(struct ghosts *g, uint32_t location, enum event_kind kind, uint32_t row);
/* Sets the call path of the call around it. */
void ghost_path(const struct ghosts *g, uint32_t ghost, uint32_t path);
/* Gives the processes to[i] ghosts of n calls of this one, and takes theirs, in the order of
 * exchange_deal(), with their times in all bases that are made; they are the halo's list of that
 * kind. Nothing where it has been made: the calls are the same then. All processes call it. */
bool ghosts_share(struct trace *trace, enum halo_kind kind, const struct halo_call *calls,
		  const uint32_t *to, size_t n, struct err *err);
