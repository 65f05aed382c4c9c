/* Calls of which the template does not say what they call. The functions that its instances call
 * decide where they are known. Where they are not, the call has a probe all the same: the procedure
 * that is entered next tells what was called. */
#include <string.h>

#include "capture/cc/instrument/instrument_unit.h"

/* ---- by its instances ---- */

struct verdict {
	CXCursor called; /* the one of them that is the program's or MPI's */
	unsigned programs;
	bool any, constant;
	enum restore restore;
};

static void judge(struct instrument_unit *unit, CXCursor function, struct verdict *v)
{
	const CXCursor pattern = function_original(function);
	const enum restore restore = restore_cxx(function);

	v->restore = v->any && v->restore != restore ? RESTORE_NO : restore;
	v->any = true;
	if (cursor_is_variable(clang_getCursorKind(function)))
		v->programs += 2;
	else if (!callee_is_program(unit, function))
		return;
	v->constant |= function_is_constexpr(unit, pattern);
	if (!v->programs || !clang_equalCursors(v->called, pattern))
		v->programs++;
	v->called = pattern;
}

/* The name before the arguments, as it is in the text. */
static struct token spelled(const struct instrument_unit *unit, const struct node *call)
{
	const struct node *callee = &unit->nodes.data[call->first];
	const CXSourceRange extent = clang_getCursorExtent(callee->cursor);
	const uint32_t end = unit_offset(unit, clang_getRangeEnd(extent));
	struct token name = { TOKEN_END, 0, 0 };
	int depth = 0;

	if (end == UINT32_MAX)
		return name;
	for (struct token token = token_next_code(&unit->text, call->start, end);
	     token.kind != TOKEN_END;) {
		uint32_t next = token.end;
		if (token.kind == TOKEN_NAME && depth == 0)
			name = token;
		else if (token_is(&unit->text, token, "("))
			next = text_close(&unit->text, token.start, end);
		depth += token_is(&unit->text, token, "<");
		depth -= token_is(&unit->text, token, ">");
		token = token_next_code(&unit->text, next, end);
	}
	return name;
}

static void name_call(struct instrument_unit *unit, struct node *node, const char *name)
{
	node->name = unit_string(unit, name);
	node->what = name_is_mpi(name) ? TV_SITE_COMMUNICATION : TV_SITE_CALL;
	node->flags |= NODE_CALL | NODE_DEPENDENT;
}

static void name_as_spelled(struct instrument_unit *unit, struct node *node)
{
	const struct token token = spelled(unit, node);
	OWNED_STR name = STR_INIT;

	str_add_n(&name, unit->text.bytes + token.start, token.end - token.start);
	name_call(unit, node, name.text ? name.text : "");
}

/* False: no instance is known. */
static bool by_instances(struct instrument_unit *unit, struct node *node)
{
	struct verdict v = { .any = false };
	OWNED_STR name = STR_INIT;

	for (uint32_t at = instances_of(unit, node->cursor), next; at; at = next)
		judge(unit, instance_called(unit, at, &next), &v);
	if (!v.any || v.programs == 0)
		return v.any; /* a library's */
	node->restore = (uint8_t)v.restore;
	if (v.programs > 1) {
		name_as_spelled(unit, node);
	} else {
		unit_name(unit, v.called, &name);
		name_call(unit, node, name.text);
		node->called = v.called;
	}
	if (v.constant) {
		if (v.programs == 1)
			node->flags &= (uint16_t)~NODE_CALL;
		else
			node->excluded = "it may be evaluated by the compiler (constexpr)";
	}
	return true;
}

/* ---- without ---- */

/* Whether only a value known at compile time may be there. */
static bool may_be_constant(const struct instrument_unit *unit, uint32_t self)
{
	static const char *const constant[] = { "constexpr", "constinit", "static", NULL };
	const struct node *nodes = unit->nodes.data;
	const uint32_t at = nodes[self].start;

	for (uint32_t below = self, up = nodes[self].parent; up != NO_NODE;
	     below = up, up = nodes[up].parent) {
		const enum CXCursorKind kind = nodes[up].kind;
		if (kind == CXCursor_CaseStmt || kind == CXCursor_TemplateRef ||
		    kind == CXCursor_TypeRef || kind == CXCursor_TypeAliasDecl ||
		    kind == CXCursor_TypedefDecl || kind == CXCursor_EnumConstantDecl)
			return true;
		if (kind == CXCursor_DeclStmt || kind == CXCursor_IfStmt) {
			const uint32_t start = nodes[up].start;
			uint32_t end = at;
			if (kind == CXCursor_IfStmt && clang_isStatement(nodes[below].kind) &&
			    nodes[below].kind != CXCursor_DeclStmt)
				return false;
			return !start || text_has_word(&unit->text, start, end, constant) ||
			       (kind == CXCursor_DeclStmt &&
				!memchr(unit->text.bytes + start, '=', end - start) &&
				!memchr(unit->text.bytes + start, '(', end - start));
		}
		if (clang_isStatement(kind))
			return false;
	}
	return false;
}

/* Operands may both be prepared before the first of them is called. */
static bool has_rival(const struct instrument_unit *unit, uint32_t self)
{
	const struct node *nodes = unit->nodes.data;
	uint32_t top = NO_NODE;

	for (uint32_t up = nodes[self].parent; up != NO_NODE && !clang_isStatement(nodes[up].kind);
	     up = nodes[up].parent) {
		if (nodes[up].kind == CXCursor_CallExpr)
			break;
		if (nodes[up].kind == CXCursor_BinaryOperator)
			top = up;
	}
	if (top == NO_NODE)
		return false;
	for (uint32_t i = top + 1; i < unit->nodes.n && nodes[i].parent >= top; i++)
		if (nodes[i].kind == CXCursor_CallExpr && nodes[i].start && i != self &&
		    (nodes[i].end <= nodes[self].start || nodes[i].start >= nodes[self].end))
			return true;
	return false;
}

void classify_dependent(struct instrument_unit *unit, uint32_t self)
{
	struct node *node = &unit->nodes.data[self];

	if (node->first == NO_NODE || !clang_isExpression(unit->nodes.data[node->first].kind))
		return; /* T(x), where T is a parameter */
	if (by_instances(unit, node))
		return;
	name_as_spelled(unit, node);
	if (may_be_constant(unit, self))
		node->excluded = "it may be a constant, by the template's parameters";
	else if (node->what == TV_SITE_CALL && has_rival(unit, self))
		node->excluded = "what it calls depends on the template's parameters";
}
