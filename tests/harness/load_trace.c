#include "harness/load_trace.h"

#include "harness/test.h"
#include "model/formats/load.h"

struct trace *load_trace(const char *path)
{
	const struct load_options options = { .no_cache = true };
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(path, &options, NULL, &err);

	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}
