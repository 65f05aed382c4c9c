/* Innermost loops without calls are counted: probes would cost more than the loops do, and nothing
 * in them needs a time of its own. They get only a counter in a register; if the compiler knows how
 * often the loop runs, that is one addition after it. Of a loop that always runs as often only the
 * executions are counted, and the loop around it is innermost as well, if that is not often. */
#include "base/order.h"
#include "capture/cc/instrument/instrument_unit.h"

/* The loop around a node, which may be its parent; NO_NODE. */
static uint32_t loop_around(const struct instrument_unit *unit, const struct node *node)
{
	const struct node *up = node->parent == NO_NODE ? NULL : &unit->nodes.data[node->parent];

	return !up ? NO_NODE : up->flags & NODE_LOOP ? node->parent : up->loop;
}

/* Whether nothing but the procedure's own code runs from its begin to its end. */
static bool runs_alone(const struct instrument_unit *unit)
{
	if (unit->scan.pragmas.n)
		return false;
	for (uint32_t i = 1; i < unit->nodes.n; i++) {
		const struct node *node = &unit->nodes.data[i];
		if (node->flags & NODE_ROOT || node->kind == CXCursor_CallExpr ||
		    node->kind == CXCursor_StmtExpr || node->kind == CXCursor_LambdaExpr)
			return false;
	}
	return true;
}

bool counter_is_held_by_procedure(const struct instrument_unit *unit, uint32_t loop)
{
	return unit->alone && unit->nodes.data[loop].loop == NO_NODE;
}

/* The iterations in one execution of a loop that has always as many, with those of the loops in it,
 * are work that needs no time of its own, if they are few: compilers write them out. */
static void count_loop(struct instrument_unit *unit, uint32_t self)
{
	struct node *loop = &unit->nodes.data[self];
	uint32_t work;

	loop->flags |= NODE_COUNTED;
	if (loop->flags & NODE_ONCE || loop->counting != COUNT_BODY)
		return;
	loop->trips = loop_fixed_trips(unit, self);
	work = loop->trips * (loop->within ? loop->within : 1u);
	loop->work = work <= FIXED_WORK ? (uint16_t)work : 0;
}

void nodes_choose_counted(struct instrument_unit *unit)
{
	const bool counts =
		unit->options->sparing && unit->loops == INSTRUMENT_LOOPS && !unit->scan.twice;

	unit->alone = runs_alone(unit);
	/* From the inside out. */
	for (uint32_t i = (uint32_t)unit->nodes.n; counts && i-- > 0;) {
		struct node *node = &unit->nodes.data[i];
		const uint32_t around = loop_around(unit, node);
		const bool loop = node->flags & NODE_LOOP;
		uint16_t flags = 0;
		if (node->flags & (NODE_CALL | NODE_SKIPPED | NODE_ROOT) ||
		    (loop && node->flags & NODE_BUSY))
			flags |= NODE_BUSY;
		if (loop && !node->excluded &&
		    !(node->flags & (NODE_BUSY | NODE_OUTER | NODE_TEAM)))
			count_loop(unit, i);
		if (loop && (node->flags & NODE_OUTER || !(node->work || node->flags & NODE_ONCE)))
			flags |= NODE_OUTER;
		if (around != NO_NODE) {
			unit->nodes.data[around].flags |= flags;
			unit->nodes.data[around].within +=
				node->flags & NODE_ONCE ? node->within : node->work;
		}
	}
}

/* Whether nothing in a loop needs the counts of another one in it before it ends. */
static bool can_hold(const struct instrument_unit *unit, uint32_t holder, uint32_t loop)
{
	const struct node *nodes = unit->nodes.data;
	size_t low = 0, high = unit->scan.pragmas.n;

	if (nodes[holder].site == TV_NO_SITE || nodes[holder].flags & NODE_BUSY ||
	    nodes[holder].before)
		return false;
	/* Several threads may run the statement that a pragma applies to. */
	BISECT(low, high, middle, unit->scan.pragmas.data[middle].next <= nodes[holder].start);
	return low == unit->scan.pragmas.n || unit->scan.pragmas.data[low].next > nodes[loop].start;
}

uint32_t nodes_counter_holder(const struct instrument_unit *unit, uint32_t loop)
{
	const struct node *nodes = unit->nodes.data;
	uint32_t holder = NO_NODE;

	for (uint32_t up = nodes[loop].loop; up != NO_NODE; up = nodes[up].loop) {
		if (nodes[up].flags & NODE_ONCE)
			continue;
		if (!can_hold(unit, up, loop))
			break;
		holder = up;
	}
	return holder;
}
