#include <string.h>

#include "base/order.h"
#include "capture/cc/instrument/instrument_unit.h"

/* Declarations that gcc has and clang 14 lacks, for the parser alone. Errors in them (on machines
 * without __float128) do not matter: only errors within a procedure count. */
static const char for_parser[] = "# 1 \"<tview>\" 1 3\n"
				 "typedef __float128 _Float128;\n"
				 "typedef float _Float32;\n"
				 "typedef double _Float64;\n"
				 "typedef double _Float32x;\n"
				 "typedef long double _Float64x;\n"
				 "typedef __float128 __ieee128;\n";
static const char for_parser_c[] = "int __builtin_va_arg_pack(void);\n"
				   "int __builtin_va_arg_pack_len(void);\n"
				   "double __builtin_tgmath();\n";

static int compare_offsets(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;

	return ORDER(x, y);
}

static void note_errors(struct instrument_unit *unit)
{
	const unsigned count = clang_getNumDiagnostics(unit->tu);

	for (unsigned i = 0; i < count; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(unit->tu, i);
		if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
			const uint32_t at =
				unit_offset(unit, clang_getDiagnosticLocation(diagnostic));
			if (at != UINT32_MAX)
				vec_push(&unit->errors, at);
		}
		clang_disposeDiagnostic(diagnostic);
	}
	vec_sort(&unit->errors, compare_offsets);
}

static bool has_error(const struct instrument_unit *unit, uint32_t start, uint32_t end)
{
	size_t low = 0;
	size_t high = unit->errors.n;

	BISECT(low, high, middle, unit->errors.data[middle] < start);
	return low < unit->errors.n && unit->errors.data[low] < end;
}

/* ---- procedures ---- */

/* Attributes with which a procedure must not get a variable with a cleanup, or calls. */
static const char *const forbidding[] = {
	"naked",
	"__naked__",
	"no_instrument_function",
	"__no_instrument_function__",
	"interrupt",
	"__interrupt__",
	"signal",
	"__signal__",
	"ifunc",
	"__ifunc__",
	"device",
	"global",
	NULL,
};
static const char *const constant[] = { "constexpr", "consteval", NULL };

struct look {
	struct instrument_unit *unit;
	CXCursor body;
	bool found, forbidden, guarded;
};

static enum CXChildVisitResult look_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct look *look = data;
	const enum CXCursorKind kind = clang_getCursorKind(cursor);

	(void)parent;
	if (kind == CXCursor_CompoundStmt) {
		look->found = true;
		look->body = cursor;
	} else if (kind == CXCursor_CXXTryStmt) {
		look->guarded = true;
	} else if (clang_isAttribute(kind)) {
		const CXSourceRange extent = clang_getCursorExtent(cursor);
		const uint32_t start = unit_offset(look->unit, clang_getRangeStart(extent));
		const uint32_t end = unit_offset(look->unit, clang_getRangeEnd(extent));
		if (start < end && end != UINT32_MAX)
			look->forbidden |= text_has_word(&look->unit->text, start, end, forbidding);
	}
	return CXChildVisit_Continue;
}

static bool is_made_again(const struct instrument_unit *unit, CXCursor cursor, uint32_t start)
{
	CXString name = clang_getCursorSpelling(cursor);
	const char *text = clang_getCString(name);
	const bool again = pragmas_make_again(unit, start, text ? text : "");

	clang_disposeString(name);
	return again;
}

/* Why a procedure has no probe; NULL: nothing against it. */
static const char *reason_of(struct instrument_unit *unit, CXCursor cursor, const struct look *look,
			     uint32_t start, uint32_t body, uint32_t end)
{
	if (look->guarded)
		return "its body is a try block";
	if (look->forbidden || text_has_word(&unit->text, start, body, forbidding))
		return "an attribute forbids it";
	if (text_has_word(&unit->text, start, body, constant))
		return "it may be evaluated by the compiler (constexpr)";
	if (is_made_again(unit, cursor, start))
		return "a pragma compiles it for vectors or a device, too";
	if (has_error(unit, start, end))
		return "libclang does not understand it";
	scan_text(&unit->text, body, end, &unit->scan);
	return unit->scan.excluded;
}

