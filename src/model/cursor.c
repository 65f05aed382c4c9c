/* Moving along a location, and what a single event is. */
#include <assert.h>

#include "model/store.h"

static void set(struct cursor *c, const struct trace *trace, enum time_base base, uint32_t block,
		uint32_t slot)
{
	assert(trace->columns[base].made);
	c->trace = trace;
	c->base = base;
	c->block = store_block(trace, block);
	c->times = store_times(trace, base, block);
	c->wide = store_wide(trace, base, c->times);
	c->location = c->block->location;
	c->slot = slot;
	c->id = block * BLOCK_EVENTS + slot;
}

bool cursor_first(struct cursor *c, const struct trace *trace, enum time_base base,
		  uint32_t location)
{
	const struct block_ids *list = &trace->lists.data[location];

	if (list->n == 0)
		return false;
	set(c, trace, base, list->data[0], 0);
	return true;
}

bool cursor_last(struct cursor *c, const struct trace *trace, enum time_base base,
		 uint32_t location)
{
	const struct block_ids *list = &trace->lists.data[location];

	if (list->n == 0)
		return false;
	set(c, trace, base, list->data[list->n - 1], 0);
	c->slot = c->block->n - 1u;
	c->id += c->slot;
	return true;
}

bool cursor_seek(struct cursor *c, const struct trace *trace, enum time_base base,
		 uint32_t location, int64_t t)
{
	const struct block_ids *list = &trace->lists.data[location];
	size_t low = 0, high = list->n;

	if (list->n == 0)
		return false;
	/* The last block that starts before t; the event is in it, or the first of the next. */
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (store_times(trace, base, list->data[mid])->base < t)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return cursor_first(c, trace, base, location);
	set(c, trace, base, list->data[low - 1], 0);
	while (cursor_time(c) < t)
		if (!cursor_next(c))
			return false;
	return true;
}

void cursor_at(struct cursor *c, const struct trace *trace, enum time_base base, uint32_t event)
{
	set(c, trace, base, event / BLOCK_EVENTS, event % BLOCK_EVENTS);
}

bool cursor_next_block(struct cursor *c)
{
	const struct block_ids *list = &c->trace->lists.data[c->location];

	if (c->block->nth + 1 >= list->n)
		return false;
	set(c, c->trace, c->base, list->data[c->block->nth + 1], 0);
	return true;
}

bool cursor_prev_block(struct cursor *c)
{
	const struct block_ids *list = &c->trace->lists.data[c->location];

	if (c->block->nth == 0)
		return false;
	set(c, c->trace, c->base, list->data[c->block->nth - 1], 0);
	c->slot = c->block->n - 1u;
	c->id += c->slot;
	return true;
}

/* The call path open behind the first `n` events of a block. */
static uint32_t path_behind(const struct trace *trace, const struct block *block, uint32_t n)
{
	while (n-- > 0) {
		const uint32_t what = block->what[n];
		if (what_kind(what) == EV_ENTER)
			return what_id(what);
		if (what_kind(what) == EV_LEAVE)
			return trace->paths.data[what_id(what)].parent;
	}
	return block->path;
}

uint32_t cursor_path_before(const struct cursor *c)
{
	return path_behind(c->trace, c->block, c->slot);
}

uint32_t cursor_path(const struct cursor *c)
{
	return path_behind(c->trace, c->block, c->slot + 1);
}

uint64_t cursor_ordinal(const struct cursor *c)
{
	return (uint64_t)c->block->nth * BLOCK_EVENTS + c->slot;
}

bool cursor_nth(struct cursor *c, const struct trace *trace, enum time_base base, uint32_t location,
		uint64_t n)
{
	if (n >= trace->locations.data[location].events)
		return false;
	/* All blocks of a location but the last are full. */
	set(c, trace, base, trace->lists.data[location].data[n / BLOCK_EVENTS],
	    (uint32_t)(n % BLOCK_EVENTS));
	return true;
}

int64_t trace_event_time(const struct trace *trace, enum time_base base, uint32_t event)
{
	return store_time(trace, base, event / BLOCK_EVENTS, event % BLOCK_EVENTS);
}

uint32_t trace_event_what(const struct trace *trace, uint32_t event)
{
	return store_block(trace, event / BLOCK_EVENTS)->what[event % BLOCK_EVENTS];
}

uint32_t trace_event_location(const struct trace *trace, uint32_t event)
{
	return store_block(trace, event / BLOCK_EVENTS)->location;
}

uint32_t trace_event_path(const struct trace *trace, uint32_t event)
{
	const struct block *block = store_block(trace, event / BLOCK_EVENTS);
	const uint32_t what = block->what[event % BLOCK_EVENTS];

	if (what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE)
		return what_id(what);
	return path_behind(trace, block, event % BLOCK_EVENTS);
}

uint32_t trace_path_at(const struct trace *trace, enum time_base base, uint32_t location, int64_t t)
{
	struct cursor c;

	/* What is still open behind the last event ends there. */
	if (t == INT64_MAX || !cursor_seek(&c, trace, base, location, t + 1) || !cursor_prev(&c))
		return 0;
	return cursor_path(&c);
}

uint32_t trace_event_partner(const struct trace *trace, uint32_t event)
{
	const uint32_t what = trace_event_what(trace, event);
	const enum event_kind kind = what_kind(what);
	struct cursor c;
	uint32_t depth;

	if (kind != EV_ENTER && kind != EV_LEAVE)
		return EVENT_NONE;
	depth = trace->paths.data[what_id(what)].depth;
	cursor_at(&c, trace, BASE_MEASURED, event);
	if (kind == EV_ENTER) {
		while (cursor_next(&c))
			if (what_kind(cursor_what(&c)) == EV_LEAVE &&
			    trace->paths.data[what_id(cursor_what(&c))].depth <= depth)
				return c.id;
	} else {
		while (cursor_prev(&c))
			if (what_kind(cursor_what(&c)) == EV_ENTER &&
			    trace->paths.data[what_id(cursor_what(&c))].depth == depth)
				return c.id;
	}
	return EVENT_NONE;
}
