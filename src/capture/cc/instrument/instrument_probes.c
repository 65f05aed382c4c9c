#define _GNU_SOURCE /* memmem, pipe2 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "capture/cc/instrument/instrument_unit.h"

/* ---- names ---- */

/* ---- sites ---- */

static uint32_t site_add(struct instrument_unit *unit, enum tv_site_kind kind,
			 CXSourceLocation start, CXSourceLocation end, uint32_t name)
{
	struct tv_site *site = vec_add(&unit->sites);
	CXString file;
	unsigned line = 0;
	unsigned column = 0;

	clang_getPresumedLocation(start, &file, &line, &column);
	site->kind = (uint8_t)kind;
	site->line = line;
	site->column = (uint16_t)(column < UINT16_MAX ? column : UINT16_MAX);
	site->file = unit_string(unit, clang_getCString(file) ? clang_getCString(file) : "");
	clang_disposeString(file);
	clang_getPresumedLocation(end, &file, &line, &column);
	site->end_line = line < site->line ? site->line : line;
	clang_disposeString(file);
	site->name = name;
	site->parent = site->callee = TV_NO_SITE;
	return (uint32_t)unit->sites.n - 1;
}

static uint32_t node_site(struct instrument_unit *unit, struct node *node, enum tv_site_kind kind,
			  uint32_t name)
{
	const CXSourceRange extent = clang_getCursorExtent(node->cursor);

	node->site =
		site_add(unit, kind, clang_getRangeStart(extent), clang_getRangeEnd(extent), name);
	return node->site;
}

static void site_exclude(struct instrument_unit *unit, uint32_t site, const char *reason)
{
	const uint32_t text = unit_string(unit, reason);

	unit->sites.data[site].flags |= TV_SITE_ALONE;
	unit->sites.data[site].reason = text;
}

static void count_probe(struct instrument_unit *unit, enum tv_site_kind kind)
{
	unit->probes++;
	unit->kinds[kind]++;
}

/* ---- procedures ---- */

/* Where the first declaration of a body can be: after __label__, and pragmas that must come
 * first. */
static uint32_t body_place(const struct instrument_unit *unit, uint32_t body)
{
	uint32_t at = body + 1;

	for (;;) {
		struct token token = token_next(&unit->text, at, unit->text.size);
		if (token.kind == TOKEN_DIRECTIVE &&
		    (memmem(unit->text.bytes + token.start, token.end - token.start, "STDC", 4) ||
		     memmem(unit->text.bytes + token.start, token.end - token.start, "clang fp",
			    8))) {
			at = token_next_code(&unit->text, token.end, unit->text.size).start;
			continue;
		}
		token = token_next_code(&unit->text, at, unit->text.size);
		if (!token_is(&unit->text, token, "__label__"))
			return at;
		while (token.kind != TOKEN_END && !token_is(&unit->text, token, ";"))
			token = token_next_code(&unit->text, token.end, unit->text.size);
		at = token.end;
	}
}

static void procedure_probe(struct instrument_unit *unit, const struct node *root, uint32_t site,
			    uint64_t order)
{
	unit_insert(
		unit, body_place(unit, root->start), true, order,
		"tvi_procedure tvi_p%u __attribute__((cleanup(tvi_leave),unused))=tvi_enter(%u);",
		site, site);
	count_probe(unit, TV_SITE_PROCEDURE);
}

