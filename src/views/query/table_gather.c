#include "views/query/table_gather.h"

#include <string.h>

#include "base/mem.h"
#include "base/order.h"

/* A row travels as its key, then for each column a byte of enum cell_bits and, of a value that is
 * known, its text with the NUL, or its 8 bytes. */
enum cell_bits { CELL_KNOWN = 1, CELL_APPROXIMATE = 2 };

struct gathered_row {
	struct row_key key;
	size_t at; /* of its first cell among the bytes: the order of processes and of their rows */
};

struct gathered_table {
	struct list_table list; /* its rows are `at` */
	char *bytes;
};

/* ---- sending ---- */

static void pack_cell(const struct column *column, const struct value *value, struct str *out)
{
	str_add_char(out, (char)((value->known ? CELL_KNOWN : 0) |
				 (value->approximate ? CELL_APPROXIMATE : 0)));
	if (!value->known)
		return;
	if (column_is_text(column))
		str_add_n(out, value->text, strlen(value->text) + 1);
	else
		str_add_n(out, (const char *)&value->integer, sizeof value->integer);
}

static void pack(struct table *table, const struct row_key *keys, struct str *out)
{
	struct value values[TABLE_COLUMNS];
	size_t i = 0;

	for (uint64_t row = table_first(table); row != ROW_NONE; row = table_next(table, row)) {
		table_cells(table, row, values);
		str_add_n(out, (const char *)&keys[i++], sizeof *keys);
		for (unsigned c = 0; c < table->n_columns; c++)
			pack_cell(&table->columns[c], &values[c], out);
	}
}

/* All to the first process. */
static char *send(struct exchange *x, const struct str *packed, size_t *n)
{
	OWNED size_t *first = xcalloc(x->processes + 1u, sizeof *first);
	struct exchange_parts all;

	for (uint32_t p = 0; p < x->processes; p++)
		first[p + 1] = packed->n;
	exchange_swap(x, packed->text, 1, first, &all);
	*n = all.first[x->processes];
	free(all.first);
	return all.data;
}

/* ---- the table of the first process ---- */

/* The cell at *at, of which it becomes the end. */
static struct value unpack_cell(const struct column *column, const char *bytes, size_t *at)
{
	const unsigned bits = (unsigned char)bytes[(*at)++];
	struct value value = { .known = (bits & CELL_KNOWN) != 0,
			       .approximate = (bits & CELL_APPROXIMATE) != 0 };

	if (value.known && column_is_text(column)) {
		value.text = bytes + *at;
		*at += strlen(value.text) + 1;
	} else if (value.known) {
		memcpy(&value.integer, bytes + *at, sizeof value.integer);
		*at += sizeof value.integer;
	}
	return value;
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct gathered_table *t = (const struct gathered_table *)list;
	size_t at = *(const size_t *)list_table_row(list, item);

	for (unsigned c = 0; c < list->table.n_columns; c++)
		v[c] = unpack_cell(&list->table.columns[c], t->bytes, &at);
}

static void fini(struct list_table *list)
{
	free(((struct gathered_table *)list)->bytes);
}

static int by_key(const void *a, const void *b)
{
	const struct gathered_row *x = a, *y = b;

	for (int i = 0; i < ROW_KEYS; i++)
		ORDER_BY(x->key.of[i], y->key.of[i]);
	return ORDER(x->at, y->at);
}

static void add_rows(struct gathered_table *t, size_t bytes)
{
	OWNED_VEC(struct gathered_row) rows = VEC_INIT;
	const struct gathered_row *row;

	for (size_t at = 0; at < bytes;) {
		struct gathered_row next;
		memcpy(&next.key, t->bytes + at, sizeof next.key);
		next.at = at += sizeof next.key;
		for (unsigned c = 0; c < t->list.table.n_columns; c++)
			unpack_cell(&t->list.columns[c], t->bytes, &at);
		vec_push(&rows, next);
	}
	if (rows.n)
		vec_sort(&rows, by_key);
	vec_each (row, &rows)
		list_table_add_row(&t->list, &row->at);
}

struct table *table_gather(struct table *table, struct exchange *x, const struct row_key *keys)
{
	static const struct list_ops ops = { .cells = cells,
					     .fini = fini,
					     .row_size = sizeof(size_t) };
	OWNED_STR packed = STR_INIT;
	struct gathered_table *t;
	size_t bytes;

	if (!x || !table)
		return table;
	pack(table, keys, &packed);
	t = list_table_new(sizeof *t, &ops, table->columns, table->n_columns, NULL);
	t->bytes = send(x, &packed, &bytes);
	add_rows(t, bytes);
	t->list.table.scale = table->scale;
	t->list.table.second = table->second;
	t->list.table.sorted_by = table->sorted_by;
	t->list.table.descending = table->descending;
	table_free(table);
	return &t->list.table;
}
