/* Loads a trace with one thread, and says what finding its wait states costs (with the grid of its ranks
 * and the causes left to who asks for them), and what the severities of the whole run and of a tenth of it: CPU
 * time, memory.
 *
 *	patterns FILE THREADS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/load.h"
#include "model/message.h"
#include "patterns/analysis.h"

static double ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double resident_mib(void)
{
	char line[128];
	double kib = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof line, status))
		if (sscanf(line, "VmRSS: %lf", &kib) == 1)
			break;
	if (status)
		fclose(status);
	return kib / 1024;
}

static bool cube_of(const struct analysis *a, int64_t t0, int64_t t1, const char *name,
		    struct err *err)
{
	const unsigned parts = CUBE_TIMES | CUBE_WAITS;
	const double before = ms(CLOCK_PROCESS_CPUTIME_ID);
	struct cube *cube = analysis_cube(a, t0, t1, parts, NULL, err);

	if (!cube)
		return false;
	printf("%s_ms %.1f\n", name, ms(CLOCK_PROCESS_CPUTIME_ID) - before);
	cube_free(cube);
	return true;
}

static bool measure(const struct trace *trace, int jobs, struct err *err)
{
	const struct analysis_options options = { .jobs = jobs };
	const double cpu = ms(CLOCK_PROCESS_CPUTIME_ID), wall = ms(CLOCK_MONOTONIC),
		     resident = resident_mib();
	struct analysis *a = analysis_new(trace, BASE_MEASURED, &options, NULL, err);
	int64_t begin, end;
	size_t waits = 0;

	if (!a)
		return false;
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		size_t n;
		analysis_waits(a, l, &n);
		waits += n;
	}
	printf("waits_ms %.1f\nwaits_wall_ms %.1f\nwaits %zu\nmib %.1f\n",
	       ms(CLOCK_PROCESS_CPUTIME_ID) - cpu, ms(CLOCK_MONOTONIC) - wall, waits,
	       resident_mib() - resident);
	trace_span(trace, BASE_MEASURED, &begin, &end);
	if (!cube_of(a, INT64_MIN, INT64_MAX, "cube", err) ||
	    !cube_of(a, begin + (end - begin) / 2, begin + (end - begin) * 6 / 10, "window", err))
		return false;
	const double before = ms(CLOCK_PROCESS_CPUTIME_ID);
	if (!analysis_causes(a, NULL, err))
		return false;
	printf("causes_ms %.1f\n", ms(CLOCK_PROCESS_CPUTIME_ID) - before);
	analysis_free(a);
	return true;
}

int main(int argc, char **argv)
{
	const struct load_options options = { .no_cache = true, .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace;
	double before;

	if (argc < 3) {
		fputs("usage: patterns FILE THREADS\n", stderr);
		return 2;
	}
	before = ms(CLOCK_PROCESS_CPUTIME_ID);
	trace = trace_load(argv[1], &options, NULL, &err);
	if (trace)
		printf("events %llu\nmessages %u\nload_ms %.1f\n",
		       (unsigned long long)trace_event_count(trace), trace_message_count(trace),
		       ms(CLOCK_PROCESS_CPUTIME_ID) - before);
	if (!trace || !measure(trace, atoi(argv[2]), &err)) {
		fprintf(stderr, "patterns: %s\n", err.text);
		return 1;
	}
	trace_free(trace);
	return 0;
}