/* A lambda, or a method of a class within a procedure. */
static void inner_procedure(struct instrument_unit *unit, uint32_t self, uint64_t order)
{
	static const char *const constant[] = { "constexpr", "consteval", NULL };
	struct node *node = &unit->nodes.data[self];
	const struct node *up = &unit->nodes.data[node->parent];
	const uint32_t outer = up->flags & NODE_ROOT ? up->site : unit->nodes.data[up->root].site;
	OWNED_STR name = STR_INIT;

	if (outer == TV_NO_SITE || (node->flags & NODE_AGAIN))
		return; /* in one that was not instrumented */
	str_add(&name, unit->strings.text + unit->sites.data[outer].name);
	str_add(&name, "::");
	if (up->kind == CXCursor_LambdaExpr) {
		str_add(&name, "lambda");
	} else {
		CXString string = clang_getCursorSpelling(up->cursor);
		str_add(&name, clang_getCString(string) ? clang_getCString(string) : "");
		clang_disposeString(string);
	}
	const CXSourceRange extent = clang_getCursorExtent(up->cursor);
	const uint32_t site = site_add(unit, TV_SITE_PROCEDURE, clang_getCursorLocation(up->cursor),
				       clang_getRangeEnd(extent), unit_string(unit, name.text));
	unit->sites.data[site].flags |= TV_SITE_LOCAL;
	const uint32_t start = unit_offset(unit, clang_getRangeStart(extent));
	if ((node->flags & NODE_FROZEN) || !node->end || start == UINT32_MAX) {
		site_exclude(unit, site, "it is not executed, or not here");
	} else if (text_has_word(&unit->text, start, node->start, constant)) {
		site_exclude(unit, site, "it may be evaluated by the compiler (constexpr)");
	} else {
		node->site = site;
		procedure_probe(unit, node, site, order);
	}
}

/* ---- loops ---- */

static uint32_t loop_body(const struct node *loop)
{
	return loop->kind == CXCursor_DoStmt ? loop->first : loop->last;
}

/* Where the body of a loop can be embraced: after its header, in front of pragmas of the body. 0:
 * not found. */
static uint32_t loop_header(const struct instrument_unit *unit, const struct node *loop)
{
	struct token token = token_next_code(&unit->text, loop->start, loop->end);

	if (loop->kind == CXCursor_DoStmt)
		return token_is(&unit->text, token, "do") ? token.end : 0;
	if (!token_is(&unit->text, token, "for") && !token_is(&unit->text, token, "while"))
		return 0;
	token = token_next_code(&unit->text, token.end, loop->end);
	return token_is(&unit->text, token, "(") ? text_close(&unit->text, token.start, loop->end)
						 : 0;
}

static uint32_t loop_start(const struct node *loop)
{
	return loop->before ? loop->before : loop->start;
}

/* How often a loop runs that is not counted iteration by iteration; "": that is unknown. */
static void trips(struct instrument_unit *unit, uint32_t self, struct str *out)
{
	struct node *loop = &unit->nodes.data[self];

	if (loop->counting == COUNT_TRIP && !loop_trips(unit, self, loop->site, out))
		loop->counting = COUNT_UNKNOWN;
	if (loop->counting == COUNT_UNKNOWN)
		unit->sites.data[loop->site].flags |= TV_SITE_UNCOUNTED;
}

/* Its counter is one of the procedure, which hands it on at its end: a call between two loops would
 * keep the compiler from making one piece of them. */
static void counter_of_procedure(struct instrument_unit *unit, uint32_t self, uint64_t order)
{
	unit_insert(unit, body_place(unit, unit->nodes.data[0].start), true, order,
		    "struct tvi_count tvi_n%u __attribute__((cleanup(tvi_counted)))={%u,%u,0,0};",
		    unit->nodes.data[self].site, unit->nodes.data[self].site,
		    unit->nodes.data[self].trips);
}

/* Its counter is in a block around the loop, or around the one that it is in. */
static void counter_around(struct instrument_unit *unit, uint32_t self, uint32_t holder,
			   uint64_t order)
{
	const struct node *loop = &unit->nodes.data[self];
	const struct node *around = holder == NO_NODE ? loop : &unit->nodes.data[holder];
	/* Before what the loop itself has there. */
	const uint64_t outside = holder == NO_NODE ? order : order - (self - holder) * 2 - 1;

	unit_insert(unit, loop_start(around), true, outside,
		    "{struct tvi_count tvi_n%u __attribute__((cleanup(tvi_counted)))={%u,%u,%u,0};",
		    loop->site, loop->site, loop->trips, holder == NO_NODE);
	unit_insert(unit, around->full_end, false, outside, "}");
}

