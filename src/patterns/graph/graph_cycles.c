/* Cycles: the strongly connected components of the calls that were made. O(procedures + calls). */

#include "base/components.h"
#include "base/keymap.h"
#include "base/mem.h"
#include "patterns/graph/graph_state.h"

/* A group of several procedures, or of one that calls itself. */
static void number_cycles(struct graph *graph, const uint32_t *from, const uint32_t *to, uint32_t n)
{
	const uint32_t nodes = (uint32_t)graph->nodes.n;
	uint32_t *number = xmalloc((nodes + 1) * sizeof *number);
	uint32_t *cycle = xmalloc((nodes + 1) * sizeof *cycle);

	for (uint32_t i = 0; i <= nodes; i++)
		number[i] = cycle[i] = GRAPH_NONE;
	for (uint32_t i = 0; i < n; i++)
		if (graph->group[from[i]] == graph->group[to[i]])
			number[graph->group[to[i]]] = 0;
	for (uint32_t node = 1; node < nodes; node++) {
		struct graph_node *p = graph_at(graph, node);
		if (p->kind != GRAPH_KIND_PROCEDURE || number[graph->group[node]] == GRAPH_NONE)
			continue;
		/* Numbered by the first of their procedures; 0 means "has none yet". */
		if (number[graph->group[node]] == 0)
			number[graph->group[node]] = ++graph->n_cycles;
		p->cycle = cycle[node] = number[graph->group[node]] - 1;
		p->flags |= GRAPH_CYCLE;
	}
	lists_make(&graph->cycles, graph->n_cycles, cycle, nodes);
	free_all(number, cycle);
}

static void take_time(struct graph *graph, struct statement_record *r)
{
	if (r->statement == GRAPH_PROGRAM || !graph_is_inside(graph, r))
		return;
	r->time = r->trans = r->sync = r->min = r->max = 0;
	r->inner = r->count; /* the cycle is one procedure, so it was open already */
	graph_at(graph, r->from)->flags |= GRAPH_CYCLE;
}

void graph_cycles_make(struct graph *graph)
{
	const uint32_t locations = trace_location_count(graph->trace);
	OWNED_VEC(uint32_t) from = VEC_INIT;
	OWNED_VEC(uint32_t) to = VEC_INIT;
	ENDED_BY(keymap_fini) struct keymap known = { 0 };

	for (uint32_t l = 0; l < locations; l++)
		for (size_t i = 0; i < graph->made[l].n; i++) {
			const struct graph_row *row = &graph->made[l].data[i];
			const struct statement_record *r = &row->r;
			uint32_t call;
			if (!row->happened || r->statement == GRAPH_PROGRAM ||
			    r->from == GRAPH_NONE || graph->owner.data[r->from] == GRAPH_PROGRAM ||
			    !keymap_new(&known, KEY_OF(r->from, r->statement), 0, &call))
				continue;
			vec_push(&from, graph->owner.data[r->from]);
			vec_push(&to, r->statement);
		}
	graph->group = xcalloc(graph->nodes.n, sizeof *graph->group);
	graph->group[GRAPH_PROGRAM] = /* after all that it contains */
		components_find((uint32_t)graph->nodes.n, from.data, to.data, to.n, graph->group);
	number_cycles(graph, from.data, to.data, (uint32_t)to.n);
	for (uint32_t l = 0; l < locations; l++)
		for (size_t i = 0; i < graph->made[l].n; i++)
			take_time(graph, &graph->made[l].data[i].r);
}
