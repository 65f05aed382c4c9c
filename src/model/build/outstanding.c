/* Request ids as files have them: unique, reused, or (PICL) simply the message's type. Outstanding
 * requests of one id form a queue; a slot is erased once its queue is empty, so that the table
 * stays as small as the number of requests under way. */
#include <stdlib.h>
#include <string.h>

#include "model/build/build.h"

void requests_init(struct requests *requests)
{
	memset(requests, 0, sizeof *requests);
	requests->free = UINT32_MAX;
}

void requests_fini(struct requests *requests)
{
	free(requests->slots);
	vec_fini(&requests->nodes);
}

static uint32_t owner_of(uint32_t location, enum request_kind kind)
{
	return location << REQUEST_KIND_BITS | (uint32_t)kind;
}

static size_t home(const struct requests *requests, uint32_t owner, int64_t id)
{
	uint64_t h = ((uint64_t)id ^ (uint64_t)owner << 32 ^ owner) * 0x9e3779b97f4a7c15u;

	h = (h ^ h >> 32) * 0xff51afd7ed558ccdu;
	return (size_t)(h >> 32) & (requests->size - 1);
}

/* The slot of an id, or the empty one where it would go. */
static size_t find(const struct requests *requests, uint32_t owner, int64_t id)
{
	size_t at = home(requests, owner, id);

	while (requests->slots[at].head != UINT32_MAX &&
	       (requests->slots[at].id != id || requests->slots[at].owner != owner))
		at = (at + 1) & (requests->size - 1);
	return at;
}

static void grow(struct requests *requests)
{
	const size_t old_size = requests->size;
	OWNED struct request_slot *old = requests->slots;

	requests->size = old_size ? 2 * old_size : 64;
	requests->slots = xmalloc(requests->size * sizeof *requests->slots);
	for (size_t i = 0; i < requests->size; i++)
		requests->slots[i].head = UINT32_MAX;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].head != UINT32_MAX)
			requests->slots[find(requests, old[i].owner, old[i].id)] = old[i];
}

/* Empties a slot and moves up the entries after it that it had displaced. */
static void erase(struct requests *requests, size_t hole)
{
	const size_t mask = requests->size - 1;

	for (size_t at = (hole + 1) & mask; requests->slots[at].head != UINT32_MAX;
	     at = (at + 1) & mask) {
		const struct request_slot *slot = &requests->slots[at];
		if (((at - home(requests, slot->owner, slot->id)) & mask) < ((at - hole) & mask))
			continue;
		requests->slots[hole] = *slot;
		hole = at;
	}
	requests->slots[hole].head = UINT32_MAX;
	requests->n--;
}

void requests_push(struct requests *requests, uint32_t location, enum request_kind kind, int64_t id,
		   uint32_t row)
{
	const uint32_t owner = owner_of(location, kind);
	struct request_slot *slot;
	uint32_t node = requests->free;

	if (2 * (requests->n + 1) > requests->size)
		grow(requests);
	if (node == UINT32_MAX) {
		node = (uint32_t)requests->nodes.n;
		vec_add(&requests->nodes);
	} else {
		requests->free = requests->nodes.data[node].next;
	}
	requests->nodes.data[node] = (struct request_node){ row, UINT32_MAX };
	slot = &requests->slots[find(requests, owner, id)];
	if (slot->head == UINT32_MAX) {
		*slot = (struct request_slot){ id, owner, node, node };
		requests->n++;
	} else {
		requests->nodes.data[slot->tail].next = node;
		slot->tail = node;
	}
}

uint32_t requests_peek(const struct requests *requests, uint32_t location, enum request_kind kind,
		       int64_t id)
{
	const struct request_slot *slot;

	if (requests->size == 0)
		return UINT32_MAX;
	slot = &requests->slots[find(requests, owner_of(location, kind), id)];
	return slot->head == UINT32_MAX ? UINT32_MAX : requests->nodes.data[slot->head].row;
}

uint32_t requests_pop(struct requests *requests, uint32_t location, enum request_kind kind,
		      int64_t id)
{
	struct request_slot *slot;
	uint32_t node;
	size_t at;

	if (requests->size == 0)
		return UINT32_MAX;
	at = find(requests, owner_of(location, kind), id);
	slot = &requests->slots[at];
	node = slot->head;
	if (node == UINT32_MAX)
		return UINT32_MAX;
	slot->head = requests->nodes.data[node].next;
	requests->nodes.data[node].next = requests->free;
	requests->free = node;
	if (slot->head == UINT32_MAX)
		erase(requests, at);
	return requests->nodes.data[node].row;
}

void build_request_ended(struct builder *b, struct request_end end)
{
	store_finding(b->trace, FINDING_ODDITY, "unknown-request", 0, 1,
		      "a request is completed or tested that never started (its start may be "
		      "lost)");
	vec_push(&b->ended, end);
}
