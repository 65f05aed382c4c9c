/* The walk over one location: which regions are open, what each call of MPI completed. */
#include "base/mem.h"
#include "base/vec.h"
#include "model/trace/message.h"
#include "model/trace/visit_walk.h"
#include "patterns/analysis/analysis_state.h"

enum { STEP_BLOCKS = 1 << 10 };

/* An open region, and where the completions that belong to it begin. */
struct open_call {
	struct walk_call call;
	uint32_t received, sent;
};

struct location_walk {
	struct analysis *analysis;
	const struct callpath *paths; /* the trace's, by id */
	uint32_t location;
	bool traced;
	VEC(struct open_call) open; /* of depth d at d - 1 */
	VEC(struct completion) received, sent;
};

static void publish_event(struct location_walk *w, uint32_t event, uint32_t what, int64_t time)
{
	if (w->analysis->events[what_kind(what)].n > 0)
		analysis_publish(w->analysis,
				 &(struct notice){ .subject = SUBJECT_EVENT,
						   .location = w->location,
						   .event = event,
						   .what = what,
						   .time = time,
						   .call = w->open.n ? &vec_last(&w->open)->call
								     : NULL });
}

/* ---- calls ---- */

static bool is_in_call(const struct location_walk *w)
{
	return w->open.n && vec_last(&w->open)->call.kind != CALL_OTHER;
}

/* Where a region begins inside a call, or a call begins while tracing is off, waits have to be cut
 * to the call's own time (wait_parts.h). */
static void call_begins(struct location_walk *w, uint32_t path, uint32_t event, int64_t time)
{
	const struct open_call open = {
		.call = { .location = w->location,
			  .path = w->paths[path].canon,
			  .kind = calls_kind(w->analysis->calls, path),
			  .enter = event,
			  .leave = EVENT_NONE,
			  .en = time },
		.received = (uint32_t)w->received.n,
		.sent = (uint32_t)w->sent.n,
	};

	if ((!w->traced && open.call.kind != CALL_OTHER) || is_in_call(w))
		w->analysis->places[w->location].nested = true;
	vec_push(&w->open, open);
}

static void keep_world_call(struct world_call *kept, const struct walk_call *call)
{
	if (!kept->there)
		*kept = (struct world_call){ call->enter, call->leave, call->path,
					     true,        call->en,    call->lv };
}

static void call_ends(struct location_walk *w, uint32_t event, int64_t time)
{
	struct open_call *open = vec_last(&w->open);
	struct walk_call *call = &open->call;
	struct location_findings *place = &w->analysis->places[w->location];

	if (call->kind != CALL_OTHER) {
		call->leave = event;
		call->lv = time;
		call->received = w->received.data + open->received;
		call->n_received = (uint32_t)w->received.n - open->received;
		call->sent = w->sent.data + open->sent;
		call->n_sent = (uint32_t)w->sent.n - open->sent;
		analysis_publish(w->analysis, &(struct notice){ .subject = SUBJECT_CALL,
								.location = w->location,
								.call = call });
	}
	if (call->kind == CALL_INIT && event != EVENT_NONE)
		keep_world_call(&place->init, call);
	if (call->kind == CALL_FINALIZE && event != EVENT_NONE)
		keep_world_call(&place->finalize, call);
	w->received.n = open->received;
	w->sent.n = open->sent;
	w->open.n--;
}

/* Ends all regions deeper than `depth`. */
static void calls_end(struct location_walk *w, uint32_t depth, uint32_t event, int64_t time)
{
	while (w->open.n > depth)
		call_ends(w, event, time);
}

/* ---- events ---- */

static void count_ends(struct location_walk *w, const struct message *m, enum event_kind kind,
		       int64_t time)
{
	const struct analysis *a = w->analysis;
	struct analysis_counts *counts = &a->places[w->location].counts;

	if (m->flags & MSG_CANCELLED)
		return;
	if (kind == EV_SEND) {
		counts->unmatched += (m->flags & (MSG_NO_RECV | MSG_RECV_PENDING)) != 0;
		return;
	}
	if (m->flags & MSG_NO_SEND)
		counts->unmatched++;
	else if (trace_event_time(a->trace, a->base, m->send) > time)
		counts->violations++;
}

