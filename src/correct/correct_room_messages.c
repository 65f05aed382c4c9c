/* The room's bounds by messages: those of a trace, and those of its collectives. */
#include <math.h>

#include "correct/correct_room_state.h"
#include "model/trace/halo.h"

/* True if an event's time was held back: it comes too early. */
static bool is_held(const struct room_making *m, uint32_t location, uint32_t event)
{
	uint32_t first;
	const uint32_t n = making_steps(m, location, &first);
	bool held = false;

	for (uint32_t i = first; i < first + n; i++)
		held = held ||
		       m->fit->steps[i].held == trace_event_time(m->trace, BASE_MEASURED, event);
	return held;
}

static void add_message(struct room_making *m, uint32_t from, uint32_t send, uint32_t to,
			uint32_t recv)
{
	if (is_held(m, to, recv))
		return;
	room_message(m->room, m->map->of[from], making_time(m, send), m->map->of[to],
		     making_time(m, recv));
}

bool making_add_messages(struct room_making *m)
{
	const uint32_t n = trace_message_count(m->trace);

	for (uint32_t row = 0; row < n; row++) {
		const struct message *message;
		if (row % 65536 == 0 && !progress_wanted(m->progress, "bounding clocks", row, n))
			return false;
		messages_ahead(m->trace, m->base, row);
		if (!logical_message_here(m->logical, row))
			continue;
		message = trace_message(m->trace, row);
		add_message(m, trace_event_location(m->trace, message->send), message->send,
			    trace_event_location(m->trace, message->recv), message->recv);
	}
	return true;
}

/* ---- collectives ---- */

static void meet(struct room_making *m, const struct group *group, uint32_t from, uint32_t to)
{
	if (group_sends_to(group, from, to))
		add_message(m, group->parties[from].location, group->parties[from].begin,
			    group->parties[to].location, group->parties[to].end);
}

static void add_neighbours(struct room_making *m, const struct group *group)
{
	for (uint32_t to = 0; to < group->n; to++) {
		uint32_t n;
		const uint32_t *list = neighbours_of(group->neighbourhood, to, &n);
		for (uint32_t i = 0; i < n; i++)
			meet(m, group, list[i], to);
	}
}

/* Parties without a root have one that sends, or one that receives. */
static void add_rooted(struct room_making *m, const struct group *group)
{
	uint32_t sends = 0, receives = 0, from = 0, to = 0;

	for (uint32_t i = 0; i < group->n; i++) {
		sends += group->parties[i].sends;
		from = group->parties[i].sends ? i : from;
		receives += group->parties[i].receives;
		to = group->parties[i].receives ? i : to;
	}
	for (uint32_t i = 0; i < group->n; i++) {
		if (sends == 1)
			meet(m, group, from, i);
		else if (receives == 1)
			meet(m, group, i, to);
	}
}

static void add_all(struct room_making *m, const struct group *group, enum room_group kind)
{
	m->parties.n = 0;
	for (uint32_t i = 0; i < group->n; i++) {
		const struct party *p = &group->parties[i];
		vec_push(&m->parties,
			 ((struct room_party){ m->map->of[p->location],
					       p->sends ? making_time(m, p->begin) : NAN,
					       p->receives && !is_held(m, p->location, p->end)
						       ? making_time(m, p->end)
						       : NAN }));
	}
	room_group(m->room, m->parties.data, group->n, kind);
}

static void add_group(struct room_making *m, const struct group *group)
{
	switch (group->cls) {
	case LOGICAL_BARRIER:
	case LOGICAL_N_TO_N:
	case LOGICAL_TEAM: add_all(m, group, ROOM_ALL); break;
	case LOGICAL_WORLD: add_all(m, group, ROOM_WORLD); break;
	case LOGICAL_PREFIX: add_all(m, group, ROOM_PREFIX); break;
	case LOGICAL_NEIGHBOURS: add_neighbours(m, group); break;
	default: add_rooted(m, group);
	}
}

bool making_add_groups(struct room_making *m)
{
	const uint32_t n = logical_group_count(m->logical);
	struct group group = { 0 };
	bool ok = true;

	for (uint32_t id = 0; id < n && ok; id++) {
		if (id % 1024 == 0)
			ok = progress_wanted(m->progress, "bounding clocks", id, n);
		if (logical_group(m->logical, id, &group))
			add_group(m, &group);
	}
	group_fini(&group);
	return ok;
}
