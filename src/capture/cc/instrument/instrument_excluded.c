#include <string.h>

#include "base/order.h"
#include "capture/cc/instrument/instrument_unit.h"

static void exclude(struct node *node, const char *why)
{
	if (!node->excluded)
		node->excluded = why;
}

/* ---- jumps ---- */

struct jump {
	const char *name; /* in the text */
	uint32_t length, at;
	uint32_t label; /* the node of a label; NO_NODE: a goto */
};
typedef VEC(struct jump) jumps_vec;

static int compare_jumps(const void *a, const void *b)
{
	const struct jump *x = a;
	const struct jump *y = b;
	const int names = memcmp(x->name, y->name, x->length < y->length ? x->length : y->length);

	if (names)
		return names;
	ORDER_BY(x->length, y->length);
	return ORDER(x->at, y->at);
}

/* Loops around a label that one of its gotos, from `first` to `last`, is outside of. */
static void jump_into(struct instrument_unit *unit, const struct jump *label, uint32_t first,
		      uint32_t last)
{
	struct node *nodes = unit->nodes.data;

	for (uint32_t loop = nodes[label->label].loop; loop != NO_NODE; loop = nodes[loop].loop)
		if (first < nodes[loop].start || last >= nodes[loop].full_end)
			exclude(&nodes[loop], "a goto from outside leads into it");
}

static void decide_names(struct instrument_unit *unit, const jumps_vec *jumps)
{
	for (size_t i = 0, next; i < jumps->n; i = next) {
		const struct jump *one = &jumps->data[i];
		uint32_t first = UINT32_MAX;
		uint32_t last = 0;
		for (next = i; next < jumps->n && jumps->data[next].length == one->length &&
			       !memcmp(jumps->data[next].name, one->name, one->length);
		     next++) {
			if (jumps->data[next].label != NO_NODE)
				continue;
			first = first < jumps->data[next].at ? first : jumps->data[next].at;
			last = jumps->data[next].at;
		}
		for (size_t k = i; k < next; k++)
			if (jumps->data[k].label != NO_NODE && first != UINT32_MAX)
				jump_into(unit, &jumps->data[k], first, last);
	}
}

static void decide_jumps(struct instrument_unit *unit)
{
	jumps_vec jumps = VEC_INIT;

	for (uint32_t i = 0; i < unit->nodes.n; i++) {
		const struct node *node = &unit->nodes.data[i];
		struct token name;
		if (!node->end ||
		    (node->kind != CXCursor_LabelStmt && node->kind != CXCursor_GotoStmt))
			continue;
		name = token_next_code(&unit->text, node->start, unit->text.size);
		if (node->kind == CXCursor_GotoStmt)
			name = token_next_code(&unit->text, name.end, unit->text.size);
		if (name.kind == TOKEN_NAME)
			vec_push(&jumps,
				 ((struct jump){ unit->text.bytes + name.start,
						 name.end - name.start, node->start,
						 node->kind == CXCursor_LabelStmt ? i : NO_NODE }));
	}
	vec_sort(&jumps, compare_jumps);
	decide_names(unit, &jumps);
	vec_fini(&jumps);
}

/* Gotos whose target is a value: no loop may be entered or left by one. */
static void decide_indirect(struct instrument_unit *unit)
{
	struct node *nodes = unit->nodes.data;
	bool indirect = unit->scan.indirect;

	for (uint32_t i = 0; i < unit->nodes.n && !indirect; i++)
		indirect = nodes[i].kind == CXCursor_AddrLabelExpr ||
			   nodes[i].kind == CXCursor_IndirectGotoStmt;
	for (uint32_t i = 0; i < unit->nodes.n && indirect; i++) {
		if (nodes[i].kind != CXCursor_LabelStmt &&
		    nodes[i].kind != CXCursor_IndirectGotoStmt && nodes[i].kind != CXCursor_AsmStmt)
			continue;
		for (uint32_t loop = nodes[i].loop; loop != NO_NODE; loop = nodes[loop].loop)
			exclude(&nodes[loop], "a computed goto leads into it or out of it");
	}
}

