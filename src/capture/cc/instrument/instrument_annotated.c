/* Loops that pragmas apply to. A pragma stays right before its loop: the probe's text begins in
 * front of the pragma, where the code before it ends. A loop that threads share is counted
 * iteration by iteration where each thread has a copy of variables declared around it, otherwise by
 * its bounds; so are loops that pragmas forbid to change. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "base/order.h"
#include "capture/cc/instrument/instrument_unit.h"

/* ---- reading them ---- */

static bool says(const struct text *text, struct token line, const char *word)
{
	return memmem(text->bytes + line.start, line.end - line.start, word, strlen(word)) != NULL;
}

static bool is_among(const struct text *text, struct token token, const char *const *words)
{
	for (; *words; words++)
		if (token_is(text, token, *words))
			return true;
	return false;
}

static bool is_harmless(const struct text *text, struct token first, struct token second)
{
	static const char *const words[] = {
		"message",          "mark", "region",     "endregion", "ident", "STDC", "weak",
		"redefine_extname", "pack", "push_macro", "pop_macro", "once",  NULL
	};
	static const char *const vendor[] = { "diagnostic",  "warning",       "error",
					      "poison",      "system_header", "visibility",
					      "pop_options", "push_options",  NULL };

	return is_among(text, first, words) ||
	       ((token_is(text, first, "GCC") || token_is(text, first, "clang")) &&
		is_among(text, second, vendor));
}

/* Whether a word is among those of the directive and the names of its clauses. */
static bool has(const struct text *text, struct token line, struct token from, const char *word)
{
	for (struct token token = from; token.kind != TOKEN_END;) {
		const uint32_t next = token_is(text, token, "(")
					      ? text_close(text, token.start, line.end)
					      : token.end;
		if (token_is(text, token, word))
			return true;
		token = token_next(text, next, line.end);
	}
	return false;
}

static bool has_any(const struct text *text, struct token line, struct token from,
		    const char *const *words)
{
	for (; *words; words++)
		if (has(text, line, from, *words))
			return true;
	return false;
}

static void read_omp(const struct text *text, struct token line, struct token what,
		     struct pragma *pragma)
{
	static const char *const alone[] = { "barrier",  "cancel",    "cancellation",  "flush",
					     "taskwait", "taskyield", "threadprivate", "error",
					     "nothing",  "depobj",    "interop",       "scan",
					     "allocate", "declare",   "requires",      NULL };
	static const char *const loops[] = { "for",  "taskloop", "distribute", "loop",
					     "tile", "unroll",   "simd",       NULL };
	static const char *const one[] = { "single", "master",  "masked",   "critical",
					   "task",   "section", "sections", NULL };
	const bool taskloop = has(text, line, what, "taskloop");
	const bool distribute = has(text, line, what, "distribute");
	const bool loop = has(text, line, what, "loop");
	const bool teams = has(text, line, what, "teams");

	pragma->cancels = token_is(text, what, "cancel");
	if (is_among(text, what, alone))
		return;
	pragma->kind = has_any(text, line, what, loops) ? PRAGMA_LOOP : PRAGMA_BLOCK;
	pragma->device = has(text, line, what, "target");
	if (pragma->device || has(text, line, what, "atomic") || has(text, line, what, "simd") ||
	    loop || says(text, line, "concurrent") || says(text, line, "inscan"))
		pragma->kind = PRAGMA_REGION;
	pragma->nested = says(text, line, "collapse") || has(text, line, what, "tile") ||
			 says(text, line, "ordered(") || says(text, line, "ordered (");
	pragma->parallel = teams || (has(text, line, what, "parallel") && !distribute);
	pragma->shared = !pragma->parallel && (loop || distribute || has(text, line, what, "for"));
	pragma->tasks = taskloop || (distribute && has(text, line, what, "parallel"));
	pragma->elected = !pragma->parallel && has_any(text, line, what, one);
}

bool pragma_read(const struct text *text, struct token line, uint32_t before, uint32_t end,
		 struct pragma *pragma)
{
	const struct token hash = token_next(text, line.start + 1, line.end);
	const struct token first = token_next(text, hash.end, line.end);
	const struct token second = token_next(text, first.end, line.end);

	*pragma = (struct pragma){ .before = before,
				   .next = token_next_code(text, line.end, end).start };
	if (!token_is(text, hash, "pragma"))
		return false;
	if (token_is(text, first, "STDC") ||
	    (token_is(text, first, "clang") && token_is(text, second, "fp"))) {
		pragma->first = true;
		return true;
	}
	if (is_harmless(text, first, second))
		return false;
	if (token_is(text, first, "omp")) {
		read_omp(text, line, second, pragma);
	} else if (token_is(text, first, "acc")) {
		pragma->kind = PRAGMA_REGION;
		pragma->nested = pragma->device = true;
	} else {
		pragma->kind = PRAGMA_LOOP;
	}
	return true;
}

/* ---- what they mean for a loop ---- */

/* All pragmas between the code before a statement and the statement. */
struct run {
	struct pragma all; /* what any of them says; the strictest kind */
	size_t loops;      /* how many want a loop */
	bool team;         /* one makes threads for a statement */
	bool others;       /* some are about something else than the loop */
};

static struct run run_at(const struct scan *scan, uint32_t at)
{
	struct run run = { .loops = 0 };
	size_t low = 0, high = scan->pragmas.n;

