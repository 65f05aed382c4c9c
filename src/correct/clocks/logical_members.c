/* The members of a collective: whether they make a group, and as which parties. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/clocks/logical_state.h"
#include "model/trace/store.h"

static bool carries(uint64_t bytes)
{
	return bytes != 0; /* UINT64_MAX, unknown, counts as some (A23) */
}

ORDERING(by_rank, struct position, rank)

static void make_positions(struct logical *logical, uint32_t id)
{
	const struct comm *comm = trace_comm(logical->trace, id);
	struct position *list;

	if (logical->positions[id].list)
		return;
	list = xmalloc((comm->size + 1) * sizeof *list);
	for (uint32_t i = 0; i < comm->size; i++)
		list[i] = (struct position){ comm->ranks[i], i };
	SORT(list, comm->size, by_rank);
	logical->positions[id].list = list;
}

/* The index of a rank in a communicator; UINT32_MAX: it is not a member. O(log n). */
static uint32_t position_of(const struct logical *logical, uint32_t comm, int32_t rank)
{
	const struct position *list = logical->positions[comm].list;
	const uint32_t size = trace_comm(logical->trace, comm)->size;
	uint32_t low = 0, high = size;

	BISECT(low, high, middle, list[middle].rank < rank);
	return low < size && list[low].rank == rank ? list[low].position : UINT32_MAX;
}

/* The entry of a member in the communicator's list. */
static int32_t name_in_comm(const struct logical *logical, const struct collective *c,
			    uint32_t location)
{
	if (trace_comm(logical->trace, c->comm)->kind == COMM_THREADS)
		return (int32_t)location;
	return trace_location(logical->trace, location)->rank;
}

static bool is_root(const struct logical *logical, const struct collective *c, uint32_t location)
{
	return c->root >= 0 && name_in_comm(logical, c, location) == c->root;
}

/* True if the members take every place of the communicator once. */
static bool places_are_taken(const struct logical *logical, const struct collective *c,
			     const struct member *members)
{
	const struct trace *trace = logical->trace;
	OWNED uint8_t *taken = xcalloc(c->members + 1, 1);
	bool ok = true;

	for (uint32_t i = 0; i < c->members && ok; i++) {
		const struct member *m = &members[i];
		const uint32_t at =
			position_of(logical, c->comm,
				    name_in_comm(logical, c,
						 store_event_block(trace, m->begin)->location));
		ok = at < c->members && !taken[at];
		if (ok)
			taken[at] = 1;
	}
	return ok;
}

/* True if all members have both events, each on a location of its own, and a rooted collective has
 * one root. */
static bool is_whole(const struct logical *logical, const struct collective *c,
		     const struct member *members, enum operation operation)
{
	const struct trace *trace = logical->trace;
	const bool rooted = operation == (enum operation)LOGICAL_ONE_TO_N ||
			    operation == (enum operation)LOGICAL_N_TO_ONE;
	uint32_t roots = 0, before = UINT32_MAX;

	if (c->flags & COLL_INCOMPLETE || c->members != trace_comm(trace, c->comm)->size)
		return false;
	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = &members[i];
		uint32_t location;
		if (m->begin == EVENT_NONE || m->end == EVENT_NONE)
			return false;
		location = store_event_block(trace, m->begin)->location;
		if (location == before || store_event_block(trace, m->end)->location != location)
			return false;
		before = location;
		roots += is_root(logical, c, location);
	}
	return !rooted || roots == 1;
}

/* True if the order of the ranks in the communicator matters. */
static bool is_ordered(enum logical_class cls)
{
	return cls == LOGICAL_PREFIX || cls == LOGICAL_NEIGHBOURS;
}

uint32_t member_place(const struct logical *logical, enum logical_class cls,
		      const struct collective *c, uint32_t nth, uint32_t location)
{
	return is_ordered(cls) ? position_of(logical, c->comm, name_in_comm(logical, c, location))
			       : nth;
}

bool member_takes_part(const struct logical *logical, enum logical_class cls,
		       const struct collective *c, const struct member *m, uint32_t location,
		       bool sends)
{
	const bool carried = carries(sends ? m->sent : m->received);
	uint32_t place;

	switch (cls) {
	case LOGICAL_BARRIER: return true;
	case LOGICAL_ONE_TO_N: return carried && is_root(logical, c, location) == sends;
	case LOGICAL_N_TO_ONE: return carried && is_root(logical, c, location) != sends;
	case LOGICAL_PREFIX:
		place = member_place(logical, cls, c, 0, location);
		return carried && (sends ? place + 1 < c->members : place > 0);
	default: return carried;
	}
}

