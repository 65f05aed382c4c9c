/* Interned text. Many records of a trace carry the same few texts; equal text has one id. */
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/trace/store.h"

enum { TEXT_RESERVE_BITS = 36 };

bool strings_init(struct strings *strings, struct err *err)
{
	memset(strings, 0, sizeof *strings);
	slab_init(&strings->text, (size_t)1 << TEXT_RESERVE_BITS);
	return strings_add(strings, "", 0, err) == 0;
}

void strings_fini(struct strings *strings)
{
	slab_fini(&strings->text);
	vec_fini(&strings->start);
	free_all(strings->table, strings->hash);
}

static void table_grow(struct strings *strings)
{
	const size_t old_size = strings->size;
	uint32_t *old_table = strings->table, *old_hash = strings->hash;

	strings->size = old_size ? 2 * old_size : 64;
	strings->table = xmalloc(strings->size * sizeof *strings->table);
	strings->hash = xmalloc(strings->size * sizeof *strings->hash);
	memset(strings->table, 0xff, strings->size * sizeof *strings->table);
	for (size_t i = 0; i < old_size; i++) {
		if (old_table[i] == UINT32_MAX)
			continue;
		size_t at = old_hash[i] & (strings->size - 1);
		while (strings->table[at] != UINT32_MAX)
			at = (at + 1) & (strings->size - 1);
		strings->table[at] = old_table[i];
		strings->hash[at] = old_hash[i];
	}
	free_all(old_table, old_hash);
}

size_t strings_length(const struct strings *strings, uint32_t id)
{
	const uint64_t end =
		id + 1 < strings->start.n ? strings->start.data[id + 1] : strings->text.size;
	return (size_t)(end - strings->start.data[id]) - 1;
}

uint32_t strings_find(const struct strings *strings, const char *text, size_t length)
{
	const uint32_t hash = (uint32_t)XXH3_64bits(text, length);

	for (size_t at = hash & (strings->size - 1); strings->table[at] != UINT32_MAX;
	     at = (at + 1) & (strings->size - 1)) {
		const uint32_t id = strings->table[at];
		if (strings->hash[at] == hash && strings_length(strings, id) == length &&
		    memcmp(strings_get(strings, id), text, length) == 0)
			return id;
	}
	return UINT32_MAX;
}

uint32_t strings_add(struct strings *strings, const char *text, size_t length, struct err *err)
{
	const uint32_t hash = (uint32_t)XXH3_64bits(text, length);
	char *copy;
	size_t at;

	if (2 * (strings->start.n + 1) > strings->size)
		table_grow(strings);
	for (at = hash & (strings->size - 1); strings->table[at] != UINT32_MAX;
	     at = (at + 1) & (strings->size - 1)) {
		const uint32_t id = strings->table[at];
		if (strings->hash[at] == hash && strings_length(strings, id) == length &&
		    memcmp(strings_get(strings, id), text, length) == 0)
			return id;
	}
	if (strings->start.n == UINT32_MAX - 1) {
		err_set(err, STATUS_IO, "the trace has more than 4,294,967,294 different texts");
		return UINT32_MAX;
	}
	copy = slab_extend(&strings->text, length + 1, err);
	if (!copy)
		return UINT32_MAX;
	if (length > 0)
		memcpy(copy, text, length);
	vec_push(&strings->start, (uint64_t)(copy - strings->text.data));
	strings->table[at] = (uint32_t)(strings->start.n - 1);
	strings->hash[at] = hash;
	return strings->table[at];
}

const char *strings_get(const struct strings *strings, uint32_t id)
{
	return strings->text.data + strings->start.data[id];
}
