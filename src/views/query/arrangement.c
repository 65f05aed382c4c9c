#include "views/query/arrangement.h"

#include <string.h>

static const char *const names[GROUP_KEYS] = { "none", "node", "process", "range", "likeness" };

const char *group_key_name(enum group_key key)
{
	return names[key];
}

enum group_key group_key_find(const char *name)
{
	for (int k = 0; k < GROUP_KEYS; k++)
		if (strcmp(names[k], name) == 0)
			return (enum group_key)k;
	return GROUP_KEYS;
}

void arrangement_fini(struct arrangement *a)
{
	vec_fini(&a->opened);
	vec_fini(&a->pins);
	vec_fini(&a->counters);
}

bool arrangement_is_open(const struct arrangement *a, uint32_t first)
{
	for (size_t i = 0; i < a->opened.n; i++)
		if (a->opened.data[i] == first)
			return true;
	return false;
}

bool arrangement_toggle_open(struct arrangement *a, uint32_t first)
{
	for (size_t i = 0; i < a->opened.n; i++)
		if (a->opened.data[i] == first) {
			a->opened.data[i] = a->opened.data[--a->opened.n];
			return false;
		}
	vec_push(&a->opened, first);
	return true;
}

bool arrangement_toggle_pin(struct arrangement *a, uint32_t location, bool group)
{
	for (size_t i = 0; i < a->pins.n; i++)
		if (a->pins.data[i].location == location && a->pins.data[i].group == group) {
			memmove(&a->pins.data[i], &a->pins.data[i + 1],
				(a->pins.n - i - 1) * sizeof *a->pins.data);
			a->pins.n--;
			return false;
		}
	vec_push(&a->pins, ((struct pin){ location, group }));
	return true;
}

bool arrangement_toggle_counter(struct arrangement *a, uint32_t metric)
{
	for (size_t i = 0; i < a->counters.n; i++)
		if (a->counters.data[i] == metric) {
			memmove(&a->counters.data[i], &a->counters.data[i + 1],
				(a->counters.n - i - 1) * sizeof *a->counters.data);
			a->counters.n--;
			return false;
		}
	vec_push(&a->counters, metric);
	return true;
}
