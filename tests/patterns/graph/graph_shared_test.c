/* Processes that share a trace all have the graph that one has of all of it: its nodes, numbers by
 * location, callers, callees, destinations, and where it is from. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "harness/files.h"
#include "harness/load_trace.h"
#include "harness/owners.h"
#include "harness/processes.h"
#include "harness/random_trace.h"
#include "harness/rounds.h"
#include "harness/test.h"
#include "model/formats/load.h"
#include "model/formats/save.h"
#include "patterns/graph/graph.h"
#include "patterns/graph/graph_aid.h"
#include "patterns/graph/random_program.h"

enum { MOST = 8, SEEDS = 6, STEPS = 200 };

struct job {
	const char *path;
	char *said[MOST]; /* by each process */
};

/* ---- a graph as text ---- */

static void tell_values(FILE *out, const struct graph_values *v)
{
	fprintf(out, " %lu %lu %lu %lu %ld", v->count, v->inner, v->earlier, v->iterations,
		v->iterated);
	fprintf(out, " %ld %ld %ld %ld %ld %ld", v->time, v->exclusive, v->trans, v->sync, v->min,
		v->max);
	fprintf(out, " %a %a %lu %lu %lu %lu %lu", v->quickest, v->slowest, v->own, v->sent,
		v->received, v->told, v->carried);
	fprintf(out, " %ld %ld %a %u\n", v->estimated, v->estimated_own, v->caused, v->flags);
}

static void tell_parts(FILE *out, const struct graph *graph, uint32_t node)
{
	static uint32_t (*const asked[])(const struct graph *, uint32_t, uint32_t,
					 struct graph_part **) = { graph_callers, graph_callees,
								   graph_destinations };

	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		OWNED struct graph_part *parts = NULL;
		const uint32_t n = asked[i](graph, node, UINT32_MAX, &parts);
		for (uint32_t k = 0; k < n; k++) {
			fprintf(out, "part %u %d %u:", parts[k].node, parts[k].partner,
				parts[k].comm);
			tell_values(out, &parts[k].values);
		}
	}
}

static void tell_node(FILE *out, const struct graph *graph, uint32_t node, uint32_t locations)
{
	const struct graph_node *n = graph_node(graph, node);
	OWNED_STR path = STR_INIT;
	struct graph_values values;
	struct graph_spread s;

	graph_path(graph, node, &path);
	graph_values(graph, node, &values);
	fprintf(out, "%u %s %u %u %u %u:", node, path.text, n->kind, n->flags, n->callee, n->cycle);
	tell_values(out, &values);
	for (uint32_t l = 0; l < locations; l++) {
		graph_values_at(graph, node, l, &values);
		tell_values(out, &values);
	}
	graph_spread(graph, node, &s);
	fprintf(out, "%ld %ld %a %u %u %u, %u\n", s.min, s.max, s.mean, s.min_at, s.max_at, s.there,
		graph_hottest(graph, node));
	tell_parts(out, graph, node);
}

static void tell(FILE *out, const struct trace *trace, const struct graph_options *options)
{
	struct graph *graph = graph_new(trace, options, NULL, NULL);
	struct graph_origin origin;
	struct graph_sizes sizes;

	graph_origin(graph, &origin);
	graph_sizes(graph, &sizes);
	fprintf(out, "%d %d %d %d %lu %lu %lu\n", origin.records, origin.whole, origin.tables,
		origin.incomplete, sizes.events, sizes.event_bytes, sizes.records);
	for (uint32_t node = 0; node < graph_node_count(graph); node++)
		tell_node(out, graph, node, trace_location_count(trace));
	graph_free(graph);
}

static void body(struct exchange *x, void *context)
{
	static const uint32_t two[] = { 0, 1 };
	struct job *job = context;
	const struct load_options how = { .exchange = x, .no_cache = true, .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(job->path, &how, NULL, &err);
	struct graph_options options = graph_whole;
	int64_t begin, end;
	size_t size;
	FILE *out = open_memstream(&job->said[exchange_process(x)], &size);

	if (trace) {
		tell(out, trace, &options);
		trace_span(trace, BASE_MEASURED, &begin, &end);
		options.t0 = begin + (end - begin) / 4;
		options.t1 = begin + (end - begin) / 4 * 3;
		tell(out, trace, &options);
		options.locations = two;
		options.n_locations = trace_location_count(trace) < 2 ? 0 : 2;
		tell(out, trace, &options);
	}
	trace_free(trace);
	fclose(out);
}

/* ---- the traces ---- */

static void assert_shared(const char *path)
{
	struct job job = { .path = path };
	OWNED_STR alone = STR_INIT;

	processes_run(1, body, &job);
	str_add(&alone, job.said[0]);
	free(job.said[0]);
	assert_true(alone.n > 0);
	for (uint32_t n = 2; n <= MOST; n += n < 3 ? 1 : 5)
		for (uint32_t p = (processes_run(n, body, &job), 0); p < n; p++) {
			if (strcmp(job.said[p], alone.text) != 0)
				fail_msg("%s: process %u of %u has another graph", path, p, n);
			free(job.said[p]);
		}
}

static void assert_random(struct trace *trace)
{
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT;
	struct err err = ERR_INIT;

	folder_make(folder, "graphs");
	str_add_fmt(&path, "%s/run.otf2", folder);
	if (!trace_save(trace, SAVE_OTF2, path.text, NULL, NULL, NULL, &err))
		fail_msg("%s", err.text);
	trace_free(trace);
	assert_shared(path.text);
	folder_remove(folder);
}

TEST(random_traces_have_one_graph)
{
	for (uint64_t seed = 1; seed <= rounds(SEEDS); seed++)
		assert_random(random_trace_of_messages(seed, STEPS, 1000000000, seed % 2));
}

/* Records are definitions: all processes have those of all. */
TEST(programs_with_records_have_one_graph)
{
	for (uint64_t seed = 1; seed <= rounds(SEEDS); seed++) {
		assert_random(random_program(seed, 5, false, true));
		assert_random(random_program(seed, 5, true, true));
	}
}

TEST_OF_FILES("traces/*.trc", one_graph)
{
	assert_shared(path);
}
