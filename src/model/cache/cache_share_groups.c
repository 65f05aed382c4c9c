/* Collectives of several processes in one file. The process that has the location of the first
 * member writes a collective with all its members, which the others send it. */
#include <string.h>

#include "base/exchange.h"
#include "base/order.h"
#include "model/cache/cache_shared.h"
#include "model/trace/halo.h"

/* A member, for the home of its turn. */
struct party {
	uint64_t begin;
	int64_t time;
	uint32_t comm, turn, which, location;
};

/* A member, for the process that writes it. */
struct moved {
	struct member member;
	uint32_t to;
};

/* A collective, for the order of all. */
struct timed_group {
	int64_t time;
	uint64_t event, members, first;
};

ORDERING(by_party, struct party, comm, turn, which, begin)
ORDERING(by_group, struct party, comm, turn, which)
ORDERING(by_first, struct shared_group, place.first)
ORDERING(by_time, struct timed_group, time, event)
ORDERING(by_place, struct moved, to)

static int compare(const void *a, const void *b)
{
	return by_party(*(const struct party *const *)a, *(const struct party *const *)b);
}

static void add_party(struct shared_place *place, const struct party *party)
{
	if (party->time > place->time ||
	    (party->time == place->time && party->begin > place->time_event))
		return;
	place->time = party->time;
	place->time_event = party->begin;
}

/* The parties of a collective, those of the first location first. */
static struct shared_place place_of(const struct party *const *parties, size_t n)
{
	struct shared_place place = { .first = parties[0]->begin,
				      .location = parties[0]->location,
				      .time = INT64_MAX };

	for (size_t i = 0; i < n; i++)
		add_party(&place, parties[i]);
	return place;
}

/* For exchange_ask(): at home, all members of a turn are known. */
static void *answer_seats(void *context, const void *rows, size_t n)
{
	const struct party *parties = rows;
	struct seat *seats = xcalloc(n + 1, sizeof *seats);
	OWNED const struct party **order = xmalloc((n + 1) * sizeof *order);

	(void)context;
	for (size_t i = 0; i < n; i++)
		order[i] = &parties[i];
	if (n)
		qsort(order, n, sizeof *order, compare);
	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && by_group(order[first], order[end]) == 0; end++)
			;
		const struct shared_place place = place_of(order + first, end - first);
		for (size_t i = first; i < end; i++)
			seats[order[i] - parties] = (struct seat){ place, (uint32_t)(i - first) };
	}
	return seats;
}

static uint32_t location_of(const struct shared *s, uint32_t event)
{
	return store_event_block(s->trace, event)->location;
}

static struct party party_of(const struct shared *s, uint32_t begin)
{
	return (struct party){ .begin = shared_event(s, begin),
			       .time = store_event_time(s->trace, BASE_MEASURED, begin),
			       .location = location_of(s, begin) };
}

/* Asks the homes for the seats of all members of collectives that may have members elsewhere. */
static void ask_seats(struct shared *s)
{
	const struct trace *trace = s->trace;
	const uint32_t first = trace->halo->first_turn, n = store_collective_count(trace);
	OWNED_VEC(struct party) parties = VEC_INIT;
	OWNED_VEC(uint32_t) to = VEC_INIT;

	for (uint32_t id = first; id < n; id++) {
		const struct collective *c = store_collective(trace, id);
		const struct halo_turn *turn = trace_turn(trace, id);
		for (uint32_t i = c->first; i < c->first + c->members; i++) {
			struct party party = party_of(s, store_member(trace, i)->begin);
			party.comm = c->comm;
			party.turn = turn->turn;
			party.which = turn->which;
			vec_push(&parties, party);
			vec_push(&to, trace_home(trace, c->comm, turn->turn));
		}
	}
	s->seats = exchange_ask(s->x, parties.data, parties.n, sizeof *parties.data, to.data,
				answer_seats, NULL, sizeof *s->seats);
}

