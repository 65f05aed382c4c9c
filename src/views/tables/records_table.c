#include "views/tables/records_table.h"

void records_table_values(const struct records_table *t, uint32_t node, uint32_t location,
			  struct graph_values *values)
{
	if (location == RECORDS_ALL)
		graph_values(t->graph, node, values);
	else
		graph_values_at(t->graph, node, location, values);
}

struct row_thing records_table_thing(const struct list_table *list, uint32_t item)
{
	const uint32_t *node = list_table_row(list, item);

	return (struct row_thing){ THING_STATEMENT, *node, 0 };
}

void records_table_fini(struct list_table *list)
{
	graph_free(((struct records_table *)list)->graph);
}

struct records_table *records_table_new(const struct query *query, const struct list_ops *ops,
					const struct column *columns, unsigned n_columns,
					unsigned rank_column, records_rows *add_rows,
					struct err *err)
{
	const bool by_rank = query->export.by_rank;
	struct graph *graph = query_graph(query, err);
	struct records_table *t;
	struct graph_values whole;

	if (!graph)
		return NULL;
	t = list_table_new(sizeof *t, ops, columns, n_columns, query->trace);
	t->list.columns[rank_column].exported = by_rank;
	t->list.columns[rank_column].on_screen = by_rank;
	t->graph = graph;
	graph_values(graph, GRAPH_PROGRAM, &whole);
	t->total = (double)whole.time;
	if (!by_rank)
		add_rows(t, RECORDS_ALL, -1);
	for (uint32_t i = 0; by_rank && i < query_location_count(query); i++)
		add_rows(t, query_location(query, i),
			 trace_location(query->trace, query_location(query, i))->rank);
	return t;
}
