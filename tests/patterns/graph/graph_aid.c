#include "patterns/graph/graph_aid.h"

#include "harness/test.h"

const struct graph_options graph_whole = { .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = 1 };

struct graph *graph_of(const struct trace *t, const struct graph_options *options)
{
	struct err err = ERR_INIT;
	struct graph *graph = graph_new(t, options, NULL, &err);

	assert_non_null(graph);
	return graph;
}
