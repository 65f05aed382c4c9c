#include "capture/run/feed_said.h"

#include <string.h>

#include "base/str.h"
#include "model/trace/record_type.h"

enum { PICL_LEVEL = -904, PICL_MESSAGE = -911, VALUES_MOST = 255 };
enum { METRIC_BY_USER = 3 }; /* struct metric.type */

/* The set of metrics for `n` values of that name. */
static uint32_t data_set(struct job *job, const char *name, uint32_t n)
{
	struct builder *b = job->builder;
	uint32_t metrics[VALUES_MOST],
		*known = keymap_add(&job->data_sets,
				    (struct key){ { builder_string(b, name, strlen(name)), n } });

	if (*known != UINT32_MAX)
		return *known;
	for (uint32_t i = 0; i < n; i++) {
		OWNED_STR text = STR_INIT;
		str_add_fmt(&text, n > 1 ? "%s[%u]" : "%s", name, i);
		metrics[i] = builder_metric(b, &(struct metric){
						       .name = builder_string(b, text.text, text.n),
						       .type = METRIC_BY_USER,
						       .mode = METRIC_ABSOLUTE_NEXT,
						       .value = FIELD_FLOAT,
						       .base = 10 });
	}
	return *known = builder_metric_set(b, &(struct metric_set){ .n = n,
								    .metrics = metrics,
								    .recorder = UINT32_MAX,
								    .occurrence = 2 });
}

static void feed_data(struct job *job, const struct rank *rank, uint32_t thread, uint32_t location,
		      const struct tv_head *head, int64_t time)
{
	uint64_t values[1 + VALUES_MOST];
	OWNED_STR name = STR_INIT;
	size_t length;
	const void *payload = rank_payload(head, sizeof *values, &length);
	const size_t n = length / sizeof *values;

	if (!payload || n > VALUES_MOST)
		return;
	job_user_name(job, rank, thread, head->id, &name);
	values[0] = data_set(job, name.text, (uint32_t)n);
	memcpy(values + 1, payload, n * sizeof *values);
	builder_detail(job->builder, location, time, DETAIL_METRIC, values, 1 + (uint32_t)n);
}

static void feed_message_text(struct job *job, uint32_t location, const struct tv_head *head,
			      int64_t time)
{
	const char *text = rank_text(head, 0);
	struct record record = { .rectype = REC_MESSAGE };

	if (!text || job->options->anonymous)
		return;
	record.site = job_tracing_site(job, PICL_MESSAGE);
	record.text = builder_string(job->builder, text, strlen(text));
	builder_record(job->builder, location, time, EV_MESSAGE_TEXT, &record);
}

static void feed_block(struct job *job, uint32_t location, const struct tv_head *head)
{
	const int32_t *block = rank_payload(head, 2 * sizeof *block, NULL);

	for (unsigned i = 0; block && i < 2; i++)
		builder_attribute(job->builder, location,
				  job_attribute(job, i ? JOB_BLOCK_PARAMETER : JOB_BLOCK_LOCATION),
				  (uint64_t)(int64_t)block[i]);
}

/* The fields of PICL's tracelevel. */
void feed_levels(struct job *job, uint32_t location, const int32_t *level, int64_t time)
{
	OWNED_STR text = STR_INIT;

	if (!level)
		return;
	builder_mark(job->builder, location, time, job_tracing_site(job, PICL_LEVEL));
	str_add_fmt(&text, "3 2 %d %d %d", level[0], level[1], level[2]);
	builder_extra(job->builder, location, text.text, text.n);
}

void feed_said(struct job *job, const struct rank *rank, uint32_t thread, uint32_t location,
	       const struct tv_head *head, int64_t time)
{
	switch (head->call) {
	case TV_DEF_LEVELS:
		feed_levels(job, location, rank_payload(head, LEVEL_KINDS * sizeof(int32_t), NULL),
			    time);
		break;
	case TV_DEF_DATA: feed_data(job, rank, thread, location, head, time); break;
	case TV_DEF_MESSAGE: feed_message_text(job, location, head, time); break;
	case TV_DEF_BLOCK: feed_block(job, location, head); break;
	default: break;
	}
}
