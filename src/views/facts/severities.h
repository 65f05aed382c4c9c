/* severities: the cube (patterns/severity/cube.h) of a query: its window, its chosen locations, the
 * cells that pass its filter.
 *
 * A filter chooses cells by call path and location (filter_callpath()): conditions on single events
 * (dur, time, peer) let a cell pass as a whole. The cube is kept until the query changes. */
#pragma once

#include "patterns/severity/cube.h"
#include "views/query/view.h"

struct severities {
	struct cube *own; /* for chosen locations or a filter; NULL: the analyses' own cube is
			     given */
	bool made;
	enum time_base base;
	int64_t t0, t1;
	uint64_t chosen; /* a number that the caller changes with the choice:
			    session.rows_generation */
};

void severities_fini(struct severities *severities);
/* The cube of the query's window in `base`, which is made. *changed: it is another one than before.
 * It is good until the next call for any severities of the same analyses. NULL with err, or with
 * err untouched if progress stopped it. */
const struct cube *severities_get(struct severities *severities, const struct query *query,
				  enum time_base base, uint64_t chosen, bool *changed,
				  struct err *err);
