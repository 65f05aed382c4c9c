#include "base/components.h"

#include "base/mem.h"

struct tarjan {
	size_t *start; /* [nodes + 1] in next[], the successors of a node */
	size_t *at;    /* [nodes] index in next[] to follow next */
	uint32_t *next;
	uint32_t *order, *low; /* [nodes] order 0: not visited */
	uint32_t *component;   /* [nodes] UINT32_MAX: none yet */
	uint32_t *stack, *path;
	uint32_t stacked, depth, time, components;
};

static void list_successors(struct tarjan *t, uint32_t n, const uint32_t *from, const uint32_t *to,
			    size_t edges)
{
	for (size_t i = 0; i < edges; i++)
		t->start[from[i] + 1]++;
	for (uint32_t node = 0; node < n; node++) {
		t->start[node + 1] += t->start[node];
		t->at[node] = t->start[node];
	}
	for (size_t i = 0; i < edges; i++)
		t->next[t->at[from[i]]++] = to[i];
}

static void visit(struct tarjan *t, uint32_t node)
{
	t->order[node] = t->low[node] = ++t->time;
	t->at[node] = t->start[node];
	t->stack[t->stacked++] = node;
	t->path[t->depth++] = node;
}

static void lower(struct tarjan *t, uint32_t node, uint32_t low)
{
	if (low < t->low[node])
		t->low[node] = low;
}

static void close_node(struct tarjan *t, uint32_t node)
{
	if (t->low[node] == t->order[node]) {
		uint32_t member;
		do {
			member = t->stack[--t->stacked];
			t->component[member] = t->components;
		} while (member != node);
		t->components++;
	}
	if (--t->depth > 0)
		lower(t, t->path[t->depth - 1], t->low[node]);
}

static void explore(struct tarjan *t)
{
	while (t->depth > 0) {
		const uint32_t node = t->path[t->depth - 1];
		uint32_t next;
		if (t->at[node] == t->start[node + 1]) {
			close_node(t, node);
			continue;
		}
		next = t->next[t->at[node]++];
		if (!t->order[next])
			visit(t, next);
		else if (t->component[next] == UINT32_MAX)
			lower(t, node, t->order[next]);
	}
}

uint32_t components_find(uint32_t n, const uint32_t *from, const uint32_t *to, size_t edges,
			 uint32_t *component)
{
	uint32_t *words = xcalloc((size_t)n * 4 + 1, sizeof *words);
	size_t *places = xcalloc((size_t)n * 2 + 1, sizeof *places);
	struct tarjan t = { .start = places,
			    .at = places + n + 1,
			    .next = xmalloc((edges + 1) * sizeof *t.next),
			    .order = words,
			    .low = words + n,
			    .component = component,
			    .stack = words + 2 * (size_t)n,
			    .path = words + 3 * (size_t)n };

	list_successors(&t, n, from, to, edges);
	for (uint32_t node = 0; node < n; node++)
		component[node] = UINT32_MAX;
	for (uint32_t node = 0; node < n; node++)
		if (!t.order[node]) {
			visit(&t, node);
			explore(&t);
		}
	free_all(words, places, t.next);
	return t.components;
}
