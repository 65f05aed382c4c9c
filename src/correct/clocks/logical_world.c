/* MPI_Init and MPI_Finalize: all ranks that enter them wait for each other. */
#include "base/mem.h"
#include "correct/clocks/logical_state.h"
#include "model/trace/store.h"

void extra_begin(struct logical *logical, enum logical_class cls)
{
	struct extra_group *group = vec_add(&logical->extra);

	group->cls = cls;
	group->first = (uint32_t)logical->parties.n;
	group->n = 0;
}

void extra_party(struct logical *logical, struct party party)
{
	vec_push(&logical->parties, party);
	logical->extra.data[logical->extra.n - 1].n++;
}

static void add_event(struct logical *logical, uint32_t event, uint32_t party,
		      enum logical_part part)
{
	struct extra_event row = { event, (uint32_t)logical->extra.n - 1, party, part };

	vec_push(&logical->events, row);
}

bool extra_end(struct logical *logical, uint32_t root)
{
	struct extra_group *group = &logical->extra.data[logical->extra.n - 1];
	const struct party *parties = logical->parties.data + group->first;
	uint32_t senders = 0, receivers = 0, both = 0;

	group->root = root;
	for (uint32_t i = 0; i < group->n; i++) {
		senders += parties[i].sends;
		receivers += parties[i].receives;
		both += parties[i].sends && parties[i].receives;
	}
	if ((uint64_t)senders * receivers == both) {
		logical->parties.n = group->first;
		logical->extra.n--;
		logical->counts.single++;
		return false;
	}
	for (uint32_t i = 0; i < group->n; i++) {
		if (parties[i].sends)
			add_event(logical, parties[i].begin, i, PART_BEGIN);
		if (parties[i].receives)
			add_event(logical, parties[i].end, i, PART_END);
	}
	return true;
}

/* ---- Init and Finalize ---- */

/* The calls of one location. */
struct world_call_at {
	uint32_t enter, leave; /* EVENT_NONE */
	uint32_t path;
	bool inside; /* struct world_visit */
};

struct world_calls {
	struct world_call_at of[WORLD_CALLS];
};

static const struct world_call_at no_call = { EVENT_NONE, EVENT_NONE, 0, false };

static void see_event(const struct logical *logical, struct world_calls *calls, uint32_t event,
		      uint32_t what, bool fresh)
{
	const uint32_t path = what_id(what);
	struct world_call_at *call;

	switch (logical->special_paths[path]) {
	case OPERATION_INIT: call = &calls->of[WORLD_INIT]; break;
	case OPERATION_FINALIZE: call = &calls->of[WORLD_FINALIZE]; break;
	default: return;
	}
	if (what_kind(what) == EV_ENTER && call->enter == EVENT_NONE) {
		call->enter = event;
		call->path = path;
		call->inside = fresh;
	} else if (what_kind(what) == EV_LEAVE && call->enter != EVENT_NONE &&
		   call->leave == EVENT_NONE && call->path == path) {
		call->leave = event;
	}
}

static bool says_nothing(enum event_kind kind)
{
	return kind == EV_TRACING_ON || kind == EV_THREAD_BEGIN;
}

/* Up to the block in which MPI_Init ends; returns the number of blocks. */
static size_t find_from_begin(const struct logical *logical, const struct block_ids *list,
			      struct world_calls *calls)
{
	bool fresh = true;
	size_t b;

	for (b = 0; b < list->n && calls->of[WORLD_INIT].leave == EVENT_NONE; b++) {
		const struct block *block = store_block(logical->trace, list->data[b]);
		for (uint32_t slot = 0; slot < block->n; slot++) {
			const enum event_kind kind = what_kind(block->what[slot]);
			if (kind == EV_ENTER || kind == EV_LEAVE)
				see_event(logical, calls, list->data[b] * BLOCK_EVENTS + slot,
					  block->what[slot], fresh);
			fresh = fresh && says_nothing(kind);
		}
	}
	return b;
}

/* MPI_Finalize in the blocks from `first` on: it is near the end. */
static void find_from_end(const struct logical *logical, const struct block_ids *list, size_t first,
			  struct world_call_at *call)
{
	struct world_call_at found = no_call;

