#include "correct/clocks/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "correct/clocks/logical_state.h"
#include "correct/clocks/time_heap.h"
#include "model/trace/store.h"

#define NOWHERE UINT32_MAX

enum waiting { WAITS_NOT, WAITS_MESSAGE, WAITS_GROUP };

/* State of a location. */
struct replay_place {
	uint32_t nth, slot; /* next event: block of its location, slot */
	/* The part of the event at `slot`, once determined. */
	uint32_t row, party;
	uint8_t part;
	bool known, forced;
	uint8_t waits;       /* enum waiting */
	uint32_t send;       /* event it waits for */
	uint32_t prev, next; /* locations that wait in the same bucket; NOWHERE */
};

/* A group of which some begins or ends have been handed out and others have not. */
struct open {
	uint32_t id;
	uint32_t next;    /* in its bucket, or of the free ones; NOWHERE */
	uint32_t left;    /* begins and ends not handed out yet */
	uint32_t senders; /* parties that send */
	uint32_t begun;   /* of them */
	uint32_t front;   /* all parties before this one that send have begun */
	bool broken;      /* senders are absent */
	struct group group;
	uint8_t *flags; /* [parties] */
	char *memory;   /* the consumer's: state, then parties */
	size_t flags_cap, memory_cap;
};

enum { PARTY_BEGUN = 1, PARTY_PARKED = 2 };

struct replay {
	const struct logical *logical;
	const struct trace *trace;
	enum time_base base;
	size_t state, party;
	struct replay_place *places; /* [locations] */
	uint32_t n_locations;
	uint32_t now;            /* location whose turn it is; NOWHERE: none */
	struct time_heap ready;  /* others that can go on */
	struct time_heap parked; /* those that wait; kept only once there was a deadlock */
	bool keeps_parked;
	uint64_t forced;
	uint32_t waiting;   /* locations that wait for a message */
	uint32_t *buckets;  /* by send: first location that waits */
	uint32_t *by_group; /* by id: first open group */
	uint32_t mask;      /* buckets - 1, of both */
	VEC(struct open *) open;
	uint32_t unused;  /* first free one in `open` */
	uint32_t closing; /* its last party was handed out with the last step */
};

/* ---- places ---- */

static uint32_t bucket_of(const struct replay *replay, uint32_t key)
{
	return (key * 0x9e3779b1u) >> 7 & replay->mask;
}

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

/* Lets a location go on. */
static void wake(struct replay *replay, uint32_t location)
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
		replay->buckets[bucket_of(replay, place->send)] = place->next;
	if (place->next != NOWHERE)
		replay->places[place->next].prev = place->prev;
	replay->waiting--;
}

/* Wakes the locations that wait for a send that was handed out. */
static void wake_receivers(struct replay *replay, uint32_t send)
{
	uint32_t next;

	if (replay->waiting == 0)
		return;
	for (uint32_t l = replay->buckets[bucket_of(replay, send)]; l != NOWHERE; l = next) {
		next = replay->places[l].next;
		if (replay->places[l].send == send) {
			stop_waiting_for_send(replay, l);
			wake(replay, l);
		}
	}
}

static void park_at_send(struct replay *replay, uint32_t location, uint32_t send)
{
	struct replay_place *place = &replay->places[location];
	uint32_t *head = &replay->buckets[bucket_of(replay, send)];

	place->waits = WAITS_MESSAGE;
	place->send = send;
	place->prev = NOWHERE;
	place->next = *head;
	if (*head != NOWHERE)
		replay->places[*head].prev = location;
	*head = location;
	replay->waiting++;
}

/* ---- open groups ---- */

static void close_group(struct replay *replay, uint32_t slot)
{
	struct open *open = replay->open.data[slot];
	uint32_t *link = &replay->by_group[bucket_of(replay, open->id)];

	while (*link != slot)
		link = &replay->open.data[*link]->next;
	*link = open->next;
	open->next = replay->unused;
	replay->unused = slot;
}

static uint32_t unused_group(struct replay *replay)
{
	uint32_t slot = replay->unused;

	if (slot == NOWHERE) {
		slot = (uint32_t)replay->open.n;
		vec_push(&replay->open, xcalloc(1, sizeof(struct open)));
	} else {
		replay->unused = replay->open.data[slot]->next;
	}
	return slot;
}

