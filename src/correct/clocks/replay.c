#include "correct/clocks/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/clocks/logical_state.h"
#include "correct/clocks/replay_state.h"
#include "model/trace/halo.h"
#include "model/trace/store.h"

/* ---- places ---- */

static uint32_t block_of(const struct replay *replay, uint32_t location)
{
	return replay->trace->lists.data[location].data[replay->places[location].nth];
}

static int64_t time_of(const struct replay *replay, uint32_t location)
{
	return store_time(replay->trace, replay->base, block_of(replay, location),
			  replay->places[location].slot);
}

static bool was_handed_out(const struct replay *replay, uint32_t event)
{
	const struct block *block = store_block(replay->trace, event / BLOCK_EVENTS);
	const struct replay_place *place = &replay->places[block->location];

	return place->nth > block->nth ||
	       (place->nth == block->nth && place->slot > event % BLOCK_EVENTS);
}

void replay_wake(struct replay *replay, uint32_t location)
{
	replay->places[location].waits = WAITS_NOT;
	if (replay->keeps_parked)
		time_heap_remove(&replay->parked, location);
	time_heap_push(&replay->ready, location, time_of(replay, location));
}

static void stop_waiting_for_send(struct replay *replay, uint32_t location)
{
	const struct replay_place *place = &replay->places[location];

	if (place->prev != NOWHERE)
		replay->places[place->prev].next = place->next;
	else
		replay->buckets[replay_bucket(replay, place->send)] = place->next;
	if (place->next != NOWHERE)
		replay->places[place->next].prev = place->prev;
	replay->waiting--;
}

void replay_wake_receivers(struct replay *replay, uint32_t send)
{
	uint32_t next;

	if (replay->waiting == 0)
		return;
	for (uint32_t l = replay->buckets[replay_bucket(replay, send)]; l != NOWHERE; l = next) {
		next = replay->places[l].next;
		if (replay->places[l].send == send) {
			stop_waiting_for_send(replay, l);
			replay_wake(replay, l);
		}
	}
}

static void park_at_send(struct replay *replay, uint32_t location, uint32_t send)
{
	struct replay_place *place = &replay->places[location];
	uint32_t *head = &replay->buckets[replay_bucket(replay, send)];

	place->waits = WAITS_MESSAGE;
	place->send = send;
	place->prev = NOWHERE;
	place->next = *head;
	if (*head != NOWHERE)
		replay->places[*head].prev = location;
	*head = location;
	replay->waiting++;
}

/* ---- turns ---- */

/* The first slot from one on whose event may be more than local, by its kind or region. */
static uint32_t skip_local(const struct logical *logical, const struct block *block, uint32_t slot)
{
	const uint32_t parts = 1u << EV_SEND | 1u << EV_RECV | 1u << EV_COLLECTIVE_BEGIN |
			       1u << EV_COLLECTIVE_END | 1u << EV_THREAD_BEGIN |
			       1u << EV_THREAD_END | 1u << EV_THREAD;

	for (; slot < block->n; slot++) {
		const uint32_t what = block->what[slot];
		const enum event_kind kind = what_kind(what);
		if (kind == EV_ENTER || kind == EV_LEAVE ? logical->special_paths[what_id(what)]
							 : parts >> kind & 1)
			break;
	}
	return slot;
}

/* Determines the part of the event at a place. */
static enum logical_part part_at(const struct replay *replay, struct replay_place *place,
				 uint32_t event, uint32_t what)
{
	if (!place->known) {
		place->part = (uint8_t)logical_part_of(replay->logical, event, what, &place->row,
						       &place->party);
		place->known = place->part != PART_LOCAL;
		place->forced = false;
	}
	return (enum logical_part)place->part;
}

static bool has_message(const struct replay *replay, uint32_t row)
{
	return trace_message_is_far(replay->trace, row)
		       ? replay_far_has_message(replay->far, row - replay->trace->halo->far_first)
		       : was_handed_out(replay, trace_message(replay->trace, row)->send);
}

/* True if the location may go on with the event at its place, which plays a part. If not, and
 * `wait` is set, notes what it waits for. */
