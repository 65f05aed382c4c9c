#include "views/query/arrangement.h"

#include <stdlib.h>
#include <string.h>

/* Of ranks or groups that a number may ask for. */
enum { MOST = 999999999 };

static const char *const names[GROUP_KEYS] = { "none", "node", "process", "range", "likeness" };

const char *group_key_name(enum group_key key)
{
	return names[key];
}

enum group_key group_key_find(const char *name, size_t n)
{
	for (int k = 0; k < GROUP_KEYS; k++)
		if (strlen(names[k]) == n && memcmp(names[k], name, n) == 0)
			return (enum group_key)k;
	return GROUP_KEYS;
}

bool arrangement_group(struct arrangement *a, const char *text)
{
	const size_t n = strcspn(text, ": ");
	const enum group_key k = group_key_find(text, n);
	unsigned long number = 0;
	char *end;

	if (text[n]) {
		number = strtoul(text + n + 1, &end, 10);
		if (*end || text[n + 1] < '1' || text[n + 1] > '9' || number > MOST ||
		    (k != BY_RANGE && k != BY_LIKENESS))
			return false;
	}
	if (k == GROUP_KEYS)
		return false;
	a->key = k;
	a->range = k == BY_RANGE ? (uint32_t)number : 0;
	if (k == BY_LIKENESS && number)
		a->fit = (uint32_t)number;
	return true;
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
