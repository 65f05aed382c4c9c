/* Which locations share a clock. */
#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/fit_state.h"
#include "model/trace/store.h"

enum { NO_CLOCK = UINT32_MAX };

/* The location whose clock a location has: its process's first. */
static uint32_t process_of(const struct trace *trace, uint32_t location)
{
	const int32_t rank = trace_location(trace, location)->rank;
	const uint32_t first =
		rank == RANK_UNKNOWN ? UINT32_MAX : trace_location_of_rank(trace, rank);

	return first == UINT32_MAX ? location : first;
}

/* The recorded offsets of a location. */
struct recorded {
	const struct offset *at;
	size_t n;
	uint32_t location;
};

static struct recorded *recorded_offsets(const struct trace *trace)
{
	const uint32_t locations = trace_location_count(trace);
	struct recorded *of = xcalloc(locations + 1, sizeof *of);

	for (uint32_t l = 0; l < locations; l++)
		of[l].location = l;
	for (size_t i = 0; i < trace_offset_count(trace); i++) {
		const struct offset *o = trace_offset(trace, i);
		if (of[o->location].n++ == 0)
			of[o->location].at = o;
	}
	return of;
}

static bool all_zero(const struct recorded *recorded)
{
	for (size_t i = 0; i < recorded->n; i++)
		if (recorded->at[i].offset != 0)
			return false;
	return recorded->n > 0;
}

static int compare_offsets(const struct recorded *x, const struct recorded *y)
{
	ORDER_BY(x->n, y->n);
	for (size_t i = 0; i < x->n; i++) {
		ORDER_BY(x->at[i].time, y->at[i].time);
		ORDER_BY(x->at[i].offset, y->at[i].offset);
	}
	return 0;
}

/* By what was measured, then by number. */
static int by_offsets(const void *a, const void *b)
{
	const struct recorded *x = a, *y = b;
	const int order = compare_offsets(x, y);

	return order ? order : ORDER(x->location, y->location);
}

static uint32_t reference_of(const struct trace *trace)
{
	const uint32_t first = trace_location_of_rank(trace, 0);

	return first == UINT32_MAX ? 0 : first;
}

/* leader[l]: the location that represents l's clock. */
static uint32_t *find_leaders(const struct trace *trace, uint32_t *processes)
{
	const uint32_t locations = trace_location_count(trace);
	const uint32_t reference = reference_of(trace);
	uint32_t *leader = xcalloc(locations + 1, sizeof *leader);
	struct recorded *of = recorded_offsets(trace), *last = NULL;

	*processes = 0;
	for (uint32_t l = 0; l < locations; l++) {
		const uint32_t first = process_of(trace, l);
		leader[l] = first;
		*processes += first == l;
		if (all_zero(&of[first]) &&
		    trace_location(trace, first)->node == trace_location(trace, reference)->node)
			leader[l] = reference;
	}
	SORT(of, locations, by_offsets);
	for (uint32_t i = 0; i < locations; i++) {
		if (leader[of[i].location] != of[i].location)
			continue;
		if (last && of[i].location != reference && last->n &&
		    compare_offsets(last, &of[i]) == 0 && !all_zero(last))
			leader[of[i].location] = last->location;
		else
			last = &of[i];
	}
	free(of);
	return leader;
}

/* All of a tied clock are, and its leader is one of them. */
static void follow_ties(uint32_t *leader, const int64_t *tied, uint32_t locations)
{
	for (uint32_t l = 0; tied && l < locations; l++)
		if (tied[l] != NOT_TIED)
			leader[l] = (uint32_t)tied[l];
}

static uint32_t leader_of(const uint32_t *leader, uint32_t location)
{
	while (leader[location] != location)
		location = leader[location];
	return location;
}

/* The first and the last event of a location. */
struct life {
	uint64_t clock;
	int64_t first, last;      /* ticks */
	int64_t started, stopped; /* the same in measured times, without steps */
};

static int64_t without_steps(const struct clocks *clocks, uint32_t location, int64_t measured)
{
	return clocks->steps ? measured - steps_until(clocks->steps, clocks->of[location], measured)
			     : measured;
}

