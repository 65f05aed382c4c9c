/* Each block of events knows the enter of the region that is innermost before its first event, and
 * the event that ends the region that is innermost after its last: so a call is found without
 * reading the blocks that it spans. Costs 8 bytes per block, and 4 per message where receives are
 * requested. */
#include "patterns/analysis/calls.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "model/trace/region_meaning.h"

struct calls {
	const struct trace *trace;
	const struct callpath *paths; /* the trace's, by id */
	enum time_base base;
	uint8_t *kinds;              /* [call paths] enum call_kind */
	uint8_t *starts;             /* [call paths] MPI_Start, MPI_Startall; NULL: not called */
	uint32_t *enter;             /* [blocks] event, EVENT_NONE */
	uint32_t *leave;             /* [blocks] event, EVENT_NONE */
	_Atomic uint32_t *requests;  /* [messages] EV_RECV_REQUEST; NULL: there are no requests */
	_Atomic uint8_t *persistent; /* bits [messages] */
};

/* ---- the pass ---- */

/* An open region. */
struct open_level {
	uint32_t enter;
	uint32_t blocks; /* the last block at whose end it is innermost; the ones before are
			    chained by calls.leave; UINT32_MAX: none */
};

struct calls_pass {
	struct calls *calls;
	const struct progress *progress;
	uint32_t locations;
	atomic_bool stopped;
};

struct call_nest {
	struct calls *calls;
	VEC(struct open_level) levels; /* the region of depth d at d - 1 */
};

static void level_end(struct call_nest *n, uint32_t event)
{
	struct calls *calls = n->calls;
	uint32_t block = vec_pop(&n->levels).blocks;

	while (block != UINT32_MAX) {
		const uint32_t before = calls->leave[block];
		calls->leave[block] = event;
		block = before;
	}
}

/* Leaves `depth` levels open. */
static void close_levels(struct call_nest *n, uint32_t depth, uint32_t event)
{
	while (n->levels.n > depth)
		level_end(n, event);
	while (n->levels.n < depth)
		vec_push(&n->levels, ((struct open_level){ EVENT_NONE, UINT32_MAX }));
}

static void keep_first(_Atomic uint32_t *place, uint32_t event)
{
	uint32_t there = atomic_load_explicit(place, memory_order_relaxed);

	while (event < there &&
	       !atomic_compare_exchange_weak_explicit(place, &there, event, memory_order_relaxed,
						      memory_order_relaxed))
		continue;
}

static void see_message(struct calls *calls, uint32_t event, uint32_t what, uint32_t path)
{
	const enum event_kind kind = what_kind(what);
	const uint32_t row = what_id(what);

	if (row >= trace_message_count(calls->trace))
		return;
	if (kind == EV_RECV_REQUEST && calls->requests)
		keep_first(&calls->requests[row], event);
	if (calls->starts && calls->starts[path])
		atomic_fetch_or_explicit(&calls->persistent[row / 8], (uint8_t)(1u << row % 8),
					 memory_order_relaxed);
}

static void see_block(struct call_nest *n, const struct cursor *c)
{
	struct calls *calls = n->calls;
	const struct block *block = c->block;
	const uint32_t id = c->id / BLOCK_EVENTS;
	uint32_t path = block->path;

	calls->enter[id] = n->levels.n ? vec_last(&n->levels)->enter : EVENT_NONE;
	for (uint32_t slot = 0; slot < block->n; slot++) {
		const uint32_t what = block->what[slot], event = id * BLOCK_EVENTS + slot;
		switch (what_kind(what)) {
		case EV_ENTER:
			path = what_id(what);
			close_levels(n, calls->paths[path].depth - 1, event);
			vec_push(&n->levels, ((struct open_level){ event, UINT32_MAX }));
			break;
		case EV_LEAVE:
			close_levels(n, calls->paths[what_id(what)].depth - 1, event);
			path = calls->paths[what_id(what)].parent;
			break;
		case EV_SEND:
		case EV_RECV_REQUEST: see_message(calls, event, what, path); break;
		default: break;
		}
	}
	calls->leave[id] = EVENT_NONE;
	if (n->levels.n) {
		calls->leave[id] = vec_last(&n->levels)->blocks;
		vec_last(&n->levels)->blocks = id;
	}
}

static void see_location(void *context, unsigned worker, size_t location)
{
	struct calls_pass *pass = context;
	struct call_nest n = { .calls = pass->calls };
	struct cursor c;

	if (pass->stopped ||
	    !cursor_first(&c, pass->calls->trace, pass->calls->base, (uint32_t)location))
		return;
	if (worker == 0 && !progress_step(pass->progress, "calls", location, pass->locations))
		pass->stopped = true;
	close_levels(&n, pass->calls->paths[c.block->path].depth, EVENT_NONE);
	do
		see_block(&n, &c);
	while (cursor_next_block(&c));
	close_levels(&n, 0, EVENT_NONE);
	vec_fini(&n.levels);
}

