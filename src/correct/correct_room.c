/* What the room is made of: the messages, steps, offset records and rates of a trace. */
#include "correct/correct_room.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "model/trace/store.h"

/* Without its round trip, what an offset may be wrong by: seconds. */
#define HALF_UNKNOWN 300e-6
/* What a time daemon may make of a clock's rate unseen. */
#define BEND_UNSEEN  5e-4

struct room_making {
	struct room *room;
	const struct trace *trace;
	const struct logical *logical;
	const struct progress *progress;
	const struct clock_map *map;
	const struct fit_report *fit; /* NULL: no steps */
	enum time_base base;
	int64_t origin;
	double first, last; /* of windows */
	VEC(struct room_party) parties;
};

static double time_of(const struct room_making *m, uint32_t event)
{
	return (double)(trace_event_time(m->trace, m->base, event) - m->origin);
}

/* ---- messages ---- */

/* The steps of a location's clock are those from *first on, which are by clock and time. */
static uint32_t steps_of(const struct room_making *m, uint32_t location, uint32_t *first)
{
	const uint32_t clock = m->map->of[location];
	uint32_t low = 0, high = m->fit ? m->fit->n_steps : 0, n = 0;

	BISECT(low, high, i, m->map->of[m->fit->steps[i].location] < clock);
	*first = low;
	while (m->fit && low + n < m->fit->n_steps &&
	       m->map->of[m->fit->steps[low + n].location] == clock)
		n++;
	return n;
}

/* True if an event's time was held back: it comes too early. */
static bool is_held(const struct room_making *m, uint32_t location, uint32_t event)
{
	uint32_t first;
	const uint32_t n = steps_of(m, location, &first);
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
	room_message(m->room, m->map->of[from], time_of(m, send), m->map->of[to], time_of(m, recv));
}

static bool add_messages(struct room_making *m)
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
					       p->sends ? time_of(m, p->begin) : NAN,
					       p->receives && !is_held(m, p->location, p->end)
						       ? time_of(m, p->end)
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

static bool add_groups(struct room_making *m)
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

/* ---- windows ---- */

static bool is_exchange(const struct cursor *c)
{
	const enum event_kind kind = what_kind(cursor_what(c));

	return kind == EV_SEND || kind == EV_RECV || kind == EV_COLLECTIVE_BEGIN ||
	       kind == EV_COLLECTIVE_END;
}

/* MPI_Init may be long before all else: windows are from the first message or collective of all
 * locations to the last one. */
static void span_location(struct room_making *m, uint32_t location)
{
	struct cursor c;
	bool ok = cursor_first(&c, m->trace, m->base, location);

	while (ok && !is_exchange(&c))
		ok = cursor_next(&c);
	if (!ok)
		return;
	m->first = fmin(m->first, time_of(m, c.id));
	for (ok = cursor_last(&c, m->trace, m->base, location); ok && !is_exchange(&c);)
		ok = cursor_prev(&c);
	m->last = fmax(m->last, time_of(m, c.id));
}

/* ---- clocks ---- */

/* What the steps added to a location's measured time by then. */
static double steps_by(const struct room_making *m, uint32_t location, int64_t measured)
{
	uint32_t first;
	const uint32_t n = steps_of(m, location, &first);
	double sum = 0;

	for (uint32_t i = first; i < first + n; i++)
		if (measured >= m->fit->steps[i].at)
			sum += (double)m->fit->steps[i].size;
	return sum;
}

static bool is_step_between(const struct room_making *m, uint32_t location, int64_t from,
			    int64_t to)
{
	uint32_t first;
	const uint32_t n = steps_of(m, location, &first);

	for (uint32_t i = first; i < first + n; i++)
		if (from <= m->fit->steps[i].to && to >= m->fit->steps[i].from)
			return true;
	return false;
}

/* A clock's measured time without steps, and what the base made of it. */
struct reading {
	int64_t measured;
	double local, shown;
};

