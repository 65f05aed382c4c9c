/* The groups of a replay of which some begins or ends have been handed out and others have not. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/clocks/replay_state.h"

void replay_close_group(struct replay *replay, uint32_t slot)
{
	struct open *open = replay->open.data[slot];
	uint32_t *link = &replay->by_group[replay_bucket(replay, open->id)];

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
	const size_t n = open->group.n, bytes = replay->sizes.state + n * replay->sizes.party;

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

bool replay_party_is_ready(const struct open *open, uint32_t i)
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
static void wake_parties(struct replay *replay, uint32_t slot, uint32_t from, uint32_t to)
{
	struct open *open = replay->open.data[slot];
	const bool home = logical_is_home(replay->logical, open->id);

	for (uint32_t i = from; i < to; i++) {
		if (!(open->flags[i] & PARTY_PARKED) || !replay_party_is_ready(open, i))
			continue;
		/* Here its own begin came before, if it has one: so does it at home. */
		if (home && open->group.parties[i].sends && !(open->flags[i] & PARTY_BEGUN))
			continue;
		open->flags[i] &= (uint8_t)~PARTY_PARKED;
		if (home)
			replay_far_answer(replay, slot, i);
		else
			replay_wake(replay, open->group.parties[i].location);
	}
}

/* Their begins are told, and their ends answered, by those who have the parties. */
static void park_all(struct open *open)
{
	for (uint32_t i = 0; i < open->group.n; i++)
		if (open->group.parties[i].receives)
			open->flags[i] = PARTY_PARKED;
}

uint32_t replay_group(struct replay *replay, uint32_t id)
{
	uint32_t *head = &replay->by_group[replay_bucket(replay, id)], slot;
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
		replay_close_group(replay, slot);
		return NOWHERE;
	}
	clear_memory(replay, open);
	count_parties(open);
	if (logical_is_home(replay->logical, id)) {
		park_all(open);
		wake_parties(replay, slot, 0, open->group.n);
	}
	return slot;
}

static void wake_neighbours(struct replay *replay, uint32_t slot, uint32_t party)
{
	uint32_t n;
	const uint32_t *list =
		neighbours_after(replay->open.data[slot]->group.neighbourhood, party, &n);

	for (uint32_t i = 0; i < n; i++)
		wake_parties(replay, slot, list[i], list[i] + 1);
}

/* Notes that a party has begun. Its class decides which parties can go on, so that all begins of a
 * group together look at each party a bounded number of times. */
static void begin_party(struct replay *replay, uint32_t slot, uint32_t i)
{
	struct open *open = replay->open.data[slot];
	const struct group *group = &open->group;
	const uint32_t front = open->front;

	open->flags[i] |= PARTY_BEGUN;
	open->begun++;
	switch (group->cls) {
	case LOGICAL_ONE_TO_N:
	case LOGICAL_FORK:
		if (i == group->root)
			wake_parties(replay, slot, 0, group->n);
		break;
	case LOGICAL_PREFIX:
		move_front(open);
		if (open->front > front)
			wake_parties(replay, slot, front,
				     open->front < group->n ? open->front + 1 : group->n);
		break;
	case LOGICAL_NEIGHBOURS: wake_neighbours(replay, slot, i); break;
	case LOGICAL_N_TO_ONE:
	case LOGICAL_JOIN:
		if (group->root < group->n)
			wake_parties(replay, slot, group->root, group->root + 1);
		break;
	default:
		if (open->begun == open->senders)
			wake_parties(replay, slot, 0, group->n);
	}
	wake_parties(replay, slot, i, i + 1); /* at its home a party may have waited for this */
}

void replay_break_group(struct replay *replay, uint32_t slot)
{
	struct open *open = replay->open.data[slot];

	if (open->broken)
		return;
	for (uint32_t i = 0; i < open->group.n; i++)
		if (!replay_party_is_ready(open, i))
			open->flags[i] |= PARTY_FORCED;
	open->broken = true;
	for (uint32_t i = 0; i < open->group.n; i++) {
		struct party *party = &open->group.parties[i];
		if (party->sends && !(open->flags[i] & PARTY_BEGUN))
			party->sends = false;
	}
	wake_parties(replay, slot, 0, open->group.n);
}

void replay_take_party(struct replay *replay, uint32_t slot, struct replay_step *step)
{
	struct open *open = replay->open.data[slot];

	step->group = &open->group;
	step->cls = open->group.cls;
	step->state = open->memory;
	step->parties = open->memory + replay->sizes.state;
	if (step->part == PART_BEGIN && !open->group.parties[step->party].sends)
		step->part = PART_LOCAL; /* the group went on without it */
	else if (step->part == PART_BEGIN)
		begin_party(replay, slot, step->party);
	else
		step->forced = open->flags[step->party] & PARTY_FORCED;
	if (open->left <= 1)
		replay->closing = slot;
	else
		open->left--;
}