/* Of a collective with all its members here. */
static struct shared_place place_here(const struct shared *s, const struct collective *c)
{
	struct shared_place place = { .time = INT64_MAX };

	for (uint32_t i = c->members; i-- > 0;) {
		const struct party party = party_of(s, store_member(s->trace, c->first + i)->begin);
		add_party(&place, &party);
		place.first = party.begin;
		place.location = party.location;
	}
	return place;
}

/* *seat: the number of seats of the collectives before it. */
static struct shared_place place_of_row(const struct shared *s, uint32_t id, size_t *seat)
{
	const struct collective *c = store_collective(s->trace, id);
	struct shared_place place;

	if (id < s->trace->halo->first_turn)
		return place_here(s, c);
	place = s->seats[*seat].place;
	*seat += c->members;
	return place;
}

void shared_groups_find(struct shared *s)
{
	const struct trace *trace = s->trace;
	const uint32_t first = trace->halo->first_turn, n = store_collective_count(trace);
	const struct shared_group *group;
	size_t seat = 0;

	ask_seats(s);
	for (uint32_t id = 0; id < n; id++) {
		const struct collective *c = store_collective(trace, id);
		const struct shared_group made = {
			.place = place_of_row(s, id, &seat),
			.row = id,
			.members = id < first ? c->members : trace_turn(trace, id)->members
		};
		s->group_members += c->members;
		if (trace_has_location(trace, made.place.location))
			vec_push(&s->groups, made);
	}
	vec_sort(&s->groups, by_first);
	vec_each (group, &s->groups) {
		shared_place(s, COUNT_COLLECTIVE, group->place.location, NO_ROW, 1);
		shared_place(s, COUNT_MEMBER, group->place.location, NO_ROW, group->members);
	}
	for (uint32_t i = s->group_members; i < store_member_count(trace); i++)
		shared_place(s, COUNT_ALONE, location_of(s, store_member(trace, i)->begin), NO_ROW,
			     1);
}

/* ---- places ---- */

static void number_by_location(struct shared *s)
{
	struct shared_group *group;

	vec_each (group, &s->groups) {
		const uint32_t l = group->place.location;
		group->number = shared_place(s, COUNT_COLLECTIVE, l, NO_ROW, 1);
		group->to = shared_place(s, COUNT_MEMBER, l, NO_ROW, group->members);
	}
}

/* All processes have the times of all collectives. */
static void number_by_time(struct shared *s)
{
	OWNED_VEC(struct timed_group) all = VEC_INIT;
	const struct timed_group *timed;
	struct shared_group *group;
	uint64_t to = 0;

	vec_each (group, &s->groups)
		vec_push(&all, ((struct timed_group){ group->place.time, group->place.time_event,
						      group->members, group->place.first }));
	exchange_rows(s->x, &all);
	vec_sort(&all, by_time);
	vec_each (timed, &all) {
		size_t low = 0, high = s->groups.n;
		BISECT(low, high, at, s->groups.data[at].place.first < timed->first);
		group = &s->groups.data[low];
		if (low < s->groups.n && group->place.first == timed->first) {
			group->number = (uint64_t)(timed - all.data);
			group->to = to;
		}
		to += timed->members;
	}
}

static void place_groups(struct shared *s)
{
	const struct shared_group *group;

	if (s->trace->halo->by_time)
		number_by_time(s);
	else
		number_by_location(s);
	s->collectives = xmalloc((s->groups.n + 1) * sizeof *s->collectives);
	vec_each (group, &s->groups) {
		const size_t i = (size_t)(group - s->groups.data);
		struct collective *c = &s->collectives[i];
		*c = *store_collective(s->trace, group->row);
		c->first = (uint32_t)group->to;
		c->members = group->members;
		stretches_add(&s->at[COUNT_COLLECTIVE], i, group->number, 1);
	}
}