static struct reading reading_of(const struct room_making *m, const struct cursor *c)
{
	struct reading r = { trace_event_time(m->trace, BASE_MEASURED, c->id), 0,
			     time_of(m, c->id) };

	r.local = (double)(r.measured - m->origin) - steps_by(m, c->location, r.measured);
	return r;
}

/* The rate of a stretch less the mean, but for what rounding to ticks makes of it. */
static double bend_between(const struct reading *a, const struct reading *b, double mean)
{
	const double length = b->local - a->local;

	return fmax(fabs(b->shown - a->shown - length * (1 + mean)) - 2, 0) / length;
}

static void add_rate(struct room_making *m, uint32_t clock)
{
	const uint32_t location = m->map->location[clock];
	struct cursor c;
	struct reading first, last, at, before;
	double mean, bend = m->base == BASE_FITTED ? 0 : BEND_UNSEEN;

	if (!trace_has_location(m->trace, location) ||
	    !cursor_first(&c, m->trace, m->base, location))
		return;
	before = first = reading_of(m, &c);
	cursor_last(&c, m->trace, m->base, location);
	last = reading_of(m, &c);
	if (!(last.local > first.local))
		return;
	mean = (last.shown - first.shown) / (last.local - first.local) - 1;
	for (int i = 1; i <= ROOM_WINDOWS; i++) {
		const double t = first.shown + (last.shown - first.shown) * i / ROOM_WINDOWS;
		if (!cursor_seek(&c, m->trace, m->base, location, m->origin + (int64_t)t))
			break;
		at = reading_of(m, &c);
		if ((at.local - before.local) * 2 * ROOM_WINDOWS < last.local - first.local)
			continue;
		if (!is_step_between(m, location, before.measured, at.measured))
			bend = fmax(bend, bend_between(&before, &at, mean));
		before = at;
	}
	room_rate(m->room, clock, mean, bend);
}

/* The base's time of the first event from a measured time on. */
static double shown_from(const struct room_making *m, uint32_t location, int64_t measured)
{
	struct cursor c;

	if (!cursor_seek(&c, m->trace, BASE_MEASURED, location, measured) &&
	    !cursor_last(&c, m->trace, BASE_MEASURED, location))
		return 0;
	return time_of(m, c.id);
}

static void add_steps(struct room_making *m)
{
	OWNED_VEC(struct room_set) all = VEC_INIT;

	for (uint32_t i = 0; m->fit && i < m->fit->n_steps; i++) {
		const struct fit_step *s = &m->fit->steps[i];
		if (trace_has_location(m->trace, s->location))
			vec_push(&all,
				 ((struct room_set){ .clock = m->map->of[s->location],
						     .at = shown_from(m, s->location, s->at),
						     .spread = (double)(s->most - s->least),
						     .from = shown_from(m, s->location, s->from),
						     .to = shown_from(m, s->location, s->to),
						     .size = (double)s->size }));
	}
	exchange_rows(trace_exchange(m->trace), &all);
	room_steps(m->room, all.data, all.n);
}

/* ---- offset records ---- */

/* What the base made of a measured time: between the events around it, or beside the next one. */
static bool shown_at(const struct room_making *m, uint32_t location, int64_t measured,
		     double *shown)
{
	struct cursor c;
	struct reading before, after;

	if (cursor_seek(&c, m->trace, BASE_MEASURED, location, measured)) {
		before = after = reading_of(m, &c);
		if (cursor_prev(&c))
			before = reading_of(m, &c);
	} else if (cursor_last(&c, m->trace, BASE_MEASURED, location)) {
		before = after = reading_of(m, &c);
	} else {
		return false;
	}
	*shown = (double)(measured - m->origin) - steps_by(m, location, measured);
	if (after.measured > before.measured && measured > before.measured)
		*shown = before.shown + (after.shown - before.shown) * (*shown - before.local) /
						(after.local - before.local);
	else
		*shown += after.shown - after.local;
	return true;
}

