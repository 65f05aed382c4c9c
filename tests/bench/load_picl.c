/* Loads a trace as tview does and, with `queries`, says what a frame, a window of messages and a
 * profile cost. The driver (bench.c) measures the process.
 *
 *	load_picl FILE [queries]
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/load.h"
#include "model/message.h"
#include "model/profile.h"
#include "model/shading.h"

enum { CELLS = 200, ROWS = 50 };

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* One frame of the timeline: 50 rows of 200 cells over a 1/2^zoom of the run. */
static double frame(const struct trace *trace, int zoom)
{
	static uint64_t sums[CELLS * SHADING_SLOTS];
	const struct shading *shading = trace_class_shading(trace, BASE_MEASURED);
	int64_t edges[CELLS + 1], begin, end;
	const double before = cpu_ms();

	trace_span(trace, BASE_MEASURED, &begin, &end);
	for (int i = 0; i <= CELLS; i++)
		edges[i] = begin + ((end - begin) >> zoom) * i / CELLS;
	for (uint32_t r = 0; r < ROWS; r++)
		shading_sweep(shading, r % trace_location_count(trace), edges, CELLS, sums);
	return cpu_ms() - before;
}

static double message_window(const struct trace *trace)
{
	const double before = cpu_ms();
	struct span_query q;
	int64_t begin, end;
	uint32_t row;

	trace_span(trace, BASE_MEASURED, &begin, &end);
	messages_in_window(&q, trace, BASE_MEASURED, end / 2, end / 2 + 2000);
	while (span_query_next(&q, &row))
		;
	return cpu_ms() - before;
}

static double whole_profile(const struct trace *trace)
{
	const double before = cpu_ms();
	struct profile profile;

	if (!profile_make(&profile, trace, BASE_MEASURED, PROFILE_REGION, NULL, 0, INT64_MIN,
			  INT64_MAX, NULL, NULL))
		return -1;
	profile_fini(&profile);
	return cpu_ms() - before;
}

int main(int argc, char **argv)
{
	const struct load_options options = { .as = NULL, .strict = false, .jobs = 1 };
	struct err err = ERR_INIT;
	struct trace *trace;

	if (argc < 2) {
		fputs("usage: load_picl FILE [queries]\n", stderr);
		return 2;
	}
	trace = trace_load(argv[1], &options, NULL, &err);
	if (!trace) {
		fprintf(stderr, "load_picl: %s\n", err.text);
		return 1;
	}
	printf("events %llu\nmessages %u\nmembers %u\nlocations %u\n",
	       (unsigned long long)trace_event_count(trace), trace_message_count(trace),
	       trace_collective_count(trace) * trace_location_count(trace),
	       trace_location_count(trace));
	if (argc > 2) {
		(void)frame(trace, 0); /* warm */
		printf("frame_all_ms %.2f\n", frame(trace, 0));
		printf("frame_zoomed_ms %.2f\n", frame(trace, 10));
		printf("messages_ms %.3f\n", message_window(trace));
		printf("profile_ms %.1f\n", whole_profile(trace));
	}
	trace_free(trace);
	return 0;
}
