/* view_corrections_locations: corrections by location: clocks, the furthest moves of the logical
 * clock, and the overhead that was removed (by region: view_difference). */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "model/trace/halo.h"
#include "views/facts/clock_bounds.h"
#include "views/facts/corrections_facts.h"
#include "views/query/table_gather.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

struct places_table {
	struct list_table list;
	const struct corrections *corrections;
	struct corrected facts;
	const struct fit_clock **clocks; /* [locations] clock that it is the first of; or NULL */
	uint32_t *first;                 /* [clocks] of the room: first location of each */
	int64_t taken_out;               /* ticks of overhead removed from all locations */
};

static void fini(struct list_table *list)
{
	struct places_table *t = (struct places_table *)list;

	free_all(t->clocks, t->first);
}

static struct places_table *places_new(const struct query *query, const struct list_ops *ops,
				       const struct column *columns, unsigned n)
{
	struct places_table *t = list_table_new(sizeof *t, ops, columns, n, query->trace);

	t->corrections = query->corrections;
	t->facts = corrected_of(query->trace, query->corrections);
	return t;
}

/* ---- clocks ---- */

#define CLOCK_COLUMNS(ROW)                                                                 \
	ROW(L_LOCATION, "location", "location", COLUMN_TEXT, 9, true, true)                \
	ROW(L_STATE, "state", "clock is", COLUMN_TEXT, 10, true, true)                     \
	ROW(L_OFFSETS, "offsets", "offsets", COLUMN_COUNT, 7, true, false)                 \
	ROW(L_OFFSET, "offset_s", "offset", COLUMN_DURATION, 10, true, true)               \
	ROW(L_DRIFT, "drift_ppm", "drift ppm", COLUMN_REAL, 9, true, true)                 \
	ROW(L_ERROR, "error", "error", COLUMN_TEXT, 22, false, true)                       \
	ROW(L_LOW, "error_low_s", "error >=", COLUMN_DURATION, 10, true, false)            \
	ROW(L_HIGH, "error_high_s", "error <=", COLUMN_DURATION, 10, true, false)          \
	ROW(L_LOWEST, "error_low_worst_s", "worst >=", COLUMN_DURATION, 10, true, false)   \
	ROW(L_HIGHEST, "error_high_worst_s", "worst <=", COLUMN_DURATION, 10, true, false) \
	ROW(L_SHIFT, "shift_s", "shift", COLUMN_DURATION, 9, true, true)                   \
	ROW(L_EDGES, "edges", "messages", COLUMN_COUNT, 9, true, false)                    \
	ROW(L_ROUND_TRIP, "round_trip_s", "round trip", COLUMN_DURATION, 10, true, false)  \
	ROW(L_STEPS, "steps", "steps", COLUMN_COUNT, 6, true, false)                       \
	ROW(L_STEP, "step_s", "set by", COLUMN_DURATION, 9, true, false)                   \
	ROW(L_ZERO, "island_zero", "zero is", COLUMN_TEXT, 9, true, false)                 \
	ROW(L_ISLAND_LOW, "island_low_s", "in it >=", COLUMN_DURATION, 10, true, false)    \
	ROW(L_ISLAND_HIGH, "island_high_s", "in it <=", COLUMN_DURATION, 10, true, false)  \
	ROW(L_BOUND, "drift_bound", "200 ppm", COLUMN_TEXT, 8, true, true)                 \
	ROW(L_ALLOWED, "drift_allowed_ppm", "allowed", COLUMN_REAL, 8, true, false)        \
	ROW(L_LEAST, "drift_least_ppm", "drift >=", COLUMN_REAL, 8, true, false)           \
	ROW(L_MOST, "drift_most_ppm", "drift <=", COLUMN_REAL, 8, true, false)
enum { CLOCK_COLUMNS(COLUMN_ID) L_COLUMNS };
static const struct column clock_columns[L_COLUMNS] = { CLOCK_COLUMNS(COLUMN_ROW) };

struct offsets_seen {
	uint64_t n;
	int64_t trip; /* ticks: shortest round trip, -1 unknown */
};

/* The location's own offsets; they are sorted by location. */
static struct offsets_seen offsets_of(const struct trace *trace, uint32_t location)
{
	struct offsets_seen seen = { 0, -1 };
	size_t low = 0, high = trace_offset_count(trace);

	BISECT(low, high, middle, trace_offset(trace, middle)->location < location);
	for (; low < trace_offset_count(trace) && trace_offset(trace, low)->location == location;
	     low++, seen.n++) {
		const int64_t trip = trace_offset(trace, low)->rtt;
		if (trip >= 0 && (seen.trip < 0 || trip < seen.trip))
			seen.trip = trip;
	}
	return seen;
}