static void counted_probe(struct instrument_unit *unit, uint32_t self, uint32_t header,
			  uint64_t order)
{
	const struct node *loop = &unit->nodes.data[self];
	const uint32_t site = loop->site;
	const uint32_t holder = nodes_counter_holder(unit, self);
	const bool procedure = counter_is_held_by_procedure(unit, self);
	OWNED_STR often = STR_INIT;

	trips(unit, self, &often);
	if (procedure)
		counter_of_procedure(unit, self, order - (uint64_t)self * 2 + 1);
	else
		counter_around(unit, self, holder, order);
	if (procedure || holder != NO_NODE) {
		unit_insert(unit, loop_start(loop), true, order, "{++tvi_n%u.executions;", site);
		unit_insert(unit, loop->full_end, false, order, "}");
	}
	if (often.n)
		unit_insert(unit, loop_start(loop), true, order + 1, "tvi_n%u.iterations+=%s;",
			    site, often.text);
	if (loop->counting == COUNT_BODY && !loop->trips) {
		unit_insert(unit, header, true, order + 1, "{++tvi_n%u.iterations;", site);
		unit_insert(unit, unit->nodes.data[loop_body(loop)].full_end, false, order + 1,
			    "}");
	}
	unit->sites.data[site].flags |= TV_SITE_UNTIMED;
	unit->sites.data[site].reason = unit_string(
		unit, loop->counting != COUNT_BODY ? "a pragma forbids probes in it"
		      : !loop->within
			      ? "it contains no loop and no call"
			      : "it contains no call, and loops of few fixed iterations only");
	count_probe(unit, TV_SITE_LOOP);
}

static void iterations_probe(struct instrument_unit *unit, const struct node *loop, uint32_t header,
			     uint64_t order)
{
	const uint32_t site = loop->site;

	unit_insert(unit, header, true, order + 1, "{++tvi_l%u.n;", site);
	if (unit->loops == INSTRUMENT_ITERATIONS) {
		unit_insert(unit, header, true, order + 1, "tvi_iterate%s(&tvi_l%u);",
			    unit->scan.twice ? "_volatile" : "", site);
		unit->sites.data[site].flags |= TV_SITE_ITERATIONS;
	}
	unit_insert(unit, unit->nodes.data[loop_body(loop)].full_end, false, order + 1, "}");
}

static void loop_probe(struct instrument_unit *unit, uint32_t self, uint32_t header, uint64_t order)
{
	const struct node *loop = &unit->nodes.data[self];
	const uint32_t site = loop->site;
	const char *kind = unit->scan.twice ? "volatile_" : "";
	OWNED_STR often = STR_INIT;

	trips(unit, self, &often);
	unit_insert(
		unit, loop_start(loop), true, order,
		"{struct tvi_%sloop tvi_l%u __attribute__((cleanup(tvi_leave_%sloop)))={%u,0,0};",
		kind, site, kind, site);
	if (often.n)
		unit_insert(unit, loop_start(loop), true, order, "tvi_l%u.n=%s;", site, often.text);
	unit_insert(unit, loop_start(loop), true, order, "tvi_enter_%sloop(&tvi_l%u);", kind, site);
	unit_insert(unit, loop->full_end, false, order, "}");
	if (loop->counting == COUNT_BODY)
		iterations_probe(unit, loop, header, order);
	count_probe(unit, TV_SITE_LOOP);
}

static void loop_site(struct instrument_unit *unit, uint32_t self, uint64_t order)
{
	struct node *loop = &unit->nodes.data[self];
	const char *name = loop->kind == CXCursor_DoStmt      ? "do"
			   : loop->kind == CXCursor_WhileStmt ? "while"
							      : "for";

	if (unit->loops == INSTRUMENT_NO_LOOPS || (loop->flags & (NODE_ONCE | NODE_AGAIN)))
		return;
	const uint32_t header = loop->excluded ? 0 : loop_header(unit, loop);
	node_site(unit, loop, TV_SITE_LOOP, unit_string(unit, name));
	unit->sites.data[loop->site].parent = loop->holder;
	if (header && loop->flags & NODE_COUNTED) {
		counted_probe(unit, self, header, order);
		return;
	}
	if (header) {
		loop_probe(unit, self, header, order);
		return;
	}
	site_exclude(unit, loop->site,
		     loop->excluded ? loop->excluded : "where it begins and ends is not clear");
	loop->site = TV_NO_SITE; /* what is in it belongs to the statement around it */
}

/* ---- calls ---- */

static const char *setter(const struct node *call)
{
	return call->what == TV_SITE_COMMUNICATION ? "tvi_statement" : "tvi_call";
}