static struct life life_of(const struct clocks *clocks, uint32_t location, uint32_t first,
			   uint32_t last)
{
	const struct trace *trace = clocks->trace;
	const int64_t a = trace_event_time(trace, BASE_MEASURED, first);
	const int64_t b = trace_event_time(trace, BASE_MEASURED, last);

	return (struct life){ clocks->of[location], clocks_ticks(clocks, location, first),
			      clocks_ticks(clocks, location, last),
			      without_steps(clocks, location, a),
			      without_steps(clocks, location, b) };
}

/* Times count from the clock's first event, so that clocks days apart lose no nanosecond. */
void clocks_set_lines(struct clocks *clocks)
{
	int64_t *last = xcalloc(clocks->n + 1, sizeof *last), end;
	int64_t *stopped = xcalloc(clocks->n + 1, sizeof *stopped);
	bool *seen = xcalloc(clocks->n + 1, sizeof *seen);
	OWNED_VEC(struct life) lives = VEC_INIT;
	const struct life *life;

	trace_span(clocks->trace, clocks->base, &clocks->origin, &end);
	clocks->length = 0;
	for (uint32_t l = 0; l < trace_location_count(clocks->trace); l++) {
		struct cursor a, b;
		if (cursor_first(&a, clocks->trace, clocks->base, l) &&
		    cursor_last(&b, clocks->trace, clocks->base, l))
			vec_push(&lives, life_of(clocks, l, a.id, b.id));
	}
	exchange_rows(trace_exchange(clocks->trace), &lives);
	vec_each (life, &lives) {
		struct clock_line *line = &clocks->line[life->clock];
		const bool new = !seen[life->clock];
		if (new || life->first < line->base)
			line->base = life->first;
		if (new || life->last > last[life->clock])
			last[life->clock] = life->last;
		if (new || life->started < clocks->first[life->clock])
			clocks->first[life->clock] = life->started;
		if (new || life->stopped > stopped[life->clock])
			stopped[life->clock] = life->stopped;
		seen[life->clock] = true;
	}
	for (uint32_t c = 0; c < clocks->n; c++) {
		struct clock_line *line = &clocks->line[c];
		const int64_t length = stopped[c] - clocks->first[c];
		if (!seen[c])
			line->base = last[c] = clocks->first[c] = clocks->origin;
		line->offset = (double)(line->base - clocks->origin) * clocks->ns;
		line->drift = 0;
		clocks->rate[c] =
			length > 0 ? (double)(last[c] - line->base) / (double)length - 1 : 0;
		clocks->plain[c] = false;
		clocks->length = fmax(clocks->length, (double)(last[c] - line->base) * clocks->ns);
	}
	free_all(last, stopped, seen);
}

static void add_clock(struct clocks *clocks, uint32_t location)
{
	clocks->location[clocks->n] = location;
	clocks->of[location] = clocks->n++;
}

void clocks_make(struct clocks *clocks, const struct trace *trace, enum time_base base,
		 const struct ties *ties)
{
	const uint32_t locations = trace_location_count(trace);
	uint32_t *leader;

	*clocks = (struct clocks){ .trace = trace, .base = base };
	clocks->tied = ties ? ties->leader : NULL;
	clocks->ns = 1e9 / (double)trace_scale(trace)->per_second;
	clocks->of = xcalloc(locations + 1, sizeof *clocks->of);
	clocks->location = xcalloc(locations + 1, sizeof *clocks->location);
	clocks->locations = xcalloc(locations + 1, sizeof *clocks->locations);
	clocks->line = xcalloc(locations + 1, sizeof *clocks->line);
	clocks->plain = xcalloc(locations + 1, sizeof *clocks->plain);
	clocks->rate = xcalloc(locations + 1, sizeof *clocks->rate);
	clocks->first = xcalloc(locations + 1, sizeof *clocks->first);
	leader = find_leaders(trace, &clocks->processes);
	follow_ties(leader, clocks->tied, locations);
	if (locations > 0)
		add_clock(clocks, reference_of(trace));
	for (uint32_t l = 0; l < locations; l++)
		if (leader_of(leader, l) == l && l != clocks->location[0])
			add_clock(clocks, l);
	for (uint32_t l = 0; l < locations; l++) {
		clocks->of[l] = clocks->of[leader_of(leader, l)];
		clocks->locations[clocks->of[l]]++;
	}
	clocks->records = xcalloc(locations + 1, sizeof *clocks->records);
	for (size_t i = 0; i < trace_offset_count(trace); i++)
		clocks->records[clocks->of[trace_offset(trace, i)->location]]++;
	clocks->measured = true;
	for (uint32_t c = 1; c < clocks->n; c++)
		clocks->measured = clocks->measured && clocks->records[c] >= 2;
	free(leader);
	clocks_set_lines(clocks);
}

