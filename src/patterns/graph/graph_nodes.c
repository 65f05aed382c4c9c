/* Nodes: the trace's statements, and those that only its call paths show. The place of a call path
 * is its container (procedure or loop), its region, and the place of its call; each such place is
 * looked up once, so that a trace with millions of call paths (recursion) costs one look-up for
 * each. */
#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"
#include "model/meaning/meaning.h"
#include "patterns/graph/graph_state.h"
#include "patterns/severity/region_metric.h"

/* OTF2's number (OTF2_RegionRole). */
enum { ROLE_LOOP = 3 };

/* Limit on nested loops without a probe that are searched. */
enum { LOOPS_MOST = 64 };

#define ANYWHERE (GRAPH_NONE / 2)
#define ANY_NAME UINT32_MAX

/* A procedure among the statements; a name of several has the first one's node. */
struct procedure_name {
	const char *name;
	uint32_t node;
};

struct maker {
	struct graph *graph;
	uint32_t *of_region;  /* [regions] procedure or loop of a statement, made procedure;
				 GRAPH_NONE */
	struct keymap listed; /* statements: container, file, line, name -> node */
	struct keymap places; /* (container, region or callee, file, line) -> node */
	VEC(uint32_t) open;   /* call paths whose parent is not placed yet */
	VEC(struct procedure_name) names; /* of the statements, sorted */
};

static const struct graph_node empty_node = { .parent = GRAPH_PROGRAM,
					      .callee = GRAPH_NONE,
					      .statement = NO_STATEMENT,
					      .cycle = GRAPH_NONE };

static uint32_t add_node(struct graph *graph, const struct graph_node *node)
{
	const uint32_t id = (uint32_t)graph->nodes.n;

	vec_push(&graph->nodes, *node);
	vec_push(&graph->owner, node->kind == GRAPH_KIND_PROCEDURE ? id
				: node->parent == GRAPH_NONE       ? GRAPH_PROGRAM
							     : graph->owner.data[node->parent]);
	return id;
}

/* ---- the trace's statements ---- */

static uint32_t string_of(const struct graph *graph, uint32_t string)
{
	return string < trace_string_count(graph->trace) ? string : 0;
}

static uint8_t kind_of(uint8_t kind)
{
	switch (kind) {
	case STATEMENT_PROCEDURE: return GRAPH_KIND_PROCEDURE;
	case STATEMENT_LOOP: return GRAPH_KIND_LOOP;
	case STATEMENT_CALL: return GRAPH_KIND_CALL;
	default: return GRAPH_KIND_COMMUNICATION;
	}
}

static uint16_t flags_of(const struct statement *s)
{
	return (uint16_t)((s->flags & STATEMENT_ALONE ? GRAPH_ALONE : 0) |
			  (s->flags & STATEMENT_POINTER ? GRAPH_POINTER : 0) |
			  (s->flags & STATEMENT_UNCOUNTED ? GRAPH_UNCOUNTED : 0) |
			  (s->flags & STATEMENT_UNTIMED ? GRAPH_UNTIMED : 0));
}

/* Only procedures and loops can be containers. */
static uint32_t parent_of(const struct graph *graph, const struct statement *s, uint32_t id)
{
	uint32_t parent = s->parent;

	if (s->kind == STATEMENT_PROCEDURE)
		return GRAPH_PROGRAM;
	while (parent < id) {
		const struct statement *p = trace_statement(graph->trace, parent);
		if (p->kind == STATEMENT_PROCEDURE || p->kind == STATEMENT_LOOP)
			return parent + 1;
		if (p->parent >= parent)
			break;
		parent = p->parent;
	}
	return GRAPH_PROGRAM;
}

static bool is_overhead(const struct graph *graph, const struct statement *s)
{
	if (s->kind == STATEMENT_CALL && s->callee < graph->statements)
		s = trace_statement(graph->trace, s->callee);
	return s->region < trace_region_count(graph->trace) &&
	       trace_region(graph->trace, s->region)->cls == CLASS_OVERHEAD;
}

static uint16_t ends_of(const struct graph *graph, uint32_t region)
{
	return region < trace_region_count(graph->trace) && region_is_of_ends(graph->trace, region)
		       ? GRAPH_ENDS
		       : 0;
}

