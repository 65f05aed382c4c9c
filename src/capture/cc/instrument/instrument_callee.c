/* What is called: the program's own, a library's, MPI's, or the compiler's. */
#include <string.h>

#include "capture/cc/instrument/instrument_unit.h"

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

bool cursor_is_variable(enum CXCursorKind kind)
{
	return kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl || kind == CXCursor_FieldDecl;
}

/* A constructor that the compiler generated has the place of the class's name. */
bool function_has_text(const struct instrument_unit *unit, CXCursor function)
{
	const CXSourceRange extent = clang_getCursorExtent(function);
	const uint32_t start = unit_offset(unit, clang_getRangeStart(extent));
	const uint32_t end = unit_offset(unit, clang_getRangeEnd(extent));

	return start < end && end != UINT32_MAX &&
	       memchr(unit->text.bytes + start, '(', end - start);
}

bool name_is_mpi(const char *name)
{
	return begins(name, "MPI_") && name[4] >= 'A' && name[4] <= 'Z';
}

bool name_is_builtin(const char *name)
{
	return begins(name, "__builtin_") || begins(name, "__sync_") || begins(name, "__atomic_");
}

bool callee_is_program(const struct instrument_unit *unit, CXCursor function)
{
	const CXSourceLocation location = clang_getCursorLocation(function);
	CXString string = clang_getCursorSpelling(function);
	const char *name = clang_getCString(string) ? clang_getCString(string) : "";
	const bool mpi = name_is_mpi(name);
	const bool builtin = name_is_builtin(name);

	clang_disposeString(string);
	return mpi ||
	       (!builtin && !clang_Location_isInSystemHeader(location) &&
		unit_offset(unit, location) != UINT32_MAX && function_has_text(unit, function));
}

bool function_is_constexpr(const struct instrument_unit *unit, CXCursor function)
{
	static const char *const words[] = { "constexpr", "consteval", NULL };
	const uint32_t start =
		unit_offset(unit, clang_getRangeStart(clang_getCursorExtent(function)));
	const uint32_t name = unit_offset(unit, clang_getCursorLocation(function));

	return start < name && name != UINT32_MAX && text_has_word(&unit->text, start, name, words);
}

CXCursor function_original(CXCursor function)
{
	const CXCursor pattern = clang_getSpecializedCursorTemplate(function);

	return clang_getCanonicalCursor(clang_Cursor_isNull(pattern) ? function : pattern);
}

enum restore restore_cxx(CXCursor referenced)
{
	CXType type = clang_getCanonicalType(clang_getCursorType(referenced));

	if (type.kind == CXType_Pointer || type.kind == CXType_LValueReference)
		type = clang_getCanonicalType(clang_getPointeeType(type));
	type = clang_getCanonicalType(clang_getResultType(type));
	switch (type.kind) {
	case CXType_Void: return RESTORE_VOID;
	case CXType_LValueReference: return RESTORE_REFERENCE;
	case CXType_Pointer:
	case CXType_Enum:
	case CXType_MemberPointer: return RESTORE_VALUE;
	default:
		return type.kind >= CXType_Bool && type.kind <= CXType_LongDouble ? RESTORE_VALUE
										  : RESTORE_NO;
	}
}
