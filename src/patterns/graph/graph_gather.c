/* Rows of several processes become those of each. Nodes are made of definitions and call paths,
 * which are the same in all, and no process has another one's locations, so what follows the rows
 * is that of one process. There are as many rows as one process would have: nodes times locations,
 * not events. */
#include "base/exchange.h"
#include "patterns/graph/graph_state.h"

static void take_out(struct graph *graph, uint32_t location, struct graph_rows *all)
{
	struct graph_rows *made = &graph->made[location];

	for (size_t i = 0; i < made->n; i++)
		vec_push(all, made->data[i]);
	vec_fini(made);
}

void graph_gather(struct graph *graph)
{
	struct exchange *x = trace_exchange(graph->trace);
	struct graph_rows all = { 0 };

	if (!x)
		return;
	for (uint32_t l = 0; l < trace_location_count(graph->trace); l++)
		take_out(graph, l, &all);
	exchange_rows(x, &all);
	for (size_t i = 0; i < all.n; i++)
		vec_push(&graph->made[all.data[i].r.location], all.data[i]);
	vec_fini(&all);
}
