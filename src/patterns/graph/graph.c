#include "patterns/graph/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "patterns/analysis/analysis.h"
#include "patterns/graph/graph_state.h"

/* PICL's event type of a full buffer. */
enum { PICL_TRACE_FULL = -913 };

/* ---- construction ---- */

static void choose(struct graph *graph)
{
	const uint32_t locations = trace_location_count(graph->trace);
	const struct graph_options *o = &graph->options;

	graph->chosen = xcalloc(locations + 1, sizeof *graph->chosen);
	for (uint32_t i = 0; o->locations && i < o->n_locations; i++)
		if (o->locations[i] < locations)
			graph->chosen[o->locations[i]] = true;
	for (uint32_t l = 0; l < locations; l++) {
		graph->chosen[l] |= !o->locations;
		graph->n_chosen += graph->chosen[l];
	}
}

static bool is_kind(const char *value, const char *kind)
{
	const size_t n = strlen(kind);

	return !strncmp(value, kind, n) && value[n] == ' ';
}

/* From some time on functions were not recorded, or up to some time no event was kept (property
 * `lacks`, doc/format.md). */
static bool lacks_visits(const struct trace *trace)
{
	for (size_t i = 0; i < trace_property_count(trace); i++) {
		const struct property *p = trace_property(trace, i);
		const char *value = trace_string(trace, p->value);
		if (strcmp(trace_string(trace, p->key), "lacks") != 0)
			continue;
		if (is_kind(value, "functions") || is_kind(value, "earlier") ||
		    (is_kind(value, "switched") && strstr(value, " functions")))
			return true;
	}
	return false;
}

static bool lacks_events(const struct trace *trace)
{
	if (trace_partial(trace)->is || lacks_visits(trace))
		return true;
	for (uint32_t i = 0; i < trace_site_count(trace); i++)
		if (trace_site(trace, i)->picl == PICL_TRACE_FULL)
			return true;
	return false;
}

/* A trace recorded without events may still have marks, and calls that were open at its end. */
static bool has_events(const struct trace *trace)
{
	return trace_callpath_count(trace) > 1 && !trace_records_alone(trace);
}

static void decide_origin(struct graph *graph)
{
	const bool records = trace_statement_record_count(graph->trace) > 0;
	const bool lacks = lacks_events(graph->trace);

	graph->origin.records = records && (graph->options.records || !has_events(graph->trace) ||
					    (lacks && graph->whole));
	graph->origin.whole = graph->origin.records && !graph->whole;
	graph->origin.incomplete = lacks && !graph->origin.records;
}

static bool some_are_limited(const struct trace *trace)
{
	for (size_t i = 0; i < trace_statement_record_count(trace); i++)
		if (trace_statement_record(trace, i)->flags & RECORD_LIMITED)
			return true;
	return false;
}

/* False: stopped, or err. */
static bool from_events(struct graph *graph, const struct progress *progress, struct err *err)
{
	const struct graph_ready *ready = graph_ready(graph, progress, err);
	bool ok;

	if (!ready)
		return false;
	ok = graph->origin.records || graph_walk(graph, ready, progress);
	analysis_free(ready->analysis);
	if (ok && !graph->origin.records) {
		graph_gather(graph);
		graph_rows_copy(graph);
	}
	return ok;
}

static bool make_rows(struct graph *graph, const struct progress *progress, struct err *err)
{
	graph->made = xcalloc(trace_location_count(graph->trace) + 1, sizeof *graph->made);
	if (!graph->origin.records)
		graph_places_make(graph);
	if (has_events(graph->trace) && !graph_rows_kept(graph) &&
	    !from_events(graph, progress, err))
		return false;
	if (graph->origin.records)
		graph_records_take(graph);
	else if (graph->whole)
		graph_records_complete(graph);
	else
		graph->origin.incomplete |= some_are_limited(graph->trace);
	if (!graph->origin.records)
		graph_lines_tell(graph);
	graph_unmeasured_make(graph);
	if (graph->origin.records)
		graph_records_program(graph);
	free(graph->places);
	graph->places = NULL;
	return true;
}

/* Without records in the trace a row is one in capture's form. */
static void make_sizes(struct graph *graph)
{
	graph_sizes_of_trace(graph->trace, graph->chosen, &graph->sizes);
	if (!has_events(graph->trace))
		graph->sizes.events = graph->sizes.event_bytes = 0;
	if (graph->sizes.records)
		return;
	graph->sizes.records = graph->n - (graph->start[1] - graph->start[0]);
	graph->sizes.record_bytes = graph->sizes.records * GRAPH_RECORD_BYTES;
}

