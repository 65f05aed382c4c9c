/* table_gather: rows of a table that several processes made become one table, of the first process
 * (base/exchange.h).
 *
 * Each process has its own rows, and for each a key of numbers that mean the same in
 * all processes. The cells of a row are made where the row is, with all their texts; the first
 * process gets them and puts the rows in the order of the keys; of equal ones those of the earlier
 * process come first, and those of one process in its order. All others have no rows then.
 *
 *	list_table_add_row(&t->list, &row);
 *	vec_push(&keys, ((struct row_key){ { time, rank } }));
 *	...
 *	return table_gather(&t->list.table, trace_exchange(query->trace), keys.data);
 *
 * Memory of the first process: the cells as bytes, and 60 bytes a row. */
#pragma once

#include "base/exchange.h"
#include "views/query/table_list.h"

enum { ROW_KEYS = 6 };

/* Ascending, the first number that differs decides; those not given are 0. */
struct row_key {
	int64_t of[ROW_KEYS];
};

/* Takes the table, and gives one with the rows of all, by their keys[rows], which are in the
 * present order of the rows. What the table shows must not depend on which rows a process has: its
 * columns are those of the first one. Without an exchange, or a table, it gives what it got. All
 * processes call it. */
struct table *table_gather(struct table *table, struct exchange *x, const struct row_key *keys);
