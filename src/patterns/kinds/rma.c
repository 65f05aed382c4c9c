#include "patterns/kinds/rma.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/copy.h"
#include "model/trace/detail.h"
#include "model/trace/halo.h"
#include "model/trace/region_meaning.h"

struct rma_gather {
	struct analysis *analysis;
	const struct trace *trace;
	uint8_t *kinds; /* [regions] of the calls, RMA_OTHER: the record itself says it */
	rma_records records;
	uint64_t *first; /* trace_first_numbers() */
};

/* ---- the walk: which events there are, and the bytes ---- */

static void count_bytes(struct analysis *analysis, const struct notice *notice,
			const struct trace *trace, const struct detail *detail)
{
	const uint64_t *v = trace_detail_values(trace, detail);
	const uint32_t path = notice->call ? notice->call->path : 0;
	uint64_t put = 0, get = 0;

	switch (detail->type) {
	case DETAIL_RMA_PUT: put = v[2]; break;
	case DETAIL_RMA_GET: get = v[2]; break;
	case DETAIL_RMA_ATOMIC:
		put = v[3];
		get = v[4];
		break;
	default: break;
	}
	if (put && put != UINT64_MAX)
		analysis_count(analysis, notice->location, notice->time, CUBE_BYTES_PUT, path,
			       (double)put);
	if (get && get != UINT64_MAX)
		analysis_count(analysis, notice->location, notice->time, CUBE_BYTES_GET, path,
			       (double)get);
}

static void on_notice(struct analysis *analysis, void *local, const struct notice *notice)
{
	const struct trace *trace = analysis_trace(analysis);
	event_vec *own = local;

	if (what_id(notice->what) >= trace_detail_count(trace) ||
	    trace_copy_of(trace, notice->event) != UINT32_MAX)
		return;
	vec_push(own, notice->event);
	count_bytes(analysis, notice, trace, trace_detail(trace, what_id(notice->what)));
}

/* ---- records of all windows ---- */

static enum rma_kind kind_of_call(const struct trace *trace, uint32_t region)
{
	switch (region_meaning(trace, region).operation) {
	case OPERATION_CREATE_WINDOW: return RMA_CREATE;
	case OPERATION_FREE_WINDOW: return RMA_FREE;
	case OPERATION_FENCE: return RMA_FENCE;
	case OPERATION_POST: return RMA_POST;
	case OPERATION_START: return RMA_START;
	case OPERATION_COMPLETE: return RMA_COMPLETE;
	case OPERATION_WAIT: return RMA_WAIT;
	default: return RMA_OTHER;
	}
}

/* An operation, until it is complete. */
struct rma_started {
	uint64_t matching;
	int32_t remote;
};
typedef VEC(struct rma_started) started_vec;

static uint64_t matching_of(const struct detail *detail, const uint64_t *v)
{
	return detail->type == DETAIL_RMA_ATOMIC ? v[5] : v[3];
}

/* The target of a completed operation. Numbers grow in a location; false where they do not. */
static bool find_started(const started_vec *started, uint64_t matching, int32_t *remote)
{
	size_t low = 0, high = started->n;

	BISECT(low, high, middle, started->data[middle].matching < matching);
	if (low == started->n || started->data[low].matching != matching)
		return false;
	*remote = started->data[low].remote;
	return true;
}

/* Reads the attributes of the detail; false: the record is not used. */
static bool read_detail(struct rma_record *r, const struct detail *detail, const uint64_t *v,
			enum rma_kind call, started_vec *started)
{
	switch (detail->type) {
	case DETAIL_RMA_COLLECTIVE_END:
		r->kind = (uint8_t)call;
		r->window = (uint32_t)v[2];
		return call == RMA_CREATE || call == RMA_FREE || call == RMA_FENCE;
	case DETAIL_RMA_GROUP_SYNC:
		r->kind = (uint8_t)call;
		r->window = (uint32_t)v[1];
		r->group = (uint32_t)v[2];
		return call >= RMA_POST && call <= RMA_WAIT;
	case DETAIL_RMA_PUT:
	case DETAIL_RMA_GET:
	case DETAIL_RMA_ATOMIC:
		r->kind = RMA_OPERATION;
		r->window = (uint32_t)v[0];
		r->remote = (int32_t)v[1];
		vec_push(started, ((struct rma_started){ matching_of(detail, v), r->remote }));
		return true;
	case DETAIL_RMA_OP_COMPLETE_REMOTE:
		r->kind = RMA_COMPLETED;
		r->window = (uint32_t)v[0];
		return find_started(started, v[1], &r->remote);
	case DETAIL_RMA_REQUEST_LOCK:
	case DETAIL_RMA_ACQUIRE_LOCK:
		r->kind = RMA_LOCK;
		r->window = (uint32_t)v[0];
		r->remote = (int32_t)v[1];
		r->exclusive = v[3] == 0; /* OTF2_LOCK_EXCLUSIVE */
		return true;
	case DETAIL_RMA_RELEASE_LOCK:
		r->kind = RMA_UNLOCK;
		r->window = (uint32_t)v[0];
		r->remote = (int32_t)v[1];
		return true;
	default: return false;
	}
}