/* Room for what is kept of every party, zeroed. */
static void clear_memory(const struct replay *replay, struct open *open)
{
	const size_t n = open->group.n, bytes = replay->state + n * replay->party;

	if (n > open->flags_cap) {
		open->flags = xrealloc(open->flags, n);
		open->flags_cap = n;
	}
	if (bytes > open->memory_cap) {
		free(open->memory);
		open->memory = xmalloc(bytes);
		open->memory_cap = bytes;
	}
	if (n)
		memset(open->flags, 0, n);
	if (bytes)
		memset(open->memory, 0, bytes);
}

static void move_front(struct open *open)
{
	while (open->front < open->group.n &&
	       (!open->group.parties[open->front].sends || open->flags[open->front] & PARTY_BEGUN))
		open->front++;
}

static void count_parties(struct open *open)
{
	open->left = open->senders = open->begun = open->front = 0;
	open->broken = false;
	for (uint32_t i = 0; i < open->group.n; i++) {
		const struct party *party = &open->group.parties[i];
		open->senders += party->sends;
		open->left += (uint32_t)party->sends + party->receives;
	}
	move_front(open);
}

/* The open group of an id; NOWHERE if no party waits for another. */
static uint32_t find_group(struct replay *replay, uint32_t id)
{
	uint32_t *head = &replay->by_group[bucket_of(replay, id)], slot;
	struct open *open;

	for (slot = *head; slot != NOWHERE; slot = open->next) {
		open = replay->open.data[slot];
		if (open->id == id)
			return slot;
	}
	slot = unused_group(replay);
	open = replay->open.data[slot];
	open->id = id;
	open->next = *head;
	*head = slot;
	if (!logical_group(replay->logical, id, &open->group)) {
		close_group(replay, slot);
		return NOWHERE;
	}
	clear_memory(replay, open);
	count_parties(open);
	return slot;
}

/* True if the neighbours that send to a party have begun. */
static bool neighbours_begun(const struct open *open, uint32_t party)
{
	uint32_t n;
	const uint32_t *list = neighbours_of(open->group.neighbourhood, party, &n);

	for (uint32_t i = 0; i < n; i++)
		if (open->group.parties[list[i]].sends && !(open->flags[list[i]] & PARTY_BEGUN))
			return false;
	return true;
}

/* True if every sender that the end of a party needs has begun. */
static bool is_ready(const struct open *open, uint32_t i)
{
	const struct group *group = &open->group;
	const bool self = group->parties[i].sends, done = open->flags[i] & PARTY_BEGUN;

	if (!group->parties[i].receives || open->broken)
		return true;
	switch (group->cls) {
	case LOGICAL_ONE_TO_N:
	case LOGICAL_FORK:
		return group->root >= group->n || group->root == i ||
		       !group->parties[group->root].sends || open->flags[group->root] & PARTY_BEGUN;
	case LOGICAL_N_TO_ONE:
	case LOGICAL_JOIN:
		if (i != group->root)
			return true;
		break;
	case LOGICAL_PREFIX: return open->front >= i;
	case LOGICAL_NEIGHBOURS: return neighbours_begun(open, i);
	default: break;
	}
	/* A party does not wait for itself. */
	return open->senders - self == open->begun - (self && done);
}

/* Wakes the parties whose senders have all begun. */
static void wake_parties(struct replay *replay, struct open *open, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (open->flags[i] & PARTY_PARKED && is_ready(open, i)) {
			open->flags[i] &= (uint8_t)~PARTY_PARKED;
			wake(replay, open->group.parties[i].location);
		}
}

static void wake_neighbours(struct replay *replay, struct open *open, uint32_t party)
{
	uint32_t n;
	const uint32_t *list = neighbours_of(open->group.neighbourhood, party, &n);

	for (uint32_t i = 0; i < n; i++)
		wake_parties(replay, open, list[i], list[i] + 1);
}

/* Notes that a party has begun. Its class decides which parties can go on, so that all begins of a
 * group together look at each party a bounded number of times. */
static void begin_party(struct replay *replay, struct open *open, uint32_t i)
{
	const struct group *group = &open->group;
	const uint32_t front = open->front;

	if (!group->parties[i].sends)
		return;
	open->flags[i] |= PARTY_BEGUN;
	open->begun++;
	switch (group->cls) {
	case LOGICAL_ONE_TO_N:
	case LOGICAL_FORK:
		if (i == group->root)
			wake_parties(replay, open, 0, group->n);
		break;
	case LOGICAL_PREFIX:
		move_front(open);
		if (open->front > front)
			wake_parties(replay, open, front,
				     open->front < group->n ? open->front + 1 : group->n);
		break;
	case LOGICAL_NEIGHBOURS: wake_neighbours(replay, open, i); break;
	case LOGICAL_N_TO_ONE:
	case LOGICAL_JOIN:
		if (group->root < group->n)
			wake_parties(replay, open, group->root, group->root + 1);
		break;
	default:
		if (open->begun == open->senders)
			wake_parties(replay, open, 0, group->n);
	}
}

