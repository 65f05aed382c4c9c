#include "ui/session/column_choice.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

/* As many kinds of tables as a state file may name. */
enum { CHOICES_MOST = 256 };

static bool can_choose(const struct column *column)
{
	return column->exported || column->on_screen;
}

uint64_t column_choice_key(const struct table *table)
{
	OWNED_STR names = STR_INIT;

	for (unsigned c = 0; c < table->n_columns; c++)
		if (can_choose(&table->columns[c]))
			str_add_fmt(&names, "%s ", table->columns[c].name);
	return XXH64(names.text, names.n, 0);
}

const struct column *column_choice_nth(const struct table *table, unsigned i)
{
	for (unsigned c = 0; c < table->n_columns; c++)
		if (can_choose(&table->columns[c]) && !i--)
			return &table->columns[c];
	return NULL;
}

static unsigned find(const struct table *table, const char *name, size_t n)
{
	for (unsigned c = 0; c < table->n_columns; c++)
		if (can_choose(&table->columns[c]) && strlen(table->columns[c].name) == n &&
		    memcmp(table->columns[c].name, name, n) == 0)
			return c;
	return table->n_columns;
}

/* Removes a column; true if it was there. */
static bool take_out(unsigned *chosen, unsigned *n, unsigned column)
{
	for (unsigned i = 0; i < *n; i++) {
		if (chosen[i] != column)
			continue;
		memmove(chosen + i, chosen + i + 1, (*n - i - 1) * sizeof *chosen);
		--*n;
		return true;
	}
	return false;
}

bool column_choice_parse(const struct table *table, const unsigned *shown, unsigned n,
			 const char *text, unsigned chosen[TABLE_COLUMNS], unsigned *n_chosen,
			 struct err *err)
{
	static const char between[] = " ,";

	text += strspn(text, between);
	*n_chosen = 0;
	if (!*text)
		return true;
	if (*text == '+' || *text == '-') {
		memcpy(chosen, shown, n * sizeof *shown);
		*n_chosen = n;
	}
	while (*text) {
		const bool out = *text == '-';
		const char *name = text + (*text == '+' || *text == '-');
		const size_t length = strcspn(name, between);
		const unsigned column = find(table, name, length);

		if (column == table->n_columns)
			return err_set(err, STATUS_USAGE,
				       "there is no column '%.*s' here; press Tab for all",
				       (int)(length < 40 ? length : 40), name);
		take_out(chosen, n_chosen, column);
		if (!out)
			chosen[(*n_chosen)++] = column;
		text = name + length;
		text += strspn(text, between);
	}
	return *n_chosen || err_set(err, STATUS_USAGE, "one column must stay");
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
