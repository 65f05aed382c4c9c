#include "views/facts/clock_bounds.h"

#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "views/facts/rollcall_text.h"

static void add_side(struct str *out, double ticks, const struct timescale *scale)
{
	str_add_char(out, ticks < 0 ? '-' : '+');
	units_human_time(out, llround(fabs(ticks)), scale, 3);
}

void clock_bounds_text(struct str *out, struct room_span span, const struct timescale *scale)
{
	const bool low = span.low > -INFINITY, high = span.high < INFINITY;
	const double larger = fmax(-span.low, span.high);

	if (!low && !high) {
		str_add(out, "unknown");
	} else if (span.low == 0 && span.high == 0) {
		str_add(out, "0");
	} else if (!low || !high) {
		str_add(out, low ? ">= " : "<= ");
		add_side(out, low ? span.low : span.high, scale);
	} else if (span.low < 0 && fmin(-span.low, span.high) >= 0.9 * larger) {
		str_add(out, "+-");
		units_human_time(out, llround(larger), scale, 3);
	} else {
		add_side(out, span.low, scale);
		str_add(out, " .. ");
		add_side(out, span.high, scale);
	}
}

const char *clock_bounds_phrase(struct phrases *phrases, struct room_span span)
{
	OWNED_STR text = STR_INIT;

	clock_bounds_text(&text, span, trace_scale(phrases->trace));
	return phrase(phrases, "%s", text.text);
}

struct room_span clock_bounds_usual(const struct clock_room *room, uint32_t location)
{
	if (!room || !room->done || location >= room->locations)
		return (struct room_span){ -INFINITY, INFINITY };
	return room->bounds.of[room->of[location]].usual;
}

struct room_span clock_bounds_worst(const struct clock_room *room, uint32_t location)
{
	if (!room || !room->done || location >= room->locations)
		return (struct room_span){ -INFINITY, INFINITY };
	return room_worst(&room->bounds.all[(size_t)room->of[location] * ROOM_WINDOWS]);
}

struct clock_island clock_island_of(const struct clock_room *room, uint32_t location)
{
	struct clock_island island = { .zero = UINT32_MAX };
	const struct room_clock *clock;

	if (!room->done || location >= room->locations)
		return island;
	clock = &room->bounds.of[room->of[location]];
	if (clock->part != 0)
		island = (struct clock_island){ clock->part, clock->usual_inside };
	return island;
}

bool clock_bounds_unsure(const struct clock_room *room, const struct trace *trace,
			 enum time_base base, uint32_t location, const struct wait *wait)
{
	const uint32_t partner = wait_partner(trace, wait);
	struct clock_place begin, end;

	if (partner == UINT32_MAX)
		return false;
	begin = clock_place_at(room, trace, base, location, wait->begin);
	if (!begin.known)
		return false;
	begin.moved = 0;
	end = begin;
	end.location = partner;
	end.time += (double)wait->length;
	return (double)wait->length + clock_room_between(room, &begin, &end).low <= 0;
}

/* ---- how certain all are ---- */

/* The clock whose bounds are widest: its first location; UINT32_MAX: none but the reference. */
static uint32_t least_certain(const struct clock_room *room)
{
	uint32_t widest = UINT32_MAX;
	double most = -1;

	for (uint32_t l = 0; l < room->locations; l++) {
		const struct room_span span = clock_bounds_usual(room, l);
		if (room->of[l] == 0 || !room_span_known(span) || span.high - span.low <= most)
			continue;
		most = span.high - span.low;
		widest = l;
	}
	return widest;
}

static uint32_t location_of_reference(const struct clock_room *room)
{
	uint32_t l = 0;

	while (l + 1 < room->locations && room->of[l] != 0)
		l++;
	return l;
}

bool clock_bounds_lacking(const struct corrections *c, const struct trace *trace)
{
	return c && c->room.done && c->room.bounds.clocks > 1 && c->room.n_rows == 0 &&
	       trace_offset_count(trace) == 0;
}