/* Goes on without the senders that have not begun. */
static void break_group(struct replay *replay, struct open *open)
{
	open->broken = true;
	for (uint32_t i = 0; i < open->group.n; i++) {
		struct party *party = &open->group.parties[i];
		if (party->sends && !(open->flags[i] & PARTY_BEGUN))
			party->sends = false;
	}
	wake_parties(replay, open, 0, open->group.n);
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

/* True if the location may go on with the event at its place, which plays a part. If not, and
 * `wait` is set, notes what it waits for. */
static bool may_go_on(struct replay *replay, uint32_t location, bool wait)
{
	struct replay_place *place = &replay->places[location];
	struct open *open;
	uint32_t send, slot;

	switch (place->part) {
	case PART_RECV:
		send = trace_message(replay->trace, place->row)->send;
		if (place->forced || was_handed_out(replay, send))
			return true;
		if (wait)
			park_at_send(replay, location, send);
		return false;
	case PART_END:
		slot = find_group(replay, place->row);
		if (slot == NOWHERE)
			return true;
		open = replay->open.data[slot];
		if (place->forced || is_ready(open, place->party))
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
	struct open *open;
	uint32_t slot;

	step->part = (enum logical_part)place->part;
	step->row = place->row;
	step->party = place->party;
	step->forced = place->forced;
	place->known = place->forced = false;
	switch (step->part) {
	case PART_SEND: wake_receivers(replay, step->block * BLOCK_EVENTS + step->to - 1); return;
	case PART_BEGIN:
	case PART_END: break;
	default: return;
	}
	slot = find_group(replay, step->row);
	if (slot == NOWHERE) {
		step->part = PART_LOCAL;
		return;
	}
	open = replay->open.data[slot];
	step->group = &open->group;
	step->state = open->memory;
	step->parties = open->memory + replay->state;
	if (step->part == PART_BEGIN) {
		begin_party(replay, open, step->party);
	} else if (open->broken && open->group.parties[step->party].receives) {
		step->forced = true;
		replay->forced++;
	}
	if (open->left <= 1)
		replay->closing = slot;
	else
		open->left--;
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
	if (place->waits == WAITS_GROUP) {
		const uint32_t slot = find_group(replay, place->row);
		if (slot != NOWHERE)
			break_group(replay, replay->open.data[slot]);
	} else {
		stop_waiting_for_send(replay, location);
		replay->forced++;
	}
	if (place->waits != WAITS_NOT) {
		place->forced = true;
		wake(replay, location);
	}
	return true;
}

bool replay_next(struct replay *replay, struct replay_step *step)
{
	if (replay->closing != NOWHERE) {
		close_group(replay, replay->closing);
		replay->closing = NOWHERE;
	}
	for (;;) {
		if (replay->now == NOWHERE) {
			if (replay->ready.n == 0 && !force_earliest(replay))
				return false;
			replay->now = time_heap_pop(&replay->ready);
		}
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

struct replay *replay_new(const struct logical *logical, enum time_base base, size_t state,
			  size_t party)
{
	struct replay *replay = xcalloc(1, sizeof *replay);
	const struct trace *trace = logical_trace(logical);
	const uint32_t n = trace_location_count(trace), buckets = bucket_count(n);

	replay->logical = logical;
	replay->trace = trace;
	replay->base = base;
	replay->state = (state + 15) / 16 * 16; /* the parties after it are aligned */
	replay->party = party;
	replay->n_locations = n;
	replay->places = xcalloc((size_t)n + 1, sizeof *replay->places);
	replay->mask = buckets - 1;
	replay->buckets = xmalloc(buckets * sizeof *replay->buckets);
	replay->by_group = xmalloc(buckets * sizeof *replay->by_group);
	memset(replay->buckets, 0xff, buckets * sizeof *replay->buckets);
	memset(replay->by_group, 0xff, buckets * sizeof *replay->by_group);
	replay->now = replay->unused = replay->closing = NOWHERE;
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
	time_heap_fini(&replay->ready);
	time_heap_fini(&replay->parked);
	free_all(replay->buckets, replay->by_group, replay->places, replay);
}
