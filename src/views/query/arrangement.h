/* arrangement: the rows of the timeline: how locations are grouped, which groups are open, which
 * rows are pinned to the top, the order, and the counters shown under their locations. A value; the
 * session owns one, a query borrows it.
 *
 * Rows are named by locations, so that an arrangement outlives any change of filter and hidden
 * rows: a group by its first member. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum group_key {
	BY_NONE,     /* each location a row */
	BY_NODE,     /* the machine it ran on */
	BY_PROCESS,  /* threads of one process */
	BY_RANGE,    /* neighbouring ranks, a power of two in each group */
	BY_LIKENESS, /* similar shares of time (grouping.h) */
	GROUP_KEYS
};

enum row_order {
	ROWS_BY_RANK,
	ROWS_BY_MPI, /* largest share of MPI in the run first */
	ROW_ORDERS
};

struct pin {
	uint32_t location;
	bool group; /* the group that begins with it */
};

struct arrangement {
	enum group_key key;
	uint32_t range; /* ranks in a group by range; 0: so many that all groups fit */
	uint32_t fit;   /* rows on the screen, for range 0 and likeness; 0: 32 */
	enum row_order order;
	VEC(uint32_t) opened; /* first members of open groups */
	VEC(struct pin) pins;
	VEC(uint32_t) counters; /* metrics */
};

/* "none", "node", "process", "range", "likeness". */
const char *group_key_name(enum group_key key);
/* The key of a name of n bytes, GROUP_KEYS: none has it. */
enum group_key group_key_find(const char *name, size_t n);
/* The key and its number, by a text such as "node", "range", "range:64" (ranks in a group) or
 * "likeness:20" (groups at most); with a blank instead of the colon, too. The rest stays. False:
 * it is none. */
bool arrangement_group(struct arrangement *arrangement, const char *text);

void arrangement_fini(struct arrangement *arrangement);
bool arrangement_is_open(const struct arrangement *arrangement, uint32_t first);
/* Each switches one setting and returns the new state: open, pinned, shown. */
bool arrangement_toggle_open(struct arrangement *arrangement, uint32_t first);
bool arrangement_toggle_pin(struct arrangement *arrangement, uint32_t location, bool group);
bool arrangement_toggle_counter(struct arrangement *arrangement, uint32_t metric);
