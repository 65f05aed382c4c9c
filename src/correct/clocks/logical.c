#include "correct/clocks/logical.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/clocks/logical_state.h"
#include "model/trace/detail.h"
#include "model/trace/halo.h"
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

bool logical_message_here(const struct logical *logical, uint32_t row)
{
	return logical_message(logical, row) && !trace_message_is_far(logical->trace, row);
}

ORDERING(by_send, struct send_row, send, row)

static bool count_messages(struct logical *logical, const struct progress *progress)
{
	const struct trace *trace = logical->trace;
	const uint32_t n = trace_message_count(trace);

	logical->messages = xcalloc(n / 8 + 1, 1);
	for (uint32_t row = 0; row < n; row++) {
		const struct message *m = store_message(trace, row);
		const bool far = trace_message_is_far(trace, row);
		if (row % 65536 == 0 && !progress_step(progress, "clocks", row, n))
			return false;
		if (!message_arrived(m)) {
			logical->counts.unmatched += !far && !(m->flags & MSG_CANCELLED);
			continue;
		}
		if (store_event_block(trace, m->send)->location ==
		    store_event_block(trace, m->recv)->location) {
			logical->counts.self++;
			continue;
		}
		logical->counts.messages += !far;
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

static bool classify_all(struct logical *logical, const struct progress *progress)
{
	const struct trace *trace = logical->trace;
	const uint32_t n = trace_collective_count(trace);
	/* The others are evaluated at their homes (logical_far.c). */
	const uint32_t own = trace->halo ? trace_first_turn(trace) : n;

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
		logical->classes[id] =
			id < own ? (uint8_t)members_classify(
					   logical, c, store_member(trace, c->first),
					   operation_here(trace, c, logical->operations[c->region]))
				 : OPERATION_NONE;
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

static void make_operations(struct logical *logical)
{
	const struct trace *trace = logical->trace;
	const uint32_t regions = trace_region_count(trace), paths = trace_callpath_count(trace);

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
		logical->special = true;
	}
}

ORDERING(by_event, struct extra_event, event)

void extra_sort(struct logical *logical)
{
	vec_sort(&logical->events, by_event);
}

static bool make(struct logical *logical, const struct progress *progress)
{
	const uint32_t comms = trace_comm_count(logical->trace);

	make_operations(logical);
	logical->positions = xcalloc(comms + 1, sizeof *logical->positions);
	logical->neighbourhoods = xcalloc(comms + 1, sizeof *logical->neighbourhoods);
	if (!classify_all(logical, progress) || !count_messages(logical, progress))
		return false;
	if (logical->special && !logical->trace->halo && !world_find(logical, progress))
		return false;
	if (trace_has_detail(logical->trace, DETAIL_TEAM_BEGIN) && !threads_find(logical, progress))
		return false;
	extra_sort(logical);
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
	vec_fini(&logical->far);
	vec_fini(&logical->numbers);
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

uint32_t logical_far_count(const struct logical *logical)
{
	return (uint32_t)logical->far.n;
}

const struct logical_far *logical_far(const struct logical *logical, uint32_t number)
{
	return &logical->far.data[number];
}

bool logical_is_home(const struct logical *logical, uint32_t id)
{
	return logical->far.data && id >= logical->n_collectives + logical->first_home;
}

uint32_t logical_far_number(const struct logical *logical, uint32_t id, uint32_t party)
{
	const struct extra_group *first = &logical->extra.data[logical->first_home];

	return logical->numbers.data[logical->extra.data[id - logical->n_collectives].first -
				     first->first + party];
}

void group_fini(struct group *group)
{
	free(group->parties);
	*group = (struct group){ 0 };
}

bool logical_group(const struct logical *logical, uint32_t id, struct group *group)
{
	const struct extra_group *extra;
	const struct collective *c;
	struct party *parties;

	if (id < logical->n_collectives) {
		if (logical->classes[id] == OPERATION_NONE)
			return false;
		c = store_collective(logical->trace, id);
		members_group(logical, c, store_member(logical->trace, c->first),
			      (enum logical_class)logical->classes[id], group);
		group->collective = id;
		return true;
	}
	extra = &logical->extra.data[id - logical->n_collectives];
	parties = group_room(group, extra->n);
	for (uint32_t i = 0; i < extra->n; i++)
		parties[i] = logical->parties.data[extra->first + i];
	group->cls = extra->cls;
	group->root = extra->root;
	group->collective = UINT32_MAX;
	group->bytes = UINT64_MAX;
	group->neighbourhood =
		extra->cls == LOGICAL_NEIGHBOURS ? &logical->neighbourhoods[extra->comm] : NULL;
	return true;
}

static bool receives_from(const struct neighbourhood *b, uint32_t rank, uint32_t other)
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
		return receives_from(group->neighbourhood, to, from);
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

/* Of a party of a group at its home. */
static enum logical_part part_of_far(const struct logical *logical, bool begin, uint32_t number,
				     uint32_t *row, uint32_t *party)
{
	const struct logical_far *far = &logical->far.data[number];

	if (far->group == UINT32_MAX || !(begin ? far->sends : far->receives))
		return PART_LOCAL;
	*row = logical_group_count(logical) + number;
	*party = far->party;
	return begin ? PART_BEGIN : PART_END;
}

static enum logical_part part_of_member(const struct logical *logical, uint32_t event, bool begin,
					uint32_t id, uint32_t *row, uint32_t *party)
{
	uint32_t collective, location;
	const struct collective *c;
	const struct member *m;
	enum logical_class cls;

	if (logical->far.n && id >= logical->first_far && id < logical->n_members)
		return part_of_far(logical, begin, id - logical->first_far, row, party);
	collective = collective_of(logical, id);
	if (collective == UINT32_MAX || logical->classes[collective] == OPERATION_NONE)
		return PART_LOCAL;
	cls = (enum logical_class)logical->classes[collective];
	c = store_collective(logical->trace, collective);
	m = store_member(logical->trace, id);
	location = store_event_block(logical->trace, event)->location;
	if (!member_takes_part(logical, cls, c, m, location, begin))
		return PART_LOCAL;
	*row = collective;
	*party = member_place(logical, cls, c, id - c->first, location);
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
	if (found->group == FAR_GROUP)
		return part_of_far(logical, found->part == PART_BEGIN, found->party, row, party);
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
