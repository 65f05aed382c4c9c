/* What the room is made of: the steps, offset records and rates of a trace, and its messages. */
#include "correct/correct_room.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/correct_room_state.h"
#include "model/trace/halo.h"

/* Without its round trip, what an offset may be wrong by: seconds. */
#define HALF_UNKNOWN 300e-6
/* What a time daemon may make of a clock's rate unseen. */
#define BEND_UNSEEN  5e-4

uint32_t making_steps(const struct room_making *m, uint32_t location, uint32_t *first)
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
	m->first = fmin(m->first, making_time(m, c.id));
	for (ok = cursor_last(&c, m->trace, m->base, location); ok && !is_exchange(&c);)
		ok = cursor_prev(&c);
	m->last = fmax(m->last, making_time(m, c.id));
}

/* ---- clocks ---- */

/* What the steps added to a location's measured time by then. */
static double steps_by(const struct room_making *m, uint32_t location, int64_t measured)
{
	uint32_t first;
	const uint32_t n = making_steps(m, location, &first);
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
	const uint32_t n = making_steps(m, location, &first);

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
			     making_time(m, c->id) };

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
	double mean, bend = 0;

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
	return making_time(m, c.id);
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
 * sees it against messages, and three at least: few records do not show the worst one. */
static double record_error(const struct room_making *m)
{
	return 3 * fmax(1, m->fit ? m->fit->level.eta : 1);
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
	if (m->base != BASE_FITTED)
		room_bend(m->room, BEND_UNSEEN);
	room_watch(m->room);
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
	ok = making_add_messages(&m) && making_add_groups(&m);
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
