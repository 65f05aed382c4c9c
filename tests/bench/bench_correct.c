/* The logical clock, forward and backward, against loading the same trace. */
#include <stdio.h>

#include "bench/bench.h"

enum { ROUNDS = 5 };

/* Errors of clocks: offset, drift, and how far they wander (seconds, 1, seconds). */
static const struct {
	const char *name, *offset, *drift, *jitter;
} errors[] = {
	{ "drift", "2e-5", "1e-5", "0" },
	{ "wandering clocks", "2e-5", "1e-5", "1e-5" },
};

static void correct_row(const struct bench *bench, const char *events, const char *locations,
			bool otf2, int error)
{
	char path[PATH], program[PATH], name[96];
	const char *const argv[] = {
		program, path, errors[error].offset, errors[error].drift, errors[error].jitter, NULL
	};
	static const char *const keys[] = { "load_ms ", "logical_ms ", "clc_ms " };
	static struct run run;
	double ms[3];

	bench_program(bench, "tests/bench/programs/correct", program);
	if (!bench_trace(bench, events, locations, otf2, path) ||
	    !bench_medians(&run, argv, ROUNDS, keys, 3, ms))
		return;
	snprintf(name, sizeof name, "%s %s, %s, %s", otf2 ? "OTF2" : "PICL", events, locations,
		 errors[error].name);
	row(name, "<= 1x", "load %.0f, logical messages %.0f, clock %.0f ms: %.2fx; %.0f violated",
	    ms[0], ms[1], ms[2], ms[2] / ms[0], run_value(&run, "violated "));
}

void bench_correct(const struct bench *bench)
{
	row_heading("Logical clock, forward and backward, against loading, one thread");
	for (int error = 0; error < 2; error++)
		for (int otf2 = 0; otf2 < 2; otf2++) {
			correct_row(bench, "10M", "16", otf2, error);
			correct_row(bench, "5M", "10000", otf2, error);
		}
}