void clocks_fini(struct clocks *clocks)
{
	free_all(clocks->of, clocks->location, clocks->locations, clocks->line, clocks->records,
		 clocks->plain, clocks->rate, clocks->first);
	*clocks = (struct clocks){ 0 };
}

double clocks_time(const struct clocks *clocks, uint32_t clock, int64_t ticks)
{
	const struct clock_line *line = &clocks->line[clock];

	return line->offset + (1 + line->drift) * (double)(ticks - line->base) * clocks->ns;
}

void clocks_use_steps(struct clocks *clocks, const struct clock_steps *steps)
{
	clocks->steps = steps;
	clocks_set_lines(clocks);
}

const struct offset *clocks_offset(const struct clocks *clocks, size_t i)
{
	return clocks->steps ? &clocks->steps->offsets[i] : trace_offset(clocks->trace, i);
}

static bool is_tied(const struct clocks *clocks, uint32_t location)
{
	return clocks->tied && clocks->tied[location] != NOT_TIED;
}

enum time_base clocks_source(const struct clocks *clocks, uint32_t location)
{
	return clocks->steps || is_tied(clocks, location) || clocks->plain[clocks->of[location]]
		       ? BASE_MEASURED
		       : clocks->base;
}

/* A measured time of the clock without steps, as the base has it. */
static int64_t with_offsets(const struct clocks *clocks, uint32_t leader, int64_t time)
{
	return clocks->steps ? offset_apply_of(clocks->trace, clocks->steps->offsets, leader, time)
			     : offset_apply(clocks->trace, leader, time);
}

int64_t clocks_convert(const struct clocks *clocks, uint32_t location, int64_t time)
{
	const bool tied = is_tied(clocks, location);
	const uint32_t leader = tied ? (uint32_t)clocks->tied[location] : location;

	if (clocks->plain[clocks->of[location]])
		return without_steps(clocks, location, time);
	return clocks->steps || tied
		       ? with_offsets(clocks, leader, without_steps(clocks, location, time))
		       : time;
}

int64_t clocks_ticks(const struct clocks *clocks, uint32_t location, uint32_t event)
{
	return clocks_convert(clocks, location,
			      trace_event_time(clocks->trace, clocks_source(clocks, location),
					       event));
}

void clocks_use_measured(struct clocks *clocks, uint32_t clock)
{
	struct clock_line *line = &clocks->line[clock];

	line->base = clocks->first[clock];
	line->drift = (1 + line->drift) * (1 + clocks->rate[clock]) - 1;
	clocks->plain[clock] = true;
}

double clocks_slope(const struct clocks *clocks, uint32_t clock)
{
	const double base = clocks->plain[clock] ? 0 : clocks->rate[clock];

	return (1 + clocks->line[clock].drift) * (1 + base) - 1;
}

bool clocks_follow(const struct clocks *clocks, uint32_t location)
{
	return is_tied(clocks, location) && clocks->tied[location] != location;
}

double clocks_record_time(const struct clocks *clocks, const struct offset *o)
{
	const uint32_t clock = clocks->of[o->location];

	/* The record's times have no steps in them. */
	return clocks_time(clocks, clock,
			   clocks->plain[clock] || clocks->base == BASE_MEASURED
				   ? o->time
				   : with_offsets(clocks, o->location, o->time));
}

double clocks_record_goal(const struct clocks *clocks, const struct offset *o)
{
	return (double)(o->time + o->offset - clocks->origin) * clocks->ns;
}

double clocks_to_base(const struct clocks *clocks, uint32_t clock, double t)
{
	const struct clock_line *line = &clocks->line[clock];
	const double ticks = (t - line->offset) / (1 + line->drift) / clocks->ns;
	int64_t base;

	if (!clocks->plain[clock] || clocks->base == BASE_MEASURED ||
	    !(fabs(ticks) < (double)TIME_LIMIT))
		return 0;
	base = with_offsets(clocks, clocks->location[clock], line->base + llround(ticks));
	return (double)(base - clocks->origin) * clocks->ns - t;
}
