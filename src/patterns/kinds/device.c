/* Waiting of a host for its accelerator: from the enter of a call that returns when the device has
 * finished (class "device") until the device did, else until the call's leave.
 *
 * No record says which work such a call waits for. It is known where it can be no other: a single
 * stream of the process was at work in the call, and finished; of a call for all of the device's
 * work, of its streams the last one to finish. */
#include <string.h>

#include "base/lists.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/trace/copy.h"
#include "model/trace/detail.h"
#include "patterns/analysis/pattern.h"

/* Kernels and copies are work. */
enum work_event { WORK_NONE, WORK_BEGINS, WORK_ENDS };

static enum work_event work_event(const struct trace *trace, uint32_t event, uint32_t what)
{
	uint32_t copy;

	switch (what_kind(what)) {
	case EV_ENTER: return WORK_BEGINS;
	case EV_LEAVE: return WORK_ENDS;
	case EV_RMA:
		copy = trace_copy_of(trace, event);
		if (copy == UINT32_MAX || trace_copy(trace, copy)->end == EVENT_NONE)
			return WORK_NONE;
		return trace_copy(trace, copy)->end == event ? WORK_ENDS : WORK_BEGINS;
	default: return WORK_NONE;
	}
}

/* What a device did until the end of a call. */
struct device_work {
	uint32_t end; /* of its last work, EVENT_NONE without */
	int64_t time;
	bool goes_on;
};

static struct device_work work_until(const struct analysis *a, uint32_t device, int64_t t)
{
	const struct trace *trace = analysis_trace(a);
	struct device_work work = { .end = EVENT_NONE };
	struct cursor c;
	bool ok = cursor_seek(&c, trace, analysis_base(a), device, t + 1)
			  ? cursor_prev(&c)
			  : cursor_last(&c, trace, analysis_base(a), device);

	for (; ok && work.end == EVENT_NONE; ok = cursor_prev(&c)) {
		const enum work_event kind = work_event(trace, c.id, cursor_what(&c));
		work.goes_on |= kind == WORK_BEGINS && cursor_time(&c) < t;
		if (kind != WORK_ENDS)
			continue;
		work.end = c.id;
		work.time = cursor_time(&c);
	}
	return work;
}

static bool waits_for_all(const struct trace *trace, uint32_t path)
{
	const char *name = trace_region_name(trace, trace_callpath_region(trace, path));

	return strstr(name, "DeviceSynchronize") || strstr(name, "CtxSynchronize") ||
	       strstr(name, "ThreadSynchronize");
}

/* The end of the work that a call waited for, EVENT_NONE: not known. */
static uint32_t awaited(const struct analysis *a, const struct call_span *call,
			const event_vec *devices)
{
	const struct trace *trace = analysis_trace(a);
	const bool all = waits_for_all(trace, call->path);
	struct device_work last = { .end = EVENT_NONE };
	uint32_t context = UINT32_MAX, busy = 0;
	const uint32_t *device;

	vec_each (device, devices) {
		const struct device_work work = work_until(a, *device, call->lv);
		const bool finished = work.end != EVENT_NONE && work.time > call->en;
		const uint32_t owner = trace_location(trace, *device)->owner;
		if (!finished && !work.goes_on)
			continue;
		if (busy++ && (!all || owner != context))
			return EVENT_NONE;
		if (!finished || (all && work.goes_on))
			return EVENT_NONE;
		context = owner;
		if (last.end == EVENT_NONE || work.time > last.time)
			last = work;
	}
	return last.end;
}

static void add_call(struct analysis *a, uint32_t location, uint32_t event,
		     const event_vec *devices)
{
	const struct call_span call = calls_of(analysis_calls(a), event);
	const uint32_t partner = awaited(a, &call, devices);
	const int64_t end = partner == EVENT_NONE ? call.lv
						  : trace_event_time(analysis_trace(a),
								     analysis_base(a), partner);

	if (end > call.en)
		analysis_found(a, location,
			       &(struct wait){ .event = event,
					       .partner = partner,
					       .path = call.path,
					       .metric = CUBE_DEVICE_WAIT,
					       .begin = call.en,
					       .length = end - call.en });
}

static void finish_program(struct analysis *a, const struct pattern *self, const uint32_t *members,
			   uint32_t n)
{
	const struct trace *trace = analysis_trace(a);
	event_vec devices = VEC_INIT;

	for (uint32_t i = 0; i < n; i++)
		if (trace_location(trace, members[i])->type == LOCATION_ACCELERATOR)
			vec_push(&devices, members[i]);
	for (uint32_t i = 0; i < n; i++) {
		const event_vec *calls = analysis_local(a, self, members[i]);
		const uint32_t *call;
		vec_each (call, calls)
			add_call(a, members[i], *call, &devices);
	}
	vec_fini(&devices);
}

static bool has_calls(struct analysis *a, const struct pattern *self, uint32_t n)
{
	for (uint32_t l = 0; l < n; l++) {
		const event_vec *calls = analysis_local(a, self, l);
		if (calls->n)
			return true;
	}
	return false;
}

static void finish(struct analysis *a, const struct pattern *self)
{
	const uint32_t n = trace_location_count(analysis_trace(a));
	OWNED uint32_t *program = NULL;
	struct lists of;

	if (!has_calls(a, self, n))
		return;
	program = xmalloc(((size_t)n + 1) * sizeof *program);
	trace_programs(analysis_trace(a), program);
	lists_make(&of, n, program, n);
	for (uint32_t p = 0; p < n; p++) {
		uint32_t many;
		const uint32_t *members = lists_of(&of, p, &many);
		finish_program(a, self, members, many);
	}
	lists_fini(&of);
}

static void on_notice(struct analysis *a, void *local, const struct notice *notice)
{
	const struct walk_call *call = notice->call;
	event_vec *calls = local;

	if (call->kind != CALL_DEVICE ||
	    !location_runs_code(trace_location(analysis_trace(a), notice->location)))
		return;
	if (call->leave != EVENT_NONE || call->enter != EVENT_NONE)
		vec_push(calls, call->leave != EVENT_NONE ? call->leave : call->enter);
}

const struct pattern device_pattern = {
	.name = "device",
	.subjects = 1u << SUBJECT_CALL,
	.local = sizeof(event_vec),
	.on_notice = on_notice,
	.finish = finish,
	.release = event_vec_release,
};
