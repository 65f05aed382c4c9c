#include "model/trace/core_wait.h"

#include <math.h>
#include <string.h>

#include "base/exchange.h"
#include "base/fixed.h"
#include "model/meaning/class.h"
#include "model/trace/detail.h"
#include "model/trace/halo.h"

#define NANO 1e9

/* Events of a location among which the first and the last one of its waits are looked for, and
 * those of an interval. */
enum { EVENTS_MOST = 1 << 17, INTERVAL_MOST = 1 << 20 };

uint32_t trace_core_wait_set(const struct trace *trace)
{
	for (uint32_t i = 0; i < trace_metric_set_count(trace); i++) {
		const struct metric_set *set = trace_metric_set(trace, i);
		if (set->n == 1 && set->metrics[0] < trace_metric_count(trace) &&
		    !strcmp(trace_string(trace, trace_metric(trace, set->metrics[0])->name),
			    CORE_WAIT_METRIC))
			return i;
	}
	return UINT32_MAX;
}

void core_walk_begin(struct core_walk *walk, const struct trace *trace)
{
	*walk = (struct core_walk){ .trace = trace,
				    .set = trace_core_wait_set(trace),
				    .path = UINT32_MAX,
				    .boundary = { INT64_MIN, INT64_MIN } };
}

/* Aside is what is neither the program nor MPI at work: the library, MPI_Init. */
static void open_path(struct core_walk *walk, uint32_t path)
{
	const enum region_class cls =
		path ? trace_callpath_class(walk->trace, path) : CLASS_OUTSIDE;

	walk->path = path;
	walk->is_mpi = path && region_class_is_mpi(cls);
	walk->is_aside = cls == CLASS_START_END || cls == CLASS_OVERHEAD || cls == CLASS_OUTSIDE;
}

/* Opens what is open after the event: whether a call of MPI begins or ends there; not one inside of
 * another one. */
static bool is_boundary(struct core_walk *walk, const struct visit_walk *v)
{
	const enum event_kind kind = visit_walk_kind(v);
	const bool was_mpi = walk->is_mpi;

	if (kind != EV_ENTER && kind != EV_LEAVE)
		return false;
	open_path(walk, v->next);
	return was_mpi != walk->is_mpi && walk->is_mpi == (kind == EV_ENTER);
}

/* The nanoseconds that an event has; false: it is another one. */
static bool nanoseconds_of(const struct trace *trace, uint32_t set, uint32_t what,
			   uint64_t *nanoseconds)
{
	const struct detail *detail;
	const uint64_t *values;

	if (what_kind(what) != EV_METRIC || what_id(what) >= trace_detail_count(trace))
		return false;
	detail = trace_detail(trace, what_id(what));
	values = trace_detail_values(trace, detail);
	if (detail->type != DETAIL_METRIC || detail->n != 2 || values[0] != set)
		return false;
	*nanoseconds = values[1];
	return true;
}

static double ticks_of(const struct trace *trace, uint64_t nanoseconds)
{
	return (double)nanoseconds / NANO * (double)trace_scale(trace)->per_second;
}

/* Adds what was waited since the event before; false: it is another event, or the first one. */
static bool waited_since(struct core_walk *walk, const struct visit_walk *v, int64_t *ticks)
{
	const int64_t time = v->time - walk->time;
	uint64_t total;
	bool known;

	if (!nanoseconds_of(walk->trace, walk->set, v->what, &total))
		return false;
	known = walk->any && total >= walk->total;
	*ticks = known ? llround(ticks_of(walk->trace, total - walk->total)) : 0;
	if (known && 2 * walk->aside < time) {
		walk->waited += *ticks < time ? *ticks : time;
		walk->of += time;
	}
	walk->any = true;
	walk->total = total;
	walk->time = v->time;
	walk->aside = 0;
	return known;
}

