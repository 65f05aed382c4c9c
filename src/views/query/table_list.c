#define _GNU_SOURCE
#include "views/query/table_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static struct list_table *list_of(struct table *table)
{
	return (struct list_table *)table;
}

static void list_free(struct table *table)
{
	struct list_table *list = list_of(table);

	if (list->ops->fini)
		list->ops->fini(list);
	vec_fini(&list->order);
	free(list);
}

static uint64_t list_first(struct table *table)
{
	return table->rows ? 0 : ROW_NONE;
}

static uint64_t list_last(struct table *table)
{
	return table->rows ? table->rows - 1 : ROW_NONE;
}

static uint64_t list_next(struct table *table, uint64_t row)
{
	return row + 1 < table->rows ? row + 1 : ROW_NONE;
}

static uint64_t list_prev(struct table *table, uint64_t row)
{
	(void)table;
	return row ? row - 1 : ROW_NONE;
}

static void list_cells(struct table *table, uint64_t row, struct value *values)
{
	struct list_table *list = list_of(table);

	list->ops->cells(list, list->order.data[row], values);
}

static struct row_thing list_thing(const struct table *table, uint64_t row)
{
	const struct list_table *list = (const struct list_table *)table;
	const uint32_t item = list_table_item(list, row);

	return list->ops->thing ? list->ops->thing(list, item)
				: (struct row_thing){ list->ops->items, item, 0 };
}

/* ---- sorting ---- */

struct key {
	union {
		int64_t integer;
		double real;
		size_t text; /* offset of the copy */
	};
	uint32_t item;
	uint32_t seat; /* place before sorting: what makes the sort stable */
	bool known;
};

struct sorting {
	enum column_type type;
	bool descending;
	const char *texts;
};

static int compare_known(const struct key *a, const struct key *b, const struct sorting *sorting)
{
	switch (sorting->type) {
	case COLUMN_TEXT: return strcmp(sorting->texts + a->text, sorting->texts + b->text);
	case COLUMN_SHARE:
	case COLUMN_EXACT:
	case COLUMN_PART:
	case COLUMN_REAL: return (a->real > b->real) - (a->real < b->real);
	default: return (a->integer > b->integer) - (a->integer < b->integer);
	}
}

static int compare(const void *pa, const void *pb, void *context)
{
	const struct key *a = pa, *b = pb;
	const struct sorting *sorting = context;
	int order;

	if (a->known != b->known)
		return a->known ? -1 : 1;
	order = a->known ? compare_known(a, b, sorting) : 0;
	if (order)
		return sorting->descending ? -order : order;
	return (a->seat > b->seat) - (a->seat < b->seat);
}

static struct key key_of(struct list_table *list, size_t i, unsigned column, struct str *texts)
{
	struct value values[TABLE_COLUMNS];
	struct key key = { .item = list->order.data[i], .seat = (uint32_t)i };

	list->ops->cells(list, key.item, values);
	key.known = values[column].known;
	if (!key.known)
		return key;
	switch (list->table.columns[column].type) {
	case COLUMN_TEXT:
		key.text = texts->n;
		str_add_n(texts, values[column].text, strlen(values[column].text) + 1);
		break;
	case COLUMN_SHARE:
	case COLUMN_EXACT:
	case COLUMN_PART:
	case COLUMN_REAL: key.real = values[column].real; break;
	default: key.integer = values[column].integer;
	}
	return key;
}

static void reverse(struct list_table *list)
{
	uint32_t *items = list->order.data;

	for (size_t i = 0, k = list->order.n; i + 1 < k; i++) {
		const uint32_t item = items[--k];
		items[k] = items[i];
		items[i] = item;
	}
}

static void sort_by(struct list_table *list, unsigned column, bool descending)
{
	const struct table *table = &list->table;
	struct sorting sorting = { table->columns[column].type, descending, NULL };
	struct str texts = STR_INIT;
	struct key *keys = xcalloc(list->order.n, sizeof *keys);

	for (size_t i = 0; i < list->order.n; i++)
		keys[i] = key_of(list, i, column, &texts);
	sorting.texts = texts.text;
	qsort_r(keys, list->order.n, sizeof *keys, compare, &sorting);
	for (size_t i = 0; i < list->order.n; i++)
		list->order.data[i] = keys[i].item;
	free(keys);
	str_fini(&texts);
}

bool list_table_sort(struct table *table, unsigned column, bool descending)
{
	if (column != COLUMN_NONE)
		sort_by(list_of(table), column, descending);
	else if (descending != table->descending)
		reverse(list_of(table));
	table->sorted_by = column;
	table->descending = descending;
	return true;
}

static const struct table_ops list_table_ops = {
	.free = list_free,
	.first = list_first,
	.last = list_last,
	.next = list_next,
	.prev = list_prev,
	.cells = list_cells,
	.thing = list_thing,
	.sort = list_table_sort,
};

void list_table_init(struct list_table *list, const struct list_ops *ops,
		     const struct column *columns, unsigned n_columns,
		     const struct timescale *scale)
{
	list->table = (struct table){
		.ops = &list_table_ops, .columns = columns, .n_columns = n_columns, .scale = scale
	};
	list->ops = ops;
	list->order.data = NULL;
	list->order.n = list->order.cap = 0;
}

void list_table_add(struct list_table *list, uint32_t item)
{
	vec_push(&list->order, item);
	list->table.rows = list->order.n;
}