/* Duff's device. */
static void decide_cases(struct instrument_unit *unit)
{
	struct node *nodes = unit->nodes.data;

	for (uint32_t i = 0; i < unit->nodes.n; i++) {
		if (nodes[i].kind != CXCursor_CaseStmt && nodes[i].kind != CXCursor_DefaultStmt)
			continue;
		const uint32_t choice = nodes[i].choice;
		for (uint32_t loop = nodes[i].loop;
		     loop != NO_NODE && (choice == NO_NODE || loop > choice);
		     loop = nodes[loop].loop)
			exclude(&nodes[loop], "a switch around it leads into it");
	}
}

/* ---- pragmas ---- */

/* The pragma before the statement at `at`, the strictest of several; NULL: none. */
static const struct pragma *pragma_at(const struct scan *scan, uint32_t at)
{
	const struct pragma *found = NULL;
	size_t low = 0;
	size_t high = scan->pragmas.n;

	BISECT(low, high, middle, scan->pragmas.data[middle].next < at);
	for (; low < scan->pragmas.n && scan->pragmas.data[low].next == at; low++)
		if (!found || scan->pragmas.data[low].kind > found->kind)
			found = &scan->pragmas.data[low];
	return found;
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
			exclude(node, why);
		if (node->kind == CXCursor_CallExpr || (node->flags & NODE_ROOT))
			node->flags |= NODE_FROZEN;
	}
}

/* Loops that are all there is in an annotated one: their headers belong to the pragma. */
static void decide_nested(struct instrument_unit *unit, uint32_t loop, bool nested, const char *why)
{
	struct node *nodes = unit->nodes.data;

	while (loop != NO_NODE) {
		const uint32_t body = nodes[loop].last;
		uint32_t inner = NO_NODE;
		exclude(&nodes[loop], why);
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
	}
}

static void decide_pragmas(struct instrument_unit *unit)
{
	struct node *nodes = unit->nodes.data;

	for (uint32_t i = 0; i < unit->nodes.n && unit->scan.pragmas.n; i++) {
		const bool starts =
			nodes[i].end && (nodes[i].parent == NO_NODE ||
					 nodes[nodes[i].parent].start != nodes[i].start);
		const struct pragma *pragma =
			starts ? pragma_at(&unit->scan, nodes[i].start) : NULL;
		if (!pragma)
			continue;
		if (nodes[i].flags & NODE_LOOP)
			decide_nested(unit, i, pragma->nested, "a pragma applies to it");
		if (pragma->kind == PRAGMA_REGION)
			freeze_nodes(unit, i, nodes[i].start,
				     nodes[i].full_end ? nodes[i].full_end : nodes[i].end,
				     "a pragma forbids it");
	}
}

/* ---- loops ---- */

/* do { } while (0): a way to write a statement. */
static bool runs_once(const struct instrument_unit *unit, const struct node *loop)
{
	if (loop->kind != CXCursor_DoStmt || loop->first == NO_NODE ||
	    !unit->nodes.data[loop->first].full_end)
		return false;
	struct token token =
		token_next_code(&unit->text, unit->nodes.data[loop->first].full_end, loop->end);
	if (!token_is(&unit->text, token, "while"))
		return false;
	do
		token = token_next_code(&unit->text, token.end, loop->end);
	while (token_is(&unit->text, token, "("));
	if (!token_is(&unit->text, token, "0") && !token_is(&unit->text, token, "false"))
		return false;
	do
		token = token_next_code(&unit->text, token.end, loop->end);
	while (token_is(&unit->text, token, ")"));
	return token.kind == TOKEN_END;
}

static void decide_loop(const struct instrument_unit *unit, struct node *loop)
{
	const uint32_t body = loop->kind == CXCursor_DoStmt ? loop->first : loop->last;

	if (runs_once(unit, loop))
		loop->flags |= NODE_ONCE;
	if (loop->flags & NODE_FROZEN)
		exclude(loop, "it is not executed, or not here");
	if (!loop->end || !loop->full_end || body == NO_NODE || !unit->nodes.data[body].full_end)
		exclude(loop, "where it begins and ends is not clear");
	else if (loop->parent != NO_NODE &&
		 unit->nodes.data[loop->parent].kind == CXCursor_UnexposedStmt)
		exclude(loop, "an attribute is about it");
}

void nodes_decide(struct instrument_unit *unit)
{
	decide_jumps(unit);
	decide_indirect(unit);
	decide_cases(unit);
	decide_pragmas(unit);
	for (uint32_t i = 0; i < unit->nodes.n; i++)
		if (unit->nodes.data[i].flags & NODE_LOOP)
			decide_loop(unit, &unit->nodes.data[i]);
}