static void function(struct instrument_unit *unit, CXCursor cursor)
{
	struct look look = { unit, clang_getNullCursor(), false, false, false };
	const CXSourceRange extent = clang_getCursorExtent(cursor);
	const uint32_t start = unit_offset(unit, clang_getRangeStart(extent));
	const uint32_t end = unit_offset(unit, clang_getRangeEnd(extent));

	if (!clang_isCursorDefinition(cursor) || start >= end || end == UINT32_MAX ||
	    clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
		return;
	clang_visitChildren(cursor, look_visit, &look);
	if (!look.found && !look.guarded)
		return; /* = default */
	const uint32_t body =
		look.found
			? unit_offset(unit, clang_getRangeStart(clang_getCursorExtent(look.body)))
			: end;
	if (body > end)
		return;
	const char *excluded = reason_of(unit, cursor, &look, start, body, end);
	if (!excluded && (unit->text.bytes[body] != '{' || unit->text.bytes[end - 1] != '}' ||
			  !nodes_collect(unit, look.body)))
		excluded = "libclang does not understand it";
	probes_procedure(unit, cursor, excluded);
}

/* ---- what C++ runs outside of bodies ---- */

struct outside {
	struct instrument_unit *unit;
	uint32_t parent;
	const char *reason;
};

static void outside_call(const struct outside *outside, CXCursor cursor)
{
	const CXCursor function = clang_getCursorReferenced(cursor);
	const enum CXCursorKind kind = clang_getCursorKind(function);
	const CXSourceRange extent = clang_getCursorExtent(cursor);
	const uint32_t end = unit_offset(outside->unit, clang_getRangeEnd(extent));
	CXString name = clang_getCursorSpelling(function);
	const char *text = clang_getCString(name);

	if ((kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod) && text &&
	    strncmp(text, "operator", 8) != 0 && end && end != UINT32_MAX &&
	    outside->unit->text.bytes[end - 1] == ')' &&
	    !clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
		probes_outside(outside->unit, cursor, text, outside->parent, outside->reason);
	clang_disposeString(name);
}

static enum CXChildVisitResult outside_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const struct outside *outside = data;

	(void)parent;
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_LambdaExpr:
		probes_outside(outside->unit, cursor, NULL, TV_NO_SITE,
			       "it is a lambda outside all function bodies");
		return CXChildVisit_Continue;
	case CXCursor_CallExpr: outside_call(outside, cursor); return CXChildVisit_Recurse;
	case CXCursor_CompoundStmt:
	case CXCursor_CXXTryStmt:
	case CXCursor_ClassDecl:
	case CXCursor_StructDecl:
	case CXCursor_UnionDecl: return CXChildVisit_Continue;
	default: return CXChildVisit_Recurse;
	}
}

/* Initialisers of members, and arguments by default. */
static void outside_of_body(struct instrument_unit *unit, CXCursor cursor, size_t sites)
{
	struct outside outside = { unit, (uint32_t)sites, "it is outside the function body" };

	if (unit->text.cxx && unit->sites.n > sites)
		clang_visitChildren(cursor, outside_visit, &outside);
}

