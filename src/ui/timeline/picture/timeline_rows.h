/* timeline_rows: the rows of the timeline, all of them: locations, groups of locations, counters.
 * Made of a query: its locations, as far as its filter takes them, put together by its arrangement.
 *
 * A group of one member is that location. Streams of a device follow their host, members of an open
 * group the group, counters the location or group that they belong to, those of a location that has
 * nothing else its host. Pinned rows come first, and are left out further down. A
 * group's sums have all of its members, open or not, pinned or not. */
#pragma once

#include "ui/timeline/picture/timeline_hosts.h"
#include "views/facts/timeline_shade.h"
#include "views/query/grouping.h"

#define NO_GROUP UINT32_MAX

enum row_kind { ROW_LOCATION, ROW_GROUP, ROW_COUNTER };

struct timeline_row {
	uint8_t kind;      /* enum row_kind */
	bool open;         /* ROW_GROUP: its members follow it */
	bool under;        /* it belongs to a row above: of its group, of its host */
	bool of_group;     /* ROW_COUNTER: of all members of the group */
	uint32_t location; /* of a group its first member */
	uint32_t group;    /* that it is, or is a member of; NO_GROUP without groups */
	uint32_t metric;   /* ROW_COUNTER */
};

struct timeline_rows {
	const struct trace *trace; /* borrowed */
	VEC(struct timeline_row) list;
	uint32_t pinned;      /* so many rows at the top stay where they are */
	uint32_t n_locations; /* that rows are made of */
	uint32_t *locations;  /* [n_locations] in display order */
	uint32_t *hosts;      /* [locations of the trace] (timeline_hosts.h) */
	struct timeline_hosted hosted;
	struct grouping grouping;        /* of them; no groups where the key is BY_NONE */
	uint32_t *group_of;              /* [locations of the trace], NO_GROUP */
	const struct counters *counters; /* NULL: none are shown */
	float *mpi; /* [locations of the trace] share of MPI in the run; NULL where the
				     order does not need it */
};

/* The rows must be zeroed or made before. False with err when a shading cannot be made. */
bool timeline_rows_make(struct timeline_rows *rows, const struct query *query,
			struct timeline_shades *shades, struct err *err);
void timeline_rows_fini(struct timeline_rows *rows);

/* The row of a location: its own, or its group's where that is closed or `group` is wanted; of a
 * counter where `metric` is not UINT32_MAX and there is such a row. 0 where there is none. */
uint32_t timeline_rows_find(const struct timeline_rows *rows, uint32_t location, bool group,
			    uint32_t metric);
/* The locations that a row shows (of a counter, those under the same heading, whether they record
 * it or not). */
const uint32_t *timeline_row_members(const struct timeline_rows *rows,
				     const struct timeline_row *row, uint32_t *n);
