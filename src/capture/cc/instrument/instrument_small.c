/* Small procedures: those without a loop, that call only other small procedures and libraries, and
 * that have with what they call at most SMALL_STATEMENTS statements. A probe would cost as much as
 * they do, and keep the compiler from inlining them. */
#include <stdlib.h>

#include "base/mem.h"
#include "capture/cc/instrument/instrument_unit.h"

enum {
	DEPTH_MOST = 24, /* of calls that are followed */
	UNDER_WAY = SMALL_STATEMENTS + 1,
	TOO_LARGE,
};

/* A procedure and its statements; UNDER_WAY, TOO_LARGE. */
struct measured {
	CXCursor cursor;
	int statements;
};

struct small_procedures {
	struct measured *table; /* `statements` 0: free */
	size_t slots, used;
	unsigned depth;
};

static struct measured *slot_of(const struct small_procedures *s, CXCursor cursor)
{
	size_t at = clang_hashCursor(cursor) & (s->slots - 1);

	while (s->table[at].statements && !clang_equalCursors(s->table[at].cursor, cursor))
		at = (at + 1) & (s->slots - 1);
	return &s->table[at];
}

static void note(struct small_procedures *s, CXCursor cursor, int statements)
{
	struct measured *slot;

	if (s->used * 2 >= s->slots) {
		const struct small_procedures old = *s;
		s->slots = old.slots ? old.slots * 2 : 256;
		s->table = xcalloc(s->slots, sizeof *s->table);
		for (size_t i = 0; i < old.slots; i++)
			if (old.table[i].statements)
				*slot_of(s, old.table[i].cursor) = old.table[i];
		free(old.table);
	}
	slot = slot_of(s, cursor);
	s->used += !slot->statements;
	*slot = (struct measured){ cursor, statements };
}

/* ---- one body ---- */

struct counting {
	struct instrument_unit *unit;
	int statements;
};

static int call_statements(struct instrument_unit *unit, CXCursor call);

/* A do { } while (0) of a macro is taken for a loop here: the procedure then has a probe. */
static bool is_large(enum CXCursorKind kind)
{
	switch (kind) {
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
	case CXCursor_CXXForRangeStmt:
	case CXCursor_GotoStmt: /* of which loops are made, too */
	case CXCursor_IndirectGotoStmt:
	case CXCursor_CXXTryStmt:
	case CXCursor_LambdaExpr:
	case CXCursor_CXXThrowExpr: return true;
	default: return clang_isStatement(kind) && kind >= CXCursor_OMPParallelDirective;
	}
}

static bool is_counted(CXCursor cursor, CXCursor parent)
{
	const enum CXCursorKind kind = clang_getCursorKind(cursor);
	const enum CXCursorKind up = clang_getCursorKind(parent);

	if (kind == CXCursor_CompoundStmt || kind == CXCursor_UnexposedStmt)
		return false;
	return clang_isStatement(kind) || up == CXCursor_CompoundStmt || up == CXCursor_IfStmt;
}

static enum CXChildVisitResult count_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct counting *c = data;
	const enum CXCursorKind kind = clang_getCursorKind(cursor);

	c->statements += is_counted(cursor, parent);
	if (is_large(kind))
		c->statements = TOO_LARGE;
	else if (kind == CXCursor_CallExpr)
		c->statements += call_statements(c->unit, cursor);
	return c->statements > SMALL_STATEMENTS ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static CXCursor pattern_of(CXCursor function)
{
	const CXCursor pattern = clang_getSpecializedCursorTemplate(function);
	const CXCursor from = clang_Cursor_isNull(pattern) ? function : pattern;
	const CXCursor definition = clang_getCursorDefinition(from);

	return clang_Cursor_isNull(definition) ? from : definition;
}

struct body {
	CXCursor cursor;
	bool found;
};

static enum CXChildVisitResult body_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct body *body = data;

	(void)parent;
	if (clang_getCursorKind(cursor) != CXCursor_CompoundStmt)
		return CXChildVisit_Continue;
	*body = (struct body){ cursor, true };
	return CXChildVisit_Break;
}