/* Steps that were taken out of the times of the clock of which the location is the first. */
struct steps_seen {
	uint64_t n;
	double sum; /* ticks, forward */
};

static struct steps_seen steps_of(const struct places_table *t, uint32_t location)
{
	const struct fit_report *fit = &t->corrections->fit;
	struct steps_seen seen = { 0, 0 };

	for (uint32_t i = 0; fit->done && i < fit->n_steps; i++)
		if (fit->steps[i].location == location) {
			seen.n++;
			seen.sum += (double)fit->steps[i].size;
		}
	return seen;
}

/* The amount that the best clock added to the measured times: at the location's first event, and
 * its change up to the last without the clock's steps. */
static void added(const struct places_table *t, uint32_t location, double steps,
		  struct value *offset, struct value *drift)
{
	struct cursor c;
	int64_t t0, t1;
	double first, last;

	*offset = value_integer(false, 0);
	*drift = value_real(false, 0);
	if (!cursor_first(&c, t->list.trace, BASE_MEASURED, location))
		return;
	t0 = cursor_time(&c);
	first = (double)(trace_event_time(t->list.trace, t->facts.after, c.id) - t0);
	if (!cursor_last(&c, t->list.trace, BASE_MEASURED, location))
		return;
	t1 = cursor_time(&c);
	last = (double)(trace_event_time(t->list.trace, t->facts.after, c.id) - t1) + steps;
	*offset = value_duration(true, first);
	*drift = value_real(t1 > t0, t1 > t0 ? 1e6 * (last - first) / (double)(t1 - t0) : 0);
}

/* Rounded up: it remains a bound. */
static struct value value_bound(double ticks)
{
	return value_duration(isfinite(ticks), ticks < 0 ? floor(ticks) : ceil(ticks));
}

/* What the best clock may be wrong by, and against the zero of its island. */
static void error_cells(struct places_table *t, uint32_t location, struct value *v)
{
	const struct clock_room *room = &t->corrections->room;
	const struct room_span usual = clock_bounds_usual(room, location);
	const struct room_span worst = clock_bounds_worst(room, location);
	const struct clock_island island = clock_island_of(room, location);
	const bool any = island.zero != UINT32_MAX;
	struct str *text = list_table_text(&t->list);

	v[L_ZERO] = any ? value_location(t->list.trace, t->first[island.zero]) : value_text(NULL);
	v[L_ISLAND_LOW] = value_bound(any ? island.usual.low : -INFINITY);
	v[L_ISLAND_HIGH] = value_bound(any ? island.usual.high : INFINITY);
	if (any && t->first[island.zero] != location && !room_span_known(usual)) {
		str_add_fmt(text, "%s only: ", v[L_ZERO].text);
		clock_bounds_text(text, island.usual, trace_scale(t->list.trace));
	} else {
		clock_bounds_text(text, usual, trace_scale(t->list.trace));
	}
	v[L_ERROR] = value_text(text->text);
	v[L_LOW] = value_bound(usual.low);
	v[L_HIGH] = value_bound(usual.high);
	v[L_LOWEST] = value_bound(worst.low);
	v[L_HIGHEST] = value_bound(worst.high);
}

/* Whether the drift that its bounds are made with holds. */
static void drift_cells(const struct clock_room *room, uint32_t location, struct value *v)
{
	const bool known = room->done && location < room->locations;
	const struct room_clock none = { 0 };
	const struct room_clock *of = known ? &room->bounds.of[room->of[location]] : &none;
	const bool any = known && room->of[location] != 0;

	v[L_BOUND] = value_text(any ? clock_drift_name((enum room_drift)of->drift) : NULL);
	v[L_ALLOWED] = value_real(any, 1e6 * room->bounds.drift);
	v[L_LEAST] = value_real(any, 1e6 * of->least);
	v[L_MOST] = value_real(any, 1e6 * of->most);
}

static void clock_cells(struct list_table *list, uint32_t location, struct value *v)
{
	struct places_table *t = (struct places_table *)list;
	const struct fit_clock *clock = t->clocks[location];
	const struct offsets_seen seen = offsets_of(t->list.trace, location);
	const struct steps_seen steps = steps_of(t, location);

	v[L_LOCATION] = value_location(t->list.trace, location);
	v[L_STATE] = value_text(!t->corrections->fit.n_clocks ? NULL
				: clock                       ? clock_state_name(clock->state)
							      : clock_state_name(CLOCK_SHARED));
	v[L_OFFSETS] = value_count(seen.n);
	added(t, location, steps.sum, &v[L_OFFSET], &v[L_DRIFT]);
	error_cells(t, location, v);
	drift_cells(&t->corrections->room, location, v);
	v[L_SHIFT] = value_duration(t->corrections->fit.done && clock, clock ? clock->shift : 0);
	v[L_EDGES] = value_integer(clock != NULL, clock ? (int64_t)clock->edges : 0);
	v[L_ROUND_TRIP] = value_integer(seen.trip >= 0, seen.trip);
	v[L_STEPS] = value_count(steps.n);
	v[L_STEP] = value_duration(steps.n > 0, steps.sum);
}

