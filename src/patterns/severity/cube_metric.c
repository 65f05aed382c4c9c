#include "patterns/severity/cube_metric.h"

#include <string.h>

static const struct cube_metric_info metrics[CUBE_METRICS] = {
#define X(id, unique, up, of, from, words, what) \
	[CUBE_##id] = { .name = (unique),        \
			.title = (words),        \
			.text = (what),          \
			.parent = CUBE_##up,     \
			.unit = UNIT_##of,       \
			.source = SOURCE_##from },
#include "patterns/severity/cube_metric.def"
#undef X
};

const struct cube_metric_info *cube_metric_info(enum cube_metric metric)
{
	return &metrics[metric];
}

enum cube_metric cube_metric_find(const char *name, size_t length)
{
	for (int m = 0; m < CUBE_METRICS; m++)
		if (strlen(metrics[m].name) == length && memcmp(metrics[m].name, name, length) == 0)
			return (enum cube_metric)m;
	return CUBE_NONE;
}

int cube_metric_within(enum cube_metric below, enum cube_metric metric)
{
	while (below != metric && below != CUBE_NONE)
		below = metrics[below].parent;
	return below == metric;
}

bool cube_metric_is_waiting(enum cube_metric metric)
{
	const struct cube_metric_info *info = cube_metric_info(metric);

	return info->unit == UNIT_TICKS && info->source == SOURCE_FOUND &&
	       info->parent != CUBE_NONE &&
	       cube_metric_info(info->parent)->source == SOURCE_REGION &&
	       cube_metric_within(metric, CUBE_EXECUTION);
}

bool cube_metric_is_completion(enum cube_metric metric)
{
	return metric == CUBE_MPI_INIT_COMPLETION || metric == CUBE_MPI_BARRIER_COMPLETION ||
	       metric == CUBE_MPI_NXN_COMPLETION;
}
