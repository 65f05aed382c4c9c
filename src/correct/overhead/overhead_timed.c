#include "correct/overhead/overhead_timed.h"

#include <math.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/store.h"

/* Events that are looked at for the values of a call, which are right before its leave. */
enum { CALL_EVENTS = 256 };

struct overhead_timed timed_make(const struct trace *trace)
{
	return (struct overhead_timed){ .set = virtual_values_set(trace) };
}

bool timed_call(const struct overhead_timed *timed, const struct trace *trace,
		const struct overhead_paths *paths, enum time_base base, uint32_t event,
		struct virtual_call *call)
{
	struct cursor c;
	uint32_t depth = 0;

	if (timed->set == UINT32_MAX)
		return false;
	cursor_at(&c, trace, base, event);
	for (int i = 0; i < CALL_EVENTS; i++) {
		const uint32_t what = cursor_what(&c);
		if (!depth && virtual_values(trace, timed->set, what, call))
			return true;
		if (what_kind(what) == EV_ENTER)
			depth += c.id != event;
		else if (what_kind(what) == EV_LEAVE && depth)
			depth--;
		else if (what_kind(what) == EV_LEAVE &&
			 paths->list[what_id(what)].role == PATH_CALL)
			return false;
		if (!cursor_next(&c))
			break;
	}
	return false;
}

int64_t timed_inside(const struct overhead_timed *timed, const struct trace *trace,
		     const struct overhead_paths *paths, enum time_base base, uint32_t event)
{
	struct virtual_call call;

	if (trace_is_ghost(trace, event))
		return path_far_call(paths, trace, event)->inside;
	return timed_call(timed, trace, paths, base, event, &call) ? call.inside : 0;
}

/* ---- several processes ---- */

struct sharing {
	const struct overhead_timed *timed;
	const struct trace *trace;
	const struct overhead_paths *paths;
	enum time_base base;
};

static void say_call(void *context, uint32_t event, void *said)
{
	const struct sharing *s = context;

	*(struct far_call *)said = (struct far_call){
		.begin = call_begin(s->trace, s->paths, s->base, event),
		.exit = call_exit(s->trace, s->paths, s->base, event),
		.inside = timed_inside(s->timed, s->trace, s->paths, s->base, event),
	};
}

void timed_share(const struct overhead_timed *timed, const struct trace *trace,
		 struct overhead_paths *paths, enum time_base base)
{
	struct sharing s = { timed, trace, paths, base };

	if (!trace->halo)
		return;
	paths->far = xcalloc(halo_ghosts(trace->halo) + 1, sizeof *paths->far);
	halo_ask(trace, HALO_SENDS, sizeof *paths->far, say_call, &s, paths->far);
	halo_ask(trace, HALO_RECVS, sizeof *paths->far, say_call, &s, paths->far);
}

/* ---- between calls ---- */

ORDERING_OF_NUMBERS(by_length, int64_t)

/* The same for each, but for those that have no room for that. */
static double level_of(struct overhead_timed *timed, double *sum)
{
	const size_t n = timed->distances.n;

	vec_sort(&timed->distances, by_length);
	for (size_t i = 0; i < n; i++) {
		const double room = (double)timed->distances.data[i],
			     level = *sum / (double)(n - i);
		if (room >= level) {
			*sum = 0;
			return level;
		}
		*sum -= room;
	}
	return n ? (double)timed->distances.data[n - 1] : 0;
}

static bool is_record(const struct overhead_paths *paths, uint32_t what)
{
	const enum event_kind kind = what_kind(what);

	return kind == EV_MARK ||
	       ((kind == EV_ENTER || kind == EV_LEAVE) && path_is_delayed(paths, what_id(what)));
}

/* What ends the stretch that begins with an event: the enter of the next call, or what was kept of
 * a thread's wait for others of its team. */
struct stretch_end {
	bool known;
	uint32_t event;
	int64_t arrived; /* the wait began */
	struct virtual_call call;
};

static struct stretch_end end_of_stretch(const struct overhead_timed *timed,
					 const struct trace *trace,
					 const struct overhead_paths *paths, struct cursor c,
					 bool first)
{
	struct stretch_end end = { .event = EVENT_NONE, .arrived = INT64_MAX };
	uint32_t tool = 0;

	for (bool ok = first || cursor_next(&c); ok; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c), path = what_id(what);
		const enum event_kind kind = what_kind(what);
		end.event = c.id;
		if (kind == EV_ENTER && paths->list[path].role == PATH_MEASURING && !tool) {
			tool = path;
		} else if (kind == EV_LEAVE && tool && path_ends(paths, path, tool)) {
			tool = 0;
		} else if (kind == EV_ENTER && !tool && paths->list[path].role == PATH_CALL &&
			   !path_is_construct(paths, path)) {
			end.known = timed_call(timed, trace, paths, c.base, c.id, &end.call) &&
				    end.call.timed >= 0;
			return end;
		} else if (virtual_values(trace, timed->set, what, &end.call)) {
			/* One that begins because another one did has taken its intrusion. */
			end.known = end.call.timed >= 0 && end.call.unsure >= 0;
			end.arrived = cursor_time(&c) - end.call.since;
			return end;
		}
	}
	return end;
}

