#include "model/picl/write/picl_account.h"

#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"

/* A procedure or loop that ran on the location; 0 is what contains all. */
struct node {
	uint32_t statement;
	uint32_t order;            /* in reverse postorder, UINT32_MAX not reached */
	uint32_t dominator, depth; /* node; of the tree of dominators */
	uint32_t height;           /* levels below it in this tree */
	uint64_t holds;            /* sorts counted in it, at whatever depth */
	uint64_t leaks; /* sorts counted in nodes entered from inside it and from elsewhere */
};

/* Sorts of counted events: event types of communication have a bit each (the last ones share one),
 * procedures and loops one together. */
enum { SORTS = 63 };
#define SORT_NODES (UINT64_C(1) << SORTS)

struct picl_account {
	const struct trace *trace;
	const int32_t *types;
	uint32_t *node_of;   /* [statement], UINT32_MAX none */
	uint32_t *stamps;    /* [region] relative was added to for this record */
	uint8_t *bearers;    /* [region] procedures and loops of it: none, one, several */
	struct keymap sorts; /* event type: bit */
	uint32_t stamp;
	VEC(struct node) nodes;
	VEC(uint32_t) from, to; /* [edge] node: the second was entered from the first */
	struct lists in, out;   /* edges to, and from, each node */
	VEC(uint32_t) order;    /* nodes in reverse postorder */
	VEC(uint32_t) stack;
	struct keymap rows; /* relative, type: row of sums */
	VEC(struct account_sum) sums;
};

/* ---- the graph of entered nodes ---- */

static uint32_t add_node(struct picl_account *a, uint32_t statement)
{
	uint32_t *node = &a->node_of[statement];

	if (*node == UINT32_MAX) {
		*node = (uint32_t)a->nodes.n;
		vec_push(&a->nodes, ((struct node){ .statement = statement }));
	}
	return *node;
}

/* The innermost procedure or loop around a place that has records. */
static uint32_t around(const struct picl_account *a, uint32_t parent)
{
	while (parent != NO_STATEMENT && a->node_of[parent] == UINT32_MAX)
		parent = trace_statement(a->trace, parent)->parent;
	return parent == NO_STATEMENT ? 0 : a->node_of[parent];
}

/* The node in which a record's statement was entered. */
static uint32_t container(const struct picl_account *a, const struct statement_record *r)
{
	const struct statement *s = trace_statement(a->trace, r->statement);

	if (s->kind != STATEMENT_PROCEDURE)
		return around(a, s->parent);
	return r->from == NO_STATEMENT ? 0 : around(a, trace_statement(a->trace, r->from)->parent);
}

static uint64_t sort_of(struct picl_account *a, const struct statement_record *r)
{
	const struct statement *s = trace_statement(a->trace, r->statement);
	uint32_t *bit;

	if (s->kind <= STATEMENT_LOOP)
		return SORT_NODES;
	if (s->region == UINT32_MAX || s->kind == STATEMENT_CALL)
		return 0;
	bit = keymap_add(&a->sorts, KEY_OF((uint32_t)a->types[s->region]));
	if (*bit == UINT32_MAX)
		*bit = a->sorts.n < SORTS ? (uint32_t)a->sorts.n - 1 : SORTS - 1;
	return UINT64_C(1) << *bit;
}

static bool is_node(const struct picl_account *a, const struct statement_record *r)
{
	return trace_statement(a->trace, r->statement)->kind <= STATEMENT_LOOP;
}

static void make_graph(struct picl_account *a, size_t first, size_t end)
{
	for (size_t i = 0; i < a->nodes.n; i++)
		if (i)
			a->node_of[a->nodes.data[i].statement] = UINT32_MAX;
	a->nodes.n = a->from.n = a->to.n = 0;
	vec_push(&a->nodes, ((struct node){ .statement = NO_STATEMENT }));
	for (size_t i = first; i < end; i++)
		if (is_node(a, trace_statement_record(a->trace, i)))
			add_node(a, trace_statement_record(a->trace, i)->statement);
	for (size_t i = first; i < end; i++) {
		const struct statement_record *r = trace_statement_record(a->trace, i);
		const uint32_t in = container(a, r);
		a->nodes.data[in].holds |= sort_of(a, r);
		if (is_node(a, r)) {
			vec_push(&a->from, in);
			vec_push(&a->to, a->node_of[r->statement]);
		}
	}
	lists_fini(&a->in);
	lists_fini(&a->out);
	lists_make(&a->in, (uint32_t)a->nodes.n, a->to.data, (uint32_t)a->to.n);
	lists_make(&a->out, (uint32_t)a->nodes.n, a->from.data, (uint32_t)a->from.n);
}

/* ---- dominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm) ---- */