enum core_walk_step core_walk_event(struct core_walk *walk, const struct visit_walk *v,
				    struct core_wait *wait)
{
	if (v->path != walk->path)
		open_path(walk, v->path);
	if (walk->is_aside)
		walk->aside += v->to - v->from;
	if (is_boundary(walk, v)) {
		walk->boundary[1] = walk->boundary[0];
		walk->boundary[0] = v->time;
		return visit_walk_kind(v) == EV_LEAVE ? CORE_WALK_BEGIN : CORE_WALK_ON;
	}
	if (!waited_since(walk, v, &wait->ticks) || walk->boundary[1] == INT64_MIN || !walk->is_mpi)
		return CORE_WALK_ON;
	/* Outside of MPI, if the call is the one that begins here. */
	const bool begins = walk->boundary[0] == v->time;
	wait->from = walk->boundary[begins];
	wait->to = v->time;
	if (wait->ticks > wait->to - wait->from)
		wait->ticks = wait->to - wait->from;
	return begins ? CORE_WALK_WAIT : CORE_WALK_MPI;
}

/* ---- in all ---- */

static bool find_end(const struct trace *trace, uint32_t location, uint32_t set, bool last,
		     int64_t *time, uint64_t *nanoseconds)
{
	struct cursor c;
	int left = EVENTS_MOST;
	bool ok = last ? cursor_last(&c, trace, BASE_MEASURED, location)
		       : cursor_first(&c, trace, BASE_MEASURED, location);

	while (ok && !nanoseconds_of(trace, set, cursor_what(&c), nanoseconds))
		ok = --left > 0 && (last ? cursor_prev(&c) : cursor_next(&c));
	*time = ok ? cursor_time(&c) : 0;
	return ok;
}

struct core_waited trace_core_waited(const struct trace *trace)
{
	const uint32_t set = trace_core_wait_set(trace);
	int128 sums[2] = { 0 };

	for (uint32_t l = 0; set != UINT32_MAX && l < trace_location_count(trace); l++) {
		uint64_t first, last;
		int64_t from, to;
		if (!find_end(trace, l, set, false, &from, &first) ||
		    !find_end(trace, l, set, true, &to, &last) || last < first)
			continue;
		sums[0] += fixed_of(ticks_of(trace, last - first));
		sums[1] += fixed_of((double)(to - from));
	}
	exchange_sum(trace_exchange(trace), sums, 2);
	return (struct core_waited){ fixed_value(sums[0]), fixed_value(sums[1]) };
}

/* ---- in an interval ---- */

/* The time of the last event with a wait before `from`, else of the location's first event. */
static int64_t begin_before(const struct trace *trace, enum time_base base, uint32_t location,
			    uint32_t set, int64_t from)
{
	struct cursor c;
	int left = EVENTS_MOST;
	uint64_t unused;
	bool ok = cursor_seek(&c, trace, base, location, from)
			  ? cursor_prev(&c)
			  : cursor_last(&c, trace, base, location);

	while (ok && left-- > 0) {
		if (nanoseconds_of(trace, set, cursor_what(&c), &unused))
			return cursor_time(&c);
		ok = cursor_prev(&c);
	}
	return ok ? from : INT64_MIN;
}

static int64_t part_inside(const struct core_wait *wait, int64_t from, int64_t to)
{
	const int64_t begin = wait->from > from ? wait->from : from;
	const int64_t end = wait->to < to ? wait->to : to;

	if (end <= begin)
		return 0;
	return end - begin < wait->ticks ? end - begin : wait->ticks;
}

int64_t trace_core_waited_in(const struct trace *trace, enum time_base base, uint32_t location,
			     int64_t from, int64_t to)
{
	struct core_walk walk;
	struct core_wait wait;
	struct visit_walk v;
	int left = INTERVAL_MOST;
	int64_t sum = 0;

	core_walk_begin(&walk, trace);
	if (walk.set == UINT32_MAX || to == INT64_MAX)
		return -1;
	for (bool ok =
		     visit_walk_begin(&v, trace, base, location,
				      begin_before(trace, base, location, walk.set, from), to + 1);
	     ok; ok = visit_walk_next(&v)) {
		if (left-- == 0)
			return -1;
		if (core_walk_step(&walk, &v, &wait) == CORE_WALK_WAIT)
			sum += part_inside(&wait, from, to);
	}
	return walk.any ? sum : -1;
}
