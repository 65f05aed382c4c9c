/* Moves along a location and decodes single events. */
#include <assert.h>

#include "base/order.h"
#include "model/trace/halo.h"
#include "model/trace/store.h"

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

static void set_last(struct cursor *c, const struct trace *trace, enum time_base base,
		     uint32_t block)
{
	set(c, trace, base, block, store_block(trace, block)->n - 1u);
}

/* ---- how many events are before a time ---- */

/* Counts among the first n events of a block. */
static uint32_t slots_before(const struct trace *trace, enum time_base base, uint32_t block,
			     uint32_t n, int64_t t)
{
	uint32_t low = 0, high = n;

	BISECT(low, high, mid, store_time(trace, base, block, mid) < t);
	return low;
}

/* A search for a time among the blocks of a location: the first `low` of them begin before it,
 * those from `high` on do not. */
struct hunt {
	const struct block_ids *list;
	size_t low, high;
};

static uint32_t hunt_block(const struct hunt *h)
{
	return h->list->data[h->low + (h->high - h->low) / 2];
}

static void hunt_step(struct hunt *h, const struct trace *trace, enum time_base base, int64_t t)
{
	const size_t mid = h->low + (h->high - h->low) / 2;

	if (store_times(trace, base, h->list->data[mid])->base < t)
		h->low = mid + 1;
	else
		h->high = mid;
}

/* The boundary is in the last block that begins before t; all blocks but a location's last are
 * full. */
static uint64_t hunt_end(const struct hunt *h, const struct trace *trace, enum time_base base,
			 int64_t t)
{
	uint32_t block, n;

	if (h->low == 0)
		return 0;
	block = h->list->data[h->low - 1];
	n = h->low < h->list->n ? BLOCK_EVENTS : store_block(trace, block)->n;
	return (uint64_t)(h->low - 1) * BLOCK_EVENTS + slots_before(trace, base, block, n, t);
}

static uint64_t count_before(const struct trace *trace, enum time_base base,
			     const struct block_ids *list, int64_t t)
{
	struct hunt h = { list, 0, list->n };

	while (h.low < h.high)
		hunt_step(&h, trace, base, t);
	return hunt_end(&h, trace, base, t);
}

/* Locations whose memory is prefetched at once. */
enum { TOGETHER = 32 };

/* Like count_before(), for up to TOGETHER locations: all take each step of their searches together,
 * and each step prefetches what the next one reads. */
static void count_together(const struct trace *trace, enum time_base base,
			   const uint32_t *locations, size_t n, int64_t t, uint64_t *counts)
{
	struct hunt hunts[TOGETHER];
	bool more = true;

	for (size_t i = 0; i < n; i++) {
		const struct block_ids *list = &trace->lists.data[locations[i]];
		hunts[i] = (struct hunt){ list, 0, list->n };
		if (list->n)
			__builtin_prefetch(&list->data[list->n / 2]);
	}
	for (size_t i = 0; i < n; i++)
		if (hunts[i].high)
			__builtin_prefetch(store_times(trace, base, hunt_block(&hunts[i])));
	while (more) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			struct hunt *h = &hunts[i];
			if (h->low == h->high)
				continue;
			hunt_step(h, trace, base, t);
			more = true;
			if (h->low < h->high)
				__builtin_prefetch(store_times(trace, base, hunt_block(h)));
		}
	}
	for (size_t i = 0; i < n; i++)
		if (hunts[i].low)
			store_prefetch_times(trace, base, hunts[i].list->data[hunts[i].low - 1]);
	for (size_t i = 0; i < n; i++)
		counts[i] = hunt_end(&hunts[i], trace, base, t);
}

void trace_events_before(const struct trace *trace, enum time_base base, const uint32_t *locations,
			 size_t n, int64_t t, uint64_t *counts)
{
	for (size_t i = 0; i < n; i += TOGETHER)
		count_together(trace, base, locations + i, n - i < TOGETHER ? n - i : TOGETHER, t,
			       counts + i);
}

