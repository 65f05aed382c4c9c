/* arrangement: how the rows of the timeline are put together: by what locations are grouped, which
 * groups are open, what is pinned to the top, in which order, which counters stand under their
 * locations. A value; the session owns one, a query borrows it.
 *
 * Rows are named by locations, so that an arrangement outlives any change of filter and hidden
 * rows: a group by its first member. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum group_key {
	BY_NONE,     /* each location a row */
	BY_NODE,     /* the machine it ran on */
	BY_PROCESS,  /* threads of one process */
	BY_RANGE,    /* neighbouring ranks, as many as are a power of two */
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
	uint32_t range; /* ranks a group by range; 0: as make all of them fit */
	uint32_t fit;   /* rows that are there to be fitted into, for range 0 and likeness; 0: 32 */
	enum row_order order;
	VEC(uint32_t) opened; /* first members of open groups */
	VEC(struct pin) pins;
	VEC(uint32_t) counters; /* metrics */
};

/* "none", "node", "process", "range", "likeness". */
const char *group_key_name(enum group_key key);
/* GROUP_KEYS when there is no such one. */
enum group_key group_key_find(const char *name);

void arrangement_fini(struct arrangement *arrangement);
bool arrangement_is_open(const struct arrangement *arrangement, uint32_t first);
/* Opens or closes; each tells what is so afterwards. */
bool arrangement_toggle_open(struct arrangement *arrangement, uint32_t first);
bool arrangement_toggle_pin(struct arrangement *arrangement, uint32_t location, bool group);
bool arrangement_toggle_counter(struct arrangement *arrangement, uint32_t metric);
