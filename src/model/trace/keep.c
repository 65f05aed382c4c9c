#include "model/trace/keep.h"

#include <stdlib.h>
#include <string.h>

#include "model/trace/store.h"

void kept_free(struct kept *k)
{
	if (!k->mapped)
		free((void *)(uintptr_t)k->value);
	k->value = NULL;
	k->mapped = false;
}

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

	if (!k || k->lent || k->bytes != bytes)
		return false;
	memcpy(value, k->value, bytes);
	return true;
}

const void *keep_mapped(const struct trace *trace, const char *name, uint32_t number, size_t bytes)
{
	const struct kept *k = find(trace, name, number);

	return k && k->mapped && !k->lent && k->bytes == bytes ? k->value : NULL;
}

/* Takes the value. */
static struct kept *put(const struct trace *trace, const char *name, uint32_t number, void *value,
			size_t bytes)
{
	struct trace *owner = (struct trace *)(uintptr_t)trace;
	struct kept *k = find(trace, name, number);

	if (!k) {
		k = vec_add(&owner->kept);
		strncpy(k->name, name, sizeof k->name - 1);
		k->number = number;
	}
	kept_free(k);
	k->value = value;
	k->bytes = bytes;
	return k;
}

void keep_put(const struct trace *trace, const char *name, uint32_t number, const void *value,
	      size_t bytes)
{
	put(trace, name, number, memcpy(xmalloc(bytes), value, bytes), bytes);
}

/* ---- of a base ---- */

void keep_of_base(const struct trace *trace, const char *name, enum time_base base,
		  const void *value, size_t bytes)
{
	put(trace, name, base, memcpy(xmalloc(bytes), value, bytes), bytes)->of_base = true;
}

const void *keep_lent(const struct trace *trace, const char *name, enum time_base base,
		      size_t *bytes)
{
	const struct kept *k = find(trace, name, base);

	*bytes = k && k->lent ? (size_t)k->bytes : 0;
	return k && k->lent ? k->value : NULL;
}

void keep_give(const struct trace *trace, const char *name, enum time_base base, void *take,
	       size_t bytes)
{
	struct kept *k = put(trace, name, base, take, bytes);

	k->of_base = k->lent = true;
	k->piece = false;
}

void keep_give_piece(const struct trace *trace, const char *name, enum time_base base, void *take,
		     size_t bytes)
{
	keep_give(trace, name, base, take, bytes);
	find(trace, name, base)->piece = true;
}

void keep_drop_base(struct trace *trace, enum time_base base)
{
	size_t left = 0;
	struct kept *k;

	vec_each (k, &trace->kept) {
		if (k->of_base && k->number == (uint32_t)base)
			kept_free(k);
		else
			trace->kept.data[left++] = *k;
	}
	trace->kept.n = left;
}