struct graph *graph_new(const struct trace *trace, const struct graph_options *options,
			const struct progress *progress, struct err *err)
{
	struct graph *graph = xcalloc(1, sizeof *graph);
	const struct progress whole = progress_whole(progress);

	graph->trace = trace;
	graph->options = *options;
	graph->jobs = jobs_count(options->jobs);
	graph->whole = options->t0 == INT64_MIN && options->t1 == INT64_MAX && !options->filter;
	choose(graph);
	graph_nodes_make(graph);
	decide_origin(graph);
	if (!make_rows(graph, &whole, err)) {
		graph_free(graph);
		return NULL;
	}
	graph_cycles_make(graph);
	if (graph->origin.records)
		graph_records_share(graph);
	graph_order_make(graph);
	graph->origin.unsplit = graph->origin.records && has_events(graph->trace);
	if (graph->origin.unsplit)
		graph_unsplit_mark(graph);
	make_sizes(graph);
	graph->options.locations = NULL;
	graph->options.filter = NULL;
	return graph;
}

struct graph *graph_share(const struct graph *graph)
{
	struct graph *shared = (struct graph *)(uintptr_t)graph;

	if (shared)
		shared->sharers++;
	return shared;
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	if (graph->sharers) {
		graph->sharers--;
		return;
	}
	for (uint32_t l = 0; graph->made && l < trace_location_count(graph->trace); l++)
		vec_fini(&graph->made[l]);
	free(graph->made);
	vec_fini(&graph->nodes);
	vec_fini(&graph->piece.bytes);
	vec_fini(&graph->owner);
	free_all(graph->chosen, graph->places, graph->rows, graph->start, graph->group,
		 graph->totals, graph->cycle_totals, graph->by_line, graph->name);
	str_fini(&graph->names);
	lists_fini(&graph->entries);
	lists_fini(&graph->children);
	lists_fini(&graph->cycles);
	free(graph);
}

/* ---- nodes ---- */

void graph_origin(const struct graph *graph, struct graph_origin *origin)
{
	*origin = graph->origin;
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
	return (uint32_t)graph->nodes.n;
}

const struct graph_node *graph_node(const struct graph *graph, uint32_t node)
{
	assert(node < graph->nodes.n);
	return graph_at(graph, node);
}

const char *graph_name(const struct graph *graph, uint32_t node)
{
	if (node == GRAPH_PROGRAM)
		return "program";
	if (graph->name[node] != SIZE_MAX)
		return graph->names.text + graph->name[node];
	return trace_string(graph->trace, graph_at(graph, node)->name);
}

void graph_path(const struct graph *graph, uint32_t node, struct str *out)
{
	OWNED_VEC(uint32_t) nodes = VEC_INIT;

	for (; node != GRAPH_PROGRAM && node != GRAPH_NONE && nodes.n < GRAPH_PATH_LEVELS;
	     node = graph_at(graph, node)->parent)
		vec_push(&nodes, node);
	if (node != GRAPH_PROGRAM && node != GRAPH_NONE)
		str_add(out, ".../");
	while (nodes.n) {
		const uint32_t at = vec_pop(&nodes);
		const struct graph_node *n = graph_at(graph, at);
		const char *name = graph_name(graph, at);
		str_add_clean(out, name, strlen(name));
		if (n->line && n->kind != GRAPH_KIND_PROCEDURE)
			str_add_fmt(out, ":%u", n->line);
		if (nodes.n)
			str_add_char(out, '/');
	}
}

const uint32_t *graph_lines(const struct graph *graph, uint32_t file, uint32_t *n)
{
	const uint32_t nodes = (uint32_t)graph->nodes.n;
	uint32_t low = 0, high = nodes, end;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct graph_node *node = graph_at(graph, graph->by_line[middle]);
		if (node->file < file || (node->file == file && node->line == 0))
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < nodes && graph_at(graph, graph->by_line[end])->file == file;)
		end++;
	*n = end - low;
	return graph->by_line + low;
}

const uint32_t *graph_cycle(const struct graph *graph, uint32_t cycle, uint32_t *n)
{
	return lists_of(&graph->cycles, cycle, n);
}

void graph_sizes(const struct graph *graph, struct graph_sizes *sizes)
{
	*sizes = graph->sizes;
}