/* Calls of ghosts do not go on in other blocks. */
static void see_ghosts(struct calls *calls)
{
	uint32_t first, end;

	trace_ghost_blocks(calls->trace, &first, &end);
	for (uint32_t id = first; id < end; id++) {
		const struct block *block = trace_event_block(calls->trace, id * BLOCK_EVENTS);
		calls->enter[id] = calls->leave[id] = EVENT_NONE;
		for (uint32_t slot = 1; slot < block->n; slot += GHOST_EVENTS)
			if (what_kind(block->what[slot]) != EV_RECV)
				see_message(calls, id * BLOCK_EVENTS + slot, block->what[slot],
					    what_id(block->what[slot - 1]));
	}
}

/* ---- construction ---- */

static bool has_requests(const struct trace *trace)
{
	const uint32_t n = trace_message_count(trace);

	for (uint32_t i = 0; i < n; i++)
		if (trace_message(trace, i)->flags & MSG_RECV_REQUEST)
			return true;
	return false;
}

static _Atomic uint32_t *no_events(uint32_t n)
{
	_Atomic uint32_t *events = xmalloc((n + 1) * sizeof *events);

	for (uint32_t i = 0; i < n; i++)
		atomic_init(&events[i], EVENT_NONE);
	return events;
}

static void make_tables(struct calls *calls)
{
	const struct trace *trace = calls->trace;
	const uint32_t paths = trace_callpath_count(trace), messages = trace_message_count(trace);
	bool starts = false;

	calls->kinds = xcalloc(paths + 1, 1);
	calls->starts = xcalloc(paths + 1, 1);
	for (uint32_t p = 1; p < paths; p++) {
		const uint32_t region = trace_callpath_region(trace, p);
		const struct meaning m = region_meaning(trace, region);
		calls->kinds[p] = (uint8_t)m.call;
		calls->starts[p] = m.request == REQUEST_RESTARTS;
		starts = starts || calls->starts[p];
	}
	if (!starts) {
		free(calls->starts);
		calls->starts = NULL;
	} else {
		calls->persistent = xcalloc(messages / 8 + 1, 1);
	}
	if (has_requests(trace)) {
		calls->requests = no_events(messages);
	}
}

/* One more than the largest number of a block. */
static uint32_t blocks_end(const struct trace *trace, enum time_base base)
{
	uint32_t end, first;

	trace_ghost_blocks(trace, &first, &end);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c;
		for (bool ok = cursor_first(&c, trace, base, l); ok; ok = cursor_next_block(&c))
			if (c.id / BLOCK_EVENTS >= end)
				end = c.id / BLOCK_EVENTS + 1;
	}
	return end;
}

struct calls *calls_new(const struct trace *trace, enum time_base base, unsigned jobs,
			const struct progress *progress)
{
	struct calls *calls = xcalloc(1, sizeof *calls);
	const uint32_t blocks = blocks_end(trace, base);
	struct calls_pass pass = { .calls = calls,
				   .progress = progress,
				   .locations = trace_location_count(trace) };

	calls->trace = trace;
	calls->paths = trace_callpath(trace, 0);
	calls->base = base;
	calls->enter = xmalloc((blocks + 1) * sizeof *calls->enter);
	calls->leave = xmalloc((blocks + 1) * sizeof *calls->leave);
	make_tables(calls);
	see_ghosts(calls);
	jobs_run(jobs, pass.locations, see_location, &pass);
	if (!pass.stopped)
		return calls;
	calls_free(calls);
	return NULL;
}

void calls_free(struct calls *calls)
{
	if (!calls)
		return;
	free_all(calls->kinds, calls->starts, calls->enter, calls->leave, calls->requests,
		 calls->persistent, calls);
}

/* ---- queries ---- */

static uint32_t depth_of(const struct calls *calls, uint32_t what)
{
	return calls->paths[what_id(what)].depth;
}

static uint32_t depth_at(const struct calls *calls, uint32_t event)
{
	return depth_of(calls, trace_event_what(calls->trace, event));
}