/* By how many half round trips records may be wrong: three times what they usually are, as the fit
 * sees it against messages; that is one where it does not. */
static double record_error(const struct room_making *m)
{
	const double eta = m->fit && m->fit->level.eta >= 0 ? m->fit->level.eta : 1;

	return fmax(1, 3 * eta);
}

static void add_records(struct room_making *m)
{
	const double trust = record_error(m);
	const double unknown = HALF_UNKNOWN * fmax(1, trust / 6) / trust;
	const double second = (double)trace_scale(m->trace)->per_second;

	for (size_t i = 0; i < trace_offset_count(m->trace); i++) {
		const struct offset *o = trace_offset(m->trace, i);
		const double time = (double)(o->time + o->offset - m->origin);
		const uint32_t clock = m->map->of[o->location];
		double shown;
		if (o->location != m->map->location[clock] ||
		    !trace_has_location(m->trace, o->location) ||
		    !shown_at(m, o->location, o->time, &shown))
			continue;
		room_record(m->room, clock, time, time - shown,
			    o->rtt >= 0 ? (double)o->rtt / 2 : unknown * second);
	}
	room_trust(m->room, trust);
}

/* ---- all ---- */

static void begin_room(struct room_making *m)
{
	struct exchange *x = trace_exchange(m->trace);
	int64_t begin, end;

	for (uint32_t l = 0; l < trace_location_count(m->trace); l++)
		span_location(m, l);
	m->first = exchange_fewest(x, m->first);
	m->last = exchange_most(x, m->last);
	if (!(m->first < m->last)) {
		trace_span(m->trace, m->base, &begin, &end);
		m->first = (double)(begin - m->origin);
		m->last = (double)(end - m->origin);
	}
	m->room = room_new(m->map->n, m->first, m->last, 1);
	add_steps(m);
	for (uint32_t c = 0; c < m->map->n; c++)
		add_rate(m, c);
	add_records(m);
}

static void finish(struct clock_room *out, struct room_making *m)
{
	struct exchange *x = trace_exchange(m->trace);
	const struct room_row *rows;
	size_t n;

	room_share(m->room, x);
	room_solve(m->room, x, &out->bounds);
	rows = room_rows(m->room, &n);
	out->rows = xmalloc((n + 1) * sizeof *rows);
	if (n)
		memcpy(out->rows, rows, n * sizeof *rows);
	out->n_rows = n;
	out->locations = trace_location_count(m->trace);
	out->of = xmalloc((out->locations + 1u) * sizeof *out->of);
	memcpy(out->of, m->map->of, out->locations * sizeof *out->of);
	out->base = m->base;
	out->origin = m->origin;
	out->done = true;
}

bool clock_room_make(struct clock_room *room, const struct trace *trace,
		     const struct logical *logical, enum time_base base,
		     const struct fit_report *fit, const struct progress *progress)
{
	ENDED_BY(clock_map_fini) struct clock_map own = { 0 };
	struct room_making m = { .trace = trace,
				 .logical = logical,
				 .progress = progress,
				 .fit = fit,
				 .base = base,
				 .first = INFINITY,
				 .last = -INFINITY };
	int64_t end;
	bool ok;

	*room = (struct clock_room){ .done = false };
	if (!fit)
		clock_map_make(&own, trace, base);
	m.map = fit ? &fit->map : &own;
	if (m.map->n > CLOCKS_BOUNDED) {
		room->too_many = m.map->n;
		return true;
	}
	trace_span(trace, base, &m.origin, &end);
	begin_room(&m);
	ok = add_messages(&m) && add_groups(&m);
	if (ok)
		finish(room, &m);
	vec_fini(&m.parties);
	room_free(m.room);
	return ok;
}

void clock_room_fini(struct clock_room *room)
{
	room_bounds_fini(&room->bounds);
	free_all(room->of, room->rows);
	*room = (struct clock_room){ .done = false };
}