/* For exchange_ask(): where the members of collectives begin that this process writes. */
static void *answer_places(void *context, const void *rows, size_t n)
{
	const struct shared *s = context;
	const uint64_t *first = rows;
	uint64_t *to = xmalloc((n + 1) * sizeof *to);

	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = s->groups.n;
		BISECT(low, high, at, s->groups.data[at].place.first < first[i]);
		to[i] = s->groups.data[low].to;
	}
	return to;
}

/* The first member's place of each collective here, and the process that writes it. */
static uint64_t *ask_places(const struct shared *s, uint32_t *writer)
{
	const struct trace *trace = s->trace;
	const uint32_t n = store_collective_count(trace);
	OWNED uint64_t *first = xmalloc((n + 1u) * sizeof *first);
	size_t seat = 0;

	for (uint32_t id = 0; id < n; id++) {
		const struct shared_place place = place_of_row(s, id, &seat);
		first[id] = place.first;
		writer[id] = trace_process_of(trace, place.location);
	}
	return exchange_ask(s->x, first, n, sizeof *first, writer, answer_places,
			    (void *)(uintptr_t)s, sizeof(uint64_t));
}

/* Gives the members their places; moved[i] and to[i] are of row i. */
static void place_members(struct shared *s, struct moved *moved, uint32_t *to)
{
	const struct trace *trace = s->trace;
	const uint32_t n = store_collective_count(trace);
	OWNED uint32_t *writer = xmalloc((n + 1u) * sizeof *writer);
	OWNED uint64_t *places = ask_places(s, writer);
	size_t seat = 0;

	for (uint32_t id = 0; id < n; id++) {
		const struct collective *c = store_collective(trace, id);
		for (uint32_t i = 0; i < c->members; i++) {
			const bool far = id >= trace->halo->first_turn;
			const uint32_t place = far ? s->seats[seat++].nth : i;
			moved[c->first + i].to = (uint32_t)places[id] + place;
			to[c->first + i] = writer[id];
		}
	}
	for (uint32_t i = s->group_members; i < store_member_count(trace); i++) {
		const uint32_t l = location_of(s, store_member(trace, i)->begin);
		moved[i].to = (uint32_t)shared_place(s, COUNT_ALONE, l, NO_ROW, 1);
		to[i] = exchange_process(s->x);
	}
}

static uint32_t event_or_none(const struct shared *s, uint32_t event)
{
	return event == EVENT_NONE ? EVENT_NONE : (uint32_t)shared_event(s, event);
}

static void take_members(struct shared *s, const struct exchange_parts *parts)
{
	struct moved *moved = (struct moved *)(void *)parts->data;
	const size_t n = parts->first[s->x->processes] / sizeof *moved;

	s->members = xmalloc((n + 1) * sizeof *s->members);
	SORT(moved, n, by_place);
	for (size_t i = 0; i < n; i++) {
		s->members[i] = moved[i].member;
		stretches_add(&s->at[COUNT_MEMBER], i, moved[i].to, 1);
	}
}

void shared_groups_place(struct shared *s)
{
	const uint32_t n = store_member_count(s->trace);
	OWNED struct moved *moved = xcalloc(n + 1u, sizeof *moved);
	OWNED uint32_t *to = xmalloc((n + 1u) * sizeof *to);
	struct exchange_parts parts;

	place_groups(s);
	place_members(s, moved, to);
	s->member = xmalloc((n + 1u) * sizeof *s->member);
	for (uint32_t i = 0; i < n; i++) {
		const struct member *m = store_member(s->trace, i);
		s->member[i] = moved[i].to;
		moved[i].member = *m;
		moved[i].member.begin = event_or_none(s, m->begin);
		moved[i].member.end = event_or_none(s, m->end);
	}
	exchange_deal(s->x, moved, n, sizeof *moved, to, &parts);
	take_members(s, &parts);
	exchange_parts_fini(&parts);
}
