/* The order of rows, totals, and the lists that queries use. */
#include <stdlib.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "patterns/graph/graph_state.h"

void graph_add(int64_t *sum, int64_t time)
{
	if (__builtin_add_overflow(*sum, time, sum))
		*sum = time > 0 ? INT64_MAX : INT64_MIN;
}

/* Counts and bytes of malformed records stay at the largest value, too. */
static void add_count(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

static void add_counts(struct graph_values *v, const struct statement_record *r)
{
	add_count(&v->count, r->count);
	add_count(&v->inner, r->inner);
	v->flags |= r->flags;
}

void graph_values_add(struct graph_values *v, const struct graph_row *row)
{
	const struct statement_record *r = &row->r;

	if (r->count > r->inner) {
		const bool none = v->count <= v->inner;
		v->min = none || r->min < v->min ? r->min : v->min;
		v->max = none || r->max > v->max ? r->max : v->max;
	}
	if (r->iterations) {
		v->quickest =
			!v->iterations || r->quickest < v->quickest ? r->quickest : v->quickest;
		v->slowest = r->slowest > v->slowest ? r->slowest : v->slowest;
		graph_add(&v->iterated, r->time);
	}
	add_counts(v, r);
	add_count(&v->iterations, r->iterations);
	graph_add(&v->time, r->time);
	graph_add(&v->exclusive, r->exclusive);
	graph_add(&v->trans, r->trans);
	graph_add(&v->sync, r->sync);
	v->probes = cost_sum(v->probes, row->probes, 1);
	v->probes_own = cost_sum(v->probes_own, row->probes_own, 1);
	v->caused += row->caused;
	graph_add(&v->estimated, row->estimated);
	graph_add(&v->estimated_own, row->estimated_own);
	add_count(&v->own, r->own);
	add_count(&v->carried, r->carried);
	add_count(&v->told, row->told);
	add_count(&v->earlier, row->earlier);
	add_count(&v->sent, r->sent);
	add_count(&v->received, r->received);
}

void graph_entry_add(const struct graph *graph, struct graph_values *values,
		     const struct graph_row *row)
{
	if (graph_is_inside(graph, &row->r))
		add_counts(values, &row->r);
	else
		graph_values_add(values, row);
}

const uint32_t *graph_children(const struct graph *graph, uint32_t node, uint32_t *n)
{
	return lists_of(&graph->children, node, n);
}

/* ---- rows ---- */

static void sort_rows(struct graph *graph)
{
	const uint32_t locations = trace_location_count(graph->trace);
	const size_t nodes = graph->nodes.n;
	size_t *at = xcalloc(nodes + 2, sizeof *at);

	for (uint32_t l = 0; l < locations; l++)
		for (size_t i = 0; i < graph->made[l].n; i++)
			at[graph->made[l].data[i].r.statement + 2]++;
	for (size_t k = 1; k < nodes + 2; k++)
		at[k] += at[k - 1];
	graph->n = at[nodes + 1];
	graph->rows = xmalloc((graph->n + 1) * sizeof *graph->rows);
	for (uint32_t l = 0; l < locations; l++) {
		for (size_t i = 0; i < graph->made[l].n; i++) {
			const struct graph_row *row = &graph->made[l].data[i];
			graph->rows[at[row->r.statement + 1]++] = *row;
		}
		free(graph->made[l].data);
	}
	free(graph->made);
	graph->made = NULL;
	graph->start = at;
}

static void list_entries(struct graph *graph)
{
	OWNED uint32_t *from = xmalloc((graph->n + 1) * sizeof *from);

	for (size_t i = 0; i < graph->n; i++)
		from[i] = graph->rows[i].r.from;
	lists_make(&graph->entries, (uint32_t)graph->nodes.n, from, (uint32_t)graph->n);
}

static void sum_up(struct graph *graph)
{
	const uint32_t nodes = (uint32_t)graph->nodes.n;

	graph->totals = xcalloc(nodes, sizeof *graph->totals);
	graph->cycle_totals = xcalloc(graph->n_cycles + 1, sizeof *graph->cycle_totals);
	for (size_t i = 0; i < graph->n; i++) {
		const struct graph_row *row = &graph->rows[i];
		const uint32_t cycle = graph_at(graph, row->r.statement)->cycle;
		graph_values_add(&graph->totals[row->r.statement], row);
		if (cycle != GRAPH_NONE)
			graph_values_add(&graph->cycle_totals[cycle], row);
	}
	for (uint32_t node = 0; node < nodes; node++)
		for (uint32_t i = graph->entries.start[node]; i < graph->entries.start[node + 1];
		     i++)
			graph_entry_add(graph, &graph->totals[node],
					&graph->rows[graph->entries.list[i]]);
}

/* ---- children ---- */

struct child {
	uint32_t parent, file, line, column, node;
};

ORDERING(by_line, struct child, parent, file, line, column, node)

struct children {
	VEC(struct child) list;
	struct keymap known;
};

static void add_child(struct children *c, const struct graph *graph, uint32_t parent, uint32_t node)
{
	const struct graph_node *n = graph_at(graph, node);
	uint32_t row;

	if (keymap_new(&c->known, KEY_OF(parent, node), 0, &row))
		vec_push(&c->list, ((struct child){ parent, n->file, n->line, n->column, node }));
}

/* Adds callees of call statements that never entered one; where nothing happened at all, also the
 * procedures that no call statement names. */
static void add_static(struct children *c, const struct graph *graph)
{
	const uint32_t nodes = (uint32_t)graph->nodes.n;
	OWNED bool *called = xcalloc(nodes, sizeof *called);

	for (uint32_t node = 1; node < nodes; node++) {
		const struct graph_node *n = graph_at(graph, node);
		if (n->kind != GRAPH_KIND_CALL || n->callee == GRAPH_NONE)
			continue;
		called[n->callee] = true;
		if (graph->entries.start[node] == graph->entries.start[node + 1])
			add_child(c, graph, node, n->callee);
	}
	for (uint32_t node = 1; node < nodes && graph->n == 0; node++)
		if (graph_at(graph, node)->kind == GRAPH_KIND_PROCEDURE && !called[node])
			add_child(c, graph, GRAPH_PROGRAM, node);
}

/* A call without a line, whose numbers were given to the calls with lines (graph_lines.c). */
static bool is_told(const struct graph *graph, uint32_t node)
{
	const struct graph_node *n = graph_at(graph, node);

	return n->kind == GRAPH_KIND_CALL && n->line == 0 && n->statement == NO_STATEMENT &&
	       graph->entries.start[node] == graph->entries.start[node + 1];
}

static void list_children(struct graph *graph)
{
	const uint32_t nodes = (uint32_t)graph->nodes.n;
	struct children c = { VEC_INIT, { 0 } };
	uint32_t *keys;

	for (uint32_t node = 1; node < nodes; node++)
		if (graph_at(graph, node)->kind != GRAPH_KIND_PROCEDURE && !is_told(graph, node))
			add_child(&c, graph, graph_at(graph, node)->parent, node);
	for (size_t i = 0; i < graph->n; i++) {
		const struct statement_record *r = &graph->rows[i].r;
		/* Entered only while it was open, by an unknown caller: not entered from
		 * outside. */
		if (r->from == GRAPH_NONE && r->count == r->inner && !r->time)
			continue;
		if (graph_at(graph, r->statement)->kind == GRAPH_KIND_PROCEDURE)
			add_child(&c, graph, r->from == GRAPH_NONE ? GRAPH_PROGRAM : r->from,
				  r->statement);
	}
	add_static(&c, graph);
	vec_sort(&c.list, by_line);
	keys = xmalloc((c.list.n + 1) * sizeof *keys);
	for (size_t i = 0; i < c.list.n; i++)
		keys[i] = c.list.data[i].parent;
	lists_make(&graph->children, nodes, keys, (uint32_t)c.list.n);
	for (size_t i = 0; i < c.list.n; i++)
		graph->children.list[i] = c.list.data[i].node;
	free(keys);
	keymap_fini(&c.known);
	vec_fini(&c.list);
}

/* ---- lines, names ---- */

static void list_lines(struct graph *graph)
{
	const uint32_t nodes = (uint32_t)graph->nodes.n;
	OWNED struct child *list = xmalloc((nodes + 1) * sizeof *list);

	for (uint32_t i = 0; i < nodes; i++) {
		const struct graph_node *n = graph_at(graph, i);
		list[i] = (struct child){ 0, n->file, n->line, n->column, i };
	}
	SORT(list, nodes, by_line);
	graph->by_line = xmalloc((nodes + 1) * sizeof *graph->by_line);
	for (uint32_t i = 0; i < nodes; i++)
		graph->by_line[i] = list[i].node;
}

/* The only procedure that a call through a pointer entered. */
static uint32_t only_callee(const struct graph *graph, uint32_t call)
{
	uint32_t n;
	const uint32_t *callees = graph_children(graph, call, &n);

	return n == 1 ? callees[0] : GRAPH_NONE;
}

static void name_calls(struct graph *graph)
{
	const uint32_t nodes = (uint32_t)graph->nodes.n;

	graph->name = xmalloc(nodes * sizeof *graph->name);
	for (uint32_t node = 0; node < nodes; node++) {
		struct graph_node *n = graph_at(graph, node);
		uint32_t name;
		graph->name[node] = SIZE_MAX;
		if (n->kind != GRAPH_KIND_CALL)
			continue;
		if (n->callee == GRAPH_NONE)
			n->callee = only_callee(graph, node);
		name = n->name || n->callee == GRAPH_NONE ? n->name
							  : graph_at(graph, n->callee)->name;
		graph->name[node] = graph->names.n;
		str_add(&graph->names, name ? trace_string(graph->trace, name) : "pointer");
		str_add_n(&graph->names, "()", 3);
	}
}

/* Marks loops whose iterations no location counted. */
static void flag_loops(struct graph *graph)
{
	for (uint32_t node = 0; node < graph->nodes.n; node++) {
		struct graph_node *n = graph_at(graph, node);
		if (n->kind != GRAPH_KIND_LOOP || !graph->totals[node].count)
			continue;
		if (graph->totals[node].iterations)
			n->flags &= (uint16_t)~GRAPH_UNCOUNTED;
		else if (!graph->origin.records && !(n->flags & GRAPH_UNTIMED))
			n->flags |= GRAPH_UNCOUNTED;
	}
}

void graph_order_make(struct graph *graph)
{
	sort_rows(graph);
	list_entries(graph);
	sum_up(graph);
	list_children(graph);
	list_lines(graph);
	name_calls(graph);
	flag_loops(graph);
}
