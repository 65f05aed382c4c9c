/* table_kept: results of the whole run that views make and that are kept with its trace
 * (model/trace/piece.h), so that a cached trace has them without an analysis. */
#pragma once

#include "views/query/table_list.h"
#include "views/query/view.h"

/* True if nothing narrows the query, and no option changes what its analysis finds. */
bool query_keeps(const struct query *query);

/* Keeps a copy of the rows of a list, which have no pointers, if the query keeps. */
void list_table_keep(const struct list_table *list, const struct query *query, const char *name);
/* Adds those that were kept to a list that has none; `holds` says whether all that a row leads to
 * is there. False: none are kept, or they do not hold. */
bool list_table_take_kept(struct list_table *list, const struct query *query, const char *name,
			  bool (*holds)(const struct trace *trace, const void *row));
