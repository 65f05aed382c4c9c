/* table_list: the kind of table whose rows are counted: items 0..n-1 (or any 32-bit ids) in an
 * order, which any column can give. A row's handle is its position in the order.
 *
 * A view embeds `struct list_table` first in its own struct, fills `order` in its default order,
 * and says how the cells of an item are made and what else is to be freed.
 *
 *	struct findings_table { struct list_table list; ... };
 *	static const struct list_ops ops = { .cells = cells, .fini = fini };
 *	list_table_init(&f->list, &ops, columns, ARRAY_SIZE(columns), scale);
 *	list_table_add(&f->list, item);
 */
#ifndef TVIEW_VIEWS_QUERY_TABLE_LIST_H
#define TVIEW_VIEWS_QUERY_TABLE_LIST_H

#include "base/vec.h"
#include "views/query/table.h"

struct list_table;

struct list_ops {
	void (*cells)(struct list_table *list, uint32_t item, struct value *values);
	void (*fini)(struct list_table *list); /* what the view holds beside the list; NULL */
	enum thing_kind items; /* what items are the ids of; THING_NONE: of nothing */
	struct row_thing (*thing)(const struct list_table *list,
				  uint32_t item); /* where items are no ids; NULL */
};

struct list_table {
	struct table table; /* first */
	const struct list_ops *ops;
	VEC(uint32_t) order;
};

/* The list has no rows afterwards; the struct that embeds it is one allocation, which table_free()
 * frees. `sorted_by` is the column of the default order. */
void list_table_init(struct list_table *list, const struct list_ops *ops,
		     const struct column *columns, unsigned n_columns,
		     const struct timescale *scale);
void list_table_add(struct list_table *list, uint32_t item);

/* Sorts by a column, stably, unknown values last; text by bytes. Time O(n log n) and 24 bytes a
 * row meanwhile. The table_ops.sort of all lists. */
bool list_table_sort(struct table *table, unsigned column, bool descending);

static inline uint32_t list_table_item(const struct list_table *list, uint64_t row)
{
	return list->order.data[row];
}

#endif
