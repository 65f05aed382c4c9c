#include <string.h>

#include "base/order.h"
#include "capture/cc/instrument/instrument_unit.h"

void loop_exclude(struct node *loop, const char *why)
{
	if (!loop->excluded)
		loop->excluded = why;
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
			loop_exclude(&nodes[loop], "a goto from outside leads into it");
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
			loop_exclude(&nodes[loop], "a computed goto leads into it or out of it");
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
			loop_exclude(&nodes[loop], "a switch around it leads into it");
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
		loop_exclude(loop, "it is not executed, or not here");
	if (!loop->end || !loop->full_end || body == NO_NODE || !unit->nodes.data[body].full_end)
		loop_exclude(loop, "where it begins and ends is not clear");
	else if (!loop->before && loop->parent != NO_NODE && /* clang's, of the pragma */
		 unit->nodes.data[loop->parent].kind == CXCursor_UnexposedStmt)
		loop_exclude(loop, "an attribute is about it");
}

void nodes_decide(struct instrument_unit *unit)
{
	decide_jumps(unit);
	decide_indirect(unit);
	decide_cases(unit);
	nodes_annotate(unit);
	for (uint32_t i = 0; i < unit->nodes.n; i++)
		if (unit->nodes.data[i].flags & NODE_LOOP)
			decide_loop(unit, &unit->nodes.data[i]);
}
