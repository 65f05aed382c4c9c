#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/cc/instrument/instrument_unit.h"

static bool is_procedure_like(enum CXCursorKind kind)
{
	return kind == CXCursor_LambdaExpr || kind == CXCursor_CXXMethod ||
	       kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
	       kind == CXCursor_ConversionFunction || kind == CXCursor_FunctionTemplate ||
	       kind == CXCursor_FunctionDecl;
}

/* Kinds whose place in the text is needed. */
static bool needs_extent(enum CXCursorKind kind)
{
	return clang_isStatement(kind) || kind == CXCursor_CallExpr ||
	       kind == CXCursor_LambdaExpr || kind == CXCursor_StmtExpr;
}

struct collecting {
	struct instrument_unit *unit;
	uint32_t top; /* the node whose children are visited */
	bool failed;
};

/* The declaration that a statement is said to be in differs with the way to it: the statement
 * itself counts. */
static bool is_same(CXCursor a, CXCursor b)
{
	if (a.kind != b.kind)
		return false;
	if (clang_isStatement(a.kind) || clang_isExpression(a.kind))
		return a.data[1] == b.data[1];
	return clang_equalCursors(a, b);
}

/* The node that is the parent, from the one that was visited last upwards. */
static uint32_t parent_of(const nodes_vec *nodes, uint32_t from, CXCursor parent)
{
	while (from != NO_NODE && !is_same(nodes->data[from].cursor, parent))
		from = nodes->data[from].parent;
	return from;
}

static void node_add(struct collecting *c, CXCursor cursor, uint32_t parent)
{
	nodes_vec *nodes = &c->unit->nodes;
	struct node node = { .cursor = cursor,
			     .kind = clang_getCursorKind(cursor),
			     .parent = parent,
			     .first = NO_NODE,
			     .last = NO_NODE,
			     .site = TV_NO_SITE,
			     .holder = TV_NO_SITE };
	const uint32_t self = (uint32_t)nodes->n;

	if (needs_extent(node.kind)) {
		const CXSourceRange extent = clang_getCursorExtent(cursor);
		node.start = unit_offset(c->unit, clang_getRangeStart(extent));
		node.end = unit_offset(c->unit, clang_getRangeEnd(extent));
		if (node.start == UINT32_MAX || node.end == UINT32_MAX || node.start >= node.end)
			node.start = node.end = 0;
	}
	if (parent != NO_NODE) {
		if (nodes->data[parent].first == NO_NODE)
			nodes->data[parent].first = self;
		nodes->data[parent].last = self;
	}
	c->top = self;
	vec_push(nodes, node);
}

static enum CXChildVisitResult collect_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct collecting *c = data;
	uint32_t above = parent_of(&c->unit->nodes, c->top, parent);

	if (above == NO_NODE) { /* clang's tree is not as expected: nothing is instrumented */
		c->failed = true;
		return CXChildVisit_Break;
	}
	node_add(c, cursor, above);
	return CXChildVisit_Recurse;
}

static bool is_loop(enum CXCursorKind kind)
{
	return kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
	       kind == CXCursor_CXXForRangeStmt;
}

/* Statements that end where the last statement in them ends. */
static bool ends_with_child(const struct node *node)
{
	switch (node->kind) {
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_CXXForRangeStmt:
	case CXCursor_IfStmt:
	case CXCursor_SwitchStmt:
	case CXCursor_LabelStmt:
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
	case CXCursor_CXXTryStmt:
	case CXCursor_CXXCatchStmt: return true;
	case CXCursor_UnexposedStmt: return node->last != NO_NODE; /* with attributes */
	default: return false;
	}
}

/* What surrounds a node, from its parent. */
static void inherit(struct instrument_unit *unit, uint32_t self)
{
	struct node *node = &unit->nodes.data[self];
	const struct node *up = node->parent == NO_NODE ? NULL : &unit->nodes.data[node->parent];

	node->loop = node->choice = node->call = node->root = NO_NODE;
	if (!up || (node->kind == CXCursor_CompoundStmt && is_procedure_like(up->kind))) {
		node->flags |= NODE_ROOT;
		node->root = self;
	} else {
		node->loop = up->flags & NODE_LOOP ? node->parent : up->loop;
		node->choice = up->kind == CXCursor_SwitchStmt ? node->parent : up->choice;
		node->root = up->flags & NODE_ROOT ? node->parent : up->root;
	}
	if (up)
		node->flags |= up->flags & NODE_FROZEN;
	if (node->kind == CXCursor_UnaryExpr || node->kind == CXCursor_CXXTypeidExpr ||
	    node->kind == CXCursor_ParmDecl ||
	    (node->kind == CXCursor_VarDecl &&
	     clang_Cursor_getStorageClass(node->cursor) == CX_SC_Static))
		node->flags |= NODE_FROZEN;
	if (node->end && scan_is_frozen(&unit->scan, node->start))
		node->flags |= NODE_FROZEN;
	if (clang_isStatement(node->kind))
		node->flags |= NODE_STATEMENT;
	if (is_loop(node->kind))
		node->flags |= NODE_LOOP;
}

