#include "views/facts/source_place.h"

#include <string.h>

static bool set(struct source_place *place, uint32_t file, uint32_t line)
{
	*place = file ? (struct source_place){ file, line, GRAPH_NONE } : SOURCE_NOWHERE;
	return file != 0;
}

bool source_is_file(const struct trace *trace, uint32_t file, uint32_t line)
{
	const char *path = trace_string(trace, file);

	return *path && (line || strchr(path, '.') || strchr(path, '/'));
}

bool source_of_region(const struct trace *trace, uint32_t region, struct source_place *place)
{
	const struct region *r =
		region < trace_region_count(trace) ? trace_region(trace, region) : NULL;
	const bool is = r && source_is_file(trace, r->file, r->line);

	return set(place, is ? r->file : 0, is ? r->line : 0);
}

/* The last call of a path, without its callers. */
static bool last_call(const struct trace *trace, uint32_t path, struct source_place *place)
{
	const struct site *site = trace_site(trace, trace_callpath(trace, path)->site);

	return (site->line && set(place, site->file, site->line)) ||
	       source_of_region(trace, site->region, place);
}

bool source_of_callpath(const struct trace *trace, uint32_t path, struct source_place *place)
{
	enum { LEVELS = 1000 };

	if (path >= trace_callpath_count(trace))
		return set(place, 0, 0);
	for (int i = 0; i < LEVELS && path; i++) {
		if (last_call(trace, path, place))
			return true;
		path = trace_callpath(trace, path)->parent;
	}
	return set(place, 0, 0);
}

uint32_t source_caller(const struct trace *trace, uint32_t path)
{
	struct source_place place, own;
	uint32_t caller = path;

	if (!source_of_callpath(trace, path, &place) || last_call(trace, path, &own))
		return UINT32_MAX;
	do
		caller = trace_callpath(trace, caller)->parent;
	while (!last_call(trace, caller, &own));
	return caller;
}

bool source_of_node(const struct graph *graph, uint32_t node, struct source_place *place)
{
	const struct graph_node *n =
		node < graph_node_count(graph) ? graph_node(graph, node) : NULL;
	const bool is = set(place, n ? n->file : 0, n ? n->line : 0);

	place->node = is ? node : GRAPH_NONE;
	return is;
}
