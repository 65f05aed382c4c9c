#include "correct/clocks/logical.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/clocks/logical_state.h"
#include "model/trace/detail.h"
#include "model/trace/store.h"

enum { COARSE = 16 }; /* members for an entry of the coarse table */

const char *logical_class_name(enum logical_class cls)
{
	static const char *const names[LOGICAL_CLASSES] = {
		[LOGICAL_P2P] = "p2p",
		[LOGICAL_BARRIER] = "barrier",
		[LOGICAL_ONE_TO_N] = "1-to-n",
		[LOGICAL_N_TO_ONE] = "n-to-1",
		[LOGICAL_N_TO_N] = "n-to-n",
		[LOGICAL_PREFIX] = "prefix",
		[LOGICAL_NEIGHBOURS] = "neighbours",
		[LOGICAL_WORLD] = "init/finalize",
		[LOGICAL_FORK] = "fork",
		[LOGICAL_JOIN] = "join",
		[LOGICAL_TEAM] = "omp barrier",
	};

	return names[cls];
}

/* ---- messages ---- */

bool logical_message(const struct logical *logical, uint32_t row)
{
	return logical->messages[row / 8] >> row % 8 & 1;
}

ORDERING(by_send, struct send_row, send, row)

static bool count_messages(struct logical *logical, const struct progress *progress)
{
	const struct trace *trace = logical->trace;
	const uint32_t n = trace_message_count(trace);

	logical->messages = xcalloc(n / 8 + 1, 1);
	for (uint32_t row = 0; row < n; row++) {
		const struct message *m = store_message(trace, row);
		if (row % 65536 == 0 && !progress_step(progress, "clocks", row, n))
			return false;
		if (!message_arrived(m)) {
			logical->counts.unmatched += !(m->flags & MSG_CANCELLED);
			continue;
		}
		if (store_event_block(trace, m->send)->location ==
		    store_event_block(trace, m->recv)->location) {
			logical->counts.self++;
			continue;
		}
		logical->counts.messages++;
		logical->messages[row / 8] |= (uint8_t)(1u << row % 8);
		if (m->flags & MSG_BROADCAST) {
			struct send_row pair = { m->send, row };
			vec_push(&logical->sends_to_all, pair);
		}
	}
	vec_sort(&logical->sends_to_all, by_send);
	return true;
}

/* The first row of a send to all at or after a place in the order. */
static uint32_t row_of_send(const struct logical *logical, struct send_row from)
{
	size_t low = 0, high = logical->sends_to_all.n;

	BISECT(low, high, middle, by_send(&logical->sends_to_all.data[middle], &from) < 0);
	return low < logical->sends_to_all.n && logical->sends_to_all.data[low].send == from.send
		       ? logical->sends_to_all.data[low].row
		       : UINT32_MAX;
}

uint32_t logical_next_of_send(const struct logical *logical, uint32_t row)
{
	const struct message *m = store_message(logical->trace, row);

	if (!(m->flags & MSG_BROADCAST))
		return UINT32_MAX;
	return row_of_send(logical, (struct send_row){ m->send, row + 1 });
}