static void gather_location(struct rma_gather *g, uint32_t location, event_vec *own)
{
	const enum time_base base = analysis_base(g->analysis);
	int64_t begin = INT64_MIN; /* of the collective that is open */
	started_vec started = { 0 };

	for (size_t i = 0; i < own->n; i++) {
		const uint32_t event = own->data[i];
		const struct detail *detail =
			trace_detail(g->trace, what_id(trace_event_what(g->trace, event)));
		const struct call_span call = calls_of(analysis_calls(g->analysis), event);
		struct rma_record r = { .location = location,
					.event = event,
					.path = call.path,
					.rank = trace_location(g->trace, location)->rank,
					.time = trace_event_time(g->trace, base, event),
					.begin = call.en,
					.en = call.en,
					.lv = call.lv };
		const enum rma_kind kind =
			call.path ? g->kinds[trace_callpath_region(g->trace, call.path)]
				  : RMA_OTHER;

		if (detail->type == DETAIL_RMA_COLLECTIVE_BEGIN)
			begin = r.time;
		if (!read_detail(&r, detail, trace_detail_values(g->trace, detail), kind, &started))
			continue;
		if (detail->type == DETAIL_RMA_COLLECTIVE_END) {
			r.begin = begin > r.en ? begin : r.en;
			begin = INT64_MIN;
		}
		if (g->first)
			r.number = trace_number_by(g->trace, g->first, event);
		vec_push(&g->records, r);
	}
	vec_fini(&started);
	vec_fini(own);
}

ORDERING(by_window, struct rma_record, window, location, event)

static uint32_t size_of_window(const struct trace *trace, uint32_t window)
{
	const struct object *object;
	uint64_t comm;

	if (window >= trace_object_count(trace))
		return 0;
	object = trace_object(trace, window);
	if (object->detail.type != OBJECT_RMA_WINDOW)
		return 0;
	comm = trace_detail_values(trace, &object->detail)[0];
	return comm < trace_comm_count(trace) ? trace_comm(trace, (uint32_t)comm)->size : 0;
}

static void number_epochs(struct rma_record *records, uint32_t n)
{
	uint32_t epoch = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (i && records[i].location != records[i - 1].location)
			epoch = 0;
		records[i].epoch = epoch;
		epoch += records[i].kind == RMA_FENCE;
	}
}

/* `results`: of struct rma_window. */
static void see_windows(struct rma_gather *g, rma_results *results)
{
	struct rma_record *records = g->records.data;
	const size_t n = g->records.n;

	SORT(records, n, by_window);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && records[end].window == records[i].window;)
			end++;
		const struct rma_window window = { g->analysis,
						   g->trace,
						   records + i,
						   (uint32_t)(end - i),
						   size_of_window(g->trace, records[i].window),
						   results };
		number_epochs(records + i, window.n);
		rma_collectives(&window);
		rma_epochs(&window);
		rma_locks(&window);
	}
}

/* Of all processes together. */
static void see_shared(struct rma_gather *g)
{
	rma_results results = VEC_INIT;

	if (!exchange_any(trace_exchange(g->trace), g->records.n > 0))
		return;
	rma_share_records(g->trace, &g->records);
	see_windows(g, &results);
	rma_share_results(g->analysis, &results);
	vec_fini(&results);
}

static void finish(struct analysis *analysis, const struct pattern *self)
{
	struct rma_gather g = { .analysis = analysis, .trace = analysis_trace(analysis) };
	const uint32_t regions = trace_region_count(g.trace);

	g.kinds = xmalloc(regions + 1);
	g.first = trace_first_numbers(g.trace);
	for (uint32_t i = 0; i < regions; i++)
		g.kinds[i] = (uint8_t)kind_of_call(g.trace, i);
	for (uint32_t l = 0; l < trace_location_count(g.trace); l++)
		gather_location(&g, l, analysis_local(analysis, self, l));
	if (trace_exchange(g.trace))
		see_shared(&g);
	else
		see_windows(&g, NULL);
	vec_fini(&g.records);
	free_all(g.kinds, g.first);
}

const struct pattern rma_pattern = {
	.name = "rma",
	.events = 1u << EV_RMA,
	.local = sizeof(event_vec),
	.on_notice = on_notice,
	.finish = finish,
	.release = event_vec_release,
};