static bool may_go_on(struct replay *replay, uint32_t location, bool wait)
{
	struct replay_place *place = &replay->places[location];
	struct open *open;
	uint32_t slot;

	switch (place->part) {
	case PART_RECV:
		if (place->forced || has_message(replay, place->row))
			return true;
		if (wait)
			park_at_send(replay, location,
				     trace_message(replay->trace, place->row)->send);
		return false;
	case PART_END:
		if (place->row >= replay->groups) {
			if (replay_far_has_answer(replay->far, place->row - replay->groups))
				return true;
			if (wait)
				place->waits = WAITS_HOME;
			return false;
		}
		slot = replay_group(replay, place->row);
		if (slot == NOWHERE)
			return true;
		open = replay->open.data[slot];
		if (place->forced || replay_party_is_ready(open, place->party))
			return true;
		if (wait) {
			place->waits = WAITS_GROUP;
			open->flags[place->party] |= PARTY_PARKED;
		}
		return false;
	default: return true;
	}
}

static void park(struct replay *replay, uint32_t location)
{
	if (replay->keeps_parked)
		time_heap_push(&replay->parked, location, time_of(replay, location));
	replay->now = NOWHERE;
}

/* Sets the part of the step's last event, and wakes the locations that waited for it. */
static void hand_out_part(struct replay *replay, struct replay_step *step,
			  struct replay_place *place)
{
	uint32_t slot;

	step->part = (enum logical_part)place->part;
	step->row = place->row;
	step->party = place->party;
	step->forced = place->forced;
	place->known = place->forced = false;
	if (step->part == PART_SEND)
		replay_wake_receivers(replay, step->block * BLOCK_EVENTS + step->to - 1);
	if (step->part == PART_SEND || step->part == PART_RECV || step->row >= replay->groups) {
		step->cls = LOGICAL_P2P;
		if (replay->far)
			replay_far_give(replay, step);
		return;
	}
	slot = replay_group(replay, step->row);
	if (slot == NOWHERE)
		step->part = PART_LOCAL;
	else
		replay_take_party(replay, slot, step);
	replay->forced += step->forced;
}

/* Moves the location, which is at the end of a block, to the next one and queues it again. */
static void end_turn(struct replay *replay, uint32_t location)
{
	struct replay_place *place = &replay->places[location];
	const struct block_ids *list = &replay->trace->lists.data[location];

	place->slot = 0;
	place->nth++;
	replay->now = NOWHERE;
	if (place->nth < list->n) {
		time_heap_push(&replay->ready, location, time_of(replay, location));
		store_prefetch(replay->trace, replay->base, list, place->nth + 1);
	}
}

/* Takes the next stretch of the location whose turn it is; false if it must wait. */
static bool take_turn(struct replay *replay, struct replay_step *step)
{
	const uint32_t location = replay->now, id = block_of(replay, location);
	const struct block *block = store_block(replay->trace, id);
	struct replay_place *place = &replay->places[location];
	uint32_t slot = place->slot;

	*step = (struct replay_step){ .location = location, .block = id, .from = slot };
	while ((slot = skip_local(replay->logical, block, slot)) < block->n &&
	       part_at(replay, place, id * BLOCK_EVENTS + slot, block->what[slot]) == PART_LOCAL)
		slot++;
	if (slot < block->n && !may_go_on(replay, location, slot == step->from)) {
		if (slot == step->from) {
			park(replay, location);
			return false;
		}
		step->to = place->slot = slot;
		return true;
	}
	step->to = place->slot = slot < block->n ? slot + 1 : slot;
	if (place->known)
		hand_out_part(replay, step, place);
	if (place->slot == block->n)
		end_turn(replay, location);
	return true;
}

static void start_keeping_parked(struct replay *replay)
{
	replay->keeps_parked = true;
	for (uint32_t l = 0; l < replay->n_locations; l++)
		if (replay->places[l].waits != WAITS_NOT)
			time_heap_push(&replay->parked, l, time_of(replay, l));
}

