#include "views/facts/graph_time.h"

struct time_parts graph_time_whole(const struct query *query, const struct graph *graph)
{
	struct graph_values program;
	struct graph_origin origin;

	graph_origin(graph, &origin);
	if (!origin.records)
		return query_time(query);
	graph_values(graph, GRAPH_PROGRAM, &program);
	return (struct time_parts){ .hosts = (double)program.time };
}

struct time_parts graph_time_parts(const struct graph *graph, uint32_t node, int64_t ticks,
				   struct time_parts whole)
{
	const double time = (double)ticks;
	struct time_parts parts = { 0 };
	bool hosts = true, streams = false;

	if (whole.streams > 0)
		graph_presence(graph, node, &hosts, &streams);
	if (streams)
		parts.streams = hosts ? time / 2 : time;
	parts.hosts = time - parts.streams;
	return parts;
}

double graph_time_share(const struct graph *graph, uint32_t node, int64_t ticks,
			struct time_parts whole)
{
	return time_share(graph_time_parts(graph, node, ticks, whole), whole);
}