/* Nodes in reverse postorder; those that nothing enters from outside are children of the root. */
static void walk(struct picl_account *a, uint32_t start)
{
	/* Each level: a node, and how many of its edges were followed. */
	vec_push(&a->stack, start);
	vec_push(&a->stack, 0u);
	a->nodes.data[start].order = 0;
	while (a->stack.n) {
		const uint32_t at = a->stack.data[a->stack.n - 2];
		uint32_t n, *next = vec_last(&a->stack), to;
		const uint32_t *edges = lists_of(&a->out, at, &n);
		if (*next == n) {
			a->stack.n -= 2;
			vec_push(&a->order, at);
			continue;
		}
		to = a->to.data[edges[(*next)++]];
		if (a->nodes.data[to].order != UINT32_MAX)
			continue;
		a->nodes.data[to].order = 0;
		vec_push(&a->stack, to);
		vec_push(&a->stack, 0u);
	}
}

/* Reverses the rows of the order from `first` on, and numbers them. */
static void end_part(struct picl_account *a, size_t first)
{
	for (size_t i = first, k = a->order.n; i + 1 < k; i++) {
		const uint32_t swap = a->order.data[i];
		a->order.data[i] = a->order.data[--k];
		a->order.data[k] = swap;
	}
	for (size_t i = first; i < a->order.n; i++)
		a->nodes.data[a->order.data[i]].order = (uint32_t)i;
}

static void order_nodes(struct picl_account *a)
{
	a->order.n = 0;
	for (size_t i = 0; i < a->nodes.n; i++)
		a->nodes.data[i].order = a->nodes.data[i].dominator = UINT32_MAX;
	/* First all that the root reaches; the others call each other from an unknown place. */
	for (uint32_t i = 0; i < a->nodes.n; i++) {
		const size_t first = a->order.n;
		if (a->nodes.data[i].order != UINT32_MAX)
			continue;
		walk(a, i);
		end_part(a, first);
		a->nodes.data[i].dominator = 0;
	}
}

/* The nearest node that dominates both; UINT32_MAX where finding out takes too long. */
static uint32_t nearest(const struct picl_account *a, uint32_t x, uint32_t y, uint64_t *budget)
{
	const struct node *nodes = a->nodes.data;

	while (x != y) {
		uint32_t *later = nodes[x].order > nodes[y].order ? &x : &y;
		if (!*budget)
			return UINT32_MAX;
		--*budget;
		*later = nodes[*later].dominator;
	}
	return x;
}

/* One iteration over all nodes; false if it took too long. */
static bool dominate(struct picl_account *a, bool *changed, uint64_t *budget)
{
	*changed = false;
	for (size_t i = 1; i < a->order.n; i++) {
		struct node *node = &a->nodes.data[a->order.data[i]];
		uint32_t n, dominator = node->dominator;
		const uint32_t *edges = lists_of(&a->in, a->order.data[i], &n);
		for (uint32_t k = 0; k < n; k++) {
			const uint32_t from = a->from.data[edges[k]];
			if (a->nodes.data[from].dominator == UINT32_MAX)
				continue;
			if (dominator == UINT32_MAX)
				dominator = from;
			else if ((dominator = nearest(a, dominator, from, budget)) == UINT32_MAX)
				return false;
		}
		*changed = *changed || dominator != node->dominator;
		node->dominator = dominator;
	}
	return true;
}

static void find_dominators(struct picl_account *a)
{
	uint64_t budget = 64 * ((uint64_t)a->nodes.n + a->from.n);
	bool changed = true;

	order_nodes(a);
	while (changed)
		if (!dominate(a, &changed, &budget)) {
			/* The budget is used up: no containment is known, which is always valid. */
			for (size_t i = 0; i < a->nodes.n; i++)
				a->nodes.data[i].dominator = 0;
			changed = false;
		}
}

/* ---- what is known ---- */

/* Adds to each node the sorts of all that it enters. In reverse order two or three iterations are
 * enough; a graph that needs more is assumed to have every sort in every node. */
static void spread_sorts(struct picl_account *a)
{
	enum { TURNS = 32 };
	bool changed = true;

	for (int turn = 0; changed; turn++) {
		changed = false;
		for (size_t i = a->order.n; i-- > 0;) {
			struct node *node = &a->nodes.data[a->order.data[i]];
			uint64_t holds = turn < TURNS ? node->holds : UINT64_MAX;
			uint32_t n;
			const uint32_t *edges = lists_of(&a->out, a->order.data[i], &n);
			for (uint32_t k = 0; k < n; k++)
				holds |= a->nodes.data[a->to.data[edges[k]]].holds;
			changed = changed || holds != node->holds;
			node->holds = holds;
		}
	}
}

