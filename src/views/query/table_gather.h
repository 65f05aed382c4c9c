/* table_gather: rows of a table that several processes made become one table, of the first process
 * (base/exchange.h).
 *
 * Each process has its own rows, and for each a key of numbers that mean the same in all processes.
 * The cells of a row are made where the row is, with all their texts; the first process is sent
 * them and puts the rows in the order of the keys; of equal ones those of the earlier process come
 * first, and those of one process in its order. All others have no rows then.
 *
 *	list_table_add_row(&t->list, &row);
 *	vec_push(&keys, ((struct row_key){ { time, rank } }));
 *	...
 *	return table_gather(&t->list.table, trace_exchange(query->trace), keys.data);
 *
 * Rows stream: the first process has a few of each, about GATHER_BYTES in all, and asks for more
 * when it needs them. So its rows can only be walked forward, from the first one; all processes
 * call table_first() as often, in the others it returns when the first one needs no more, and that
 * one calls table_leave() before other exchanges unless it came to the last row. */
#pragma once

#include "base/exchange.h"
#include "views/query/table_list.h"

enum { ROW_KEYS = 6, GATHER_BYTES = 1 << 23 };

/* Ascending, the first number that differs decides; those not given are 0. */
struct row_key {
	int64_t of[ROW_KEYS];
};

/* Takes the table, and gives one with the rows of all, by their keys[rows] (copied), which are in
 * the present order of the rows, whose handles are their positions. What the table shows must not
 * depend on which rows a process has: its columns are those of the first one. Without an exchange,
 * or a table, it gives what it got. All processes call it. */
struct table *table_gather(struct table *table, struct exchange *x, const struct row_key *keys);

/* The same of a table that is walked, and has its rows in the order of their keys. The key is asked
 * for after table_cells() of the row. */
typedef struct row_key row_key_of(const struct table *table, uint64_t row);
struct table *table_gather_walked(struct table *table, struct exchange *x, row_key_of *key_of);
