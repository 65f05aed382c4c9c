/* table_chosen: some rows of a table: those that match, in the order of a column, from the n-th on,
 * not more than so many.
 *
 * Without an order rows stream. With one, the keys of the rows that are asked for are kept and
 * no others: the first ten of ten million take memory for ten, and no sorting. Equal ones keep
 * their order, unknown values are last, text is by bytes. It can be walked forward only, from
 * table_first(). By one process alone.
 *
 *	table = table_chosen_new(table, &(struct table_choice){ .column = c, .most = 10 });
 */
#pragma once

#include "views/query/table.h"

struct table_choice {
	bool (*matches)(void *context, const struct value *values); /* NULL: all do */
	void *context;
	void (*drop)(void *context); /* ends the context with the table; NULL: it outlives it */
	unsigned column;             /* that orders the rows; COLUMN_NONE: as they are */
	bool descending;
	uint64_t from; /* index of the first row that is given */
	uint64_t most; /* rows that are given; UINT64_MAX: all */
};

/* Takes the table. */
struct table *table_chosen_new(struct table *table, const struct table_choice *choice);
/* How many rows that match come before, and after, those that are given; false: the table is
 * another one, which gives all. May walk over the rest of the rows. */
bool table_chosen_left(struct table *table, uint64_t *before, uint64_t *after);