static void add_statement(struct graph *graph, uint32_t id)
{
	const struct statement *s = trace_statement(graph->trace, id);
	struct graph_node node = empty_node;

	node.kind = kind_of(s->kind);
	node.flags = flags_of(s);
	node.column = s->column;
	node.line = s->line;
	node.end_line = s->end_line;
	node.name = string_of(graph, s->name);
	node.file = string_of(graph, s->file);
	node.reason = string_of(graph, s->reason);
	node.parent = parent_of(graph, s, id);
	node.statement = id;
	node.flags |= is_overhead(graph, s) ? GRAPH_OVERHEAD : 0;
	node.flags |= ends_of(graph, s->region);
	if (s->kind == STATEMENT_CALL && s->callee < graph->statements &&
	    trace_statement(graph->trace, s->callee)->kind == STATEMENT_PROCEDURE)
		node.callee = s->callee + 1;
	graph->origin.tables |= !(s->flags & STATEMENT_FOUND);
	graph->origin.alone +=
		(s->flags & (STATEMENT_ALONE | STATEMENT_UNTIMED)) == STATEMENT_ALONE;
	/* Such a file is a procedure without a line (unit_note.c). */
	graph->origin.loopless +=
		s->kind == STATEMENT_PROCEDURE && s->flags & STATEMENT_ALONE && !s->line;
	graph->origin.callless +=
		s->kind == STATEMENT_CALL &&
		(s->flags & (STATEMENT_ALONE | STATEMENT_UNTIMED)) == STATEMENT_ALONE;
	graph->origin.untimed += s->flags & STATEMENT_UNTIMED && s->kind != STATEMENT_CALL;
	add_node(graph, &node);
}

void graph_nodes_make(struct graph *graph)
{
	struct graph_node program = empty_node;

	graph->statements = trace_statement_count(graph->trace);
	vec_reserve(&graph->nodes, graph->statements + 1);
	program.kind = GRAPH_KIND_PROGRAM;
	program.parent = GRAPH_NONE;
	add_node(graph, &program);
	for (uint32_t id = 0; id < graph->statements; id++)
		add_statement(graph, id);
}

/* ---- finding a statement by its place ---- */

static struct key key_of(uint32_t within, const struct graph_node *node, uint32_t name)
{
	return KEY_OF(within * 2 + (node->kind == GRAPH_KIND_COMMUNICATION), node->file, node->line,
		      name);
}

/* The first statement at a place wins. */
static void list_as(struct maker *m, uint32_t within, uint32_t node, uint32_t name)
{
	uint32_t first;

	keymap_new(&m->listed, key_of(within, graph_at(m->graph, node), name), node, &first);
}

/* Events name the container of a statement without the loops that have no probe, and without any
 * loops where segments were left unrecorded. */
static void list_statement(struct maker *m, uint32_t node)
{
	const struct graph_node *n = graph_at(m->graph, node);
	const uint32_t owner = m->graph->owner.data[node];
	uint32_t within = n->parent;

	list_as(m, ANYWHERE, node, n->name);
	if (n->parent == GRAPH_PROGRAM) {
		/* Of a program without lines and names of functions. */
		if (!n->line)
			list_as(m, GRAPH_PROGRAM, node, n->name);
		return;
	}
	for (int i = 0; i < LOOPS_MOST && graph_at(m->graph, within)->kind == GRAPH_KIND_LOOP &&
			graph_at(m->graph, within)->flags & GRAPH_ALONE;
	     i++)
		within = graph_at(m->graph, within)->parent;
	list_as(m, owner, node, n->name);
	list_as(m, owner, node, ANY_NAME);
	if (within != owner) {
		list_as(m, within, node, n->name);
		list_as(m, within, node, ANY_NAME);
	}
}

static int by_name(const void *a, const void *b)
{
	const struct procedure_name *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	return order ? order : ORDER(x->node, y->node);
}

static void list_statements(struct maker *m)
{
	const uint32_t regions = trace_region_count(m->graph->trace);

	m->of_region = xmalloc((regions + 1) * sizeof *m->of_region);
	for (uint32_t i = 0; i < regions; i++)
		m->of_region[i] = GRAPH_NONE;
	for (uint32_t node = 1; node <= m->graph->statements; node++) {
		const struct graph_node *n = graph_at(m->graph, node);
		const uint32_t region = trace_statement(m->graph->trace, node - 1)->region;
		if (n->kind == GRAPH_KIND_PROCEDURE)
			vec_push(&m->names,
				 ((struct procedure_name){ trace_string(m->graph->trace, n->name),
							   node }));
		if (n->kind == GRAPH_KIND_CALL || n->kind == GRAPH_KIND_COMMUNICATION)
			list_statement(m, node);
		else if (region < regions && m->of_region[region] == GRAPH_NONE)
			m->of_region[region] = node;
	}
	vec_sort(&m->names, by_name);
}

