/* query_profile: profiles of the visits that match a query.
 *
 * With a filter on definitions (region, class, rank, call path) the rows are summed from call
 * paths, location by location; a filter on single visits (dur, time) is applied to each visit. */
#pragma once

#include "model/sums/profile.h"
#include "views/query/view.h"

/* For these locations, in the base and window of the query; where several processes share the
 * trace, for those whose events this one has (profile_share()). False with err, or with err
 * untouched if progress stopped it. */
bool query_profile(struct profile *profile, const struct query *query, enum profile_key key,
		   const uint32_t *locations, size_t n, struct err *err);
bool profile_row_is_empty(const struct profile_row *row);
/* The query in another base: its window has the same events of the location. */
struct query query_in_base(const struct query *query, enum time_base base, uint32_t location);
