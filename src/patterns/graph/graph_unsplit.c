/* Records of a run with events have times, but no partners of calls, which events have. So waiting
 * and transfer of a container of such calls are not known, although a part is: that of calls that
 * never wait. */

#include "base/vec.h"
#include "model/meaning/meaning.h"
#include "patterns/graph/graph_state.h"

struct unsplit {
	struct graph *graph;
	VEC(uint32_t) open; /* marked, and its containers are not */
};

/* Whether events would say whom it waited for. */
static bool is_without_waiting(const struct graph *graph, uint32_t node)
{
	const struct graph_node *n = graph_at(graph, node);
	struct meaning m;

	return n->kind == GRAPH_KIND_COMMUNICATION && graph->totals[node].time > 0 &&
	       !graph_is_split(n, &graph->totals[node]) &&
	       meaning_of_mpi(graph_name(graph, node), &m) &&
	       (m.cls == CLASS_P2P || m.cls == CLASS_COLLECTIVE || m.cls == CLASS_SYNC);
}

static void mark(struct unsplit *u, uint32_t node)
{
	struct graph_node *n = node == GRAPH_NONE ? NULL : graph_at(u->graph, node);

	if (!n || n->flags & GRAPH_UNSPLIT)
		return;
	n->flags |= GRAPH_UNSPLIT;
	vec_push(&u->open, node);
}

static void mark_around(struct unsplit *u, uint32_t node)
{
	const struct graph *graph = u->graph;

	if (graph_at(graph, node)->kind != GRAPH_KIND_PROCEDURE) {
		mark(u, graph_at(graph, node)->parent);
		return;
	}
	for (size_t i = graph->start[node]; i < graph->start[node + 1]; i++)
		mark(u,
		     graph->rows[i].r.from == GRAPH_NONE ? GRAPH_PROGRAM : graph->rows[i].r.from);
}

void graph_unsplit_mark(struct graph *graph)
{
	struct unsplit u = { .graph = graph };

	for (uint32_t node = 1; node < graph->nodes.n; node++)
		if (is_without_waiting(graph, node))
			mark(&u, node);
	while (u.open.n > 0) {
		const uint32_t node = u.open.data[--u.open.n];
		mark_around(&u, node);
	}
	vec_fini(&u.open);
}