const char *clock_bounds_sentence(struct phrases *p, const struct corrections *c)
{
	uint32_t widest;

	if (!c || !c->room.done || c->room.bounds.clocks < 2)
		return "";
	if (clock_bounds_lacking(c, p->trace))
		return "Clocks unknown: there are no messages between them, and no clock offsets.";
	widest = least_certain(&c->room);
	if (widest == UINT32_MAX)
		return "";
	return phrase(p, "Clock errors against %s are within %s (%s, the least certain).",
		      phrase_location(p, location_of_reference(&c->room)),
		      clock_bounds_phrase(p, clock_bounds_usual(&c->room, widest)),
		      phrase_location(p, widest));
}

const char *clock_bounds_records(struct phrases *p, const struct corrections *c)
{
	const uint64_t n = c && c->room.done ? c->room.bounds.dropped : 0;

	if (n == 0)
		return "";
	return phrase(p, "%s of %s %s messages and %s not used to bound clocks.",
		      phrase_number(p, n),
		      phrase_count(p, c->room.bounds.records, "offset record", "offset records"),
		      n == 1 ? "contradicts" : "contradict", n == 1 ? "is" : "are");
}

/* ---- drift ---- */

enum { RUNS_SAID = 6 }; /* of numbers of ranks */

const char *clock_drift_name(enum room_drift drift)
{
	static const char *const names[] = { [DRIFT_ASSUMED] = "assumed",
					     [DRIFT_SHOWN] = "shown",
					     [DRIFT_DOUBTED] = "doubtful",
					     [DRIFT_EXCEEDED] = "exceeded" };

	return names[drift];
}

/* Locations whose clocks are in a state, in ascending order; the least that one of them drifts. */
struct drifting {
	VEC(uint32_t) locations;
	double least;
};

static void find_drifting(struct drifting *d, const struct clock_room *room,
			  const struct trace *trace, enum room_drift drift)
{
	for (uint32_t l = 0; l < room->locations; l++) {
		const struct room_clock *of = &room->bounds.of[room->of[l]];
		if (of->drift != drift || room->of[l] == 0 || trace_location(trace, l)->thread > 0)
			continue;
		vec_push(&d->locations, l);
		d->least = fmax(d->least, of->least);
	}
}

static const char *drifting_clocks(struct phrases *p, const struct drifting *d)
{
	OWNED_STR who = STR_INIT;

	rollcall_add_ranks(p->trace, d->locations.data, (uint32_t)d->locations.n, RUNS_SAID, &who);
	return phrase(p, d->locations.n == 1 ? "The clock of %s drifts" : "The clocks of %s drift",
		      who.text);
}

/* The worst state that any clock is in. */
static enum room_drift worst_drift(const struct clock_room *room)
{
	enum room_drift worst = DRIFT_SHOWN;

	for (uint32_t c = 1; c < room->bounds.clocks; c++) {
		const enum room_drift drift = (enum room_drift)room->bounds.of[c].drift;
		if (drift > DRIFT_SHOWN ? drift > worst : worst == DRIFT_SHOWN)
			worst = drift;
	}
	return worst;
}

#define PPM(rate) (1e6 * (rate))

