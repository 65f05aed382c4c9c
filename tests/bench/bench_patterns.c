/* Wait states, program graph, and severities of the whole run and of a window, against loading the
 * same trace. */
#include <stdio.h>

#include "bench/bench.h"

enum { ROUNDS = 3 };

static void patterns_row(const struct bench *bench, const char *events, const char *locations)
{
	char path[PATH], program[PATH], name[64];
	const char *const argv[] = { program, path, "1", NULL };
	enum { LOAD, WAITS, CUBE, WINDOW, CAUSES, IDEAL, GRAPH, KEYS };
	static const char *const keys[] = { "load_ms ",   "waits_ms ", "cube_ms ", "window_ms ",
					    "causes_ms ", "ideal_ms ", "graph_ms " };
	static struct run run;
	double ms[KEYS];

	bench_program(bench, "tests/bench/programs/patterns", program);
	if (!bench_trace(bench, events, locations, true, path) ||
	    !bench_medians(&run, argv, ROUNDS, keys, KEYS, ms))
		return;
	snprintf(name, sizeof name, "OTF2 %s, %s locations", events, locations);
	row(name, "<= 1x",
	    "load %.0f, waits %.0f, cube %.0f, of a tenth %.0f ms: %.2fx; %.0f waits, %.0f MiB",
	    ms[LOAD], ms[WAITS], ms[CUBE], ms[WINDOW], (ms[WAITS] + ms[CUBE]) / ms[LOAD],
	    run_value(&run, "waits "), run_value(&run, "waits_mib "));
	row("  program graph", "<= 1x",
	    "%.0f ms: %.2fx; %.0f nodes; events as captured %.1f MiB, records %.2f MiB; %.0f MiB",
	    ms[GRAPH], ms[GRAPH] / ms[LOAD], run_value(&run, "graph_nodes "),
	    run_value(&run, "event_mib "), run_value(&run, "record_mib "),
	    run_value(&run, "graph_mib "));
	row("  their causes", "<= 1x",
	    "%.0f ms: %.2fx; on an ideal network %.0f ms; at most %.0f MiB", ms[CAUSES],
	    ms[CAUSES] / ms[LOAD], ms[IDEAL], run_value(&run, "peak_mib "));
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
