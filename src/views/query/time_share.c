#include "views/query/time_share.h"

#include "views/query/view_common.h"

void time_parts_add(struct time_parts *parts, const struct location *location, double ticks)
{
	if (location_runs_code(location))
		parts->hosts += ticks;
	else if (location_has_states(location))
		parts->streams += ticks;
}

struct time_parts query_time(const struct query *query)
{
	struct time_parts parts = { 0 };
	int64_t t0, t1;

	query_span(query, &t0, &t1);
	for (uint32_t i = 0; i < query_location_count(query); i++)
		time_parts_add(&parts, trace_location(query->trace, query_location(query, i)),
			       (double)(t1 - t0));
	return parts;
}

double time_share(struct time_parts part, struct time_parts whole)
{
	const double of =
		(part.hosts != 0 ? whole.hosts : 0) + (part.streams != 0 ? whole.streams : 0);

	return of > 0 ? (part.hosts + part.streams) / of : 0;
}

const char *time_share_of(struct time_parts part, struct time_parts whole)
{
	if (part.streams == 0 || whole.hosts == 0)
		return "total time";
	return part.hosts == 0 ? "the streams' time" : "total time and the streams'";
}
