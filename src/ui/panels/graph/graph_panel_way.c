/* Levels of the program graph: down, up, the hottest path, and the way found again in the graph of
 * another window. */
#include <stdlib.h>

#include "base/mem.h"
#include "ui/panels/graph/graph_panel_state.h"

static const struct graph_mark nowhere = { .node = GRAPH_NONE };

struct graph_mark graph_mark_of(const struct graph *graph, uint32_t node)
{
	struct graph_mark mark = { .node = node };

	if (node != GRAPH_NONE)
		mark.key = *graph_node(graph, node);
	return mark;
}

static void push(struct graph_panel *p, uint32_t node, uint32_t via)
{
	const struct graph_step step = { graph_mark_of(p->graph, node),
					 graph_mark_of(p->graph, via), nowhere };

	vec_push(&p->way, step);
}

/* To where one begins: the program, or the only procedure that it is. */
static void begin(struct graph_panel *p)
{
	uint32_t n;
	const uint32_t *first;

	p->way.n = 0;
	push(p, GRAPH_PROGRAM, GRAPH_NONE);
	first = graph_children(p->graph, GRAPH_PROGRAM, &n);
	if (n == 1 && graph_node(p->graph, first[0])->kind == GRAPH_KIND_PROCEDURE)
		push(p, first[0], GRAPH_NONE);
}

/* ---- another graph ---- */

static bool is_same(const struct graph_node *a, const struct graph_node *b)
{
	return a->kind == b->kind && a->name == b->name && a->file == b->file &&
	       a->line == b->line && a->column == b->column && a->statement == b->statement;
}

/* Numbers of nodes are seldom others. */
static struct graph_mark find(const struct graph *graph, const struct graph_mark *mark)
{
	const uint32_t n = graph_node_count(graph);

	if (mark->node == GRAPH_NONE ||
	    (mark->node < n && is_same(graph_node(graph, mark->node), &mark->key)))
		return *mark;
	for (uint32_t node = 0; node < n; node++)
		if (is_same(graph_node(graph, node), &mark->key))
			return graph_mark_of(graph, node);
	return nowhere;
}

void graph_panel_find_way(struct graph_panel *p)
{
	size_t kept = 0;

	for (; kept < p->way.n; kept++) {
		struct graph_step *step = &p->way.data[kept];
		step->node = find(p->graph, &step->node);
		step->via = find(p->graph, &step->via);
		step->at = find(p->graph, &step->at);
		if (step->node.node == GRAPH_NONE)
			break;
	}
	p->way.n = kept;
	if (!kept)
		begin(p);
}

/* ---- down and up ---- */

/* The procedure that a call leads to if there is only one; else the call. */
static uint32_t behind(const struct graph *graph, uint32_t node)
{
	uint32_t n;
	const uint32_t *called;

	if (graph_node(graph, node)->kind != GRAPH_KIND_CALL)
		return node;
	called = graph_children(graph, node, &n);
	return n == 1 ? called[0] : node;
}

static bool has_level(const struct graph *graph, uint32_t node)
{
	uint32_t n;

	graph_children(graph, node, &n);
	return n > 0;
}

/* A level is that of a call's procedure, or of several. */
static bool go_down(struct graph_panel *p, uint32_t node)
{
	const uint32_t to = behind(p->graph, node);

	if (!has_level(p->graph, to))
		return false;
	vec_last(&p->way)->at = graph_mark_of(p->graph, node);
	push(p, to, to == node ? GRAPH_NONE : node);
	return true;
}

bool graph_panel_down(struct graph_panel *p, uint32_t node)
{
	if (!go_down(p, node))
		return false;
	graph_panel_make_level(p);
	return true;
}

bool graph_panel_up(struct graph_panel *p)
{
	if (p->way.n < 2)
		return false;
	p->way.n--;
	graph_panel_make_level(p);
	return true;
}

void graph_panel_hottest(struct graph_panel *p)
{
	OWNED bool *seen = xcalloc(graph_node_count(p->graph), sizeof *seen);
	uint32_t node = graph_panel_chosen(p);

	/* A cycle is gone round once. */
	for (size_t i = 0; i < p->way.n; i++)
		seen[p->way.data[i].node.node] = true;
	while (node != GRAPH_NONE) {
		const uint32_t to = behind(p->graph, node);
		if (seen[to] || !go_down(p, node))
			break;
		seen[to] = true;
		node = graph_hottest(p->graph, to);
	}
	vec_last(&p->way)->at = graph_mark_of(p->graph, node);
	graph_panel_make_level(p);
}

/* The call from which most of a procedure's time comes; GRAPH_NONE: it is entered from outside,
 * or the node is something else. */
static uint32_t caller_of(const struct graph *graph, uint32_t node)
{
	OWNED struct graph_part *parts = NULL;
	uint32_t n;
	const uint32_t *first = graph_children(graph, GRAPH_PROGRAM, &n);

	if (graph_node(graph, node)->kind != GRAPH_KIND_PROCEDURE)
		return GRAPH_NONE;
	for (uint32_t i = 0; i < n; i++)
		if (first[i] == node)
			return GRAPH_NONE;
	return graph_callers(graph, node, UINT32_MAX, &parts) ? parts[0].node : GRAPH_NONE;
}

void graph_panel_go(struct graph_panel *p, uint32_t node)
{
	VEC(struct graph_step) up = VEC_INIT;
	const uint32_t caller = caller_of(p->graph, node);
	/* Whom a procedure is called by has the row. */
	uint32_t row = caller == GRAPH_NONE ? node : caller;

	while (up.n < GRAPH_PATH_LEVELS) {
		const uint32_t in = graph_node(p->graph, row)->parent;
		const uint32_t via = in == GRAPH_NONE || in == GRAPH_PROGRAM
					     ? GRAPH_NONE
					     : caller_of(p->graph, in);

		vec_push(&up,
			 ((struct graph_step){
				 graph_mark_of(p->graph, in == GRAPH_NONE ? GRAPH_PROGRAM : in),
				 graph_mark_of(p->graph, via), graph_mark_of(p->graph, row) }));
		if (in == GRAPH_NONE || in == GRAPH_PROGRAM)
			break;
		row = via == GRAPH_NONE ? in : via;
	}
	/* A cycle of calls does not end at the program. */
	p->way.n = 0;
	if (vec_last(&up)->node.node != GRAPH_PROGRAM)
		push(p, GRAPH_PROGRAM, GRAPH_NONE);
	while (up.n)
		vec_push(&p->way, vec_pop(&up));
	vec_fini(&up);
	p->in_parts = false;
	graph_panel_make_level(p);
}