/* A message's end, with what it completes in the innermost call. */
static void see_message(struct location_walk *w, uint32_t event, uint32_t what, int64_t time)
{
	const struct trace *trace = w->analysis->trace;
	const uint32_t row = what_id(what);
	const enum event_kind kind = what_kind(what);
	const struct completion completion = { row, event };
	const struct message *m;

	if (row >= trace_message_count(trace))
		return;
	m = trace_message(trace, row);
	if (kind == EV_SEND || kind == EV_RECV)
		count_ends(w, m, kind, time);
	if (!is_in_call(w))
		return;
	if (kind == EV_RECV)
		vec_push(&w->received, completion);
	if (kind == EV_SEND_COMPLETE || (kind == EV_SEND && !(m->flags & MSG_SEND_REQUEST)))
		vec_push(&w->sent, completion);
}

static void see_event(struct location_walk *w, const struct cursor *c)
{
	const uint32_t what = cursor_what(c);
	const enum event_kind kind = what_kind(what);
	uint32_t path = what_id(what);

	switch (kind) {
	case EV_ENTER: call_begins(w, path, c->id, cursor_time(c)); return;
	case EV_LEAVE:
		path = w->paths[path].parent;
		calls_end(w, w->paths[path].depth, c->id, cursor_time(c));
		return;
	case EV_STRAY_LEAVE:
	case EV_MARK:
	case EV_DATA:
	case EV_MESSAGE_TEXT:
	case EV_STATISTICS: return;
	case EV_TRACING_ON:
	case EV_TRACING_OFF:
		w->analysis->places[w->location].nested |= is_in_call(w);
		w->traced = kind == EV_TRACING_ON;
		return;
	case EV_SEND:
	case EV_RECV:
	case EV_SEND_COMPLETE: see_message(w, c->id, what, cursor_time(c)); break;
	default: break;
	}
	publish_event(w, c->id, what, cursor_time(c));
}

/* From the cursor on, by blocks: this is one of the passes that cost most. False: stopped. */
static bool see_events(struct location_walk *w, struct cursor *c, struct stage *stage,
		       unsigned worker)
{
	const uint32_t locations = trace_location_count(w->analysis->trace);
	size_t n = 0;

	do {
		for (struct cursor here = *c; here.slot < here.block->n; here.slot++, here.id++)
			see_event(w, &here);
		if (++n % STEP_BLOCKS == 0 && !stage_step(stage, worker, w->location, locations))
			return false;
	} while (cursor_next_block(c));
	c->slot = c->block->n - 1u;
	return true;
}

bool walk_location(struct stage *stage, unsigned worker, uint32_t location)
{
	struct analysis *a = stage->analysis;
	struct location_walk w = { .analysis = a,
				   .paths = trace_callpath(a->trace, 0),
				   .location = location,
				   .traced = true };
	struct visit_walk v;
	int64_t end = 0;
	bool going = true;

	if (visit_walk_begin(&v, a->trace, a->base, location, INT64_MIN, INT64_MAX)) {
		OWNED uint32_t *chain = callpath_chain(a->trace, v.path);
		for (uint32_t d = 0; d < w.paths[v.path].depth; d++)
			call_begins(&w, chain[d], EVENT_NONE, v.time);
		w.traced = v.traced;
		going = see_events(&w, &v.c, stage, worker);
		end = cursor_time(&v.c);
	}
	if (going) {
		calls_end(&w, 0, EVENT_NONE, end);
		analysis_publish(a, &(struct notice){ .subject = SUBJECT_LOCATION,
						      .location = location,
						      .time = end });
	}
	vec_fini(&w.open);
	vec_fini(&w.received);
	vec_fini(&w.sent);
	return going;
}
