#include "views/query/column_names.h"

#include <string.h>

bool column_names_has(const struct column *column)
{
	return column->exported || column->on_screen;
}

const struct column *column_names_nth(const struct table *table, unsigned i)
{
	for (unsigned c = 0; c < table->n_columns; c++)
		if (column_names_has(&table->columns[c]) && !i--)
			return &table->columns[c];
	return NULL;
}

size_t column_bare_length(const char *name)
{
	const size_t n = strlen(name);

	return n > 2 && strcmp(name + n - 2, "_s") == 0 ? n - 2 : 0;
}

static int of_length(const struct table *table, const char *name, size_t n, bool bare)
{
	for (unsigned c = 0; c < table->n_columns; c++) {
		const char *own = table->columns[c].name;
		if ((bare ? column_bare_length(own) : strlen(own)) == n &&
		    memcmp(own, name, n) == 0)
			return (int)c;
	}
	return -1;
}

int column_named(const struct table *table, const char *name, size_t n)
{
	const int column = of_length(table, name, n, false);

	if (column >= 0 || !n)
		return column;
	if (n == strlen(COLUMN_DUR) && memcmp(name, COLUMN_DUR, n) == 0)
		return table_column(table, COLUMN_DUR_IS);
	return of_length(table, name, n, true);
}

static unsigned find(const struct table *table, const char *name, size_t n)
{
	const int c = column_named(table, name, n);

	return c >= 0 && column_names_has(&table->columns[c]) ? (unsigned)c : table->n_columns;
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

bool column_names_parse(const struct table *table, const unsigned *shown, unsigned n,
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
			return err_set(
				err, STATUS_USAGE,
				"there is no column '%.*s' here (the first line of the export as "
				"CSV has them)",
				(int)(length < 40 ? length : 40), name);
		take_out(chosen, n_chosen, column);
		if (!out)
			chosen[(*n_chosen)++] = column;
		text = name + length;
		text += strspn(text, between);
	}
	return *n_chosen || err_set(err, STATUS_USAGE, "one column must stay");
}
