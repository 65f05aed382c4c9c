/* match_search: the matches of a query's sequence on its locations, found in slices. They are those
 * of the whole run: a window chooses among them.
 *
 *	struct match_search *search = match_search_new(&query);
 *	while (match_search_work(search, 5000000))
 *		...
 *
 * The list, the sums by rank and the timeline are of one search. */
#pragma once

#include "views/query/view.h"

/* Borrows the sequence, the trace and the filter, which matches the locations, too. */
struct match_search *match_search_new(const struct query *query);
void match_search_free(struct match_search *search);
/* Whether it is of the query's sequence, base and filter. */
bool match_search_is_of(const struct match_search *search, const struct query *query);
/* Goes on for about so many ns of CPU time; true while there is more to do. */
bool match_search_work(struct match_search *search, int64_t nanoseconds);
bool match_search_ended(const struct match_search *search);
/* How much has been searched, 0 to 1, by events. */
double match_search_done(const struct match_search *search);
/* So far. */
size_t match_search_count(const struct match_search *search);
/* Those of a location, by begin; NULL without, or where they are not known yet. */
const struct sequence_match *match_search_at(const struct match_search *search, uint32_t location,
					     uint32_t *n);
struct found_match {
	struct sequence_match match;
	uint32_t place; /* of its location in the order of ranks */
};
typedef VEC(struct found_match) found_matches;

/* Appends the matches of the query that begin in its window, by location in the order of ranks: of
 * its search, as far as that is, or of one of its own. False: progress stopped it. */
bool matches_collect(const struct query *query, found_matches *matches);