/* Where statements end, from the last to the first: the statement that one ends with comes after
 * it. */
static void find_ends(struct instrument_unit *unit)
{
	for (uint32_t i = (uint32_t)unit->nodes.n; i-- > 0;) {
		struct node *node = &unit->nodes.data[i];
		const struct node *up =
			node->parent == NO_NODE ? NULL : &unit->nodes.data[node->parent];
		const bool last = up && (ends_with_child(up) || (up->flags & NODE_LOOP));
		if (node->end == 0 && !last)
			continue;
		if (ends_with_child(node))
			node->full_end =
				node->last == NO_NODE ? 0 : unit->nodes.data[node->last].full_end;
		else if (node->kind == CXCursor_CompoundStmt || node->kind == CXCursor_NullStmt ||
			 (node->kind == CXCursor_DeclStmt && node->end &&
			  unit->text.bytes[node->end - 1] == ';'))
			node->full_end = node->end;
		else if (last || (node->flags & NODE_LOOP)) {
			if (!node->end) { /* an expression that is a statement */
				const CXSourceRange extent = clang_getCursorExtent(node->cursor);
				node->start = unit_offset(unit, clang_getRangeStart(extent));
				node->end = unit_offset(unit, clang_getRangeEnd(extent));
				if (node->start >= node->end || node->end == UINT32_MAX)
					node->start = node->end = 0;
			}
			node->full_end = node->end ? text_semicolon(&unit->text, node->end) : 0;
		}
	}
}

/* ---- nodes that clang visits twice ---- */

static size_t seen_slot(const struct seen *seen, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (seen->slots - 1);

	while (seen->table[at] && seen->table[at] != key)
		at = (at + 1) & (seen->slots - 1);
	return at;
}

/* A type that is defined in a declaration of variables, with its methods, for one. */
bool nodes_seen(struct instrument_unit *unit, const struct node *node)
{
	struct seen *seen = &unit->seen;
	const uint64_t key = (uint64_t)node->start << 32 | node->end;

	if (!node->end)
		return false;
	if (seen->used * 2 >= seen->slots) {
		const struct seen old = *seen;
		seen->slots = old.slots ? old.slots * 2 : 256;
		seen->table = xcalloc(seen->slots, sizeof *seen->table);
		seen->used = 0;
		for (size_t i = 0; i < old.slots; i++)
			if (old.table[i])
				seen->table[seen_slot(seen, old.table[i])] = old.table[i],
							    seen->used++;
		free(old.table);
	}
	uint64_t *slot = &seen->table[seen_slot(seen, key)];
	if (*slot)
		return true;
	*slot = key;
	seen->used++;
	return false;
}

bool nodes_collect(struct instrument_unit *unit, CXCursor body)
{
	struct collecting c = { unit, NO_NODE, false };

	unit->nodes.n = 0;
	if (unit->seen.slots >
	    1024) { /* else clearing it would slow down small procedures after a large one */
		free(unit->seen.table);
		unit->seen = (struct seen){ NULL, 0, 0 };
	} else if (unit->seen.slots) {
		memset(unit->seen.table, 0, unit->seen.slots * sizeof *unit->seen.table);
	}
	unit->seen.used = 0;
	node_add(&c, body, NO_NODE);
	if (unit->nodes.data[0].end == 0)
		return false;
	clang_visitChildren(body, collect_visit, &c);
	if (c.failed)
		return false;
	for (uint32_t i = 0; i < unit->nodes.n; i++)
		inherit(unit, i);
	for (uint32_t i = 0; i < unit->nodes.n; i++)
		if ((unit->nodes.data[i].flags & (NODE_LOOP | NODE_ROOT)) &&
		    nodes_seen(unit, &unit->nodes.data[i]))
			unit->nodes.data[i].flags |= NODE_AGAIN;
	find_ends(unit);
	return true;
}
