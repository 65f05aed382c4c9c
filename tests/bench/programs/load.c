/* Loads a trace as tview does, and says what is in it and how much memory it takes; `ask` also says
 * what queries and exports of it cost, in CPU time. The driver measures the process.
 *
 *	load FILE JOBS [ask]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/programs/cost.h"
#include "model/formats/load.h"
#include "model/trace/message.h"
#include "ui/app/views.h"
#include "views/export/export.h"

static long resident_kib(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * 4;
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

static void ask(struct trace *trace)
{
	static const char *const views[] = { "overview", "timeline", "profile", "messages",
					     "events" };
	const struct export_options options = { .format = EXPORT_CSV };
	const struct query query = {
		.trace = trace, .base = trace_default_base(trace), .t0 = INT64_MIN, .t1 = INT64_MAX
	};
	struct err err = ERR_INIT;

	printf("message_window_ms %.3f\n", message_window(trace));
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		FILE *out = fopen("/dev/null", "w");
		const bool picture = strcmp(views[i], "timeline") == 0;
		const struct export_options text = { .format = EXPORT_TEXT, .width = 200 };
		const double before = cpu_ms();
		if (!out || !export_view(view_of_export(&all_views, views[i]), &query,
					 picture ? &text : &options, out, &err)) {
			fprintf(stderr, "load: %s\n", err.text);
			exit(1);
		}
		fclose(out);
		printf("%s_ms %.1f\n", views[i], cpu_ms() - before);
	}
}

int main(int argc, char **argv)
{
	struct load_options options = { .no_cache = true };
	struct err err = ERR_INIT;
	struct trace *trace;
	uint64_t members = 0;

	if (argc < 3) {
		fputs("usage: load FILE JOBS [ask]\n", stderr);
		return 2;
	}
	options.jobs = atoi(argv[2]);
	trace = trace_load(argv[1], &options, NULL, &err);
	if (!trace || !trace_base_make(trace, trace_default_base(trace), NULL, &err)) {
		fprintf(stderr, "load: %s\n", err.text);
		return 1;
	}
	for (uint32_t i = 0; i < trace_collective_count(trace); i++)
		members += trace_collective(trace, i)->members;
	printf("resident_kib %ld\nevents %llu\nmessages %u\nmembers %llu\nlocations %u\n",
	       resident_kib(), (unsigned long long)trace_event_count(trace),
	       trace_message_count(trace), (unsigned long long)members,
	       trace_location_count(trace));
	if (argc > 3)
		ask(trace);
	trace_free(trace);
	return 0;
}
