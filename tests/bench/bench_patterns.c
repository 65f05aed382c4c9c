/* Wait states, program graph, and severities of the whole run and of a window, against loading the
 * same trace. */
#include <stdio.h>

#include "bench/bench.h"

enum { ROUNDS = 3 };

static void patterns_row(const struct bench *bench, const char *events, const char *locations)
{
	char path[PATH], program[PATH], name[64];
	const char *const argv[] = { program, path, "1", NULL };
	static struct run run;
	double load[ROUNDS], waits[ROUNDS], cube[ROUNDS], window[ROUNDS], ratio[ROUNDS],
		causes[ROUNDS], causes_ratio[ROUNDS], ideal[ROUNDS], graph[ROUNDS],
		graph_ratio[ROUNDS];

	bench_program(bench, "tests/bench/programs/patterns", program);
	if (!bench_trace(bench, events, locations, true, path))
		return;
	for (int i = 0; i < ROUNDS; i++) {
		if (!process_run(&run, argv)) {
			row(path, "", "the program failed");
			return;
		}
		load[i] = run_value(&run, "load_ms ");
		waits[i] = run_value(&run, "waits_ms ");
		cube[i] = run_value(&run, "cube_ms ");
		window[i] = run_value(&run, "window_ms ");
		ratio[i] = (waits[i] + cube[i]) / load[i];
		causes[i] = run_value(&run, "causes_ms ");
		causes_ratio[i] = causes[i] / load[i];
		ideal[i] = run_value(&run, "ideal_ms ");
		graph[i] = run_value(&run, "graph_ms ");
		graph_ratio[i] = graph[i] / load[i];
	}
	snprintf(name, sizeof name, "OTF2 %s, %s locations", events, locations);
	row(name, "<= 1x",
	    "load %.0f, waits %.0f, cube %.0f, of a tenth %.0f ms: %.2fx; %.0f waits, %.0f MiB",
	    quantile(load, ROUNDS, 0.5), quantile(waits, ROUNDS, 0.5), quantile(cube, ROUNDS, 0.5),
	    quantile(window, ROUNDS, 0.5), quantile(ratio, ROUNDS, 0.5), run_value(&run, "waits "),
	    run_value(&run, "waits_mib "));
	snprintf(name, sizeof name, "  program graph");
	row(name, "<= 1x",
	    "%.0f ms: %.2fx; %.0f nodes; events as captured %.1f MiB, records %.2f MiB; %.0f MiB",
	    quantile(graph, ROUNDS, 0.5), quantile(graph_ratio, ROUNDS, 0.5),
	    run_value(&run, "graph_nodes "), run_value(&run, "event_mib "),
	    run_value(&run, "record_mib "), run_value(&run, "graph_mib "));
	snprintf(name, sizeof name, "  their causes");
	row(name, "<= 1x", "%.0f ms: %.2fx; on an ideal network %.0f ms; at most %.0f MiB",
	    quantile(causes, ROUNDS, 0.5), quantile(causes_ratio, ROUNDS, 0.5),
	    quantile(ideal, ROUNDS, 0.5), run_value(&run, "peak_mib "));
}

void bench_patterns(const struct bench *bench)
{
	row_heading("Wait states and severities, against loading, one thread");
	patterns_row(bench, "1M", "16");
	patterns_row(bench, "10M", "16");
	patterns_row(bench, "10M", "1024");
	patterns_row(bench, "5M", "10000");
	if (bench->full)
		patterns_row(bench, "50M", "16");
}