	BISECT(low, high, middle, scan->pragmas.data[middle].next < at);
	for (; low < scan->pragmas.n && scan->pragmas.data[low].next == at; low++) {
		const struct pragma *p = &scan->pragmas.data[low];
		const bool wants = p->kind >= PRAGMA_LOOP;
		run.loops += wants;
		run.team |= p->kind == PRAGMA_BLOCK && p->parallel;
		run.others |= !wants && !p->first && !run.team;
		run.all.before = p->before;
		run.all.kind = p->kind > run.all.kind ? p->kind : run.all.kind;
		run.all.nested |= p->nested;
		run.all.parallel |= p->parallel;
		run.all.shared |= p->shared;
		run.all.tasks |= p->tasks;
		run.all.elected |= p->elected;
		run.all.device |= p->device;
		run.all.first |= p->first;
	}
	return run;
}

/* Nothing may be put between `start` and `end`. */
static void freeze_nodes(struct instrument_unit *unit, uint32_t first, uint32_t start, uint32_t end,
			 const char *why)
{
	for (uint32_t i = first; i < unit->nodes.n; i++) {
		struct node *node = &unit->nodes.data[i];
		if (!node->end)
			continue;
		if (node->start >= end)
			break;
		if (node->start < start)
			continue;
		if (node->flags & NODE_LOOP)
			loop_exclude(node, why);
		if (node->kind == CXCursor_CallExpr || (node->flags & NODE_ROOT))
			node->flags |= NODE_FROZEN;
	}
}

/* The header of an annotated loop belongs to the pragma, and so do with `nested` those of the loops
 * that are all there is in it. */
static void freeze_headers(struct instrument_unit *unit, uint32_t loop, bool nested)
{
	static const char why[] = "a pragma applies to it and the loop around it";
	struct node *nodes = unit->nodes.data;

	while (loop != NO_NODE) {
		const uint32_t body = nodes[loop].last;
		uint32_t inner = NO_NODE;
		if (body == NO_NODE || nodes[loop].kind == CXCursor_DoStmt)
			break;
		freeze_nodes(unit, loop + 1, nodes[loop].start, nodes[body].start, why);
		if (!nested)
			break;
		if (nodes[body].flags & NODE_LOOP)
			inner = body;
		for (uint32_t i = body + 1;
		     inner == NO_NODE && i < unit->nodes.n && nodes[i].loop == loop; i++)
			if (nodes[i].flags & NODE_LOOP)
				inner = i;
		loop = inner;
		if (loop != NO_NODE)
			loop_exclude(&nodes[loop], why);
	}
}

/* Whether the loop may end before its condition does. */
static bool ends_early(const struct instrument_unit *unit, uint32_t loop)
{
	const struct node *nodes = unit->nodes.data;
	const struct scan *scan = &unit->scan;

	for (uint32_t i = loop + 1; i < unit->nodes.n; i++) {
		if (nodes[i].end && nodes[i].start >= nodes[loop].end)
			break;
		switch ((int)nodes[i].kind) {
		case CXCursor_ReturnStmt:
		case CXCursor_GotoStmt:
		case CXCursor_IndirectGotoStmt: return true;
		case CXCursor_BreakStmt:
			if (nodes[i].loop == loop &&
			    (nodes[i].choice == NO_NODE || nodes[i].choice < loop))
				return true;
			break;
		default: break;
		}
	}
	for (size_t i = 0; i < scan->pragmas.n; i++)
		if (scan->pragmas.data[i].cancels &&
		    scan->pragmas.data[i].next > nodes[loop].start &&
		    scan->pragmas.data[i].next <= nodes[loop].end)
			return true;
	return false;
}

static enum loop_counting counting_of(const struct instrument_unit *unit, uint32_t loop,
				      const struct pragma *all)
{
	const bool whole = all->parallel || !all->shared;

	if (all->kind == PRAGMA_LOOP && !all->parallel && !all->nested && !all->tasks)
		return COUNT_BODY;
	return whole && !all->device && !ends_early(unit, loop) ? COUNT_TRIP : COUNT_UNKNOWN;
}

static void annotate_loop(struct instrument_unit *unit, uint32_t self, const struct run *run)
{
	struct node *loop = &unit->nodes.data[self];

	if (!run->loops)
		return; /* about a statement, which may have braces around it */
	/* In front of all of them one thread is there, or all are, for the whole loop. */
	if (run->others || (run->team ? !run->all.elected && !run->all.shared : run->all.elected))
		loop_exclude(loop, "no probe can be put between the pragmas before it");
	else if (run->all.first || !run->all.before)
		loop_exclude(loop, "a pragma that has to come first in its block is before it");
	loop->before = run->all.before;
	loop->counting = (uint8_t)counting_of(unit, self, &run->all);
	if (run->all.parallel || run->all.shared || run->all.tasks || run->all.device)
		loop->flags |= NODE_TEAM;
	freeze_headers(unit, self, run->all.nested);
}

void nodes_annotate(struct instrument_unit *unit)
{
	struct node *nodes = unit->nodes.data;

	for (uint32_t i = 0; i < unit->nodes.n && unit->scan.pragmas.n; i++) {
		const struct node *up = nodes[i].parent == NO_NODE ? NULL : &nodes[nodes[i].parent];
		if (!nodes[i].end || nodes[i].kind == CXCursor_UnexposedStmt ||
		    (up && up->start == nodes[i].start && up->kind != CXCursor_UnexposedStmt))
			continue;
		const struct run run = run_at(&unit->scan, nodes[i].start);
		if (nodes[i].flags & NODE_LOOP)
			annotate_loop(unit, i, &run);
		if (run.all.kind == PRAGMA_REGION)
			freeze_nodes(unit, nodes[i].flags & NODE_LOOP ? i + 1 : i, nodes[i].start,
				     nodes[i].full_end ? nodes[i].full_end : nodes[i].end,
				     "a pragma forbids it");
	}
}
