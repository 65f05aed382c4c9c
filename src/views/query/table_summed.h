/* table_summed: sums of the rows of a table that have the same cells in some columns, in the order
 * in which these come first. Memory is by their number.
 *
 * Columns are called sum_bytes, mean_bytes, max_bytes, min_bytes and count. Cells that are not
 * known count for nothing; without any the result is not known. A sum of times is exact to the
 * tick. */
#pragma once

#include "views/query/table.h"

enum table_sum_kind { SUM_GROUP, SUM_COUNT, SUM_SUM, SUM_MEAN, SUM_MAX, SUM_MIN, SUM_KINDS };

struct table_sum {
	enum table_sum_kind kind;
	unsigned column; /* of the table; of SUM_COUNT none */
};

/* "sum": SUM_SUM; SUM_KINDS: there is no such function. */
enum table_sum_kind table_sum_find(const char *name, size_t n);

/* Walks over the table, which it takes. Numbers alone have sums, means, limits. */
struct table *table_summed_new(struct table *table, const struct table_sum *sums, unsigned n);