static uint32_t *first_locations(const struct clock_room *room)
{
	uint32_t *first = xcalloc((room->done ? room->bounds.clocks : 0) + 1u, sizeof *first);

	for (uint32_t l = room->done ? room->locations : 0; l-- > 0;)
		first[room->of[l]] = l;
	return first;
}

struct table *corrections_clocks_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = clock_cells,
					     .fini = fini,
					     .items = THING_LOCATION };
	struct places_table *t = places_new(query, &ops, clock_columns, L_COLUMNS);
	const uint32_t n = trace_location_count(query->trace);
	OWNED_VEC(struct row_key) keys = VEC_INIT;

	if (!t->corrections)
		return &t->list.table;
	if (!trace_base_make(query->trace, t->facts.after, query->progress, err))
		return list_table_done(&t->list, false);
	t->clocks = xcalloc((size_t)n + 1, sizeof *t->clocks);
	for (uint32_t c = 0; c < t->corrections->fit.n_clocks; c++) {
		const struct fit_clock *clock = &t->corrections->fit.clocks[c];
		if (clock->location < n)
			t->clocks[clock->location] = clock;
	}
	t->first = first_locations(&t->corrections->room);
	for (uint32_t l = 0; l < n; l++)
		if (trace_has_location(query->trace, l)) {
			list_table_add(&t->list, l);
			vec_push(&keys, ((struct row_key){ { l } }));
		}
	return table_gather(&t->list.table, trace_exchange(query->trace), keys.data);
}

/* ---- moves of the logical clock ---- */

enum { M_LOCATION, M_TIME, M_MOVE, M_EVENT, M_REGION, M_VIOLATED, M_CORRECTED, M_COLUMNS };

static const struct column move_columns[M_COLUMNS] = {
	[M_LOCATION] = { "location", "location", COLUMN_TEXT, 12, true, true },
	[M_TIME] = { "time_s", "at [s]", COLUMN_TIME, 14, true, true },
	[M_MOVE] = { "move_s", "moved by", COLUMN_DURATION, 10, true, true },
	[M_EVENT] = { "event", "event", COLUMN_TEXT, 14, true, false },
	[M_REGION] = { "region", "in", COLUMN_NAME, 14, true, true },
	[M_VIOLATED] = { "violated", "receives", COLUMN_COUNT, 8, true, true },
	[M_CORRECTED] = { "corrected", "events", COLUMN_COUNT, 9, true, true },
};

static void move_cells(struct list_table *list, uint32_t location, struct value *v)
{
	const struct places_table *t = (const struct places_table *)list;
	const struct clc_location *l = &t->corrections->clc.locations[location];
	const uint32_t event = l->max_event;
	const bool known = event != EVENT_NONE;

	v[M_LOCATION] = value_location(t->list.trace, location);
	v[M_TIME] =
		value_integer(known, known ? trace_event_time(t->list.trace, BASE_CLC, event) : 0);
	v[M_MOVE] = value_integer(true, l->max_move);
	v[M_EVENT] = value_text(
		known ? event_kind_name(what_kind(trace_event_what(t->list.trace, event))) : NULL);
	v[M_REGION] = known ? value_region_at(t->list.trace, event) : value_text(NULL);
	v[M_VIOLATED] = value_count(l->violated);
	v[M_CORRECTED] = value_count(l->corrected);
}

static struct row_thing furthest_move(const struct list_table *list, uint32_t location)
{
	const struct places_table *t = (const struct places_table *)list;

	return (struct row_thing){ THING_EVENT, t->corrections->clc.locations[location].max_event,
				   0 };
}

