#include <string.h>

#include "capture/cc/instrument/instrument_unit.h"

/* ---- how the place of the call around it is set again ---- */

static uint32_t meaning_parent(const nodes_vec *nodes, uint32_t self)
{
	uint32_t up = nodes->data[self].parent;

	while (up != NO_NODE && (nodes->data[up].kind == CXCursor_UnexposedExpr ||
				 nodes->data[up].kind == CXCursor_ParenExpr))
		up = nodes->data[up].parent;
	return up;
}

/* An array in a structure that a call returns lives as long as that value does: not in a copy of
 * it. */
static bool array_is_taken(const nodes_vec *nodes, uint32_t self)
{
	for (uint32_t up = meaning_parent(nodes, self);
	     up != NO_NODE && nodes->data[up].kind == CXCursor_MemberRefExpr;
	     up = meaning_parent(nodes, up)) {
		const CXType type =
			clang_getCanonicalType(clang_getCursorType(nodes->data[up].cursor));
		if (type.kind != CXType_Record)
			return type.kind == CXType_ConstantArray ||
			       type.kind == CXType_IncompleteArray;
	}
	return false;
}

static enum restore restore_c(const struct instrument_unit *unit, uint32_t self)
{
	const CXType type =
		clang_getCanonicalType(clang_getCursorType(unit->nodes.data[self].cursor));

	switch (type.kind) {
	case CXType_Invalid:
	case CXType_Unexposed:
	case CXType_Dependent: return RESTORE_NO;
	case CXType_Void: return RESTORE_VOID;
	case CXType_Record: return array_is_taken(&unit->nodes, self) ? RESTORE_NO : RESTORE_VALUE;
	case CXType_Pointer: /* to what has a variable size: its type cannot be named once more */
		return clang_getPointeeType(type).kind == CXType_VariableArray ? RESTORE_NO
									       : RESTORE_VALUE;
	default: return RESTORE_VALUE;
	}
}

/* ---- what a call calls ---- */

/* A function by name. */
static void classify_function(struct instrument_unit *unit, struct node *node, CXCursor function,
			      const char *name)
{
	const bool system = clang_Location_isInSystemHeader(clang_getCursorLocation(function));
	const bool mpi = name_is_mpi(name);

	if (name_is_builtin(name))
		return;
	if (!mpi && (system || unit_offset(unit, clang_getCursorLocation(function)) == UINT32_MAX))
		return;
	if (unit->text.cxx) {
		if (!strncmp(name, "operator", 8)) {
			node->flags |= NODE_SKIPPED;
			return;
		}
		if (function_is_constexpr(unit, function))
			return;
	}
	node->flags |= NODE_CALL;
	node->what = mpi ? TV_SITE_COMMUNICATION : TV_SITE_CALL;
	node->name = unit_string(unit, name);
}

static void classify_pointer(struct instrument_unit *unit, uint32_t self)
{
	struct node *node = &unit->nodes.data[self];
	const CXCursor callee =
		node->first == NO_NODE ? node->cursor : unit->nodes.data[node->first].cursor;
	const CXType type = clang_getCanonicalType(clang_getCursorType(callee));

	if (unit->text.cxx && type.kind != CXType_Pointer && type.kind != CXType_FunctionProto &&
	    type.kind != CXType_FunctionNoProto && type.kind != CXType_BlockPointer) {
		classify_dependent(unit, self);
		return;
	}
	if (!clang_isExpression(callee.kind))
		return;
	node->name = unit_string(unit, "");
	node->what = TV_SITE_CALL;
	node->flags |= NODE_CALL | NODE_POINTER;
}

/* Another constructor, a destructor, conversion or operator of the program: a statement without a
 * probe. */
static void leave_alone(struct instrument_unit *unit, struct node *node, CXCursor function)
{
	OWNED_STR name = STR_INIT;

	if (!node->start || !node->end)
		return;
	unit_name(unit, function, &name);
	node->name = unit_string(unit, name.text);
	node->what = TV_SITE_CALL;
	node->excluded = "no probe can be placed at this call of a constructor, destructor, "
			 "conversion or operator";
	node->flags |= NODE_CALL;
	node->flags &= (uint16_t)~NODE_SKIPPED;
}

static void classify(struct instrument_unit *unit, uint32_t self)
{
	struct node *node = &unit->nodes.data[self];
	const CXCursor function = clang_getCursorReferenced(node->cursor);
	const enum CXCursorKind kind = clang_getCursorKind(function);

	if (clang_Cursor_isNull(function) || cursor_is_variable(kind)) {
		if (node->end && unit->text.bytes[node->end - 1] == ')')
			classify_pointer(unit, self);
	} else if (kind == CXCursor_Constructor || kind == CXCursor_Destructor ||
		   kind == CXCursor_ConversionFunction || !node->end ||
		   unit->text.bytes[node->end - 1] != ')') {
		if (!clang_Location_isInSystemHeader(clang_getCursorLocation(function)) &&
		    function_has_text(unit, function))
			node->flags |= NODE_SKIPPED;
	} else {
		OWNED_STR name = STR_INIT;
		unit_name(unit, function, &name);
		classify_function(unit, node, function, name.text);
	}
	if ((node->flags & NODE_CALL) && nodes_seen(unit, node))
		node->flags &= (uint16_t)~NODE_CALL;
	if (node->flags & NODE_CALL && call_is_of_libraries(unit, node->cursor))
		node->flags &= (uint16_t)~NODE_CALL;
	if (node->flags & (NODE_CALL | NODE_SKIPPED) && call_is_small(unit, node->cursor)) {
		/* A small procedure does not need to know which call it is from. */
		node->flags |= node->flags & NODE_CALL ? NODE_SMALL : 0;
		node->flags &= (uint16_t) ~(NODE_CALL | NODE_SKIPPED);
	}
	if (node->flags & NODE_SKIPPED) {
		if (nodes_seen(unit, node))
			return;
		if (!classify_constructed(unit, self, function))
			leave_alone(unit, node, function);
		return;
	}
	if (!(node->flags & NODE_CALL) || node->flags & NODE_DEPENDENT)
		return;
	node->called = function;
	node->restore = (uint8_t)(unit->text.cxx ? restore_cxx(function) : restore_c(unit, self));
}

void nodes_classify_calls(struct instrument_unit *unit)
{
	struct node *nodes = unit->nodes.data;

	for (uint32_t i = 0; i < unit->nodes.n; i++) {
		const struct node *up = nodes[i].parent == NO_NODE ? NULL : &nodes[nodes[i].parent];
		if (up && !(nodes[i].flags & NODE_ROOT))
			nodes[i].call = up->flags & NODE_CALL ? nodes[i].parent : up->call;
		if (nodes[i].kind == CXCursor_CallExpr && !(nodes[i].flags & NODE_FROZEN))
			classify(unit, i);
	}
	/* From the inside out: what a call without a probe leads to is taken for what the call
	 * around it leads to. */
	for (uint32_t i = (uint32_t)unit->nodes.n; i-- > 0;) {
		const bool call = (nodes[i].flags & NODE_CALL) != 0;
		if (nodes[i].call == NO_NODE || !(call || (nodes[i].flags & NODE_SKIPPED)))
			continue;
		if ((!call || nodes[i].excluded || nodes[i].restore == RESTORE_NO) &&
		    !nodes[nodes[i].call].excluded)
			nodes[nodes[i].call].excluded =
				"one of its arguments contains a call after which no probe can be "
				"placed";
	}
}
