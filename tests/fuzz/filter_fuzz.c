/* libFuzzer target: the filter language on any text. What compiles must answer for every event,
 * message and collective of a trace. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "harness/fuzz.h"
#include "model/filter/filter.h"
#include "model/formats/load.h"

/* The trace is loaded once; the fuzzer never ends this process in an orderly way. */
static struct trace *some_trace(void)
{
	static struct trace *trace;
	struct err err = ERR_INIT;

	if (!trace)
		trace = trace_load("tests/fuzz/picl/sample.trc",
				   &(struct load_options){ .jobs = 1 }, NULL, &err);
	if (!trace) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	return trace;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace *trace = some_trace();
	char *text = xstrndup((const char *)data, size);
	struct err err = ERR_INIT;
	struct filter *filter = filter_compile(text, trace, &err);

	free(text);
	if (!filter) {
		if (!err_is_set(&err) || !err.text[0])
			abort();
		return 0;
	}
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c;

		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok; ok = cursor_next(&c))
			filter_event(filter, BASE_MEASURED, c.id);
		for (uint32_t p = 0; p < trace_callpath_count(trace); p++)
			filter_callpath(filter, l, p);
		filter_location(filter, l);
	}
	for (uint32_t i = 0; i < trace_message_count(trace); i++)
		filter_message(filter, BASE_MEASURED, i);
	for (uint32_t i = 0; i < trace_collective_count(trace); i++)
		filter_collective(filter, BASE_MEASURED, i);
	filter_free(filter);
	return 0;
}