/* Of `f() + g()` compilers evaluate what is before the commas of both operands first, and then
 * both calls: the place of the first would be the second's. */
static bool is_operand(const struct instrument_unit *unit, const struct node *call)
{
	if (call->restore != RESTORE_VALUE)
		return false;
	for (uint32_t up = call->parent; up != NO_NODE; up = unit->nodes.data[up].parent)
		switch ((int)unit->nodes.data[up].kind) {
		case CXCursor_UnexposedExpr:
		case CXCursor_ParenExpr:
		case CXCursor_UnaryOperator:
		case CXCursor_CStyleCastExpr: break;
		case CXCursor_BinaryOperator: return true;
		default: return false;
		}
	return false;
}

/* Probe for a call that stays inside its expression. */
static void operand_probe(struct instrument_unit *unit, const struct node *call, uint64_t order)
{
	if (unit->text.cxx) {
		unit->references = true;
		unit_insert(unit, call->start, true, order, " tvi_operand((%s(%u),", setter(call),
			    call->site);
		unit_insert(unit, call->end, false, order, "))");
	} else {
		unit_insert(unit, call->start, true, order, " __extension__({%s(%u);", setter(call),
			    call->site);
		unit_insert(unit, call->end, false, order, ";})");
	}
}

static void call_probe(struct instrument_unit *unit, const struct node *call,
		       const struct node *outer, uint64_t order)
{
	const char *set = setter(call);
	const uint32_t site = call->site;
	const char *again = outer ? setter(outer) : "";

	if (call->before) {
		unit_insert(unit, call->before, true, order, "%s(%u);", set, site);
	} else if (!outer && is_operand(unit, call)) {
		operand_probe(unit, call, order);
	} else if (!outer) {
		unit_insert(unit, call->start, true, order, "(%s(%u),", set, site);
		unit_insert(unit, call->end, false, order, ")");
	} else if (call->restore == RESTORE_VOID) {
		unit_insert(unit, call->start, true, order, "(%s(%u),", set, site);
		unit_insert(unit, call->end, false, order, ",%s(%u))", again, outer->site);
	} else if (unit->text.cxx) {
		unit->references = true;
		unit_insert(unit, call->start, true, order, " %s_again%s(%u,(%s(%u),", again,
			    call->restore == RESTORE_VALUE ? "_value" : "", outer->site, set, site);
		unit_insert(unit, call->end, false, order, "))");
	} else {
		unit_insert(unit, call->start, true, order,
			    " __extension__({__auto_type tvi_v%u=(%s(%u),", site, set, site);
		unit_insert(unit, call->end, false, order, ");%s(%u);tvi_v%u;})", again,
			    outer->site, site);
	}
	count_probe(unit, call->what);
}

static void call_site(struct instrument_unit *unit, uint32_t self, uint64_t order)
{
	struct node *call = &unit->nodes.data[self];
	const struct node *outer = call->call == NO_NODE ? NULL : &unit->nodes.data[call->call];

	node_site(unit, call, call->what, call->name);
	unit->sites.data[call->site].parent = call->holder;
	if (call->flags & NODE_POINTER)
		unit->sites.data[call->site].flags |= TV_SITE_POINTER;
	if (call->what == TV_SITE_CALL && !(call->flags & NODE_POINTER) && !call->excluded)
		vec_push(&unit->calls, ((struct callee){ call->site, call->called }));
	if (call->flags & NODE_SMALL) {
		site_exclude(unit, call->site, "what it calls is small");
		unit->sites.data[call->site].flags |= TV_SITE_UNTIMED;
	} else if (call->excluded)
		site_exclude(unit, call->site, call->excluded);
	else
		call_probe(unit, call, outer && !outer->excluded ? outer : NULL, order);
}

/* ---- a procedure ---- */

