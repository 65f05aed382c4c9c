/* table_list: a table whose rows are a list of items, 0..n-1 or any 32-bit ids, which any column
 * can sort. A row's handle is its position in the list.
 *
 * A view says which columns there are and how the cells of an item are made; the list keeps the
 * rows, the texts of the cells and the order. A view embeds `struct list_table` first in its own
 * struct:
 *
 *	struct rows_of_mine { struct list_table list; ... };
 *	static const struct list_ops ops = { .cells = cells, .row_size = sizeof(struct my_row) };
 *	struct rows_of_mine *t =
 *		list_table_new(sizeof *t, &ops, columns, ARRAY_SIZE(columns), trace);
 *	list_table_add_row(&t->list, &row);
 *	return list_table_done(&t->list, !query_stopped(query));
 */
#pragma once

#include "base/str.h"
#include "base/vec.h"
#include "views/query/table.h"

struct list_table;
struct trace;

struct list_ops {
	void (*cells)(struct list_table *list, uint32_t item, struct value *values);
	void (*fini)(struct list_table *list); /* frees what the view has beside the list; NULL */
	size_t row_size;       /* bytes that list_table_row() keeps per item; 0: none */
	enum thing_kind items; /* kind of thing whose ids the items are; THING_NONE: none */
	/* As in table_ops, but for items; NULL as there. `thing`: where items are not ids. */
	struct row_thing (*thing)(const struct list_table *list, uint32_t item);
	enum text_role (*role)(const struct list_table *list, uint32_t item, unsigned column);
	bool (*chart)(const struct list_table *list, uint32_t item, unsigned column, int width,
		      struct table_chart *chart);
	/* The column that orders the rows instead of one that shows a chart; NULL: each does
	 * itself. */
	unsigned (*sort_column)(unsigned column);
};

enum { LIST_TEXTS = 9 };

struct list_table {
	struct table table; /* first */
	const struct list_ops *ops;
	const struct trace *trace;
	struct column *columns; /* the table's, which a view may change; owned */
	VEC(uint32_t) order;
	VEC(char) rows; /* row_size bytes each */
	struct str texts[LIST_TEXTS];
	unsigned n_texts;    /* used by the cells of this row */
	uint32_t sorting_by; /* while sorting, the only column whose cells are needed; else
				COLUMN_NONE */
};

/* A zeroed struct of `size` bytes that begins with the list, which has no rows yet; table_free()
 * frees it. Columns are copied. `trace` gives the times their scale. The order is one of its own: a
 * view that adds rows in that of a column says so (table.sorted_by). */
void *list_table_new(size_t size, const struct list_ops *ops, const struct column *columns,
		     unsigned n_columns, const struct trace *trace);
void list_table_add(struct list_table *list, uint32_t item);
/* The items 0 .. n - 1. */
void list_table_add_all(struct list_table *list, size_t n);
/* Adds the next item with a copy of its row (row_size bytes); the copy of an item; how many there
 * are. */
void list_table_add_row(struct list_table *list, const void *row);
/* A list without items takes n rows at once (of malloc, without a copy). */
void list_table_take_rows(struct list_table *list, void *take_rows, size_t n);
void *list_table_row(const struct list_table *list, uint32_t item);
size_t list_table_row_count(const struct list_table *list);
/* Gives all processes the rows of all, by rank, those of a rank as they were added: each process
 * has added some of them (query_group_next()). */
struct exchange;
void list_table_share(struct list_table *list, struct exchange *x,
		      int32_t (*rank_of)(const void *row));
/* Ends the making: the table, or, unless it is `complete`, NULL, and everything is freed. */
struct table *list_table_done(struct list_table *list, bool complete);

/* An empty text for a cell, which lives until the next row's cells are made. */
struct str *list_table_text(struct list_table *list);

/* Sorts by a column, stably, unknown values last; text by bytes. Time O(n log n) and 24 bytes a
 * row meanwhile. The table_ops.sort of all lists. */
bool list_table_sort(struct table *table, unsigned column, bool descending);

static inline uint32_t list_table_item(const struct list_table *list, uint64_t row)
{
	return list->order.data[row];
}
