#include "capture/run/feed_counted.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "capture/lib/perf_counter.h"

enum { METRIC_OTHER = 0, SET_STRICT = 0 }; /* struct metric.type, metric_set.occurrence */

/* "KEY=INDEX NAME": NAME; NULL where it is something else. */
static const char *name_in(const char *property, const char *key, uint32_t index)
{
	const size_t n = strlen(key);
	char *end;

	if (strncmp(property, key, n) != 0 || property[n] != '=' ||
	    strtoul(property + n + 1, &end, 10) != index || *end != ' ')
		return NULL;
	return end + 1;
}

/* The name of a rank's counter, as it was counted. */
static void add_name(struct str *out, const struct rank *rank, uint32_t index)
{
	const char *const *text;

	vec_each (text, &rank->properties) {
		const char *user = name_in(*text, "user-counter", index);
		const char *name = user ? user : name_in(*text, "counter", index);
		if (!name)
			continue;
		str_add_clean_text(out, name);
		str_add(out, user ? ":u" : "");
		return;
	}
	str_add_fmt(out, "counter %u", index);
}

/* The kernel's clock counts nanoseconds. */
static uint32_t metric_of(struct job *job, const char *name)
{
	static const char clock[] = "task-clock";
	struct builder *b = job->builder;
	const bool is_clock = !strncmp(name, clock, sizeof clock - 1);
	const char *unit = is_clock ? "s" : "#";
	const uint32_t string = builder_string(b, name, strlen(name));
	uint32_t *known = keymap_add(&job->data_sets, (struct key){ { string, UINT32_MAX } });

	if (*known == UINT32_MAX)
		*known = builder_metric(b, &(struct metric){ .name = string,
							     .unit = builder_string(b, unit, 1),
							     .type = METRIC_OTHER,
							     .mode = METRIC_ACCUMULATED_START,
							     .value = FIELD_UINT,
							     .base = 10,
							     .exponent = is_clock ? -9 : 0 });
	return *known;
}

/* The set of the counters of a rank that are in the mask. */
static uint32_t set_of(struct job *job, const struct rank *rank, uint32_t n, uint32_t mask)
{
	OWNED_STR names = STR_INIT;
	struct metric_set set = { .n = 0, .recorder = UINT32_MAX, .occurrence = SET_STRICT };
	uint32_t metrics[TV_COUNTERS_MAX], *known;

	for (uint32_t i = 0; i < n; i++) {
		OWNED_STR name = STR_INIT;
		if (!(mask >> i & 1))
			continue;
		add_name(&name, rank, i);
		str_add_fmt(&names, "%s,", name.text);
		metrics[set.n++] = metric_of(job, name.text);
	}
	set.metrics = metrics;
	known = keymap_add(&job->data_sets,
			   (struct key){ { builder_string(job->builder, names.text, names.n),
					   UINT32_MAX - 1 } });
	if (*known == UINT32_MAX)
		*known = builder_metric_set(job->builder, &set);
	return *known;
}

void feed_counted(struct job *job, const struct rank *rank, uint32_t location,
		  const struct tv_head *head, int64_t time)
{
	const struct tv_counted *counted = (const void *)head;
	const uint32_t n = head->id;
	uint64_t values[1 + TV_COUNTERS_MAX];
	uint32_t at = 1, mask = 0, set;
	struct key key;

	if (n > TV_COUNTERS_MAX)
		return;
	for (uint32_t i = 0; i < n; i++) {
		if (counted->value[i] == TV_NOT_COUNTED)
			continue;
		mask |= 1u << i;
		values[at++] = counted->value[i];
	}
	if (!mask)
		return;
	key = KEY_OF((uint32_t)rank->number, mask, UINT32_MAX);
	set = *keymap_add(&job->data_sets, key);
	if (set == UINT32_MAX) {
		set = set_of(job, rank, n, mask);
		*keymap_add(&job->data_sets, key) = set;
	}
	values[0] = set;
	builder_detail(job->builder, location, time, DETAIL_METRIC, values, at);
}
