#include "views/facts/sizes.h"

#include "model/trace/keep.h"
#include "views/query/analyses.h"

static const char keep_name[] = "sizes";

static bool make_now(struct graph_sizes *sizes, const struct query *query)
{
	struct query whole = { .trace = query->trace,
			       .base = query->base,
			       .t0 = INT64_MIN,
			       .t1 = INT64_MAX,
			       .progress = query->progress };
	struct graph *graph = query_graph(&whole, NULL);

	if (graph)
		graph_sizes(graph, sizes);
	graph_free(graph);
	return graph != NULL;
}

bool sizes_make(struct graph_sizes *sizes, const struct query *query, bool wait)
{
	if (keep_get(query->trace, keep_name, 0, sizes, sizeof *sizes))
		return true;
	if (query->analyses
		    ? !analyses_sizes(query->analyses, query->base, wait, query->progress, sizes)
		    : !(wait && make_now(sizes, query)))
		return false;
	keep_put(query->trace, keep_name, 0, sizes, sizeof *sizes);
	return true;
}

void sizes_prepare(struct trace *trace, enum time_base base)
{
	const struct query query = { .trace = trace, .base = base };
	struct graph_sizes sizes;

	if (trace_base_make(trace, base, NULL, NULL))
		sizes_make(&sizes, &query, true);
}