struct table *corrections_moves_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = move_cells,
					     .fini = fini,
					     .thing = furthest_move };
	struct places_table *t = places_new(query, &ops, move_columns, M_COLUMNS);
	OWNED_VEC(struct row_key) keys = VEC_INIT;

	(void)err;
	if (!t->corrections || !t->corrections->clc.done || !trace_has_base(query->trace, BASE_CLC))
		return &t->list.table;
	for (uint32_t l = 0; l < t->corrections->clc.n_locations; l++) {
		const int64_t move = t->corrections->clc.locations[l].max_move;
		if (move <= 0 || !trace_has_location(query->trace, l))
			continue;
		list_table_add(&t->list, l);
		vec_push(&keys, ((struct row_key){ { -move, l } }));
	}
	if (trace_exchange(query->trace))
		return table_gather(&t->list.table, trace_exchange(query->trace), keys.data);
	list_table_sort(&t->list.table, M_MOVE, true);
	return &t->list.table;
}

/* ---- overhead ---- */

#define LOCATION_COLUMNS(ROW)                                                            \
	ROW(O_PLACE, "location", "location", COLUMN_TEXT, 12, true, true)                \
	ROW(O_MEASURED, "measured_s", "measured", COLUMN_DURATION, 9, true, true)        \
	ROW(O_COMPENSATED, "compensated_s", "without", COLUMN_DURATION, 9, true, true)   \
	ROW(O_DIFFERENCE, "difference_s", "difference", COLUMN_DURATION, 10, true, true) \
	ROW(O_SHARE, "share", "share", COLUMN_SHARE, 8, true, true)                      \
	ROW(O_LOWER, "lower_s", "without >=", COLUMN_DURATION, 10, true, true)           \
	ROW(O_UPPER, "upper_s", "without <=", COLUMN_DURATION, 10, true, true)           \
	ROW(O_REMOVED, "removed_share", "removed", COLUMN_SHARE, 8, true, true)          \
	ROW(O_RECORDS, "records", "records", COLUMN_COUNT, 9, true, false)               \
	ROW(O_EVENT, "event_s", "per record", COLUMN_REAL, 9, true, false)               \
	ROW(O_CARRIED, "carried_share", "carried", COLUMN_SHARE, 7, true, false)         \
	ROW(O_SAMPLED, "sampled_share", "sampled", COLUMN_SHARE, 7, true, false)
enum { LOCATION_COLUMNS(COLUMN_ID) O_COLUMNS };
static const struct column location_columns[O_COLUMNS] = { LOCATION_COLUMNS(COLUMN_ROW) };

static int64_t least_of(const struct overhead_sum *s)
{
	const int64_t bound = s->lower < s->upper ? s->lower : s->upper;

	return s->compensated < bound ? s->compensated : bound;
}

static int64_t most_of(const struct overhead_sum *s)
{
	const int64_t bound = s->lower > s->upper ? s->lower : s->upper;

	return s->compensated > bound ? s->compensated : bound;
}

/* Ticks removed from a location. */
static int64_t taken_out(const struct overhead_location *l)
{
	return l->time.measured - l->time.compensated;
}

static void location_cells(struct list_table *list, uint32_t location, struct value *v)
{
	const struct places_table *t = (const struct places_table *)list;
	const struct overhead_location *l = &t->corrections->overhead.locations[location];
	const struct overhead_sum *sum = &l->time;
	const bool claimed = t->facts.overhead && l->ratio <= OVERHEAD_NO_CLAIM;
	const double taken = (double)taken_out(l), whole = (double)sum->measured;

	v[O_PLACE] = value_location(t->list.trace, location);
	v[O_MEASURED] = value_integer(true, sum->measured);
	v[O_COMPENSATED] = value_integer(claimed, sum->compensated);
	/* Waiting time need not shrink with the overhead: the bounds include all three times. */
	v[O_LOWER] = value_integer(claimed, least_of(sum));
	v[O_UPPER] = value_integer(claimed, most_of(sum));
	v[O_DIFFERENCE] = value_integer(claimed, taken_out(l));
	v[O_SHARE] = value_real(claimed && t->taken_out != 0,
				t->taken_out ? taken / (double)t->taken_out : 0);
	v[O_REMOVED] = value_real(claimed && whole > 0, whole > 0 ? taken / whole : 0);
	v[O_RECORDS] = value_count(sum->records);
	v[O_EVENT] = value_real(true, l->event);
	v[O_CARRIED] = value_real(true, l->carried);
	v[O_SAMPLED] = value_real(true, l->sampled);
}

struct table *corrections_overhead_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = location_cells,
					     .fini = fini,
					     .items = THING_LOCATION };
	struct places_table *t = places_new(query, &ops, location_columns, O_COLUMNS);

	(void)err;
	if (!t->corrections || !t->corrections->overhead.done)
		return &t->list.table;
	for (uint32_t l = 0; l < t->corrections->overhead.n_locations; l++) {
		t->taken_out += taken_out(&t->corrections->overhead.locations[l]);
		list_table_add(&t->list, l);
	}
	return &t->list.table;
}