/* The procedure that a site without a line names ("exchange()", struct site); GRAPH_NONE. */
static uint32_t procedure_of_site(const struct maker *m, const struct site *site)
{
	const char *text = trace_string(m->graph->trace, site->file);
	const size_t n = strlen(text);
	size_t low = 0, high = m->names.n;

	if (site->line || !str_ends_with(text, "()"))
		return GRAPH_NONE;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (strncmp(m->names.data[middle].name, text, n - 2) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	/* Longer names with this beginning come after it. */
	return low < m->names.n && strlen(m->names.data[low].name) == n - 2 &&
			       !strncmp(m->names.data[low].name, text, n - 2)
		       ? m->names.data[low].node
		       : GRAPH_NONE;
}

static uint32_t listed(const struct maker *m, uint32_t within, const struct graph_node *like,
		       uint32_t name)
{
	const uint32_t *node = keymap_find(&m->listed, key_of(within, like, name));

	return node ? *node : GRAPH_NONE;
}

/* The statement at the place of `like`: by name, else (for a call) one through a pointer, else any
 * on the line; in its container, else in its procedure, else anywhere by name. */
static uint32_t find_statement(const struct maker *m, uint32_t within,
			       const struct graph_node *like)
{
	const uint32_t levels[] = { within, m->graph->owner.data[within] };
	const bool call = like->kind == GRAPH_KIND_CALL;
	uint32_t node = GRAPH_NONE;

	for (int i = 0; i < 2 && node == GRAPH_NONE; i++) {
		node = listed(m, levels[i], like, like->name);
		if (node == GRAPH_NONE && call)
			node = listed(m, levels[i], like, 0);
	}
	for (int i = 0; i < 2 && node == GRAPH_NONE && like->line; i++)
		node = listed(m, levels[i], like, ANY_NAME);
	if (node == GRAPH_NONE && like->line)
		node = listed(m, ANYWHERE, like, like->name);
	return node;
}

/* A statement that was found by an address, without a container, is placed where it is first seen;
 * seen elsewhere it becomes another node. */
static uint32_t settle(struct maker *m, uint32_t found, struct graph_node *node)
{
	struct graph_node *f;

	if (found == GRAPH_NONE)
		return add_node(m->graph, node);
	f = graph_at(m->graph, found);
	if (trace_statement(m->graph->trace, f->statement)->parent != NO_STATEMENT ||
	    f->parent == node->parent)
		return found;
	if (f->parent == GRAPH_PROGRAM) {
		f->parent = node->parent;
		m->graph->owner.data[found] = m->graph->owner.data[node->parent];
		return found;
	}
	node->statement = f->statement;
	return add_node(m->graph, node);
}

/* ---- call paths ---- */

static enum graph_kind kind_of_region(const struct region *region)
{
	if (region->cls != CLASS_USER && region->cls != CLASS_OVERHEAD)
		return GRAPH_KIND_COMMUNICATION;
	return region->role == ROLE_LOOP ? GRAPH_KIND_LOOP : GRAPH_KIND_PROCEDURE;
}

static uint16_t unvisited(const struct region *region)
{
	return meaning_counts_visits(region->paradigm) ? 0 : GRAPH_UNVISITED;
}

static struct graph_node node_of_region(const struct region *region, enum graph_kind kind)
{
	struct graph_node node = empty_node;

	node.kind = (uint8_t)kind;
	node.name = region->name;
	node.file = region->file;
	node.line = region->line;
	node.end_line = region->end_line;
	node.flags = region->cls == CLASS_OVERHEAD ? GRAPH_OVERHEAD : 0;
	return node;
}

static uint32_t procedure(struct maker *m, uint32_t region)
{
	uint32_t *node = &m->of_region[region];

	if (*node == GRAPH_NONE) {
		const struct graph_node made =
			node_of_region(trace_region(m->graph->trace, region), GRAPH_KIND_PROCEDURE);
		*node = add_node(m->graph, &made);
	}
	graph_at(m->graph, *node)->flags |= unvisited(trace_region(m->graph->trace, region));
	return *node;
}

static uint32_t loop(struct maker *m, uint32_t within, uint32_t region)
{
	struct graph_node node;
	uint32_t *place;

	if (m->of_region[region] != GRAPH_NONE)
		return m->of_region[region];
	place = keymap_add(&m->places, KEY_OF(within * 2, region, UINT32_MAX, UINT32_MAX));
	if (*place != UINT32_MAX)
		return *place;
	node = node_of_region(trace_region(m->graph->trace, region), GRAPH_KIND_LOOP);
	node.flags |= GRAPH_UNCOUNTED;
	node.parent = within;
	return *place = add_node(m->graph, &node);
}

/* A statement at a site: a communication, or the call of `callee`. */
static uint32_t statement_at(struct maker *m, uint32_t within, const struct site *site,
			     uint32_t callee)
{
	const struct region *region = trace_region(m->graph->trace, site->region);
	struct graph_node node = empty_node;
	const bool call = callee != GRAPH_NONE;
	const uint32_t named = procedure_of_site(m, site);
	uint32_t *place;

	within = named != GRAPH_NONE ? named : within;
	node.kind = call ? GRAPH_KIND_CALL : GRAPH_KIND_COMMUNICATION;
	node.name = region->name;
	node.line = site->line;
	if (named == GRAPH_NONE)
		node.file =
			site->file || !site->line ? site->file : graph_at(m->graph, within)->file;
	node.parent = within;
	node.callee = callee;
	node.flags = call && region->cls == CLASS_OVERHEAD ? GRAPH_OVERHEAD : 0;
	node.flags |= call ? unvisited(region) : 0;
	node.flags |= ends_of(m->graph, site->region);
	place = keymap_add(&m->places, KEY_OF(within * 2 + !call, call ? callee : site->region,
					      node.file, node.line));
	if (*place == UINT32_MAX)
		*place = settle(m, find_statement(m, within, &node), &node);
	return *place;
}

/* The container of an event that happens in a call path. */
static uint32_t within_path(const struct graph *graph, uint32_t path)
{
	uint32_t node;

	if (path == 0)
		return GRAPH_PROGRAM;
	node = graph->places[path].node;
	return graph_at(graph, node)->kind == GRAPH_KIND_COMMUNICATION
		       ? graph_at(graph, node)->parent
		       : node;
}

static void place_path(struct maker *m, uint32_t path)
{
	const struct graph *graph = m->graph;
	const struct callpath *p = trace_callpath(graph->trace, path);
	const struct site *site = trace_site(graph->trace, p->site);
	const enum graph_kind kind = kind_of_region(trace_region(graph->trace, site->region));
	const uint32_t within = within_path(graph, p->parent);
	struct graph_place place = { GRAPH_NONE, GRAPH_NONE };

	switch (kind) {
	case GRAPH_KIND_PROCEDURE:
		place.node = procedure(m, site->region);
		if (within != GRAPH_PROGRAM)
			place.from = statement_at(m, within, site, place.node);
		break;
	case GRAPH_KIND_LOOP: place.node = loop(m, within, site->region); break;
	default: place.node = statement_at(m, within, site, GRAPH_NONE); break;
	}
	graph->places[path] = place;
}

void graph_places_make(struct graph *graph)
{
	const uint32_t paths = trace_callpath_count(graph->trace);
	struct maker m = { .graph = graph };

	graph->places = xmalloc((paths + 1) * sizeof *graph->places);
	for (uint32_t path = 0; path < paths; path++)
		graph->places[path] = (struct graph_place){ GRAPH_NONE, GRAPH_NONE };
	list_statements(&m);
	for (uint32_t path = 1; path < paths; path++) {
		uint32_t at = path;
		/* Parents may have larger numbers than their children. */
		while (at != 0 && graph->places[at].node == GRAPH_NONE) {
			vec_push(&m.open, at);
			at = trace_callpath(graph->trace, at)->parent;
		}
		while (m.open.n)
			place_path(&m, vec_pop(&m.open));
	}
	free(m.of_region);
	keymap_fini(&m.listed);
	keymap_fini(&m.places);
	vec_fini(&m.open);
	vec_fini(&m.names);
}
