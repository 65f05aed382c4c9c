/* What a call in a template calls: libclang knows it in the bodies of the instances alone. They are
 * visited from the code that needs them, through libraries (std::sort with a functor), each once;
 * an instance has the places of its template in the text. */
#include <stdlib.h>

#include "base/mem.h"
#include "capture/cc/instrument/instrument_unit.h"

enum { INSTANCES_MOST = 200000 };

/* A function that one place calls, or the variable that points to it; of each place a list. */
struct called {
	uint64_t place; /* start << 32 | end of the call */
	CXCursor function;
	uint32_t next; /* index + 1; 0: none */
};

struct instances {
	VEC(struct called) called;
	VEC(CXCursor) bodies; /* to be visited, and those that were */
	uint32_t *places;     /* by place: index + 1 in `called` */
	uint32_t *visited;    /* by cursor: index + 1 in `bodies` */
	size_t place_slots, visited_slots, place_count;
	bool within; /* what is visited is an instance */
	struct instrument_unit *unit;
};

/* ---- tables ---- */

static size_t hash_place(uint64_t place)
{
	return (size_t)(place * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static uint32_t *place_slot(const struct instances *in, uint64_t place)
{
	size_t at = hash_place(place) & (in->place_slots - 1);

	while (in->places[at] && in->called.data[in->places[at] - 1].place != place)
		at = (at + 1) & (in->place_slots - 1);
	return &in->places[at];
}

static uint32_t *visited_slot(const struct instances *in, CXCursor function)
{
	size_t at = clang_hashCursor(function) & (in->visited_slots - 1);

	while (in->visited[at] &&
	       !clang_equalCursors(in->bodies.data[in->visited[at] - 1], function))
		at = (at + 1) & (in->visited_slots - 1);
	return &in->visited[at];
}

static void grow_places(struct instances *in)
{
	OWNED uint32_t *old = in->places;
	const size_t slots = in->place_slots;

	in->place_slots = slots ? slots * 2 : 256;
	in->places = xcalloc(in->place_slots, sizeof *in->places);
	for (size_t i = 0; i < slots; i++)
		if (old[i])
			*place_slot(in, in->called.data[old[i] - 1].place) = old[i];
}

static void grow_visited(struct instances *in)
{
	OWNED uint32_t *old = in->visited;
	const size_t slots = in->visited_slots;

	in->visited_slots = slots ? slots * 2 : 256;
	in->visited = xcalloc(in->visited_slots, sizeof *in->visited);
	for (size_t i = 0; i < slots; i++)
		if (old[i])
			*visited_slot(in, in->bodies.data[old[i] - 1]) = old[i];
}

static void note_called(struct instances *in, uint64_t place, CXCursor function)
{
	if (in->place_count * 2 >= in->place_slots)
		grow_places(in);
	uint32_t *slot = place_slot(in, place);
	for (uint32_t i = *slot; i; i = in->called.data[i - 1].next)
		if (clang_equalCursors(in->called.data[i - 1].function, function))
			return;
	in->place_count += !*slot;
	vec_push(&in->called, ((struct called){ place, function, *slot }));
	*slot = (uint32_t)in->called.n;
}

static void note_body(struct instances *in, CXCursor function)
{
	const CXCursor definition = clang_getCursorDefinition(function);

	if (in->bodies.n >= INSTANCES_MOST || clang_Cursor_isNull(definition) ||
	    clang_Cursor_isNull(clang_getSpecializedCursorTemplate(definition)))
		return;
	if (in->bodies.n * 2 >= in->visited_slots)
		grow_visited(in);
	uint32_t *slot = visited_slot(in, definition);
	if (*slot)
		return;
	vec_push(&in->bodies, definition);
	*slot = (uint32_t)in->bodies.n;
}

/* ---- visits ---- */

static uint64_t place_of(const struct instrument_unit *unit, CXCursor call)
{
	const CXSourceRange extent = clang_getCursorExtent(call);
	const uint32_t start = unit_offset(unit, clang_getRangeStart(extent));
	const uint32_t end = unit_offset(unit, clang_getRangeEnd(extent));

	return start < end && end != UINT32_MAX && unit->text.bytes[end - 1] == ')'
		       ? (uint64_t)start << 32 | end
		       : 0;
}

static enum CXChildVisitResult instance_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct instances *in = data;
	const enum CXCursorKind kind = clang_getCursorKind(cursor);

	(void)parent;
	if (!clang_isExpression(kind))
		return CXChildVisit_Recurse;
	const CXCursor function = clang_getCursorReferenced(cursor);
	const enum CXCursorKind what = clang_getCursorKind(function);
	const bool named = what == CXCursor_FunctionDecl || what == CXCursor_CXXMethod;
	if (named || what == CXCursor_Constructor)
		note_body(in, function);
	if (in->within && kind == CXCursor_CallExpr && (named || cursor_is_variable(what)) &&
	    !clang_Location_isInSystemHeader(clang_getCursorLocation(cursor))) {
		const uint64_t place = place_of(in->unit, cursor);
		if (place)
			note_called(in, place, function);
	}
	return CXChildVisit_Recurse;
}

static enum CXChildVisitResult top_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	return clang_Location_isInSystemHeader(clang_getCursorLocation(cursor))
		       ? CXChildVisit_Continue
		       : instance_visit(cursor, parent, data);
}

void instances_find(struct instrument_unit *unit)
{
	struct instances *in;

	if (!unit->text.cxx)
		return;
	in = unit->instances = xcalloc(1, sizeof *in);
	in->unit = unit;
	clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), top_visit, in);
	in->within = true;
	for (size_t i = 0; i < in->bodies.n; i++)
		clang_visitChildren(in->bodies.data[i], instance_visit, in);
}

uint32_t instances_of(const struct instrument_unit *unit, CXCursor call)
{
	const struct instances *in = unit->instances;
	const uint64_t place = in && in->place_slots ? place_of(unit, call) : 0;

	return place ? *place_slot(in, place) : 0;
}

CXCursor instance_called(const struct instrument_unit *unit, uint32_t instance, uint32_t *next)
{
	const struct called *called = &unit->instances->called.data[instance - 1];

	*next = called->next;
	return called->function;
}

void instances_fini(struct instrument_unit *unit)
{
	struct instances *in = unit->instances;

	if (!in)
		return;
	vec_fini(&in->called);
	vec_fini(&in->bodies);
	free_all(in->places, in->visited, in);
	unit->instances = NULL;
}
