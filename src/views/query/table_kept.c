#include "views/query/table_kept.h"

#include "model/trace/piece.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"

bool query_keeps(const struct query *query)
{
	return query_is_whole(query) && !query->locations && !query->filter && query->analyses &&
	       !analyses_options(query->analyses)->topology &&
	       !analyses_iterated_by(query->analyses);
}

void list_table_keep(const struct list_table *list, const struct query *query, const char *name)
{
	struct piece piece = { VEC_INIT };

	if (!query_keeps(query))
		return;
	piece_add(&piece, list->rows.data, list_table_row_count(list), list->ops->row_size);
	piece_keep(&piece, query->trace, name, query->base);
}

bool list_table_take_kept(struct list_table *list, const struct query *query, const char *name,
			  bool (*holds)(const struct trace *trace, const void *row))
{
	struct piece_reader reader;
	const char *rows;
	size_t n;

	if (!query_keeps(query) || !piece_find(&reader, query->trace, name, query->base))
		return false;
	rows = piece_next(&reader, list->ops->row_size, &n);
	if (!piece_ends(&reader))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!holds(query->trace, rows + i * list->ops->row_size))
			return false;
	for (size_t i = 0; i < n; i++)
		list_table_add_row(list, rows + i * list->ops->row_size);
	return true;
}
