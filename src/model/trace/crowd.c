#include "model/trace/crowd.h"

#include <stdlib.h>

struct crowd trace_crowd(const struct trace *trace)
{
	const char *value = trace_property_value(trace, "cores");
	struct crowd crowd = { 0 };
	uint32_t ranks = 0, node = 0;

	if (!value)
		return crowd;
	crowd.cores = (uint32_t)strtoul(value, NULL, 10);
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (trace_location(trace, l)->rank == 0)
			node = trace_location(trace, l)->node;
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct location *of = trace_location(trace, l);
		ranks += of->rank != RANK_UNKNOWN && of->thread == 0 && of->node == node;
	}
	crowd.ranks = crowd.cores && ranks > crowd.cores ? ranks : 0;
	return crowd;
}
