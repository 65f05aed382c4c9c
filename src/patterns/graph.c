#include "patterns/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct graph {
	const struct trace *trace;
	struct graph_node program;
};

struct graph *graph_new(const struct trace *trace, const struct graph_options *options,
			const struct progress *progress, struct err *err)
{
	struct graph *graph = xcalloc(1, sizeof *graph);

	(void)options;
	(void)progress;
	(void)err;
	graph->trace = trace;
	graph->program = (struct graph_node){ .kind = GRAPH_KIND_PROGRAM,
					      .parent = GRAPH_NONE,
					      .callee = GRAPH_NONE,
					      .statement = NO_STATEMENT,
					      .cycle = GRAPH_NONE };
	return graph;
}

void graph_free(struct graph *graph)
{
	free(graph);
}

void graph_origin(const struct graph *graph, struct graph_origin *origin)
{
	(void)graph;
	*origin = (struct graph_origin){ 0 };
}

const char *graph_kind_name(enum graph_kind kind)
{
	static const char *const names[] = {
		[GRAPH_KIND_PROGRAM] = "program",
		[GRAPH_KIND_PROCEDURE] = "procedure",
		[GRAPH_KIND_LOOP] = "loop",
		[GRAPH_KIND_CALL] = "call",
		[GRAPH_KIND_COMMUNICATION] = "communication",
	};

	return names[kind];
}

uint32_t graph_node_count(const struct graph *graph)
{
	(void)graph;
	return 1;
}

const struct graph_node *graph_node(const struct graph *graph, uint32_t node)
{
	(void)node;
	return &graph->program;
}

const uint32_t *graph_children(const struct graph *graph, uint32_t node, uint32_t *n)
{
	(void)graph;
	(void)node;
	*n = 0;
	return NULL;
}

const char *graph_name(const struct graph *graph, uint32_t node)
{
	(void)graph;
	(void)node;
	return "program";
}

void graph_path(const struct graph *graph, uint32_t node, struct str *out)
{
	(void)graph;
	(void)node;
	(void)out;
}

void graph_values(const struct graph *graph, uint32_t node, struct graph_values *values)
{
	(void)graph;
	(void)node;
	memset(values, 0, sizeof *values);
}

void graph_values_at(const struct graph *graph, uint32_t node, uint32_t location,
		     struct graph_values *values)
{
	(void)location;
	graph_values(graph, node, values);
}

void graph_spread(const struct graph *graph, uint32_t node, struct graph_spread *spread)
{
	(void)graph;
	(void)node;
	memset(spread, 0, sizeof *spread);
}

uint32_t graph_callers(const struct graph *graph, uint32_t procedure, uint32_t location,
		       struct graph_part **parts)
{
	(void)graph;
	(void)procedure;
	(void)location;
	*parts = NULL;
	return 0;
}

uint32_t graph_callees(const struct graph *graph, uint32_t call, uint32_t location,
		       struct graph_part **parts)
{
	return graph_callers(graph, call, location, parts);
}

uint32_t graph_destinations(const struct graph *graph, uint32_t communication, uint32_t location,
			    struct graph_part **parts)
{
	return graph_callers(graph, communication, location, parts);
}

uint32_t graph_hottest(const struct graph *graph, uint32_t node)
{
	(void)graph;
	(void)node;
	return GRAPH_NONE;
}

uint32_t graph_cycle_count(const struct graph *graph)
{
	(void)graph;
	return 0;
}

const uint32_t *graph_cycle(const struct graph *graph, uint32_t cycle, uint32_t *n)
{
	(void)graph;
	(void)cycle;
	*n = 0;
	return NULL;
}

void graph_cycle_values(const struct graph *graph, uint32_t cycle, struct graph_values *values)
{
	graph_values(graph, cycle, values);
}

const uint32_t *graph_lines(const struct graph *graph, uint32_t file, uint32_t *n)
{
	return graph_children(graph, file, n);
}

void graph_sizes(const struct graph *graph, struct graph_sizes *sizes)
{
	(void)graph;
	memset(sizes, 0, sizeof *sizes);
}