const char *clock_bounds_drift(struct phrases *p, const struct corrections *c, bool *exceeded)
{
	struct drifting d = { VEC_INIT, 0 };
	const char *text = "";
	enum room_drift worst;

	*exceeded = false;
	if (!c || !c->room.done || c->room.bounds.clocks < 2 || clock_bounds_lacking(c, p->trace))
		return "";
	worst = worst_drift(&c->room);
	*exceeded = worst >= DRIFT_DOUBTED;
	find_drifting(&d, &c->room, p->trace, worst);
	if (worst == DRIFT_EXCEEDED)
		text = phrase(p,
			      "%s by more than %.0f ppm (%.0f or more), or %s set: bounds of clock "
			      "errors are made for %.0f ppm, and may not hold.",
			      drifting_clocks(p, &d), PPM(DRIFT_MOST), floor(PPM(d.least)),
			      d.locations.n == 1 ? "it was" : "they were",
			      ceil(PPM(c->room.bounds.drift)));
	else if (worst == DRIFT_DOUBTED)
		text = phrase(p,
			      "%s by more than %.0f ppm as it seems, or messages contradict each "
			      "other: bounds of clock errors are made for %.0f ppm, and may not "
			      "hold.",
			      drifting_clocks(p, &d), PPM(DRIFT_MOST),
			      ceil(PPM(c->room.bounds.drift)));
	else if (worst == DRIFT_SHOWN)
		text = phrase(p,
			      "Bounds of clock errors are made for drifts of at most %.0f ppm; "
			      "messages show that clocks drift no more.",
			      PPM(DRIFT_MOST));
	else
		text = phrase(
			p,
			"Bounds of clock errors assume that clocks drift by at most %.0f ppm; "
			"messages are too few or too slow to show it.",
			PPM(DRIFT_MOST));
	vec_fini(&d.locations);
	return text;
}

/* ---- islands ---- */

enum { ISLANDS_SAID = 3 };

enum island_state {
	ISLAND_UNKNOWN, /* nothing bounds it against the reference */
	ISLAND_ONE_SIDED,
	ISLAND_PLACED, /* by offset records, or by MPI_Init and MPI_Finalize */
	ISLAND_STATES,
};

/* Ranks whose clocks are in the same state and part; those that are alone are together. */
struct island {
	uint32_t part; /* UINT32_MAX: alone */
	enum island_state state;
};

static struct island island_of(const struct clock_room *room, const uint32_t *sizes, uint32_t l)
{
	const uint32_t part = room->bounds.of[room->of[l]].part;
	const struct room_span span = clock_bounds_usual(room, l);

	return (struct island){ sizes[part] == 1 ? UINT32_MAX : part,
				room_span_known(span)                 ? ISLAND_PLACED
				: isinf(span.low) && isinf(span.high) ? ISLAND_UNKNOWN
								      : ISLAND_ONE_SIDED };
}

static struct room_span wider(struct room_span a, struct room_span b)
{
	return (struct room_span){ fmin(a.low, b.low), fmax(a.high, b.high) };
}

struct island_text {
	struct island of;
	VEC(uint32_t) locations;
	struct room_span all, inside;
};

/* What bounds clocks without offset records where few messages go both ways. */
#define OTHERS "those, MPI_Init and MPI_Finalize alone"

static const char *island_sentence(struct phrases *p, const struct clock_room *room,
				   const struct island_text *t)
{
	const struct island *island = &t->of;
	const bool one = t->locations.n == 1;
	const char *zero = phrase_location(p, location_of_reference(room)), *state, *among = "";
	OWNED_STR who = STR_INIT;

	rollcall_add_ranks(p->trace, t->locations.data, (uint32_t)t->locations.n, RUNS_SAID, &who);
	if (island->part != UINT32_MAX)
		among = phrase(p, "; among themselves %s", clock_bounds_phrase(p, t->inside));
	/* Lines of the overview are cut off: what matters comes first. */
	if (island->state == ISLAND_UNKNOWN)
		return phrase(p,
			      "The %s of %s unknown against %s: %s fewer than three messages each "
			      "way with it%s.",
			      one ? "clock" : "clocks",
			      phrase(p, one ? "%s is" : "%s are", who.text), zero,
			      one ? "it exchanges" : "they exchange", among);
	state = island->state == ISLAND_ONE_SIDED
			? phrase(p, "bounded from one side only (%s)",
				 clock_bounds_phrase(p, t->all))
			: phrase(p, "bounded by %s (%s)",
				 trace_offset_count(p->trace) ? "offset records" : OTHERS,
				 clock_bounds_phrase(p, t->all));
	return phrase(p, "%s %s fewer than three messages each way with %s: %s %s%s.",
		      phrase_capital(p, who.text), one ? "exchanges" : "exchange", zero,
		      one ? "its clock is" : "their clocks are", state, among);
}

