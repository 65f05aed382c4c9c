/* profile_counters: columns of the profile for what counters counted in each row (tvrun --counters,
 * PAPI in traces of OTF2): of each accumulated metric its growth in the exclusive and in the
 * inclusive time of the row's visits.
 *
 *	n = FIXED + profile_counters_begin(&counters, query, columns + FIXED);
 *	profile_counters_add(&counters, query, key, locations, n);	for some locations
 *	row.counts = profile_counters_row(&counters, key);		for each row of these
 *	profile_counters_cells(&counters, row.counts, scale, values + FIXED); */
#pragma once

#include "base/str.h"
#include "model/sums/profile.h"
#include "views/query/table.h"
#include "views/query/view.h"

/* The first so many metrics have columns. */
enum { PROFILE_COUNTERS_MOST = 8, PROFILE_COUNTER_COLUMNS = 2 * PROFILE_COUNTERS_MOST };
#define NO_COUNTS SIZE_MAX

struct profile_counters {
	struct counters *counters; /* NULL: no chosen location has an accumulated metric */
	uint32_t n;
	uint32_t metric[PROFILE_COUNTERS_MOST];
	struct str name[PROFILE_COUNTERS_MOST], inclusive[PROFILE_COUNTERS_MOST],
		exclusive[PROFILE_COUNTERS_MOST]; /* of the columns */
	enum column_type type[PROFILE_COUNTERS_MOST];
	struct profile_counts latest; /* of profile_counters_add() */
	VEC(double) rows;             /* 2 * n each: exclusive and inclusive */
};

/* Fills in the columns; returns how many. */
unsigned profile_counters_begin(struct profile_counters *c, const struct query *query,
				struct column *columns);
void profile_counters_fini(struct profile_counters *c);
/* Counts for these locations, of all processes of `x`; false if progress stopped it. */
struct exchange;
bool profile_counters_add(struct profile_counters *c, const struct query *query,
			  enum profile_key key, const uint32_t *locations, size_t n,
			  struct exchange *x);
/* Keeps what was counted there for a region or call path. */
size_t profile_counters_row(struct profile_counters *c, uint32_t key);
/* Keeps what all processes kept; returns how far the rows of this one have moved. */
size_t profile_counters_share(struct profile_counters *c, struct exchange *x);
void profile_counters_cells(const struct profile_counters *c, size_t row,
			    const struct timescale *scale, struct value *values);
