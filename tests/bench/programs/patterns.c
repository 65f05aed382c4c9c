/* Loads a trace, and says what finding its wait states costs (with the grid of its ranks
 * and the causes left to who asks for them), what the severities of the whole run and of a tenth of
 * it, what the causes and the run on an ideal network, before all that what its program graph
 * costs: CPU time, for some wall time; memory that the trace needs (store_mib), with the waits
 * (waits_mib more), with the causes (all_mib), and at most (peak_mib).
 *
 *	patterns FILE THREADS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "bench/programs/cost.h"
#include "model/formats/load.h"
#include "model/trace/message.h"
#include "patterns/causes/causes.h"
#include "patterns/graph/graph.h"
#include "patterns/patterns.h"

/* A line of /proc/self/status, in MiB. */
static double status_mib(const char *name)
{
	char line[128];
	double kib = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof line, status))
		if (strncmp(line, name, strlen(name)) == 0 &&
		    sscanf(line + strlen(name), ": %lf", &kib) == 1)
			break;
	if (status)
		fclose(status);
	return kib / 1024;
}

static bool cube_of(const struct analysis *a, int64_t t0, int64_t t1, const char *name,
		    struct err *err)
{
	const unsigned parts = CUBE_TIMES | CUBE_WAITS;
	const double before = cpu_ms();
	struct cube *cube = analysis_cube(a, t0, t1, parts, NULL, err);

	if (!cube)
		return false;
	printf("%s_ms %.1f\n", name, cpu_ms() - before);
	cube_free(cube);
	return true;
}

static bool time_causes(struct analysis *a, struct err *err)
{
	double cpu = cpu_ms();
	const double wall = ms_of(CLOCK_MONOTONIC);
	const struct causes *causes = causes_of(a, NULL, err);

	if (!causes)
		return false;
	printf("causes_ms %.1f\ncauses_wall_ms %.1f\nall_mib %.1f\npeak_mib %.1f\n", cpu_ms() - cpu,
	       ms_of(CLOCK_MONOTONIC) - wall, status_mib("VmRSS"), status_mib("VmHWM"));
	cpu = cpu_ms();
	if (!causes_ideal(causes, INT64_MIN, INT64_MAX, NULL, err))
		return false;
	printf("ideal_ms %.1f\n", cpu_ms() - cpu);
	return true;
}

static bool graph_of(const struct trace *trace, int jobs, struct err *err)
{
	const struct graph_options options = { .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = jobs };
	const double cpu = cpu_ms(), wall = ms_of(CLOCK_MONOTONIC), resident = status_mib("VmRSS");
	struct graph *graph = graph_new(trace, &options, NULL, err);
	struct graph_sizes sizes;

	if (!graph)
		return false;
	graph_sizes(graph, &sizes);
	printf("graph_ms %.1f\ngraph_wall_ms %.1f\ngraph_mib %.1f\ngraph_nodes %u\nrecords %llu\n"
	       "event_mib %.1f\nrecord_mib %.1f\n",
	       cpu_ms() - cpu, ms_of(CLOCK_MONOTONIC) - wall, status_mib("VmRSS") - resident,
	       graph_node_count(graph), (unsigned long long)sizes.records,
	       (double)sizes.event_bytes / (1 << 20), (double)sizes.record_bytes / (1 << 20));
	graph_free(graph);
	return true;
}

static bool measure(const struct trace *trace, int jobs, struct err *err)
{
	const struct analysis_options options = { .jobs = jobs };
	const double cpu = cpu_ms(), wall = ms_of(CLOCK_MONOTONIC), resident = status_mib("VmRSS");
	struct analysis *a = analysis_new(patterns, trace, BASE_MEASURED, &options, NULL, err);
	int64_t begin, end;
	size_t waits = 0;

	if (!a)
		return false;
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		size_t n;
		analysis_waits(a, l, &n);
		waits += n;
	}
	printf("waits_ms %.1f\nwaits_wall_ms %.1f\nwaits %zu\nwaits_mib %.1f\n", cpu_ms() - cpu,
	       ms_of(CLOCK_MONOTONIC) - wall, waits, status_mib("VmRSS") - resident);
	trace_span(trace, BASE_MEASURED, &begin, &end);
	if (!cube_of(a, INT64_MIN, INT64_MAX, "cube", err) ||
	    !cube_of(a, begin + (end - begin) / 2, begin + (end - begin) * 6 / 10, "window", err))
		return false;
	const bool done = time_causes(a, err);
	analysis_free(a);
	return done;
}

int main(int argc, char **argv)
{
	struct load_options options = { .no_cache = true };
	struct err err = ERR_INIT;
	struct trace *trace;
	double cpu, wall;

	if (argc < 3) {
		fputs("usage: patterns FILE THREADS\n", stderr);
		return 2;
	}
	options.jobs = atoi(argv[2]);
	heap_keep();
	cpu = cpu_ms();
	wall = ms_of(CLOCK_MONOTONIC);
	trace = trace_load(argv[1], &options, NULL, &err);
	if (trace)
		printf("events %llu\nmessages %u\nload_ms %.1f\nload_wall_ms %.1f\nstore_mib %.1f\n",
		       (unsigned long long)trace_event_count(trace), trace_message_count(trace),
		       cpu_ms() - cpu, ms_of(CLOCK_MONOTONIC) - wall, status_mib("VmRSS"));
	if (!trace || !graph_of(trace, atoi(argv[2]), &err) ||
	    !measure(trace, atoi(argv[2]), &err)) {
		fprintf(stderr, "patterns: %s\n", err.text);
		return 1;
	}
	trace_free(trace);
	return 0;
}
