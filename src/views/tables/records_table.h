/* records_table: a list made of records by statement, for runs with statistics alone: rows of all
 * chosen locations together, or, by rank, of each.
 *
 * A row begins with its node of the graph:
 *
 *	struct my_row { uint32_t node; ... };
 *	static const struct list_ops ops = { .cells = cells, RECORDS_OPS, .row_size = ... };
 *	struct records_table *t = records_table_new(query, &ops, columns, n, R_RANK, add_rows, err);
 *	...
 *	return list_table_done(&t->list, !query_stopped(query));
 */
#pragma once

#include "patterns/graph/graph.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

enum { RECORDS_ALL = UINT32_MAX }; /* all chosen locations */

struct records_table {
	struct list_table list; /* first */
	struct graph *graph;    /* owned */
	double total;           /* ticks of the program */
};

/* Adds the rows of a location, or of RECORDS_ALL with the rank -1. */
typedef void records_rows(struct records_table *t, uint32_t location, int32_t rank);

/* NULL with err, or untouched if stopped. */
struct records_table *records_table_new(const struct query *query, const struct list_ops *ops,
					const struct column *columns, unsigned n_columns,
					unsigned rank_column, records_rows *add_rows,
					struct err *err);

void records_table_values(const struct records_table *t, uint32_t node, uint32_t location,
			  struct graph_values *values);

struct row_thing records_table_thing(const struct list_table *list, uint32_t item);
void records_table_fini(struct list_table *list);
#define RECORDS_OPS .fini = records_table_fini, .thing = records_table_thing