static void outside_of_procedures(struct instrument_unit *unit, CXCursor cursor)
{
	struct outside outside = { unit, TV_NO_SITE, "it is outside all functions" };

	if (unit->text.cxx && !clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
		clang_visitChildren(cursor, outside_visit, &outside);
}

static enum CXChildVisitResult unit_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	size_t sites;

	(void)parent;
	switch (clang_getCursorKind(cursor)) {
	case CXCursor_FunctionDecl:
	case CXCursor_CXXMethod:
	case CXCursor_Constructor:
	case CXCursor_Destructor:
	case CXCursor_ConversionFunction:
	case CXCursor_FunctionTemplate:
		sites = ((struct instrument_unit *)data)->sites.n;
		function(data, cursor);
		outside_of_body(data, cursor, sites);
		return CXChildVisit_Continue;
	case CXCursor_VarDecl:
	case CXCursor_FieldDecl: outside_of_procedures(data, cursor); return CXChildVisit_Continue;
	case CXCursor_Namespace:
	case CXCursor_LinkageSpec:
	case CXCursor_UnexposedDecl:
	case CXCursor_ClassDecl:
	case CXCursor_StructDecl:
	case CXCursor_UnionDecl:
	case CXCursor_ClassTemplate:
	case CXCursor_ClassTemplatePartialSpecialization:
	case CXCursor_FriendDecl: return CXChildVisit_Recurse;
	default: return CXChildVisit_Continue;
	}
}

/* ---- the unit ---- */

static CXTranslationUnit parse(CXIndex index, const char *const *flags, size_t count,
			       const struct str *text, bool cxx)
{
	struct CXUnsavedFile file = { cxx ? "unit.ii" : "unit.i", text->text, text->n };
	CXTranslationUnit tu = NULL;

	clang_parseTranslationUnit2(index, file.Filename, flags, (int)count, &file, 1,
				    CXTranslationUnit_KeepGoing, &tu);
	return tu;
}

/* Parses with all flags, or, if clang rejects them, with the standard alone. */
static void parse_some_way(struct instrument_unit *unit, CXIndex index, const struct str *text)
{
	const bool cxx = unit->text.cxx;
	const char *const *given = unit->options->flags;
	OWNED_VEC(const char *) flags = VEC_INIT;

	vec_push(&flags, "-x");
	vec_push(&flags, cxx ? "c++-cpp-output" : "cpp-output");
	vec_push(&flags, cxx ? "-std=gnu++17" : "-std=gnu17");
	vec_push(&flags, "-w");
	vec_push(&flags, "-ferror-limit=0");
	vec_push(&flags, "-fno-spell-checking");
	for (size_t i = 0; given && given[i]; i++)
		if (!strncmp(given[i], "-std=", 5))
			vec_push(&flags, given[i]);
	const size_t fewest = flags.n;
	for (size_t i = 0; given && given[i]; i++)
		if (strncmp(given[i], "-std=", 5) != 0)
			vec_push(&flags, given[i]);
	unit->tu = parse(index, flags.data, flags.n, text, cxx);
	if (!unit->tu && flags.n > fewest)
		unit->tu = parse(index, flags.data, fewest, text, cxx);
}

bool unit_parse(struct instrument_unit *unit, struct err *err)
{
	const char *name = unit->options->source ? unit->options->source : "<source>";
	OWNED_STR text = STR_INIT;
	CXIndex index = clang_createIndex(0, 0);

	str_add(&text, for_parser);
	if (!unit->text.cxx)
		str_add(&text, for_parser_c);
	str_add(&text, "# 1 \"");
	for (; *name; name++)
		str_add_char(&text, *name == '"' || *name == '\\' || *name == '\n' ? '?' : *name);
	str_add(&text, "\"\n");
	unit->base = (uint32_t)text.n;
	str_add_n(&text, unit->text.bytes, unit->text.size);
	parse_some_way(unit, index, &text);
	if (unit->tu) {
		note_errors(unit);
		pragmas_find(unit);
		instances_find(unit);
		clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), unit_visit, unit);
		probes_resolve(unit);
		small_procedures_fini(unit);
		instances_fini(unit);
		clang_disposeTranslationUnit(unit->tu);
	} else {
		err_set(err, STATUS_IO, "libclang cannot parse it");
	}
	clang_disposeIndex(index);
	return unit->tu != NULL;
}