/* The enter of the region of this depth that is open just before an event. */
static uint32_t enter_before(const struct calls *calls, uint32_t event, uint32_t depth)
{
	for (;;) {
		const struct block *block = trace_event_block(calls->trace, event);
		const uint32_t id = event / BLOCK_EVENTS;
		uint32_t at_depth;
		for (uint32_t slot = event % BLOCK_EVENTS; slot-- > 0;)
			if (what_kind(block->what[slot]) == EV_ENTER &&
			    depth_of(calls, block->what[slot]) == depth)
				return id * BLOCK_EVENTS + slot;
		event = calls->enter[id];
		if (event == EVENT_NONE)
			return EVENT_NONE;
		at_depth = depth_at(calls, event);
		if (at_depth <= depth)
			return at_depth == depth ? event : EVENT_NONE;
	}
}

/* The event that ends the region of this depth that is open just after an event. */
static uint32_t leave_behind(const struct calls *calls, uint32_t event, uint32_t depth)
{
	for (;;) {
		const struct block *block = trace_event_block(calls->trace, event);
		const uint32_t id = event / BLOCK_EVENTS;
		for (uint32_t slot = event % BLOCK_EVENTS + 1; slot < block->n; slot++)
			if (what_kind(block->what[slot]) == EV_LEAVE &&
			    depth_of(calls, block->what[slot]) <= depth)
				return id * BLOCK_EVENTS + slot;
		event = calls->leave[id];
		if (event == EVENT_NONE || depth_at(calls, event) <= depth)
			return event;
	}
}

/* A ghost is between these times (model/trace/halo.h). */
static int64_t first_time(const struct calls *calls, uint32_t event)
{
	struct cursor c;

	if (trace_is_ghost(calls->trace, event))
		return trace_event_time(calls->trace, calls->base, event - 1);
	cursor_first(&c, calls->trace, calls->base, trace_event_location(calls->trace, event));
	return cursor_time(&c);
}

static int64_t last_time(const struct calls *calls, uint32_t event)
{
	struct cursor c;

	if (trace_is_ghost(calls->trace, event))
		return trace_event_time(calls->trace, calls->base, event + 1);
	cursor_last(&c, calls->trace, calls->base, trace_event_location(calls->trace, event));
	return cursor_time(&c);
}

struct call_span calls_of(const struct calls *calls, uint32_t event)
{
	const struct trace *trace = calls->trace;
	const enum event_kind kind = what_kind(trace_event_what(trace, event));
	const uint32_t path = trace_event_path(trace, event);
	const uint32_t depth = calls->paths[path].depth;
	struct call_span span = { .enter = EVENT_NONE,
				  .leave = EVENT_NONE,
				  .path = calls->paths[path].canon };

	if (depth > 0) {
		span.enter = kind == EV_ENTER ? event : enter_before(calls, event, depth);
		span.leave = kind == EV_LEAVE ? event : leave_behind(calls, event, depth);
	}
	span.en = span.enter == EVENT_NONE ? first_time(calls, event)
					   : trace_event_time(trace, calls->base, span.enter);
	span.lv = span.leave == EVENT_NONE ? last_time(calls, event)
					   : trace_event_time(trace, calls->base, span.leave);
	return span;
}

struct call_span calls_meeting(const struct calls *calls, uint32_t event)
{
	const uint32_t path = trace_event_path(calls->trace, event);
	int64_t time;

	if (calls->kinds[path] != CALL_OTHER)
		return calls_of(calls, event);
	time = trace_event_time(calls->trace, calls->base, event);
	return (struct call_span){ .enter = event,
				   .leave = event,
				   .en = time,
				   .lv = time,
				   .path = calls->paths[path].canon };
}

int64_t calls_enter(const struct calls *calls, uint32_t event)
{
	const struct trace *trace = calls->trace;
	const uint32_t path = trace_event_path(trace, event);
	uint32_t enter;

	if (calls->kinds[path] == CALL_OTHER)
		return trace_event_time(trace, calls->base, event);
	enter = enter_before(calls, event, calls->paths[path].depth);
	return enter == EVENT_NONE ? first_time(calls, event)
				   : trace_event_time(trace, calls->base, enter);
}

enum call_kind calls_kind(const struct calls *calls, uint32_t path)
{
	return (enum call_kind)calls->kinds[path];
}

uint32_t calls_post(const struct calls *calls, uint32_t message)
{
	const struct message *m = trace_message(calls->trace, message);
	const uint32_t request = calls->requests ? atomic_load_explicit(&calls->requests[message],
									memory_order_relaxed)
						 : EVENT_NONE;

	if (request != EVENT_NONE || m->flags & MSG_NO_RECV)
		return request;
	return m->recv;
}

bool calls_persistent(const struct calls *calls, uint32_t message)
{
	return calls->persistent &&
	       atomic_load_explicit(&calls->persistent[message / 8], memory_order_relaxed) >>
			       message % 8 &
		       1;
}
