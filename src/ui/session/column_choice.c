#include "ui/session/column_choice.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "views/query/column_names.h"

/* As many kinds of tables as a state file may name. */
enum { CHOICES_MOST = 256 };

uint64_t column_choice_key(const struct table *table)
{
	OWNED_STR names = STR_INIT;

	for (unsigned c = 0; c < table->n_columns; c++)
		if (column_names_has(&table->columns[c]))
			str_add_fmt(&names, "%s ", table->columns[c].name);
	return XXH64(names.text, names.n, 0);
}

/* ---- kept ---- */

static void forget(struct column_choices *choices, uint64_t key)
{
	for (size_t i = 0; i < choices->list.n; i++)
		if (choices->list.data[i].table == key) {
			free(choices->list.data[i].names);
			choices->list.data[i] = choices->list.data[--choices->list.n];
			return;
		}
}

void column_choices_keep(struct column_choices *choices, const struct table *table,
			 const unsigned *chosen, unsigned n)
{
	const uint64_t key = column_choice_key(table);
	OWNED_STR names = STR_INIT;

	forget(choices, key);
	for (unsigned i = 0; i < n; i++)
		str_add_fmt(&names, "%s%s", i ? " " : "", table->columns[chosen[i]].name);
	if (n)
		column_choices_restore(choices, key, names.text);
}

bool column_choices_restore(struct column_choices *choices, uint64_t key, const char *names)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-.:@/ ";

	if (!*names || names[strspn(names, letters)] || choices->list.n >= CHOICES_MOST)
		return false;
	forget(choices, key);
	vec_push(&choices->list, ((struct column_choice){ .table = key, .names = xstrdup(names) }));
	return true;
}

const char *column_choices_find(const struct column_choices *choices, const struct table *table)
{
	uint64_t key;

	if (!choices->list.n)
		return NULL;
	key = column_choice_key(table);
	for (size_t i = 0; i < choices->list.n; i++)
		if (choices->list.data[i].table == key)
			return choices->list.data[i].names;
	return NULL;
}

void column_choices_fini(struct column_choices *choices)
{
	for (size_t i = 0; i < choices->list.n; i++)
		free(choices->list.data[i].names);
	vec_fini(&choices->list);
}