	for (size_t b = list->n; b-- > first && found.enter == EVENT_NONE;) {
		const struct block *block = store_block(logical->trace, list->data[b]);
		for (uint32_t slot = block->n; slot-- > 0 && found.enter == EVENT_NONE;) {
			const uint32_t what = block->what[slot], path = what_id(what);
			const enum event_kind kind = what_kind(what);
			const uint32_t event = list->data[b] * BLOCK_EVENTS + slot;
			if ((kind != EV_ENTER && kind != EV_LEAVE) ||
			    logical->special_paths[path] != OPERATION_FINALIZE)
				continue;
			if (kind == EV_LEAVE)
				found.leave = event;
			else
				found.enter = event;
			found.path = path;
		}
	}
	if (found.enter == EVENT_NONE)
		found.enter = call->enter;
	*call = found;
}

/* The calls of a location. O(its events), few where it has both. */
static void find_calls(const struct logical *logical, uint32_t location, struct world_calls *calls)
{
	const struct block_ids *list = &logical->trace->lists.data[location];
	struct world_call_at *finalize = &calls->of[WORLD_FINALIZE];
	size_t first;

	for (int i = 0; i < WORLD_CALLS; i++)
		calls->of[i] = no_call;
	first = find_from_begin(logical, list, calls);
	if (finalize->leave == EVENT_NONE)
		find_from_end(logical, list, first, finalize);
}

/* A process calls MPI_Init once, on one of its threads; the first is taken. */
static bool first_of_rank(const struct trace *trace, uint32_t l, const struct world_call_at *call,
			  bool taken[][WORLD_CALLS], int which)
{
	const struct location *location = trace_location(trace, l);
	uint32_t first;

	if (location->rank == RANK_UNKNOWN || location->rank == RANK_HOST ||
	    call->enter == EVENT_NONE)
		return false;
	first = trace_location_of_rank(trace, location->rank);
	if (first == UINT32_MAX || taken[first][which])
		return false;
	return taken[first][which] = true;
}

bool world_visits_find(const struct logical *logical, struct world_visits *visits,
		       const struct progress *progress)
{
	const struct trace *trace = logical->trace;
	const uint32_t n = trace_location_count(trace);
	bool(*taken)[WORLD_CALLS] = xcalloc((size_t)n + 1, sizeof *taken);
	bool ok = true;

	for (uint32_t l = 0; l < n && ok; l++) {
		struct world_calls calls;
		find_calls(logical, l, &calls);
		for (int which = 0; which < WORLD_CALLS; which++) {
			const struct world_call_at *call = &calls.of[which];
			if (first_of_rank(trace, l, call, taken, which))
				vec_push(&visits->of[which],
					 ((struct world_visit){ l, call->enter, call->leave,
								call->inside }));
		}
		ok = progress_step(progress, "clocks", l, n);
	}
	free(taken);
	return ok;
}

void world_visits_fini(struct world_visits *visits)
{
	for (int which = 0; which < WORLD_CALLS; which++)
		vec_fini(&visits->of[which]);
}

void world_add(struct logical *logical, int which, const struct world_visit *visits, size_t n)
{
	bool inside = false;

	for (size_t i = 0; i < n; i++)
		inside = inside || visits[i].inside;
	if (inside && which == WORLD_INIT) {
		logical->counts.inside_init++;
		return;
	}
	extra_begin(logical, LOGICAL_WORLD);
	for (size_t i = 0; i < n; i++) {
		const struct world_visit *v = &visits[i];
		if (v->leave != EVENT_NONE)
			extra_party(logical,
				    (struct party){ v->location, v->enter, v->leave, true, true });
	}
	if (vec_last(&logical->extra)->n == 0) {
		logical->extra.n--;
		return;
	}
	extra_end(logical, UINT32_MAX);
}

bool world_find(struct logical *logical, const struct progress *progress)
{
	struct world_visits visits = { 0 };
	const bool ok = world_visits_find(logical, &visits, progress);

	for (int which = 0; which < WORLD_CALLS && ok; which++)
		world_add(logical, which, visits.of[which].data, visits.of[which].n);
	world_visits_fini(&visits);
	return ok;
}
