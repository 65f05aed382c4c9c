#include "capture/run/feed_virtual.h"

#include <string.h>

#include "model/trace/virtual_metric.h"

enum { NANO = -9, SYNCHRONOUS = 1 };

static uint32_t text_of(struct job *job, const char *text)
{
	return builder_string(job->builder, text, strlen(text));
}

static uint32_t virtual_set(struct job *job)
{
	uint32_t metrics[VIRTUAL_METRICS];

	if (job->virtual_set)
		return job->virtual_set - 1;
	for (int i = 0; i < VIRTUAL_METRICS; i++)
		metrics[i] = builder_metric(job->builder,
					    &(struct metric){
						    .name = text_of(job, virtual_metric_text[i][0]),
						    .description =
							    text_of(job, virtual_metric_text[i][1]),
						    .unit = text_of(job, "s"),
						    .mode = METRIC_ABSOLUTE_POINT,
						    .value = FIELD_INT,
						    .base = 10,
						    .exponent = NANO });
	job->virtual_set =
		1 +
		builder_metric_set(job->builder, &(struct metric_set){ .n = VIRTUAL_METRICS,
								       .metrics = metrics,
								       .recorder = UINT32_MAX,
								       .occurrence = SYNCHRONOUS });
	return job->virtual_set - 1;
}

/* So many ticks, which may be negative, before a moment. */
static int64_t duration(const struct job *job, const struct rank *rank, uint64_t at, int64_t ticks)
{
	return job_time(job, rank, at) - job_time(job, rank, at - (uint64_t)ticks);
}

/* Below 0: there is none. */
static uint64_t bound(const struct job *job, const struct rank *rank, uint64_t at, uint32_t error)
{
	return error == UINT32_MAX ? UINT64_MAX : (uint64_t)duration(job, rank, at, error);
}

void feed_virtual(struct job *job, const struct rank *rank, uint32_t location,
		  const struct tv_head *head, int64_t time)
{
	const struct tv_virtual *v = (const void *)head;
	uint64_t values[1 + VIRTUAL_METRICS] = { virtual_set(job) }, *of = values + 1;

	of[VIRTUAL_SINCE] = (uint64_t)(time - job_time(job, rank, v->entered));
	of[VIRTUAL_BEFORE] = (uint64_t)duration(job, rank, v->entered, v->before);
	of[VIRTUAL_LEFT] = (uint64_t)duration(job, rank, v->head.time, v->left);
	of[VIRTUAL_AFTER] = (uint64_t)duration(job, rank, v->head.time, v->head.id);
	of[VIRTUAL_INSIDE] = v->inside == TV_VIRTUAL_UNSHOWN
				     ? UINT64_MAX
				     : (uint64_t)duration(job, rank, v->entered, v->inside);
	of[VIRTUAL_ERROR] = bound(job, rank, v->head.time, v->error);
	of[VIRTUAL_UNSURE] = bound(job, rank, v->entered, v->unsure);
	of[VIRTUAL_TIMED] = (uint64_t)duration(job, rank, v->entered, v->timed);
	builder_detail(job->builder, location, time, DETAIL_METRIC, values,
		       sizeof values / sizeof *values);
}
