#include "views/export/database_texts.h"

#include <string.h>
#include <xxhash.h>

void database_texts_fini(struct database_texts *t)
{
	keymap_fini(&t->numbers);
	str_fini(&t->all);
	vec_fini(&t->begins);
}

static uint32_t add(struct database_texts *t, const char *text, size_t n)
{
	vec_push(&t->begins, t->all.n);
	str_add_n(&t->all, text, n + 1);
	return (uint32_t)(t->begins.n - 1);
}

uint32_t database_texts_number(struct database_texts *t, const char *text)
{
	const size_t n = strlen(text);
	const XXH128_hash_t hash = XXH3_128bits(text, n);
	const struct key key = KEY_OF((uint32_t)hash.low64, (uint32_t)(hash.low64 >> 32),
				      (uint32_t)hash.high64, (uint32_t)(hash.high64 >> 32));
	uint32_t number;

	if (keymap_new(&t->numbers, key, t->begins.n, &number))
		return add(t, text, n);
	/* Who makes two texts of one hash gets a second row, not a wrong text. */
	return strcmp(database_text(t, number), text) == 0 ? number : add(t, text, n);
}
