#include "model/trace/keep.h"

#include <string.h>

#include "model/trace/store.h"

static struct kept *find(const struct trace *trace, const char *name, uint32_t number)
{
	struct kept *k;

	vec_each (k, &trace->kept)
		if (k->number == number && strncmp(k->name, name, sizeof k->name) == 0)
			return k;
	return NULL;
}

bool keep_get(const struct trace *trace, const char *name, uint32_t number, void *value,
	      size_t bytes)
{
	const struct kept *k = find(trace, name, number);

	if (!k || k->bytes != bytes)
		return false;
	memcpy(value, k->value, bytes);
	return true;
}

void keep_put(const struct trace *trace, const char *name, uint32_t number, const void *value,
	      size_t bytes)
{
	struct trace *owner = (struct trace *)(uintptr_t)trace;
	struct kept *k = find(trace, name, number);
	void *copy = xmalloc(bytes);

	if (!k) {
		k = vec_add(&owner->kept);
		strncpy(k->name, name, sizeof k->name - 1);
		k->number = number;
	}
	free((void *)(uintptr_t)k->value);
	k->value = memcpy(copy, value, bytes);
	k->bytes = (uint32_t)bytes;
}