static uint32_t block_of(const struct trace *trace, uint32_t location, uint64_t nth)
{
	return trace->lists.data[location].data[nth / BLOCK_EVENTS];
}

void trace_nth_times(const struct trace *trace, enum time_base base, const uint32_t *locations,
		     const uint64_t *nth, size_t n, int64_t *times)
{
	for (size_t from = 0; from < n; from += TOGETHER) {
		const size_t to = n - from < TOGETHER ? n : from + TOGETHER;
		for (size_t i = from; i < to; i++) {
			const struct times *t;
			if (nth[i] == NTH_NONE)
				continue;
			t = store_times(trace, base, block_of(trace, locations[i], nth[i]));
			__builtin_prefetch(t);
			__builtin_prefetch(&t->delta[nth[i] % BLOCK_EVENTS]);
		}
		for (size_t i = from; i < to; i++)
			if (nth[i] != NTH_NONE)
				times[i] = store_time(trace, base,
						      block_of(trace, locations[i], nth[i]),
						      nth[i] % BLOCK_EVENTS);
	}
}

/* ---- moving ---- */

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
	set_last(c, trace, base, list->data[list->n - 1]);
	return true;
}

bool cursor_seek(struct cursor *c, const struct trace *trace, enum time_base base,
		 uint32_t location, int64_t t)
{
	const struct block_ids *list = &trace->lists.data[location];
	const uint64_t before = count_before(trace, base, list, t);

	if (before / BLOCK_EVENTS >= list->n)
		return false;
	set(c, trace, base, list->data[before / BLOCK_EVENTS], before % BLOCK_EVENTS);
	return c->slot < c->block->n;
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
	set_last(c, c->trace, c->base, list->data[c->block->nth - 1]);
	return true;
}

/* The call path open after the first `n` events of a block. */
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

bool trace_has_event(const struct trace *trace, uint32_t event)
{
	return event / BLOCK_EVENTS < store_block_count(trace) &&
	       event % BLOCK_EVENTS < store_block(trace, event / BLOCK_EVENTS)->n;
}

void trace_event_near(const struct trace *trace, enum time_base base, uint32_t event)
{
	if (event == EVENT_NONE)
		return;
	const struct block *block = store_event_block(trace, event);
	const struct times *times = store_times(trace, base, event / BLOCK_EVENTS);
	__builtin_prefetch(&block->location);
	__builtin_prefetch(&block->what[event % BLOCK_EVENTS]);
	__builtin_prefetch(&times->base);
	__builtin_prefetch(&times->delta[event % BLOCK_EVENTS]);
}

uint64_t trace_event_ordinal(const struct trace *trace, uint32_t event)
{
	if (trace_is_ghost(trace, event))
		return halo_place(trace->halo, event);
	return (uint64_t)store_event_block(trace, event)->nth * BLOCK_EVENTS + event % BLOCK_EVENTS;
}

const struct block *trace_event_block(const struct trace *trace, uint32_t event)
{
	return store_event_block(trace, event);
}

uint32_t trace_event_path(const struct trace *trace, uint32_t event)
{
	const struct block *block = store_block(trace, event / BLOCK_EVENTS);
	const uint32_t what = block->what[event % BLOCK_EVENTS];

	if (what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE)
		return what_id(what);
	return path_behind(trace, block, event % BLOCK_EVENTS);
}

bool trace_event_traced(const struct trace *trace, uint32_t event)
{
	const struct block *block = store_block(trace, event / BLOCK_EVENTS);

	for (uint32_t slot = event % BLOCK_EVENTS + 1; slot-- > 0;) {
		const enum event_kind kind = what_kind(block->what[slot]);
		if (kind == EV_TRACING_ON || kind == EV_TRACING_OFF)
			return kind == EV_TRACING_ON;
	}
	return !(block->flags & BLOCK_NOT_TRACED);
}

uint32_t trace_path_at(const struct trace *trace, enum time_base base, uint32_t location, int64_t t)
{
	struct cursor c;

	/* What is still open after the last event ends there. */
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
