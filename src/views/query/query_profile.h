/* query_profile: profiles of the visits that a query lets pass.
 *
 * With a filter that definitions decide (region, class, rank, call path) the rows are summed from
 * call paths, location by location; one about single visits (dur, time) asks each. */
#pragma once

#include "model/sums/profile.h"
#include "views/query/view.h"

/* Of these locations, in the base and window of the query. False with err, or stopped. */
bool query_profile(struct profile *profile, const struct query *query, enum profile_key key,
		   const uint32_t *locations, size_t n, struct err *err);
bool profile_row_is_empty(const struct profile_row *row);
/* The query in another base: its window is where the events of a location are there. */
struct query query_in_base(const struct query *query, enum time_base base, uint32_t location);