/* If no location can go on, the earliest waiting one does. False if all are done. */
static bool force_earliest(struct replay *replay)
{
	if (!replay->keeps_parked)
		start_keeping_parked(replay);
	if (replay->parked.n == 0)
		return false;
	const uint32_t location = replay->parked.entries[0].location;
	struct replay_place *place = &replay->places[location];
	if (place->waits == WAITS_HOME) {
		replay_far_break(replay, place->row - replay->groups);
		return true;
	}
	if (place->waits == WAITS_GROUP) {
		const uint32_t slot = replay_group(replay, place->row);
		if (slot != NOWHERE)
			replay_break_group(replay, slot);
	} else {
		stop_waiting_for_send(replay, location);
		replay->forced++;
	}
	if (place->waits != WAITS_NOT) {
		place->forced = true;
		replay_wake(replay, location);
	}
	return true;
}

/* No location can go on here: until one can, or a group at home. False: all are done. */
static bool wait_or_force(struct replay *replay)
{
	const struct time_heap *parked = &replay->parked;
	bool none;

	if (!replay->far)
		return force_earliest(replay);
	if (replay_far_wait(replay))
		return true;
	if (!replay->keeps_parked)
		start_keeping_parked(replay);
	if (replay_far_is_earliest(replay, parked->n ? parked->entries : NULL, &none))
		force_earliest(replay);
	return !none;
}

bool replay_next(struct replay *replay, struct replay_step *step)
{
	if (replay->far)
		replay_far_say(replay);
	if (replay->closing != NOWHERE) {
		replay_close_group(replay, replay->closing);
		replay->closing = NOWHERE;
	}
	for (;;) {
		if (replay->far && replay_far_next(replay, step))
			return true;
		if (replay->now == NOWHERE && replay->ready.n == 0) {
			if (!wait_or_force(replay))
				return false;
			continue;
		}
		if (replay->now == NOWHERE)
			replay->now = time_heap_pop(&replay->ready);
		if (take_turn(replay, step))
			return true;
	}
}

uint64_t replay_forced(const struct replay *replay)
{
	return replay->forced;
}

static uint32_t bucket_count(uint32_t locations)
{
	uint32_t n = 64;

	while (n < locations)
		n *= 2;
	return n;
}

struct replay *replay_new(const struct logical *logical, enum time_base base,
			  const struct replay_sizes *sizes)
{
	struct replay *replay = xcalloc(1, sizeof *replay);
	const struct trace *trace = logical_trace(logical);
	const uint32_t n = trace_location_count(trace), buckets = bucket_count(n);

	replay->logical = logical;
	replay->trace = trace;
	replay->base = base;
	replay->sizes = *sizes;
	replay->sizes.state = (sizes->state + 15) / 16 * 16; /* the parties after it are aligned */
	replay->groups = logical_group_count(logical);
	replay->n_locations = n;
	replay->places = xcalloc((size_t)n + 1, sizeof *replay->places);
	replay->mask = buckets - 1;
	replay->buckets = xmalloc(buckets * sizeof *replay->buckets);
	replay->by_group = xmalloc(buckets * sizeof *replay->by_group);
	memset(replay->buckets, 0xff, buckets * sizeof *replay->buckets);
	memset(replay->by_group, 0xff, buckets * sizeof *replay->by_group);
	replay->now = replay->unused = replay->closing = NOWHERE;
	replay->far = trace->halo ? replay_far_new(replay) : NULL;
	time_heap_init(&replay->ready, n);
	time_heap_init(&replay->parked, n);
	for (uint32_t l = 0; l < n; l++)
		if (trace->lists.data[l].n)
			time_heap_push(&replay->ready, l, time_of(replay, l));
	return replay;
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	for (size_t i = 0; i < replay->open.n; i++) {
		struct open *open = replay->open.data[i];
		group_fini(&open->group);
		free_all(open->flags, open->memory, open);
	}
	vec_fini(&replay->open);
	replay_far_free(replay->far);
	time_heap_fini(&replay->ready);
	time_heap_fini(&replay->parked);
	free_all(replay->buckets, replay->by_group, replay->places, replay);
}
