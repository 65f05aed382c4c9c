/* Lock Contention of critical sections, OpenMP's locks, mutexes and conditions: a thread waits from
 * the enter of its call until the one that had the lock before releases it. A condition is waited
 * for before its mutex is: there the waiting for the mutex begins when that other one acquired it,
 * at the earliest.
 *
 * The order of acquisition in the records says which thread had the lock before; in a trace without
 * it, the times do. */
#include <stdlib.h>

#include "base/order.h"
#include "model/trace/detail.h"
#include "patterns/kinds/threads.h"

struct use {
	uint32_t process; /* first location of it */
	uint32_t location;
	uint32_t event;
	bool acquires;
	uint64_t paradigm, lock, order;
	int64_t time;
};

struct uses {
	struct analysis *analysis;
	const struct trace *trace;
	uint32_t *masters;
	VEC(struct use) list;
};

ORDERING(by_lock, struct use, process, paradigm, lock, order, time, event)

static void list_location(struct uses *u, uint32_t location, const event_vec *own)
{
	for (size_t i = 0; i < own->n; i++) {
		const uint32_t event = own->data[i];
		const struct detail *detail =
			trace_detail(u->trace, what_id(trace_event_what(u->trace, event)));
		const uint64_t *v = trace_detail_values(u->trace, detail);
		vec_push(&u->list,
			 ((struct use){ .process = u->masters[location],
					.location = location,
					.event = event,
					.acquires = detail->type == DETAIL_LOCK_ACQUIRE,
					.paradigm = v[0],
					.lock = v[1],
					.order = v[2],
					.time = trace_event_time(u->trace,
								 analysis_base(u->analysis),
								 event) }));
	}
}

static enum cube_metric metric_of(const struct trace *trace, uint32_t path)
{
	if (path == 0)
		return CUBE_NONE;
	switch (region_metric(trace, trace_callpath_region(trace, path))) {
	case CUBE_OMP_CRITICAL: return CUBE_OMP_LOCK_CONTENTION_CRITICAL;
	case CUBE_OMP_LOCK_API: return CUBE_OMP_LOCK_CONTENTION_API;
	case CUBE_PTHREAD_LOCK_API: return CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK;
	case CUBE_PTHREAD_CONDITIONAL: return CUBE_PTHREAD_LOCK_CONTENTION_CONDITIONAL;
	default: return CUBE_NONE;
	}
}

/* `got` acquired the lock that `before` acquired and `freed`. */
static void contention(struct uses *u, const struct use *got, const struct use *before,
		       const struct use *freed)
{
	const struct call_span call = calls_of(analysis_calls(u->analysis), got->event);
	const enum cube_metric metric = metric_of(u->trace, call.path);
	int64_t begin = call.en;
	const int64_t end = freed->time < got->time ? freed->time : got->time;

	if (metric == CUBE_PTHREAD_LOCK_CONTENTION_CONDITIONAL && before && before->time > begin)
		begin = before->time;
	if (metric == CUBE_NONE || end <= begin)
		return;
	analysis_found(u->analysis, got->location,
		       &(struct wait){ .event = got->event,
				       .partner = freed->event,
				       .path = call.path,
				       .metric = (uint8_t)metric,
				       .begin = begin,
				       .length = end - begin });
}

static bool is_same_lock(const struct use *a, const struct use *b)
{
	return a->process == b->process && a->paradigm == b->paradigm && a->lock == b->lock;
}

static void find_contention(struct analysis *analysis, const struct pattern *self)
{
	struct uses u = { .analysis = analysis, .trace = analysis_trace(analysis) };
	const struct use *before = NULL, *freed = NULL, *use;

	u.masters = threads_masters(u.trace);
	for (uint32_t l = 0; l < trace_location_count(u.trace); l++)
		list_location(&u, l, analysis_local(analysis, self, l));
	vec_sort(&u.list, by_lock);
	for (size_t i = 0; i < u.list.n; i++) {
		use = &u.list.data[i];
		if (i && !is_same_lock(use, use - 1))
			before = freed = NULL;
		if (!use->acquires) {
			freed = use;
			continue;
		}
		if (freed && freed->location != use->location)
			contention(&u, use, before, freed);
		before = use;
		freed = NULL;
	}
	free(u.masters);
	vec_fini(&u.list);
}

static void on_notice(struct analysis *analysis, void *local, const struct notice *notice)
{
	const struct trace *trace = analysis_trace(analysis);
	event_vec *own = local;
	uint32_t type;

	if (what_id(notice->what) >= trace_detail_count(trace))
		return;
	type = trace_detail(trace, what_id(notice->what))->type;
	if (type == DETAIL_LOCK_ACQUIRE || type == DETAIL_LOCK_RELEASE)
		vec_push(own, notice->event);
}

const struct pattern thread_locks_pattern = {
	.name = "thread locks",
	.events = 1u << EV_THREAD,
	.local = sizeof(event_vec),
	.on_notice = on_notice,
	.finish = find_contention,
	.release = event_vec_release,
};