static void add_to_island(struct island_text *t, const struct clock_room *room, uint32_t l)
{
	vec_push(&t->locations, l);
	t->all = wider(t->all, clock_bounds_usual(room, l));
	t->inside = wider(t->inside, clock_island_of(room, l).usual);
}

/* Adds locations to the first islands; returns how many islands there are. */
static uint32_t gather_islands(struct island_text *texts, const struct clock_room *room,
			       const struct trace *trace)
{
	const uint32_t clocks = room->bounds.clocks;
	OWNED uint32_t *sizes = xcalloc(clocks + 1u, sizeof *sizes);
	/* By part, those that are alone last, and state; 0: not seen. */
	OWNED uint32_t *number = xcalloc((clocks + 1u) * (size_t)ISLAND_STATES, sizeof *number);
	uint32_t islands = 0;

	for (uint32_t i = 0; i < clocks; i++)
		sizes[room->bounds.of[i].part]++;
	for (uint32_t l = 0; l < room->locations; l++) {
		const struct island of = island_of(room, sizes, l);
		const uint32_t part = of.part == UINT32_MAX ? clocks : of.part;
		uint32_t *n = &number[part * (size_t)ISLAND_STATES + of.state];
		if (room->bounds.of[room->of[l]].part == 0 || trace_location(trace, l)->thread > 0)
			continue;
		if (*n == 0) {
			*n = ++islands;
			if (islands <= ISLANDS_SAID)
				texts[islands - 1].of = of;
		}
		if (*n <= ISLANDS_SAID)
			add_to_island(&texts[*n - 1], room, l);
	}
	return islands;
}

void clock_bounds_islands(struct phrases *p, const struct corrections *c,
			  void (*said)(void *context, const char *sentence, bool unknown),
			  void *context)
{
	static const struct room_span none = { INFINITY, -INFINITY };
	struct island_text texts[ISLANDS_SAID];
	uint32_t islands;

	if (!c || !c->room.done || clock_bounds_lacking(c, p->trace))
		return;
	for (int i = 0; i < ISLANDS_SAID; i++)
		texts[i] =
			(struct island_text){ .locations = VEC_INIT, .all = none, .inside = none };
	islands = gather_islands(texts, &c->room, p->trace);
	for (uint32_t i = 0; i < ISLANDS_SAID; i++) {
		if (i < islands)
			said(context, island_sentence(p, &c->room, &texts[i]),
			     texts[i].of.state == ISLAND_UNKNOWN);
		vec_fini(&texts[i].locations);
	}
	if (islands > ISLANDS_SAID)
		said(context,
		     phrase(p,
			    "%s more of ranks that messages do not join to the others: "
			    "tview export corrections-clocks.",
			    phrase_count(p, islands - ISLANDS_SAID, "group", "groups")),
		     false);
}

/* ---- differences of two times ---- */

const char *clock_bounds_length(struct phrases *p, double length, struct room_span span)
{
	if (!room_span_known(span))
		return "the clocks are unknown against each other";
	return phrase(p, "the clocks allow %s to %s", phrase_time(p, length + span.low),
		      phrase_time(p, length + span.high));
}

const char *clock_bounds_wait(struct phrases *p, const struct clock_room *room,
			      const struct clock_place *begin, const struct clock_place *end,
			      double length)
{
	const struct room_span span = clock_room_closely(room, begin, end);

	if (!begin->known || !end->known || length + span.low > 0)
		return "";
	if (!room_span_known(span))
		return phrase(p,
			      "not certain: the clocks of %s and %s are unknown against each "
			      "other",
			      phrase_location(p, begin->location),
			      phrase_location(p, end->location));
	return phrase(p, "not certain: by the clocks of %s and %s it may be %s to %s long",
		      phrase_location(p, begin->location), phrase_location(p, end->location),
		      phrase_time(p, 0), phrase_time(p, length + span.high));
}