/* ---- collectives ---- */

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
static bool places_are_taken(const struct logical *logical, const struct collective *c)
{
	const struct trace *trace = logical->trace;
	OWNED uint8_t *taken = xcalloc(c->members + 1, 1);
	bool ok = true;

	for (uint32_t i = 0; i < c->members && ok; i++) {
		const struct member *m = store_member(trace, c->first + i);
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
		     enum operation operation)
{
	const struct trace *trace = logical->trace;
	const bool rooted = operation == (enum operation)LOGICAL_ONE_TO_N ||
			    operation == (enum operation)LOGICAL_N_TO_ONE;
	uint32_t roots = 0, before = UINT32_MAX;

	if (c->flags & COLL_INCOMPLETE || c->members != trace_comm(trace, c->comm)->size)
		return false;
	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = store_member(trace, c->first + i);
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

/* The place of a member among the parties. */
static uint32_t place_of(const struct logical *logical, enum logical_class cls,
			 const struct collective *c, uint32_t nth, uint32_t location)
{
	return is_ordered(cls) ? position_of(logical, c->comm, name_in_comm(logical, c, location))
			       : nth;
}

/* True if the begin of a member is a logical send (`sends`), or its end a logical receive. */
static bool takes_part(const struct logical *logical, enum logical_class cls,
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
		place = place_of(logical, cls, c, 0, location);
		return carried && (sends ? place + 1 < c->members : place > 0);
	default: return carried;
	}
}

/* True if some party waits for another. */
static bool anybody_waits(const struct logical *logical, enum logical_class cls,
			  const struct collective *c)
{
	uint32_t senders = 0, receivers = 0, both = 0;
	uint32_t first_sender = UINT32_MAX, last_receiver = 0;

	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = store_member(logical->trace, c->first + i);
		const uint32_t location = store_event_block(logical->trace, m->begin)->location;
		const bool sends = takes_part(logical, cls, c, m, location, true);
		const bool receives = takes_part(logical, cls, c, m, location, false);
		const uint32_t at = place_of(logical, cls, c, i, location);
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

/* The class of a collective, or OPERATION_NONE, counted. */
static enum operation classify(struct logical *logical, const struct collective *c)
{
	struct logical_counts *counts = &logical->counts;
	const enum operation operation =
		operation_here(logical->trace, c, logical->operations[c->region]);
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
	if (!is_whole(logical, c, operation))
		return counts->incomplete++, OPERATION_NONE;
	if (operation == (enum operation)LOGICAL_NEIGHBOURS) {
		neighbourhood_make(&logical->neighbourhoods[c->comm], logical->trace, c->comm);
		if (!logical->neighbourhoods[c->comm].n)
			return counts->other++, OPERATION_NONE;
	}
	if (is_ordered((enum logical_class)operation)) {
		make_positions(logical, c->comm);
		if (!places_are_taken(logical, c))
			return counts->incomplete++, OPERATION_NONE;
	}
	if (!anybody_waits(logical, (enum logical_class)operation, c))
		return counts->single++, OPERATION_NONE;
	return operation;
}

/* Nonblocking collectives begin with their request and end with its completion. */
static enum operation classify_counted(struct logical *logical, const struct collective *c)
{
	const enum operation operation = classify(logical, c);

	if (c->flags & COLL_REQUEST && operation == OPERATION_NONE)
		logical->counts.nonblocking++;
	return operation;
}

static bool classify_all(struct logical *logical, const struct progress *progress)
{
	const struct trace *trace = logical->trace;
	const uint32_t n = trace_collective_count(trace);

	logical->n_collectives = n;
	logical->classes = xmalloc(n + 1);
	if (n) {
		const struct collective *last = store_collective(trace, n - 1);
		logical->n_members = last->first + last->members;
	}
	logical->coarse = xmalloc((logical->n_members / COARSE + 1) * sizeof *logical->coarse);
	for (uint32_t id = 0, entry = 0; id < n; id++) {
		const struct collective *c = store_collective(trace, id);
		for (; entry * COARSE < c->first + c->members; entry++)
			logical->coarse[entry] = id;
		logical->classes[id] = (uint8_t)classify_counted(logical, c);
		if (id % 4096 == 0 && !progress_step(progress, "clocks", id, n))
			return false;
	}
	return true;
}

/* The collective of a member row; UINT32_MAX: none. O(1): at most 16 collectives further, not
 * counting empty ones. */
static uint32_t collective_of(const struct logical *logical, uint32_t member)
{
	uint32_t id;

	if (member >= logical->n_members)
		return UINT32_MAX;
	id = logical->coarse[member / COARSE];
	while (member >= store_collective(logical->trace, id)->first +
				 store_collective(logical->trace, id)->members)
		id++;
	return id;
}

/* ---- making ---- */

static bool make_operations(struct logical *logical)
{
	const struct trace *trace = logical->trace;
	const uint32_t regions = trace_region_count(trace), paths = trace_callpath_count(trace);
	bool special = false;

	logical->operations = xmalloc(regions + 1);
	for (uint32_t i = 0; i < regions; i++)
		logical->operations[i] = (uint8_t)operation_of(trace, i);
	logical->special_paths = xcalloc(paths + 1, 1);
	for (uint32_t i = 1; i < paths; i++) {
		const uint8_t operation = logical->operations[trace_callpath_region(trace, i)];
		if (operation != OPERATION_INIT && operation != OPERATION_FINALIZE &&
		    operation != OPERATION_OMP_BARRIER)
			continue;
		logical->special_paths[i] = operation;
		special = true;
	}
	return special;
}

ORDERING(by_event, struct extra_event, event)

static bool make(struct logical *logical, const struct progress *progress)
{
	const bool special = make_operations(logical);
	const uint32_t comms = trace_comm_count(logical->trace);

	logical->positions = xcalloc(comms + 1, sizeof *logical->positions);
	logical->neighbourhoods = xcalloc(comms + 1, sizeof *logical->neighbourhoods);
	if (!classify_all(logical, progress) || !count_messages(logical, progress))
		return false;
	if (special && !world_find(logical, progress))
		return false;
	if (trace_has_detail(logical->trace, DETAIL_TEAM_BEGIN) && !threads_find(logical, progress))
		return false;
	vec_sort(&logical->events, by_event);
	logical->counts.groups = logical_group_count(logical);
	return true;
}

struct logical *logical_new(const struct trace *trace, const struct progress *progress,
			    struct err *err)
{
	struct logical *logical = xcalloc(1, sizeof *logical);
	const struct progress whole = progress_whole(progress);

	(void)err;
	logical->trace = trace;
	if (make(logical, &whole))
		return logical;
	logical_free(logical);
	return NULL;
}

void logical_free(struct logical *logical)
{
	if (!logical)
		return;
	free_all(logical->messages, logical->operations, logical->classes, logical->coarse,
		 logical->special_paths);
	for (uint32_t i = 0; logical->positions && i < trace_comm_count(logical->trace); i++) {
		free(logical->positions[i].list);
		neighbourhood_fini(&logical->neighbourhoods[i]);
	}
	free_all(logical->positions, logical->neighbourhoods);
	vec_fini(&logical->sends_to_all);
	vec_fini(&logical->extra);
	vec_fini(&logical->parties);
	vec_fini(&logical->events);
	free(logical);
}

const struct trace *logical_trace(const struct logical *logical)
{
	return logical->trace;
}

const struct logical_counts *logical_counts(const struct logical *logical)
{
	return &logical->counts;
}

/* ---- groups ---- */

uint32_t logical_group_count(const struct logical *logical)
{
	return logical->n_collectives + (uint32_t)logical->extra.n;
}

void group_fini(struct group *group)
{
	free(group->parties);
	*group = (struct group){ 0 };
}

static struct party *make_room(struct group *group, uint32_t n)
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

static void fill_collective(const struct logical *logical, uint32_t id, struct group *group)
{
	const struct trace *trace = logical->trace;
	const struct collective *c = store_collective(trace, id);
	struct party *parties = make_room(group, c->members);
	const enum logical_class cls = (enum logical_class)logical->classes[id];

	group->cls = cls;
	group->root = UINT32_MAX;
	group->collective = id;
	group->bytes = UINT64_MAX;
	group->neighbourhood = cls == LOGICAL_NEIGHBOURS ? &logical->neighbourhoods[c->comm] : NULL;
	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = store_member(trace, c->first + i);
		const uint32_t location = store_event_block(trace, m->begin)->location;
		const uint32_t at = place_of(logical, cls, c, i, location);
		parties[at] = (struct party){
			.location = location,
			.begin = m->begin,
			.end = m->end,
			.sends = takes_part(logical, cls, c, m, location, true),
			.receives = takes_part(logical, cls, c, m, location, false),
		};
		if (is_root(logical, c, location))
			group->root = at;
		add_bytes(group, m->sent);
		add_bytes(group, m->received);
	}
}

bool logical_group(const struct logical *logical, uint32_t id, struct group *group)
{
	const struct extra_group *extra;
	struct party *parties;

	if (id < logical->n_collectives) {
		if (logical->classes[id] == OPERATION_NONE)
			return false;
		fill_collective(logical, id, group);
		return true;
	}
	extra = &logical->extra.data[id - logical->n_collectives];
	parties = make_room(group, extra->n);
	for (uint32_t i = 0; i < extra->n; i++)
		parties[i] = logical->parties.data[extra->first + i];
	group->cls = extra->cls;
	group->root = extra->root;
	group->collective = UINT32_MAX;
	group->bytes = UINT64_MAX;
	group->neighbourhood = NULL;
	return true;
}

static bool are_neighbours(const struct neighbourhood *b, uint32_t rank, uint32_t other)
{
	uint32_t n;
	const uint32_t *list = neighbours_of(b, rank, &n);

	for (uint32_t i = 0; i < n; i++)
		if (list[i] == other)
			return true;
	return false;
}

bool group_sends_to(const struct group *group, uint32_t from, uint32_t to)
{
	if (from == to || !group->parties[from].sends || !group->parties[to].receives)
		return false;
	if (group->cls == LOGICAL_NEIGHBOURS)
		return are_neighbours(group->neighbourhood, from, to);
	return group->cls != LOGICAL_PREFIX || from < to;
}

/* ---- parts ---- */

static enum logical_part part_of_message(const struct logical *logical, uint32_t event,
					 enum event_kind kind, uint32_t id, uint32_t *row)
{
	const struct message *m = store_message(logical->trace, id);

	*row = id;
	if (kind == EV_SEND && m->flags & MSG_BROADCAST)
		*row = row_of_send(logical, (struct send_row){ event, 0 });
	else if (!logical_message(logical, id))
		return PART_LOCAL;
	if (*row == UINT32_MAX)
		return PART_LOCAL;
	return kind == EV_SEND ? PART_SEND : PART_RECV;
}

static enum logical_part part_of_member(const struct logical *logical, uint32_t event, bool begin,
					uint32_t id, uint32_t *row, uint32_t *party)
{
	const uint32_t collective = collective_of(logical, id);
	const struct collective *c;
	const struct member *m;
	enum logical_class cls;
	uint32_t location;

	if (collective == UINT32_MAX || logical->classes[collective] == OPERATION_NONE)
		return PART_LOCAL;
	cls = (enum logical_class)logical->classes[collective];
	c = store_collective(logical->trace, collective);
	m = store_member(logical->trace, id);
	location = store_event_block(logical->trace, event)->location;
	if (!takes_part(logical, cls, c, m, location, begin))
		return PART_LOCAL;
	*row = collective;
	*party = place_of(logical, cls, c, id - c->first, location);
	return begin ? PART_BEGIN : PART_END;
}

static enum logical_part part_of_extra(const struct logical *logical, uint32_t event, uint32_t *row,
				       uint32_t *party)
{
	const struct extra_event key = { .event = event };
	const struct extra_event *found;

	if (!logical->events.n)
		return PART_LOCAL;
	found = bsearch(&key, logical->events.data, logical->events.n, sizeof key, by_event);
	if (!found)
		return PART_LOCAL;
	*row = logical->n_collectives + found->group;
	*party = found->party;
	return found->part;
}

enum logical_part logical_part_of(const struct logical *logical, uint32_t event, uint32_t what,
				  uint32_t *row, uint32_t *party)
{
	const enum event_kind kind = what_kind(what);
	const uint32_t id = what_id(what);

	switch (kind) {
	case EV_SEND:
	case EV_RECV: return part_of_message(logical, event, kind, id, row);
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END:
		return part_of_member(logical, event, kind == EV_COLLECTIVE_BEGIN, id, row, party);
	case EV_ENTER:
	case EV_LEAVE:
		return logical->special_paths[id] ? part_of_extra(logical, event, row, party)
						  : PART_LOCAL;
	case EV_THREAD_BEGIN:
	case EV_THREAD_END:
	case EV_THREAD: return part_of_extra(logical, event, row, party);
	default: return PART_LOCAL;
	}
}