struct timed_stretch timed_ahead(struct overhead_timed *timed, const struct trace *trace,
				 const struct overhead_paths *paths, enum time_base base,
				 uint32_t event, bool first, int64_t after, int64_t left)
{
	struct timed_stretch stretch = { .end = EVENT_NONE };
	struct stretch_end end;
	int64_t last, measuring = 0;
	uint32_t tool = 0;
	struct cursor c;

	if (timed->set == UINT32_MAX)
		return stretch;
	timed->distances.n = 0;
	cursor_at(&c, trace, base, event);
	last = cursor_time(&c);
	end = end_of_stretch(timed, trace, paths, c, first);
	stretch.known = end.known;
	for (bool ok = end.known && (first || cursor_next(&c)); ok; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c), path = what_id(what);
		const enum event_kind kind = what_kind(what);
		const int64_t distance = cursor_time(&c) - last;
		const bool enters = kind == EV_ENTER && !tool && !path_is_delayed(paths, path);
		last = cursor_time(&c);
		measuring += tool ? distance : 0;
		if (enters)
			stretch.room += (double)(distance > after ? distance - after : 0);
		after = after > distance ? after - distance : 0;
		stretch.end = c.id;
		if (c.id == end.event || (enters && last >= end.arrived))
			break;
		if (enters && paths->list[path].role == PATH_MEASURING) {
			tool = path;
		} else if (kind == EV_LEAVE && tool && path_ends(paths, path, tool)) {
			tool = 0;
		} else if (is_record(paths, what) && !tool) {
			/* Before the first of all there was time. */
			const bool free = first && timed->distances.n == 0;
			vec_push(&timed->distances, free ? INT64_MAX : distance);
		}
	}
	if (!stretch.known)
		return stretch;
	stretch.rest = (double)(end.call.timed > measuring ? end.call.timed - measuring : 0);
	/* In a wait, tasks are timed, too. */
	if (end.arrived < INT64_MAX)
		stretch.rest = fmax(0, fmin(stretch.rest, (double)(end.call.before - left)));
	stretch.even = first;
	stretch.early = stretch.late = stretch.rest;
	stretch.free = stretch.room;
	for (size_t i = 0; i < timed->distances.n && !first; i++)
		stretch.free += (double)timed->distances.data[i];
	stretch.each = level_of(timed, &stretch.rest);
	return stretch;
}

bool timed_begins_delayed(const struct trace *trace, const struct overhead_paths *paths,
			  enum time_base base, uint32_t event)
{
	struct cursor c;
	int64_t first;

	cursor_at(&c, trace, base, event);
	first = cursor_time(&c);
	for (bool ok = true; ok && cursor_time(&c) == first; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		if (what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE)
			return path_is_delayed(paths, what_id(what));
	}
	return false;
}

double timed_before_first(struct overhead_timed *timed, const struct trace *trace,
			  const struct overhead_paths *paths, enum time_base base)
{
	struct exchange *x = trace_exchange(trace);
	const uint32_t location = trace_first_location(trace, base);
	double each = 0;
	struct cursor c;

	if (location != UINT32_MAX && trace_has_location(trace, location) &&
	    cursor_first(&c, trace, base, location) &&
	    timed_begins_delayed(trace, paths, base, c.id))
		each = timed_ahead(timed, trace, paths, base, c.id, true, 0, 0).each;
	return exchange_most(x, each > 0 ? each : 0) - exchange_most(x, each < 0 ? -each : 0);
}

bool timed_birth(const struct overhead_timed *timed, const struct trace *trace, enum time_base base,
		 uint32_t event, struct virtual_call *birth)
{
	enum { BIRTH_EVENTS = 8 };
	struct cursor c;

	if (timed->set == UINT32_MAX)
		return false;
	cursor_at(&c, trace, base, event);
	for (int i = 0; i < BIRTH_EVENTS; i++) {
		if (virtual_values(trace, timed->set, cursor_what(&c), birth))
			return birth->unshown && birth->unsure < 0;
		if (!cursor_next(&c))
			break;
	}
	return false;
}

void timed_fini(struct overhead_timed *timed)
{
	vec_fini(&timed->distances);
}
