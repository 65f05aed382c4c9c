#include "views/query/query_profile.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/sums/moves.h"

bool profile_row_is_empty(const struct profile_row *row)
{
	return !row->count && !row->inclusive && !row->exclusive;
}

static void add_visits(struct profile_row *sum, const struct profile_row *part)
{
	if (part->count) {
		if (!sum->count || part->min < sum->min)
			sum->min = part->min;
		if (!sum->count || part->max > sum->max)
			sum->max = part->max;
	}
	sum->count += part->count;
	sum->exclusive += part->exclusive;
	sum->estimated.exclusive += part->estimated.exclusive;
	sum->estimated.visits += part->estimated.visits;
	sum->visit_sum += part->visit_sum;
}

/* True if the filter lets an outer visit of the same region on this path pass: its inclusive time
 * contains that of the inner one. */
static bool counted_outside(const struct query *query, uint32_t location, uint32_t path)
{
	const uint32_t region = trace_callpath_region(query->trace, path);

	for (uint32_t p = trace_callpath(query->trace, path)->parent; p;
	     p = trace_callpath(query->trace, p)->parent)
		if (trace_callpath_region(query->trace, p) == region &&
		    filter_callpath(query->filter, location, p))
			return true;
	return false;
}

static void add_filtered(struct profile *sum, const struct profile *paths,
			 const struct query *query, uint32_t location, bool by_path)
{
	for (uint32_t p = 1; p < paths->n; p++) {
		const struct profile_row *part = &paths->rows[p];
		struct profile_row *row;
		if (profile_row_is_empty(part) || !filter_callpath(query->filter, location, p))
			continue;
		row = &sum->rows[by_path ? p : trace_callpath_region(query->trace, p)];
		if (by_path || !counted_outside(query, location, p)) {
			row->inclusive += part->inclusive;
			row->estimated.inclusive += part->estimated.inclusive;
		}
		add_visits(row, part);
	}
}

static bool filtered_profile(struct profile *sum, const struct query *query, bool by_path,
			     const uint32_t *locations, size_t n, struct err *err)
{
	sum->n = by_path ? trace_callpath_count(query->trace) : trace_region_count(query->trace);
	sum->rows = xcalloc(sum->n, sizeof *sum->rows);
	for (size_t i = 0; i < n; i++) {
		struct profile paths;
		if (!filter_location(query->filter, locations[i]))
			continue;
		if (!profile_make(&paths, query->trace, query->base, PROFILE_CALLPATH,
				  &locations[i], 1, query->t0, query->t1, query->progress, err)) {
			profile_fini(sum);
			return false;
		}
		add_filtered(sum, &paths, query, locations[i], by_path);
		profile_fini(&paths);
	}
	return true;
}

bool query_profile(struct profile *profile, const struct query *query, enum profile_key key,
		   const uint32_t *locations, size_t n, struct err *err)
{
	if (filter_by_visit(query->filter))
		return profile_make_visits(profile, query->trace, query->base, key, locations, n,
					   query->t0, query->t1, query->filter, query->progress);
	if (query->filter)
		return filtered_profile(profile, query, key == PROFILE_CALLPATH, locations, n, err);
	return profile_make(profile, query->trace, query->base, key, locations, n, query->t0,
			    query->t1, query->progress, err);
}

struct query query_in_base(const struct query *query, enum time_base base, uint32_t location)
{
	struct query other = *query;

	other.base = base;
	if (query->t0 != INT64_MIN)
		other.t0 = moves_map(query->trace, query->base, base, location, query->t0);
	if (query->t1 != INT64_MAX)
		other.t1 = moves_map(query->trace, query->base, base, location, query->t1);
	return other;
}
