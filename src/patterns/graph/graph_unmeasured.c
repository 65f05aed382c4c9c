/* Procedures and loops without records, because they have no probe, or because only the MPI calls
 * in them were found by their addresses: they get the time that is known to be in them, so that a
 * path leads down to it. They have no count. */

#include "base/mem.h"
#include "base/order.h"
#include "patterns/graph/graph_state.h"

struct unmeasured {
	struct graph *graph;
	bool *is;                       /* [nodes] */
	struct statement_record *below; /* [nodes] contents on the current location */
	uint32_t *stamp;                /* [nodes] 1 + location for which `below` is valid */
	VEC(uint32_t) met;
};

static void find(struct unmeasured *u)
{
	const struct graph *graph = u->graph;
	const uint32_t paths = trace_callpath_count(graph->trace);

	for (uint32_t node = 1; node <= graph->statements; node++) {
		const struct statement *s = trace_statement(graph->trace, node - 1);
		u->is[node] = (s->kind == STATEMENT_PROCEDURE || s->kind == STATEMENT_LOOP) &&
			      s->flags & (STATEMENT_FOUND | STATEMENT_ALONE);
	}
	for (uint32_t path = 1; graph->places && path < paths; path++)
		u->is[graph->places[path].node] = false;
	for (uint32_t l = 0; l < trace_location_count(graph->trace); l++)
		for (size_t i = 0; i < graph->made[l].n; i++)
			u->is[graph->made[l].data[i].r.statement] = false;
}

static void add(struct unmeasured *u, uint32_t node, uint32_t location,
		const struct statement_record *r)
{
	struct statement_record *below = &u->below[node];

	/* Tool overhead happens in MPI calls, which include its time already. */
	if (!u->is[node] || graph_at(u->graph, r->statement)->flags & GRAPH_OVERHEAD)
		return;
	if (u->stamp[node] != location + 1) {
		u->stamp[node] = location + 1;
		*below = (struct statement_record){ .statement = node,
						    .location = location,
						    .from = GRAPH_NONE,
						    .comm = UINT32_MAX };
		vec_push(&u->met, node);
	}
	graph_add(&below->time, r->time);
	graph_add(&below->trans, r->trans);
	graph_add(&below->sync, r->sync);
}

/* The container of a row: GRAPH_PROGRAM if unknown. */
static uint32_t within(const struct graph *graph, const struct statement_record *r)
{
	if (r->statement == GRAPH_PROGRAM)
		return GRAPH_PROGRAM;
	if (graph_at(graph, r->statement)->kind != GRAPH_KIND_PROCEDURE)
		return graph_at(graph, r->statement)->parent;
	return r->from == GRAPH_NONE ? GRAPH_PROGRAM : graph_at(graph, r->from)->parent;
}

static int inner_first(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	/* A container has a smaller number than its contents. */
	return x > y ? -1 : x < y;
}

static void add_location(struct unmeasured *u, uint32_t location)
{
	struct graph_rows *rows = &u->graph->made[location];

	u->met.n = 0;
	for (size_t i = 0; i < rows->n; i++)
		add(u, within(u->graph, &rows->data[i].r), location, &rows->data[i].r);
	/* Loops without a probe may be nested. */
	for (size_t i = 0; i < u->met.n; i++)
		for (uint32_t node = u->met.data[i];
		     graph_at(u->graph, node)->kind == GRAPH_KIND_LOOP;) {
			node = graph_at(u->graph, node)->parent;
			if (u->stamp[node] == location + 1)
				break;
			add(u, node, location, &(struct statement_record){ 0 });
			if (!u->is[node])
				break;
		}
	vec_sort(&u->met, inner_first);
	for (size_t i = 0; i < u->met.n; i++) {
		const uint32_t node = u->met.data[i];
		const struct graph_row row = { .r = u->below[node] };
		if (graph_at(u->graph, node)->kind == GRAPH_KIND_LOOP)
			add(u, graph_at(u->graph, node)->parent, location, &row.r);
		if (!(graph_at(u->graph, node)->flags & GRAPH_ALONE))
			graph_at(u->graph, node)->flags |= GRAPH_UNVISITED;
		vec_push(rows, row);
	}
}

void graph_unmeasured_make(struct graph *graph)
{
	const size_t nodes = graph->nodes.n;
	struct unmeasured u = { .graph = graph };

	if (!graph->statements)
		return;
	u.is = xcalloc(nodes, sizeof *u.is);
	u.below = xcalloc(nodes, sizeof *u.below);
	u.stamp = xcalloc(nodes, sizeof *u.stamp);
	find(&u);
	for (uint32_t l = 0; l < trace_location_count(graph->trace); l++)
		add_location(&u, l);
	free_all(u.is, u.below, u.stamp);
	vec_fini(&u.met);
}