/* Dominators come before what they dominate. */
static void measure(struct picl_account *a)
{
	struct node *nodes = a->nodes.data;

	spread_sorts(a);
	for (size_t i = 1; i < a->order.n; i++) {
		struct node *node = &nodes[a->order.data[i]];
		node->depth = nodes[node->dominator].depth + 1;
	}
	for (size_t i = a->order.n; i-- > 1;) {
		const struct node *node = &nodes[a->order.data[i]];
		struct node *above = &nodes[node->dominator];
		uint32_t n;
		const uint32_t *edges = lists_of(&a->in, a->order.data[i], &n);
		if (node->height + 1 > above->height)
			above->height = node->height + 1;
		/* Those that do not dominate it, but enter it or what enters it. */
		for (uint32_t k = 0; k < n; k++) {
			uint32_t at = a->from.data[edges[k]];
			for (int level = 0;
			     level <= ACCOUNT_LEVELS && nodes[at].depth >= node->depth; level++) {
				nodes[at].leaks |= node->holds;
				at = nodes[at].dominator;
			}
		}
	}
}

/* ---- sums ---- */

static void add(struct picl_account *a, int32_t relative, int32_t type,
		const struct statement_record *r, bool known)
{
	struct account_sum *sum;
	uint32_t row;

	if (keymap_new(&a->rows, KEY_OF((uint32_t)relative, (uint32_t)type), a->sums.n, &row))
		vec_push(&a->sums, ((struct account_sum){ .relative = relative, .type = type }));
	sum = &a->sums.data[row];
	sum->time = (int64_t)((uint64_t)sum->time + (uint64_t)r->time);
	sum->count += r->count;
	sum->sent += r->sent;
	sum->received += r->received;
	sum->unknown = sum->unknown || !known;
}

/* Whether all of a record's event type that was inside a node is in records that it dominates. */
static bool is_known(const struct picl_account *a, const struct statement_record *r, uint64_t sort,
		     const struct node *in)
{
	const struct statement *s = trace_statement(a->trace, r->statement);

	if (!(in->leaks & sort))
		return true;
	/* Only if every way to it leads through the node. */
	return sort == SORT_NODES && a->bearers[s->region] == 1 &&
	       a->nodes.data[a->nodes.data[a->node_of[r->statement]].dominator].depth >= in->depth;
}

static void add_record(struct picl_account *a, const struct statement_record *r)
{
	const struct statement *s = trace_statement(a->trace, r->statement);
	const uint64_t sort = sort_of(a, r);
	uint32_t at = container(a, r);

	if (s->region == UINT32_MAX || s->kind == STATEMENT_CALL)
		return;
	add(a, -1, a->types[s->region], r, true);
	a->stamp++;
	for (unsigned level = 0; at != 0 && level <= ACCOUNT_LEVELS; level++) {
		const struct node *n = &a->nodes.data[at];
		const uint32_t region = trace_statement(a->trace, n->statement)->region;
		if (n->height <= ACCOUNT_LEVELS && region != UINT32_MAX && a->types[region] >= 0 &&
		    a->stamps[region] != a->stamp) {
			a->stamps[region] = a->stamp;
			add(a, a->types[region], a->types[s->region], r, is_known(a, r, sort, n));
		}
		at = n->dominator;
	}
}

ORDERING(by_types, struct account_sum, relative, type)

struct picl_account *picl_account_new(const struct trace *trace, const int32_t *types)
{
	struct picl_account *a = xcalloc(1, sizeof *a);
	const size_t n = trace_statement_count(trace);

	a->trace = trace;
	a->types = types;
	a->node_of = xmalloc((n + 1) * sizeof *a->node_of);
	memset(a->node_of, 0xff, (n + 1) * sizeof *a->node_of);
	a->stamps = xcalloc((size_t)trace_region_count(trace) + 1, sizeof *a->stamps);
	a->bearers = xcalloc((size_t)trace_region_count(trace) + 1, sizeof *a->bearers);
	for (uint32_t i = 0; i < n; i++) {
		const struct statement *s = trace_statement(trace, i);
		if (s->kind <= STATEMENT_LOOP && s->region != UINT32_MAX &&
		    a->bearers[s->region] < 2)
			a->bearers[s->region]++;
	}
	return a;
}

const struct account_sum *picl_account_make(struct picl_account *a, size_t first, size_t end,
					    size_t *n)
{
	make_graph(a, first, end);
	find_dominators(a);
	measure(a);
	keymap_fini(&a->rows);
	a->rows = (struct keymap){ NULL, 0, 0 };
	a->sums.n = 0;
	for (size_t i = first; i < end; i++)
		add_record(a, trace_statement_record(a->trace, i));
	vec_sort(&a->sums, by_types);
	*n = a->sums.n;
	return a->sums.data;
}

void picl_account_free(struct picl_account *a)
{
	if (!a)
		return;
	free_all(a->node_of, a->stamps, a->bearers);
	keymap_fini(&a->sorts);
	vec_fini(&a->nodes);
	lists_fini(&a->in);
	lists_fini(&a->out);
	vec_fini(&a->from);
	vec_fini(&a->to);
	vec_fini(&a->order);
	vec_fini(&a->stack);
	vec_fini(&a->sums);
	keymap_fini(&a->rows);
	free(a);
}
