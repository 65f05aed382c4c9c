#include "harness/graphs.h"

#include <stdlib.h>

#include "model/sums/profile.h"

/* Times of hostile traces are so large that sums stay at their limit. */
uint32_t graph_cycles(const struct graph *graph)
{
	uint32_t n = 0;

	for (uint32_t node = 0; node < graph_node_count(graph); node++) {
		const uint32_t cycle = graph_node(graph, node)->cycle;
		if (cycle != GRAPH_NONE && cycle >= n)
			n = cycle + 1;
	}
	return n;
}

static bool is_large(int64_t time)
{
	return time > INT64_MAX / 64 || time < INT64_MIN / 64;
}

static uint32_t parts_of(const struct graph *graph, uint32_t node, struct graph_part **parts)
{
	*parts = NULL;
	switch (graph_node(graph, node)->kind) {
	case GRAPH_KIND_PROCEDURE: return graph_callers(graph, node, UINT32_MAX, parts);
	case GRAPH_KIND_CALL: return graph_callees(graph, node, UINT32_MAX, parts);
	case GRAPH_KIND_COMMUNICATION: return graph_destinations(graph, node, UINT32_MAX, parts);
	default: return UINT32_MAX;
	}
}

static const char *parts_broken(const struct graph *graph, uint32_t node,
				const struct graph_values *whole)
{
	struct graph_part *parts;
	const uint32_t n = parts_of(graph, node, &parts);
	uint64_t count = 0;
	int64_t time = 0;

	if (n == UINT32_MAX)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		count += parts[i].values.count;
		time += parts[i].values.time;
	}
	free(parts);
	return count != whole->count || time != whole->time
		       ? "the parts of a node do not add up to it"
		       : NULL;
}

static const char *node_broken(const struct trace *trace, const struct graph *graph, uint32_t node)
{
	const struct graph_node *n = graph_node(graph, node);
	struct graph_values whole, sum = { 0 };
	struct graph_spread spread;

	graph_values(graph, node, &whole);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct graph_values v;
		graph_values_at(graph, node, l, &v);
		sum.count += v.count;
		sum.time += v.time;
		sum.trans += v.trans;
		sum.sync += v.sync;
		if (v.inner > v.count)
			return "more activations were inside others than there were";
		if (n->kind == GRAPH_KIND_COMMUNICATION && v.trans + v.sync > v.exclusive)
			return "a communication transmitted and waited longer than it took";
	}
	if (sum.count != whole.count || sum.time != whole.time || sum.trans != whole.trans ||
	    sum.sync != whole.sync)
		return "a node's locations do not add up to it";
	graph_spread(graph, node, &spread);
	if (spread.min > spread.max)
		return "a node's least location is more than its most";
	return parts_broken(graph, node, &whole);
}

static bool communicates(const struct trace *trace, uint32_t region)
{
	const uint8_t cls = trace_region(trace, region)->cls;

	return cls != CLASS_USER && cls != CLASS_OVERHEAD;
}

static int64_t profile_time(struct trace *trace)
{
	struct profile profile;
	int64_t time = 0;

	if (!profile_make(&profile, trace, BASE_MEASURED, PROFILE_REGION, NULL, 0, INT64_MIN,
			  INT64_MAX, NULL, NULL))
		return 0;
	for (uint32_t i = 0; i < profile.n; i++)
		if (communicates(trace, i))
			time += profile.rows[i].exclusive;
	profile_fini(&profile);
	return time;
}

static const char *sums_broken(struct trace *trace, const struct graph *graph)
{
	int64_t exclusive = 0, trans = 0, sync = 0, communication = 0;
	struct graph_origin origin;
	struct graph_values program;
	const char *broken = NULL;

	graph_origin(graph, &origin);
	graph_values(graph, GRAPH_PROGRAM, &program);
	if (is_large(program.time))
		return NULL;
	for (uint32_t node = 1; node < graph_node_count(graph) && !broken; node++) {
		const uint8_t kind = graph_node(graph, node)->kind;
		struct graph_values v;
		broken = node_broken(trace, graph, node);
		graph_values(graph, node, &v);
		exclusive += kind == GRAPH_KIND_CALL ? 0 : v.exclusive;
		if (kind == GRAPH_KIND_COMMUNICATION) {
			communication += v.exclusive;
			trans += v.trans;
			sync += v.sync;
		}
	}
	if (broken || origin.records || origin.limited)
		return broken;
	if (program.trans != trans || program.sync != sync)
		return "the program did not transmit and wait what its communications did";
	if (program.exclusive + exclusive != program.time)
		return "exclusive times do not add up to the traced time";
	return communication != profile_time(trace) ? "communication is not the profile's" : NULL;
}

static const char *shape_broken(const struct graph *graph)
{
	struct str path = STR_INIT;
	const char *broken = NULL;
	uint32_t n;

	for (uint32_t node = 1; node < graph_node_count(graph); node++) {
		const struct graph_node *at = graph_node(graph, node);
		path.n = 0;
		graph_path(graph, node, &path);
		(void)graph_name(graph, node);
		(void)graph_hottest(graph, node);
		if (at->parent >= graph_node_count(graph) ||
		    (at->callee != GRAPH_NONE &&
		     graph_node(graph, at->callee)->kind != GRAPH_KIND_PROCEDURE))
			broken = "a node stands in nothing, or calls what is no procedure";
		(void)graph_lines(graph, at->file, &n);
		if (at->line && n == 0)
			broken = "a node is not on its line";
	}
	str_fini(&path);
	for (uint32_t i = 0; i < graph_cycles(graph); i++) {
		(void)graph_cycle(graph, i, &n);
		if (n == 0)
			broken = "a cycle has no procedures";
	}
	return broken;
}

const char *graph_broken(struct trace *trace)
{
	const struct graph_options options = { .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = 1 };
	struct graph *graph = graph_new(trace, &options, NULL, NULL);
	const char *broken;

	if (!graph)
		return "no graph was made";
	broken = shape_broken(graph);
	if (!broken)
		broken = sums_broken(trace, graph);
	graph_free(graph);
	return broken;
}
