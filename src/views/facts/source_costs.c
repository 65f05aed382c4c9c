#include "views/facts/source_costs.h"

#include "base/order.h"

int64_t source_own(const struct graph_node *node, const struct graph_values *values)
{
	switch ((enum graph_kind)node->kind) {
	case GRAPH_KIND_PROCEDURE:
	case GRAPH_KIND_LOOP: return values->exclusive;
	case GRAPH_KIND_CALL:
	case GRAPH_KIND_COMMUNICATION: return values->time;
	default: return 0;
	}
}

/* True if it is inside a node that begins on the same line. */
static bool is_inner(const struct graph *graph, const struct graph_node *node)
{
	const struct graph_node *parent;

	if (node->parent == GRAPH_NONE)
		return false;
	parent = graph_node(graph, node->parent);
	return parent->file == node->file && parent->line == node->line;
}

static void add_node(struct source_costs *costs, struct source_mark *mark,
		     const struct graph *graph, uint32_t id)
{
	const struct graph_node *node = graph_node(graph, id);
	struct graph_values values;

	graph_values(graph, id, &values);
	vec_push(&costs->nodes, id);
	mark->n++;
	mark->kinds |= 1u << node->kind;
	mark->alone |= (node->flags & GRAPH_ALONE) != 0;
	mark->own += source_own(node, &values);
	if (is_inner(graph, node))
		return;
	mark->count += values.count;
	mark->time += values.time;
	if (!graph_is_split(node, &values))
		return;
	mark->trans += values.trans;
	mark->sync += values.sync;
}

/* ---- loops ---- */

static int compare_loops(const void *pa, const void *pb)
{
	const struct source_loop *a = pa, *b = pb;

	ORDER_BY(a->line, b->line);
	return ORDER(b->end_line, a->end_line);
}

static void nest_loops(struct source_costs *costs)
{
	VEC(uint32_t) ends = VEC_INIT; /* of the enclosing loops */

	vec_sort(&costs->loops, compare_loops);
	for (size_t i = 0; i < costs->loops.n; i++) {
		struct source_loop *loop = &costs->loops.data[i];
		while (ends.n && *vec_last(&ends) < loop->line)
			ends.n--;
		loop->depth = (uint32_t)ends.n;
		vec_push(&ends, loop->end_line);
	}
	vec_fini(&ends);
}

static void add_loop(struct source_costs *costs, struct source_mark *mark,
		     const struct graph_node *node)
{
	if (node->kind != GRAPH_KIND_LOOP || node->end_line <= node->line)
		return;
	vec_push(&costs->loops, ((struct source_loop){ node->line, node->end_line, 0 }));
	mark->bar = true;
}

/* ---- hot lines ---- */

static int compare_own(const void *pa, const void *pb)
{
	const struct source_mark *const *a = pa, *const *b = pb;

	ORDER_BY((*b)->own, (*a)->own);
	return ORDER((*a)->line, (*b)->line);
}

static void find_hot(struct source_costs *costs)
{
	OWNED_VEC(struct source_mark *) order = VEC_INIT;
	double sum = 0;

	for (size_t i = 0; i < costs->marks.n; i++)
		if (costs->marks.data[i].own > 0)
			vec_push(&order, &costs->marks.data[i]);
	vec_sort(&order, compare_own);
	for (size_t i = 0; i < order.n && sum < 0.9 * (double)costs->own; i++) {
		order.data[i]->hot = true;
		sum += (double)order.data[i]->own;
	}
}

/* ---- the costs of a file ---- */

void source_costs_make(struct source_costs *costs, const struct graph *graph, uint32_t file)
{
	uint32_t n;
	const uint32_t *nodes = graph_lines(graph, file, &n);
	struct source_mark *mark = NULL;

	*costs = (struct source_costs){ 0 };
	for (uint32_t i = 0; i < n; i++) {
		const struct graph_node *node = graph_node(graph, nodes[i]);
		if (node->line == 0)
			continue;
		if (!mark || mark->line != node->line) {
			mark = vec_add(&costs->marks);
			mark->line = node->line;
			mark->first = (uint32_t)costs->nodes.n;
		}
		add_node(costs, mark, graph, nodes[i]);
		add_loop(costs, mark, node);
	}
	for (size_t i = 0; i < costs->marks.n; i++) {
		const int64_t own = costs->marks.data[i].own;
		costs->own += own;
		if (own > costs->most)
			costs->most = own;
	}
	nest_loops(costs);
	find_hot(costs);
}

void source_costs_fini(struct source_costs *costs)
{
	vec_fini(&costs->marks);
	vec_fini(&costs->nodes);
	vec_fini(&costs->loops);
	*costs = (struct source_costs){ 0 };
}

size_t source_costs_from(const struct source_costs *costs, uint32_t line)
{
	size_t low = 0, high = costs->marks.n;

	BISECT(low, high, middle, costs->marks.data[middle].line < line);
	return low;
}

const struct source_mark *source_costs_at(const struct source_costs *costs, uint32_t line)
{
	const size_t i = source_costs_from(costs, line);

	return i < costs->marks.n && costs->marks.data[i].line == line ? &costs->marks.data[i]
								       : NULL;
}

uint32_t source_hottest(const struct graph *graph)
{
	uint32_t best = GRAPH_NONE;
	int64_t most = -1;

	for (uint32_t id = 0; id < graph_node_count(graph); id++) {
		const struct graph_node *node = graph_node(graph, id);
		struct graph_values values;
		if (!node->file || !node->line)
			continue;
		graph_values(graph, id, &values);
		/* A call's line only names the procedure; the time goes elsewhere. */
		if (node->kind != GRAPH_KIND_CALL && source_own(node, &values) > most) {
			most = source_own(node, &values);
			best = id;
		}
	}
	return best;
}
