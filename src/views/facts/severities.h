/* severities: the cube (patterns/cube.h) of the part of the trace that a query sees: its window,
 * its chosen locations, what its filter lets pass.
 *
 * A filter chooses cells by call path and location (filter_callpath()): what only single events
 * could tell (dur, time, peer) lets a cell pass as a whole. Kept until the query sees something
 * else. */
#pragma once

#include "patterns/severity/cube.h"
#include "views/query/view.h"

struct severities {
	struct cube *own; /* where locations or a filter choose; else it is the analyses' */
	bool made;
	enum time_base base;
	int64_t t0, t1;
	uint64_t chosen; /* what changes with the choice: session.rows_generation */
};

void severities_fini(struct severities *severities);
/* Of the query's window in `base`, which is made. *changed: it has changed. The cube is good
 * until the next call for any severities of the same analyses. NULL with err, or untouched where
 * progress stopped it. */
const struct cube *severities_get(struct severities *severities, const struct query *query,
				  enum time_base base, uint64_t chosen, bool *changed,
				  struct err *err);