/* True if some party waits for another. */
static bool anybody_waits(const struct logical *logical, enum logical_class cls,
			  const struct collective *c, const struct member *members)
{
	uint32_t senders = 0, receivers = 0, both = 0;
	uint32_t first_sender = UINT32_MAX, last_receiver = 0;

	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = &members[i];
		const uint32_t location = store_event_block(logical->trace, m->begin)->location;
		const bool sends = member_takes_part(logical, cls, c, m, location, true);
		const bool receives = member_takes_part(logical, cls, c, m, location, false);
		const uint32_t at = member_place(logical, cls, c, i, location);
		if (sends && at < first_sender)
			first_sender = at;
		if (receives && at > last_receiver)
			last_receiver = at;
		senders += sends;
		receivers += receives;
		both += sends && receives;
	}
	if (cls == LOGICAL_PREFIX)
		return senders && receivers && first_sender < last_receiver;
	return (uint64_t)senders * receivers > both;
}

static enum operation classify(struct logical *logical, const struct collective *c,
			       const struct member *members, enum operation operation)
{
	struct logical_counts *counts = &logical->counts;
	const struct comm *comm = trace_comm(logical->trace, c->comm);

	if (comm->kind == COMM_SELF ||
	    (comm->kind != COMM_INTER && comm->size == 1 && c->members == 1))
		return counts->single++, OPERATION_NONE;
	if (operation == OPERATION_VECTOR)
		return counts->vector++, OPERATION_NONE;
	if (operation > (enum operation)LOGICAL_NEIGHBOURS)
		return counts->other++, OPERATION_NONE;
	if (comm->kind == COMM_INTER)
		return counts->inter++, OPERATION_NONE;
	if (!is_whole(logical, c, members, operation))
		return counts->incomplete++, OPERATION_NONE;
	if (operation == (enum operation)LOGICAL_NEIGHBOURS) {
		neighbourhood_make(&logical->neighbourhoods[c->comm], logical->trace, c->comm);
		if (!logical->neighbourhoods[c->comm].n)
			return counts->other++, OPERATION_NONE;
	}
	if (is_ordered((enum logical_class)operation)) {
		make_positions(logical, c->comm);
		if (!places_are_taken(logical, c, members))
			return counts->incomplete++, OPERATION_NONE;
	}
	if (!anybody_waits(logical, (enum logical_class)operation, c, members))
		return counts->single++, OPERATION_NONE;
	return operation;
}

enum operation members_classify(struct logical *logical, const struct collective *c,
				const struct member *members, enum operation operation)
{
	const enum operation is = classify(logical, c, members, operation);

	/* They begin with their request and end with its completion. */
	if (c->flags & COLL_REQUEST && is == OPERATION_NONE)
		logical->counts.nonblocking++;
	return is;
}

/* ---- groups ---- */

struct party *group_room(struct group *group, uint32_t n)
{
	if (n > group->cap) {
		group->parties = xrealloc(group->parties, n * sizeof *group->parties);
		group->cap = n;
	}
	group->n = n;
	return group->parties;
}

static void add_bytes(struct group *group, uint64_t bytes)
{
	if (bytes != UINT64_MAX && (group->bytes == UINT64_MAX || bytes > group->bytes))
		group->bytes = bytes;
}

void members_group(const struct logical *logical, const struct collective *c,
		   const struct member *members, enum logical_class cls, struct group *group)
{
	struct party *parties = group_room(group, c->members);

	group->cls = cls;
	group->root = UINT32_MAX;
	group->bytes = UINT64_MAX;
	group->neighbourhood = cls == LOGICAL_NEIGHBOURS ? &logical->neighbourhoods[c->comm] : NULL;
	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = &members[i];
		const uint32_t location = store_event_block(logical->trace, m->begin)->location;
		const uint32_t at = member_place(logical, cls, c, i, location);
		parties[at] = (struct party){
			.location = location,
			.begin = m->begin,
			.end = m->end,
			.sends = member_takes_part(logical, cls, c, m, location, true),
			.receives = member_takes_part(logical, cls, c, m, location, false),
		};
		if (is_root(logical, c, location))
			group->root = at;
		add_bytes(group, m->sent);
		add_bytes(group, m->received);
	}
}