static void probes_of_nodes(struct instrument_unit *unit)
{
	for (uint32_t i = 0; i < unit->nodes.n; i++, unit->order += 2) {
		struct node *node = &unit->nodes.data[i];
		if (i) {
			const struct node *up = &unit->nodes.data[node->parent];
			const bool holds =
				(up->flags & (NODE_ROOT | NODE_LOOP)) && up->site != TV_NO_SITE;
			node->holder = holds ? up->site : up->holder;
		}
		if (i == 0) {
			procedure_probe(unit, node, node->site, unit->order);
		} else if (node->flags & NODE_ROOT) {
			node->holder = TV_NO_SITE;
			inner_procedure(unit, i, unit->order);
		} else if (node->holder == TV_NO_SITE) {
			continue; /* in something that was not instrumented as a whole */
		} else if (node->flags & NODE_LOOP) {
			loop_site(unit, i, unit->order);
		} else if (node->flags & (NODE_CALL | NODE_SMALL)) {
			call_site(unit, i, unit->order);
		}
	}
}

static enum instrument_loops loops_of(const struct instrument_options *options, const char *file,
				      const char *procedure)
{
	if (options->loops_of)
		return options->loops_of(options->data, file, procedure);
	return !options->loops       ? INSTRUMENT_NO_LOOPS
	       : options->iterations ? INSTRUMENT_ITERATIONS
				     : INSTRUMENT_LOOPS;
}

void probes_procedure(struct instrument_unit *unit, CXCursor function, const char *excluded)
{
	const CXSourceRange extent = clang_getCursorExtent(function);
	OWNED_STR name = STR_INIT;

	unit_name(unit, function, &name);
	const uint32_t site = site_add(unit, TV_SITE_PROCEDURE, clang_getCursorLocation(function),
				       clang_getRangeEnd(extent), unit_string(unit, name.text));
	if (clang_getCursorLinkage(function) == CXLinkage_Internal)
		unit->sites.data[site].flags |= TV_SITE_LOCAL;
	vec_push(&unit->procedures, ((struct callee){ site, clang_getCanonicalCursor(function) }));
	const char *file = unit->strings.text + unit->sites.data[site].file;
	if (!excluded && unit->options->wanted &&
	    !unit->options->wanted(unit->options->data, file, name.text))
		excluded = "the options exclude it";
	unit->loops = loops_of(unit->options, file, name.text);
	if (!excluded && procedure_is_small(unit, function)) {
		excluded = "it is small: at most " SMALL_TEXT " statements, no loop, no call";
		unit->sites.data[site].flags |= TV_SITE_UNTIMED;
	}
	if (excluded) {
		site_exclude(unit, site, excluded);
		return;
	}
	unit->nodes.data[0].site = site;
	nodes_decide(unit);
	nodes_classify_calls(unit);
	nodes_choose_counted(unit);
	probes_of_nodes(unit);
}

void probes_outside(struct instrument_unit *unit, CXCursor cursor, const char *called,
		    uint32_t parent, const char *reason)
{
	const CXSourceRange extent = clang_getCursorExtent(cursor);
	const bool mpi = called && !strncmp(called, "MPI_", 4);
	const uint32_t site = site_add(unit,
				       !called ? TV_SITE_PROCEDURE
				       : mpi   ? TV_SITE_COMMUNICATION
					       : TV_SITE_CALL,
				       clang_getRangeStart(extent), clang_getRangeEnd(extent),
				       unit_string(unit, called ? called : "lambda"));

	if (called)
		unit->sites.data[site].parent = parent;
	else
		unit->sites.data[site].flags |= TV_SITE_LOCAL;
	site_exclude(unit, site, reason);
}

/* ---- which procedure a call statement calls, where this unit has it ---- */

void probes_resolve(struct instrument_unit *unit)
{
	size_t slots = 16;

	while (slots < unit->procedures.n * 2)
		slots *= 2;
	OWNED uint32_t *table = xcalloc(slots, sizeof *table); /* index + 1 */
	for (size_t i = 0; i < unit->procedures.n; i++) {
		size_t at = clang_hashCursor(unit->procedures.data[i].cursor) & (slots - 1);
		while (table[at])
			at = (at + 1) & (slots - 1);
		table[at] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < unit->calls.n; i++) {
		const CXCursor cursor = function_original(unit->calls.data[i].cursor);
		size_t at = clang_hashCursor(cursor) & (slots - 1);
		for (; table[at]; at = (at + 1) & (slots - 1))
			if (clang_equalCursors(unit->procedures.data[table[at] - 1].cursor,
					       cursor)) {
				unit->sites.data[unit->calls.data[i].site].callee =
					unit->procedures.data[table[at] - 1].site;
				break;
			}
	}
}
