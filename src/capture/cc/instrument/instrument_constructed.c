/* Objects that are constructed: by a declaration, `T x(args)`, and by `new T(args)`. The probe of a
 * declaration is before it; that of `new` around it.
 *
 * The procedure that is entered next is taken for the one that the statement calls, so nothing may
 * be entered between the probe and the constructor's body: bases, members and their initialisers
 * must call nothing that has a probe. Where that is not certain there is no probe. */
#include <string.h>

#include "capture/cc/instrument/instrument_unit.h"

enum { DEPTH_MOST = 16 }; /* of classes in classes */

/* ---- what runs before the constructor's body ---- */

struct quiet {
	struct instrument_unit *unit;
	unsigned depth;
	bool loud;
};

static bool is_record(CXType type)
{
	return clang_getCanonicalType(type).kind == CXType_Record;
}

static CXType element_of(CXType type)
{
	type = clang_getCanonicalType(type);
	while (type.kind == CXType_ConstantArray)
		type = clang_getCanonicalType(clang_getArrayElementType(type));
	return type;
}

static bool is_of_library(CXCursor cursor)
{
	return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor));
}

/* A call that is not of a library or small. */
static enum CXChildVisitResult call_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct quiet *q = data;
	const enum CXCursorKind kind = clang_getCursorKind(cursor);

	(void)parent;
	if (kind == CXCursor_LambdaExpr)
		return CXChildVisit_Continue;
	q->loud |= kind == CXCursor_CallExpr && !call_is_of_libraries(q->unit, cursor) &&
		   !call_is_small(q->unit, cursor);
	return q->loud ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static enum CXChildVisitResult member_visit(CXCursor cursor, CXCursor parent, CXClientData data);

/* What its bases and members run when one of it is made. */
static void look_into_class(struct quiet *q, CXCursor class)
{
	const CXCursor pattern = clang_getSpecializedCursorTemplate(class);
	const CXCursor from =
		clang_getCursorDefinition(clang_Cursor_isNull(pattern) ? class : pattern);

	if (clang_Cursor_isNull(from) || q->depth >= DEPTH_MOST) {
		q->loud = true;
		return;
	}
	q->depth++;
	clang_visitChildren(from, member_visit, q);
	q->depth--;
}

/* A base or member, of which a constructor is run: which one is not asked. */
static enum CXChildVisitResult constructor_visit(CXCursor cursor, CXCursor parent,
						 CXClientData data)
{
	struct quiet *q = data;

	(void)parent;
	if (clang_getCursorKind(cursor) == CXCursor_Constructor ||
	    (clang_getCursorKind(cursor) == CXCursor_FunctionTemplate))
		q->loud |=
			function_has_text(q->unit, cursor) && !procedure_is_small(q->unit, cursor);
	return q->loud ? CXChildVisit_Break : CXChildVisit_Continue;
}

static void look_at_part(struct quiet *q, CXType type)
{
	const CXType element = element_of(type);
	const CXCursor class = clang_getTypeDeclaration(element);

	if (element.kind == CXType_Unexposed || element.kind == CXType_Dependent) {
		q->loud = true; /* a template's parameter, maybe */
	} else if (element.kind == CXType_Record && !is_of_library(class)) {
		clang_visitChildren(clang_getCursorDefinition(class), constructor_visit, q);
		look_into_class(q, class);
	}
}

static enum CXChildVisitResult member_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct quiet *q = data;

	(void)parent;
	switch ((int)clang_getCursorKind(cursor)) {
	case CXCursor_CXXBaseSpecifier: look_at_part(q, clang_getCursorType(cursor)); break;
	case CXCursor_FieldDecl:
		look_at_part(q, clang_getCursorType(cursor));
		if (!q->loud)
			clang_visitChildren(cursor, call_visit, q);
		break;
	case CXCursor_CXXMethod: { /* of the class's own, before the constructor */
		OWNED_STR name = STR_INIT;
		unit_name(q->unit, cursor, &name);
		q->loud |= name.text && strstr(name.text, "operator new") != NULL;
		break;
	}
	default: break;
	}
	return q->loud ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* Of a constructor's own: all before its body. */
static enum CXChildVisitResult initialiser_visit(CXCursor cursor, CXCursor parent,
						 CXClientData data)
{
	struct quiet *q = data;
	const enum CXCursorKind kind = clang_getCursorKind(cursor);

	if (kind == CXCursor_CompoundStmt || kind == CXCursor_ParmDecl)
		return CXChildVisit_Continue;
	if (kind == CXCursor_CXXTryStmt)
		q->loud = true;
	call_visit(cursor, parent, data);
	if (!q->loud)
		clang_visitChildren(cursor, call_visit, q);
	return q->loud ? CXChildVisit_Break : CXChildVisit_Continue;
}

