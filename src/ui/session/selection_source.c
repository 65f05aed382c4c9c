/* Statements of the program graph and lines of source, as selections and of them. */
#include "ui/session/selection.h"

/* A call path of a region that is called at a line; UINT32_MAX: none. */
static uint32_t called_at(const struct trace *trace, uint32_t name, uint32_t file, uint32_t line)
{
	for (uint32_t path = 1; path < trace_callpath_count(trace); path++) {
		const struct callpath *c = trace_callpath(trace, path);
		const struct site *site = trace_site(trace, c->site);

		if (c->canon == path && trace_region(trace, site->region)->name == name &&
		    site->file == file && site->line == line)
			return path;
	}
	return UINT32_MAX;
}

static uint32_t region_named(const struct trace *trace, uint32_t name, uint32_t file)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t r = 0; r < trace_region_count(trace); r++) {
		const struct region *region = trace_region(trace, r);

		if (region->name != name)
			continue;
		if (region->file == file)
			return r;
		found = found == UINT32_MAX ? r : found;
	}
	return found;
}

void selection_of_node(struct selection *s, const struct query *query, const struct graph *graph,
		       uint32_t node)
{
	const struct graph_node *n =
		node < graph_node_count(graph) ? graph_node(graph, node) : NULL;

	if (!n || n->kind == GRAPH_KIND_PROGRAM)
		return;
	source_of_node(graph, node, &s->place);
	if (n->kind == GRAPH_KIND_CALL && n->callee != GRAPH_NONE) {
		s->path = called_at(query->trace, graph_node(graph, n->callee)->name, n->file,
				    n->line);
		n = graph_node(graph, n->callee);
	} else if (n->kind == GRAPH_KIND_COMMUNICATION) {
		s->path = called_at(query->trace, n->name, n->file, n->line);
	}
	s->region = s->path != UINT32_MAX ? trace_callpath_region(query->trace, s->path)
					  : region_named(query->trace, n->name, n->file);
}

static bool is_call_of(const struct graph_node *n, const struct selection *s,
		       const struct trace *trace)
{
	const struct site *site;

	if (s->path == UINT32_MAX || s->path == 0 || n->kind != GRAPH_KIND_COMMUNICATION)
		return false;
	site = trace_site(trace, trace_callpath(trace, s->path)->site);
	return n->file == site->file && n->line == site->line;
}

uint32_t selection_node(const struct selection *s, const struct trace *trace,
			const struct graph *graph)
{
	uint32_t found = GRAPH_NONE;

	if (s->place.node < graph_node_count(graph) && s->place.file) {
		const struct graph_node *n = graph_node(graph, s->place.node);

		if (n->file == s->place.file && n->line == s->place.line)
			return s->place.node;
	}
	if (s->region == UINT32_MAX)
		return GRAPH_NONE;
	for (uint32_t node = 1; node < graph_node_count(graph); node++) {
		const struct graph_node *n = graph_node(graph, node);

		if (n->name != trace_region(trace, s->region)->name || n->kind == GRAPH_KIND_CALL)
			continue;
		if (is_call_of(n, s, trace))
			return node;
		if (found == GRAPH_NONE)
			found = node;
	}
	return found;
}

bool selection_source(const struct selection *s, const struct trace *trace,
		      struct source_place *place, uint32_t *caller)
{
	uint32_t path = s->path;

	*caller = UINT32_MAX;
	if (s->place.file) {
		*place = s->place;
		return true;
	}
	if (path == UINT32_MAX && s->region != UINT32_MAX) {
		if (source_of_region(trace, s->region, place))
			return true;
		for (uint32_t p = trace_callpath_count(trace); p-- > 1;)
			if (trace_callpath_region(trace, p) == s->region)
				path = p;
	}
	if (path == UINT32_MAX || !source_of_callpath(trace, path, place)) {
		*place = SOURCE_NOWHERE;
		return false;
	}
	*caller = source_caller(trace, path);
	return true;
}
