#include "capture/run/feed_core.h"

#include <string.h>

#include "model/trace/core_wait.h"

enum { NANO = -9, METRIC_RUSAGE = 2, SYNCHRONOUS = 1 };

static uint32_t text_of(struct job *job, const char *text)
{
	return builder_string(job->builder, text, strlen(text));
}

static uint32_t core_set(struct job *job)
{
	uint32_t metric;

	if (job->core_set)
		return job->core_set - 1;
	metric =
		builder_metric(job->builder,
			       &(struct metric){ .name = text_of(job, CORE_WAIT_METRIC),
						 .description = text_of(job, CORE_WAIT_DESCRIPTION),
						 .unit = text_of(job, "s"),
						 .type = METRIC_RUSAGE,
						 .mode = METRIC_ABSOLUTE_POINT,
						 .value = FIELD_UINT,
						 .base = 10,
						 .exponent = NANO });
	job->core_set = 1 + builder_metric_set(job->builder,
					       &(struct metric_set){ .n = 1,
								     .metrics = &metric,
								     .recorder = UINT32_MAX,
								     .occurrence = SYNCHRONOUS });
	return job->core_set - 1;
}

void feed_core_wait(struct job *job, uint32_t location, uint64_t nanoseconds, int64_t time)
{
	const uint64_t values[] = { core_set(job), nanoseconds };

	builder_detail(job->builder, location, time, DETAIL_METRIC, values, 2);
}
