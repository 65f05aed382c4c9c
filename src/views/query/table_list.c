#define _GNU_SOURCE
#include "views/query/table_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/trace.h"

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
	vec_fini(&list->rows);
	for (unsigned i = 0; i < LIST_TEXTS; i++)
		str_fini(&list->texts[i]);
	free_all(list->columns, list);
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

static void item_cells(struct list_table *list, uint32_t item, struct value *values)
{
	list->n_texts = 0;
	list->ops->cells(list, item, values);
}

static void list_cells(struct table *table, uint64_t row, struct value *values)
{
	item_cells(list_of(table), list_of(table)->order.data[row], values);
}

static struct row_thing list_thing(const struct table *table, uint64_t row)
{
	const struct list_table *list = (const struct list_table *)table;
	const uint32_t item = list_table_item(list, row);

	return list->ops->thing ? list->ops->thing(list, item)
				: (struct row_thing){ list->ops->items, item, 0 };
}

static enum text_role list_role(const struct table *table, uint64_t row, unsigned column)
{
	const struct list_table *list = (const struct list_table *)table;

	return list->ops->role ? list->ops->role(list, list_table_item(list, row), column)
			       : TEXT_PLAIN;
}

static bool list_chart(const struct table *table, uint64_t row, unsigned column, int width,
		       struct table_chart *chart)
{
	const struct list_table *list = (const struct list_table *)table;

	return list->ops->chart &&
	       list->ops->chart(list, list_table_item(list, row), column, width, chart);
}

/* ---- sorting ---- */

struct key {
	struct value value; /* for text: the integer is first the offset of its copy */
	uint32_t item;
	uint32_t seat; /* index before sorting, which makes the sort stable */
};

struct sorting {
	enum column_type type;
	bool descending;
};

static int compare(const void *pa, const void *pb, void *context)
{
	const struct key *a = pa, *b = pb;
	const struct sorting *sorting = context;
	const int order = value_order(sorting->type, sorting->descending, &a->value, &b->value);

	return order ? order : ORDER(a->seat, b->seat);
}

static struct key key_of(struct list_table *list, size_t i, unsigned column, struct str *texts)
{
	struct value values[TABLE_COLUMNS];
	struct key key = { .item = list->order.data[i], .seat = (uint32_t)i };

	item_cells(list, key.item, values);
	key.value = values[column];
	if (key.value.known && column_is_text(&list->table.columns[column])) {
		key.value.integer = (int64_t)texts->n;
		str_add_n(texts, values[column].text, strlen(values[column].text) + 1);
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
	struct sorting sorting = { table->columns[column].type, descending };
	OWNED_STR texts = STR_INIT;
	OWNED struct key *keys = xcalloc(list->order.n, sizeof *keys);

	for (size_t i = 0; i < list->order.n; i++)
		keys[i] = key_of(list, i, column, &texts);
	for (size_t i = 0; column_is_text(&table->columns[column]) && i < list->order.n; i++)
		if (keys[i].value.known)
			keys[i].value.text = texts.text + keys[i].value.integer;
	qsort_r(keys, list->order.n, sizeof *keys, compare, &sorting);
	for (size_t i = 0; i < list->order.n; i++)
		list->order.data[i] = keys[i].item;
}

bool list_table_sort(struct table *table, unsigned column, bool descending)
{
	struct list_table *list = list_of(table);
	const unsigned by = column != COLUMN_NONE && list->ops->sort_column
				    ? list->ops->sort_column(column)
				    : column;

	/* Charts come largest first. */
	descending |= by != column;
	list->sorting_by = by;
	if (by != COLUMN_NONE)
		sort_by(list, by, descending);
	else if (descending != table->descending)
		reverse(list);
	list->sorting_by = COLUMN_NONE;
	table->sorted_by = column;
	table->descending = descending;
	return true;
}

/* ---- making ---- */

static const struct table_ops list_table_ops = {
	.free = list_free,
	.first = list_first,
	.last = list_last,
	.next = list_next,
	.prev = list_prev,
	.cells = list_cells,
	.thing = list_thing,
	.role = list_role,
	.chart = list_chart,
	.sort = list_table_sort,
};

void *list_table_new(size_t size, const struct list_ops *ops, const struct column *columns,
		     unsigned n_columns, const struct trace *trace)
{
	static const struct timescale seconds = { 1, 0 };
	struct list_table *list = xcalloc(1, size);

	list->columns = xcalloc(n_columns, sizeof *columns);
	memcpy(list->columns, columns, n_columns * sizeof *columns);
	list->table = (struct table){ .ops = &list_table_ops,
				      .columns = list->columns,
				      .n_columns = n_columns,
				      .sorted_by = COLUMN_NONE,
				      .scale = trace ? trace_scale(trace) : &seconds };
	list->ops = ops;
	list->trace = trace;
	list->sorting_by = COLUMN_NONE;
	for (unsigned i = 0; i < LIST_TEXTS; i++)
		str_init(&list->texts[i]);
	return list;
}

void list_table_add(struct list_table *list, uint32_t item)
{
	vec_push(&list->order, item);
	list->table.rows = list->order.n;
}

void list_table_add_all(struct list_table *list, size_t n)
{
	vec_reserve(&list->order, n);
	for (uint32_t item = 0; item < n; item++)
		list_table_add(list, item);
}

void list_table_add_row(struct list_table *list, const void *row)
{
	const size_t size = list->ops->row_size;

	list_table_add(list, (uint32_t)list_table_row_count(list));
	vec_reserve(&list->rows, size);
	memcpy(list->rows.data + list->rows.n, row, size);
	list->rows.n += size;
}

void list_table_take_rows(struct list_table *list, void *take_rows, size_t n)
{
	vec_fini(&list->rows);
	list->rows.data = take_rows;
	list->rows.n = list->rows.cap = n * list->ops->row_size;
	list_table_add_all(list, n);
}

void *list_table_row(const struct list_table *list, uint32_t item)
{
	return list->rows.data + list->ops->row_size * item;
}

size_t list_table_row_count(const struct list_table *list)
{
	return list->rows.n / list->ops->row_size;
}

struct ranked_item {
	int32_t rank;
	uint32_t item;
};

ORDERING(by_rank, struct ranked_item, rank, item)

void list_table_share(struct list_table *list, struct exchange *x,
		      int32_t (*rank_of)(const void *row))
{
	OWNED_VEC(struct ranked_item) items = VEC_INIT;
	const struct ranked_item *i;

	if (!x)
		return;
	exchange_rows(x, &list->rows);
	for (uint32_t item = 0; item < list->rows.n / list->ops->row_size; item++)
		vec_push(&items,
			 ((struct ranked_item){ rank_of(list_table_row(list, item)), item }));
	vec_sort(&items, by_rank);
	list->order.n = 0;
	vec_each (i, &items)
		list_table_add(list, i->item);
}

struct table *list_table_done(struct list_table *list, bool complete)
{
	if (complete)
		return &list->table;
	table_free(&list->table);
	return NULL;
}

struct str *list_table_text(struct list_table *list)
{
	struct str *text = &list->texts[list->n_texts++];

	assert(list->n_texts <= LIST_TEXTS);
	str_clear(text);
	return text;
}
