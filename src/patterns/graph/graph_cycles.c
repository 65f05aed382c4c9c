/* Cycles: the strongly connected components of the calls that happened (Tarjan, without recursion:
 * programs may be deeper than our stack), O(procedures + calls). */
#include <stdlib.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "patterns/graph/graph_state.h"

struct call_tarjan {
	struct graph *graph;
	struct graph_lists calls; /* by procedure: rows of `to` */
	const uint32_t *to;
	uint32_t *index, *low; /* [nodes] 0: not seen */
	uint32_t *next;        /* [nodes] the call to look at next */
	bool *on;              /* [nodes] on `stack` */
	VEC(uint32_t) stack, path;
	uint32_t seen, groups;
};

static void visit(struct call_tarjan *t, uint32_t node)
{
	t->index[node] = t->low[node] = ++t->seen;
	t->next[node] = t->calls.start[node];
	t->on[node] = true;
	vec_push(&t->stack, node);
	vec_push(&t->path, node);
}

static void close_group(struct call_tarjan *t, uint32_t root)
{
	uint32_t node;

	do {
		node = vec_pop(&t->stack);
		t->on[node] = false;
		t->graph->group[node] = t->groups;
	} while (node != root);
	t->groups++;
}

static void step(struct call_tarjan *t)
{
	const uint32_t node = *vec_last(&t->path);

	if (t->next[node] < t->calls.start[node + 1]) {
		const uint32_t callee = t->to[t->calls.list[t->next[node]++]];
		if (!t->index[callee])
			visit(t, callee);
		else if (t->on[callee] && t->index[callee] < t->low[node])
			t->low[node] = t->index[callee];
		return;
	}
	if (t->low[node] == t->index[node])
		close_group(t, node);
	(void)vec_pop(&t->path);
	if (t->path.n) {
		const uint32_t caller = *vec_last(&t->path);
		if (t->low[node] < t->low[caller])
			t->low[caller] = t->low[node];
	}
}

static void find_groups(struct graph *graph, const uint32_t *from, const uint32_t *to, uint32_t n)
{
	const uint32_t nodes = (uint32_t)graph->nodes.n;
	struct call_tarjan t = { .graph = graph, .to = to };

	graph_lists_make(&t.calls, nodes, from, n);
	t.index = xcalloc(nodes, sizeof *t.index);
	t.low = xcalloc(nodes, sizeof *t.low);
	t.next = xcalloc(nodes, sizeof *t.next);
	t.on = xcalloc(nodes, sizeof *t.on);
	for (uint32_t node = 1; node < nodes; node++) {
		if (graph_at(graph, node)->kind != GRAPH_KIND_PROCEDURE || t.index[node])
			continue;
		visit(&t, node);
		while (t.path.n)
			step(&t);
	}
	graph->group[GRAPH_PROGRAM] = t.groups; /* after all that it contains */
	graph_lists_fini(&t.calls);
	free(t.index);
	free(t.low);
	free(t.next);
	free(t.on);
	vec_fini(&t.stack);
	vec_fini(&t.path);
}

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
	graph_lists_make(&graph->cycles, graph->n_cycles, cycle, nodes);
	free(number);
	free(cycle);
}

static void take_time(struct graph *graph, struct statement_record *r)
{
	if (r->statement == GRAPH_PROGRAM || !graph_is_inside(graph, r))
		return;
	r->time = r->trans = r->sync = r->min = r->max = 0;
	r->inner = r->count; /* the cycle, which is one procedure, was open already */
	graph_at(graph, r->from)->flags |= GRAPH_CYCLE;
}

void graph_cycles_make(struct graph *graph)
{
	const uint32_t locations = trace_location_count(graph->trace);
	VEC(uint32_t) from = VEC_INIT;
	VEC(uint32_t) to = VEC_INIT;
	struct keymap known = { 0 };

	for (uint32_t l = 0; l < locations; l++)
		for (size_t i = 0; i < graph->made[l].n; i++) {
			const struct graph_row *row = &graph->made[l].data[i];
			const struct statement_record *r = &row->r;
			uint32_t *call;
			if (!row->happened || r->statement == GRAPH_PROGRAM ||
			    r->from == GRAPH_NONE || graph->owner.data[r->from] == GRAPH_PROGRAM)
				continue;
			call = keymap_add(&known, (struct key){ { r->from, r->statement } });
			if (*call != UINT32_MAX)
				continue;
			*call = 0;
			vec_push(&from, graph->owner.data[r->from]);
			vec_push(&to, r->statement);
		}
	graph->group = xcalloc(graph->nodes.n, sizeof *graph->group);
	find_groups(graph, from.data, to.data, (uint32_t)to.n);
	number_cycles(graph, from.data, to.data, (uint32_t)to.n);
	for (uint32_t l = 0; l < locations; l++)
		for (size_t i = 0; i < graph->made[l].n; i++)
			take_time(graph, &graph->made[l].data[i].r);
	keymap_fini(&known);
	vec_fini(&from);
	vec_fini(&to);
}