static int measure_body(struct instrument_unit *unit, CXCursor definition)
{
	struct counting c = { unit, 1 };
	struct body body = { .found = false };

	clang_visitChildren(definition, body_visit, &body);
	if (!body.found)
		return TOO_LARGE;
	clang_visitChildren(body.cursor, count_visit, &c);
	return c.statements > SMALL_STATEMENTS ? TOO_LARGE : c.statements;
}

static int measure(struct instrument_unit *unit, CXCursor function)
{
	struct small_procedures *s = unit->small;
	const CXCursor definition = pattern_of(function);
	int statements;

	if (!s)
		s = unit->small = xcalloc(1, sizeof *s);
	if (s->slots && slot_of(s, definition)->statements) {
		statements = slot_of(s, definition)->statements;
		return statements == UNDER_WAY ? TOO_LARGE : statements;
	}
	if (!clang_isCursorDefinition(definition) || s->depth >= DEPTH_MOST ||
	    clang_CXXMethod_isVirtual(definition))
		return TOO_LARGE;
	note(s, definition, UNDER_WAY); /* what calls itself is not small */
	s->depth++;
	statements = measure_body(unit, definition);
	s->depth--;
	note(s, definition, statements);
	return statements;
}

bool procedure_is_small(struct instrument_unit *unit, CXCursor function)
{
	return unit->options->sparing && measure(unit, function) <= SMALL_STATEMENTS;
}

/* ---- calls ---- */

/* What a call in a template may call, once its types are known: all must be small. */
struct candidates {
	struct instrument_unit *unit;
	int most;
	bool any;
};

static enum CXChildVisitResult candidate_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct candidates *c = data;

	(void)parent;
	if (clang_getCursorKind(cursor) != CXCursor_OverloadedDeclRef)
		return clang_getCursorKind(cursor) == CXCursor_CallExpr ? CXChildVisit_Continue
									: CXChildVisit_Recurse;
	for (unsigned i = 0; i < clang_getNumOverloadedDecls(cursor); i++) {
		const CXCursor function = clang_getOverloadedDecl(cursor, i);
		const int n = callee_is_program(c->unit, function) ? measure(c->unit, function) : 0;
		c->most = n > c->most ? n : c->most;
		c->any = true;
	}
	return CXChildVisit_Break;
}

/* Of the functions that a call in a template calls in its instances, the largest; -1: none is
 * known. */
static int instances_statements(struct instrument_unit *unit, CXCursor call)
{
	int most = -1;

	for (uint32_t at = instances_of(unit, call), next; at; at = next) {
		const CXCursor function = instance_called(unit, at, &next);
		const int n = cursor_is_variable(clang_getCursorKind(function)) ? TOO_LARGE
			      : callee_is_program(unit, function) ? measure(unit, function)
								  : 0;
		most = n > most ? n : most;
	}
	return most;
}

/* The statements that a call adds. */
static int call_statements(struct instrument_unit *unit, CXCursor call)
{
	const CXCursor function = clang_getCursorReferenced(call);
	const enum CXCursorKind kind = clang_getCursorKind(function);
	struct candidates candidates = { .unit = unit };
	const bool named = !clang_Cursor_isNull(function) && !cursor_is_variable(kind);
	const int instances = named ? -1 : instances_statements(unit, call);

	if (instances >= 0)
		return instances;
	if (clang_Cursor_isNull(function)) {
		clang_visitChildren(call, candidate_visit, &candidates);
		return candidates.any ? candidates.most : TOO_LARGE;
	}
	if (cursor_is_variable(kind))
		return TOO_LARGE; /* a pointer */
	if (!callee_is_program(unit, function))
		return 0;
	return measure(unit, function);
}

bool call_is_small(struct instrument_unit *unit, CXCursor call)
{
	return unit->options->sparing && call_statements(unit, call) <= SMALL_STATEMENTS;
}

bool call_is_of_libraries(struct instrument_unit *unit, CXCursor call)
{
	return call_statements(unit, call) == 0;
}

void small_procedures_fini(struct instrument_unit *unit)
{
	if (unit->small)
		free(unit->small->table);
	free(unit->small);
	unit->small = NULL;
}
