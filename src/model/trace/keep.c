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

static pthread_mutex_t *lock_of(const struct trace *trace)
{
	return &((struct trace *)(uintptr_t)trace)->kept_lock;
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
	const struct kept *k;
	bool is;

	pthread_mutex_lock(lock_of(trace));
	k = find(trace, name, number);
	is = k && !k->lent && k->bytes == bytes;
	if (is)
		memcpy(value, k->value, bytes);
	pthread_mutex_unlock(lock_of(trace));
	return is;
}

const void *keep_mapped(const struct trace *trace, const char *name, uint32_t number, size_t bytes)
{
	const struct kept *k;
	const void *value;

	pthread_mutex_lock(lock_of(trace));
	k = find(trace, name, number);
	value = k && k->mapped && !k->lent && k->bytes == bytes ? k->value : NULL;
	pthread_mutex_unlock(lock_of(trace));
	return value;
}

/* Takes `value` in place of an earlier one. */
static void put(const struct trace *trace, const char *name, uint32_t number,
		const struct kept *value)
{
	struct trace *owner = (struct trace *)(uintptr_t)trace;
	struct kept *k;

	pthread_mutex_lock(lock_of(trace));
	k = find(trace, name, number);
	if (!k)
		k = vec_add(&owner->kept);
	kept_free(k);
	*k = *value;
	strncpy(k->name, name, sizeof k->name - 1);
	k->number = number;
	pthread_mutex_unlock(lock_of(trace));
}

void keep_put(const struct trace *trace, const char *name, uint32_t number, const void *value,
	      size_t bytes)
{
	put(trace, name, number,
	    &(struct kept){ .value = memcpy(xmalloc(bytes), value, bytes), .bytes = bytes });
}

/* ---- of a base ---- */

void keep_of_base(const struct trace *trace, const char *name, enum time_base base,
		  const void *value, size_t bytes)
{
	put(trace, name, base,
	    &(struct kept){ .value = memcpy(xmalloc(bytes), value, bytes),
			    .bytes = bytes,
			    .of_base = true });
}

const void *keep_lent(const struct trace *trace, const char *name, enum time_base base,
		      size_t *bytes)
{
	const struct kept *k;
	const void *value;

	pthread_mutex_lock(lock_of(trace));
	k = find(trace, name, base);
	value = k && k->lent ? k->value : NULL;
	*bytes = value ? (size_t)k->bytes : 0;
	pthread_mutex_unlock(lock_of(trace));
	return value;
}

void keep_give(const struct trace *trace, const char *name, enum time_base base, void *take,
	       size_t bytes)
{
	put(trace, name, base,
	    &(struct kept){ .value = take, .bytes = bytes, .of_base = true, .lent = true });
}

void keep_give_piece(const struct trace *trace, const char *name, enum time_base base, void *take,
		     size_t bytes)
{
	put(trace, name, base,
	    &(struct kept){
		    .value = take, .bytes = bytes, .of_base = true, .lent = true, .piece = true });
}

void keep_drop_base(struct trace *trace, enum time_base base)
{
	size_t left = 0;
	struct kept *k;

	pthread_mutex_lock(&trace->kept_lock);
	vec_each (k, &trace->kept) {
		if (k->of_base && k->number == (uint32_t)base)
			kept_free(k);
		else
			trace->kept.data[left++] = *k;
	}
	trace->kept.n = left;
	pthread_mutex_unlock(&trace->kept_lock);
}