static bool is_entered_first(struct instrument_unit *unit, CXCursor constructor)
{
	const CXCursor definition = clang_getCursorDefinition(function_original(constructor));
	struct quiet q = { .unit = unit };

	if (clang_Cursor_isNull(definition) || function_is_constexpr(unit, definition))
		return false;
	clang_visitChildren(definition, initialiser_visit, &q);
	if (!q.loud)
		look_into_class(&q, clang_getCursorSemanticParent(definition));
	return !q.loud;
}

/* ---- where the probe is ---- */

/* What is around it but for what clang adds. */
static uint32_t around(const nodes_vec *nodes, uint32_t self)
{
	uint32_t up = nodes->data[self].parent;

	while (up != NO_NODE && nodes->data[up].kind == CXCursor_UnexposedExpr)
		up = nodes->data[up].parent;
	return up;
}

/* Whether a statement ends where this one begins, but for blanks and lines of the preprocessor. */
static bool begins_statement(const struct text *text, uint32_t at)
{
	uint32_t line;

	for (;;) {
		while (at && strchr(" \t\n\r\f\v", text->bytes[at - 1]))
			at--;
		if (!at)
			return false;
		for (line = at; line && text->bytes[line - 1] != '\n'; line--)
			;
		if (text->bytes[line] != '#')
			return strchr("{};", text->bytes[at - 1]) != NULL;
		at = line;
	}
}

/* The first variable of a declaration among other statements: nothing of it runs before its
 * constructor but the arguments. */
static bool by_declaration(struct instrument_unit *unit, uint32_t self, uint32_t variable)
{
	struct node *nodes = unit->nodes.data, *node = &nodes[self];
	const uint32_t declaration = nodes[variable].parent;
	const CXCursor cursor = nodes[variable].cursor;
	const uint32_t name = unit_offset(unit, clang_getCursorLocation(cursor));
	struct token token;

	if (declaration == NO_NODE || nodes[declaration].kind != CXCursor_DeclStmt ||
	    nodes[declaration].first != variable || !nodes[declaration].start ||
	    nodes[declaration].parent == NO_NODE ||
	    nodes[nodes[declaration].parent].kind != CXCursor_CompoundStmt ||
	    node->call != NO_NODE || name == UINT32_MAX ||
	    !is_record(clang_getCursorType(cursor)) ||
	    !begins_statement(&unit->text, nodes[declaration].start))
		return false;
	token = token_next_code(&unit->text, name, unit->text.size);
	token = token_next_code(&unit->text, token.end, unit->text.size);
	if (!token_is(&unit->text, token, "(") && !token_is(&unit->text, token, "{") &&
	    !token_is(&unit->text, token, ",") && !token_is(&unit->text, token, ";"))
		return false;
	node->before = nodes[declaration].start;
	return true;
}

/* One object; of an array, each has a constructor. */
static bool by_new(struct instrument_unit *unit, uint32_t self, uint32_t expression)
{
	struct node *node = &unit->nodes.data[self];
	const CXSourceRange extent = clang_getCursorExtent(unit->nodes.data[expression].cursor);
	const uint32_t start = unit_offset(unit, clang_getRangeStart(extent));
	const uint32_t end = unit_offset(unit, clang_getRangeEnd(extent));

	if (start >= end || end == UINT32_MAX)
		return false;
	for (struct token token = token_next_code(&unit->text, start, end);
	     token.kind != TOKEN_END;) {
		uint32_t next = token.end;
		if (token_is(&unit->text, token, "["))
			return false;
		if (token_is(&unit->text, token, "(") || token_is(&unit->text, token, "{"))
			next = text_close(&unit->text, token.start, end);
		token = token_next_code(&unit->text, next, end);
	}
	node->start = start;
	node->end = end;
	node->restore = RESTORE_VALUE;
	return true;
}

bool classify_constructed(struct instrument_unit *unit, uint32_t self, CXCursor constructor)
{
	struct node *node = &unit->nodes.data[self];
	const uint32_t up = around(&unit->nodes, self);
	OWNED_STR name = STR_INIT;
	bool found = false;

	if (up == NO_NODE || clang_getCursorKind(constructor) != CXCursor_Constructor ||
	    clang_CXXConstructor_isCopyConstructor(constructor) ||
	    clang_CXXConstructor_isMoveConstructor(constructor) ||
	    !is_record(clang_getCursorType(node->cursor)) || !is_entered_first(unit, constructor))
		return false;
	if (unit->nodes.data[up].kind == CXCursor_VarDecl)
		found = by_declaration(unit, self, up);
	else if (unit->nodes.data[up].kind == CXCursor_CXXNewExpr)
		found = by_new(unit, self, up);
	if (!found)
		return false;
	unit_name(unit, constructor, &name);
	node->name = unit_string(unit, name.text);
	node->what = TV_SITE_CALL;
	node->called = constructor;
	node->flags |= NODE_CALL;
	node->flags &= (uint16_t)~NODE_SKIPPED;
	return true;
}
