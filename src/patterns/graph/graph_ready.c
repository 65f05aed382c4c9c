/* What has to be known of all locations before the events of one tell how long its calls waited:
 * who waited for whom in collectives, MPI_Init and MPI_Finalize, by the definitions of the wait
 * states (sync.h); and what the events are as records of capture's. Messages are looked up one by
 * one in the walk (lateness.h). */
#include <stdlib.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "model/trace/message.h"
#include "patterns/analysis/analysis_state.h"
#include "patterns/graph/graph_state.h"
#include "patterns/kinds/sync.h"

/* ---- a look at each location ---- */

/* Bytes of a record (capture/lib/record.h, tv_record_size()): the enter of an MPI call has its
 * place, too. */
enum { SMALL_RECORD = 16, LARGE_RECORD = 32 };

struct survey_walk {
	const struct trace *trace;
	const struct calls *calls;
	struct graph_survey *surveys;
	uint8_t *mpi; /* [call paths] its region is not user code */
	const struct progress *progress;
	enum time_base base;
	atomic_bool stopped;
};

/* A call of MPI_Init or MPI_Finalize that is open; path 0: none. */
struct open_edge {
	uint32_t path, depth, enter;
	int64_t en;
};

static void edge_begins(const struct survey_walk *s, struct open_edge *open, const struct cursor *c,
			uint32_t path, uint32_t event)
{
	const enum call_kind kind = calls_kind(s->calls, path);

	if (open->path == 0 && (kind == CALL_INIT || kind == CALL_FINALIZE))
		*open = (struct open_edge){ path, trace_callpath(s->trace, path)->depth, event,
					    cursor_time(c) };
}

static void edge_ends(const struct survey_walk *s, struct graph_survey *survey,
		      struct open_edge *open, const struct cursor *c)
{
	struct graph_edge_call *call =
		calls_kind(s->calls, open->path) == CALL_INIT ? &survey->init : &survey->finalize;

	if (call->leave == EVENT_NONE)
		*call = (struct graph_edge_call){
			.enter = open->enter,
			.leave = c->id,
			.path = trace_callpath(s->trace, open->path)->canon,
			.en = open->en,
			.lv = cursor_time(c)
		};
	open->path = 0;
}

static uint32_t record_bytes(const struct survey_walk *s, uint32_t what)
{
	switch (what_kind(what)) {
	case EV_ENTER: return s->mpi[what_id(what)] ? LARGE_RECORD : SMALL_RECORD;
	case EV_SEND:
	case EV_RECV:
	case EV_RECV_REQUEST:
	case EV_COLLECTIVE_BEGIN:
	case EV_IO: return LARGE_RECORD;
	default: return SMALL_RECORD;
	}
}

static void see_event(const struct survey_walk *s, struct graph_survey *survey,
		      struct open_edge *open, const struct cursor *c)
{
	const uint32_t what = cursor_what(c);
	const enum event_kind kind = what_kind(what);

	survey->events++;
	survey->bytes += record_bytes(s, what);
	if (kind != EV_ENTER && kind != EV_LEAVE)
		return;
	if (open->path && trace_callpath(s->trace, what_id(what))->depth <= open->depth)
		edge_ends(s, survey, open, c);
	if (kind == EV_ENTER)
		edge_begins(s, open, c, what_id(what), c->id);
}

static void survey_location(void *context, unsigned worker, size_t location)
{
	struct survey_walk *s = context;
	struct graph_survey *survey = &s->surveys[location];
	const uint32_t locations = trace_location_count(s->trace);
	struct open_edge open = { 0 };
	struct cursor c;

	survey->init.leave = survey->finalize.leave = EVENT_NONE;
	if (s->stopped)
		return;
	if (worker == 0 &&
	    !progress_step(s->progress, "program graph", location, 3 * (uint64_t)locations))
		s->stopped = true;
	if (!cursor_first(&c, s->trace, s->base, (uint32_t)location))
		return;
	for (uint32_t path = c.block->path; path != 0;
	     path = trace_callpath(s->trace, path)->parent)
		edge_begins(s, &open, &c, path, EVENT_NONE);
	do
		see_event(s, survey, &open, &c);
	while (cursor_next(&c));
}

static bool survey_all(struct graph_ready *ready, const struct graph *graph,
		       const struct progress *progress)
{
	const uint32_t paths = trace_callpath_count(graph->trace);
	const uint32_t locations = trace_location_count(graph->trace);
	struct survey_walk s = { .trace = graph->trace,
				 .calls = ready->calls,
				 .progress = progress,
				 .base = graph->options.base };

	s.surveys = ready->surveys = xcalloc(locations + 1, sizeof *ready->surveys);
	s.mpi = xcalloc(paths + 1, 1);
	for (uint32_t p = 1; p < paths; p++)
		s.mpi[p] = trace_callpath_class(graph->trace, p) != CLASS_USER;
	jobs_run(graph->jobs, locations, survey_location, &s);
	free(s.mpi);
	return !s.stopped;
}

/* ---- groups ---- */

static struct graph_edge_call *edge_of(const struct graph_ready *ready,
				       const struct sync_group *group, uint32_t location)
{
	return group->init ? &ready->surveys[location].init : &ready->surveys[location].finalize;
}

static uint32_t member_of(const struct trace *trace, uint32_t event)
{
	const uint32_t what = event == EVENT_NONE ? 0 : trace_event_what(trace, event);

	return what_kind(what) == EV_COLLECTIVE_BEGIN || what_kind(what) == EV_COLLECTIVE_END
		       ? what_id(what)
		       : ID_NONE;
}

static void on_notice(struct analysis *a, void *local, void *whole, const struct notice *notice)
{
	struct graph_ready *ready = *(struct graph_ready **)whole;
	struct sync_group *group = notice->group;
	const bool any = sync_evaluate(group);

	(void)local;
	for (uint32_t i = 0; i < group->n; i++) {
		const struct sync_party *party = &group->parties[i];
		const int64_t length = any && party->sync ? party->w : 0;
		uint32_t member;
		if (group->cls == LOGICAL_WORLD) {
			edge_of(ready, group, party->location)->length = length;
			edge_of(ready, group, party->location)->told = true;
			continue;
		}
		member = member_of(a->trace, party->end_event);
		if (group->collective == UINT32_MAX || member >= ready->n_parties)
			continue;
		ready->parties[member].start = sync_start(group, party);
		ready->parties[member].length = length;
		ready->parties[member].told = TOLD_MATCHED;
	}
}

static const struct pattern graph_pattern = {
	.name = "program graph",
	.subjects = 1u << SUBJECT_GROUP,
	.whole = sizeof(struct graph_ready *),
	.on_notice = on_notice,
};
static const struct pattern *const only_graph[] = { &graph_pattern, NULL };

/* There is no waiting in a communicator of one. */
static void make_parties(struct graph_ready *ready, const struct trace *trace)
{
	const uint32_t n = trace_collective_count(trace);

	for (uint32_t i = 0; i < n; i++) {
		const struct collective *c = trace_collective(trace, i);
		if (c->first + c->members > ready->n_parties)
			ready->n_parties = c->first + c->members;
	}
	ready->parties = xcalloc(ready->n_parties + 1, sizeof *ready->parties);
	for (uint32_t i = 0; i < ready->n_parties; i++)
		ready->parties[i].collective = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++) {
		const struct collective *c = trace_collective(trace, i);
		const struct comm *comm = trace_comm(trace, c->comm);
		const bool alone = comm->kind == COMM_SELF || comm->size + comm->remote_size <= 1;
		for (uint32_t k = 0; k < c->members; k++) {
			ready->parties[c->first + k].collective = i;
			ready->parties[c->first + k].told = alone ? TOLD_OWN : TOLD_NOT;
		}
	}
}

static struct world_call world_call(const struct graph_edge_call *call)
{
	return (struct world_call){ .enter = call->enter,
				    .leave = call->leave,
				    .path = call->path,
				    .there = call->leave != EVENT_NONE,
				    .en = call->en,
				    .lv = call->lv };
}

/* The stage of the analyses, with one that listens. */
static bool groups(struct graph_ready *ready, const struct graph *graph,
		   const struct progress *progress, struct err *err)
{
	const uint32_t locations = trace_location_count(graph->trace);
	struct analysis a = { .trace = graph->trace,
			      .base = graph->options.base,
			      .jobs = graph->jobs,
			      .calls = ready->calls,
			      .registry = only_graph };
	bool ok;

	a.places = xcalloc(locations + 1, sizeof *a.places);
	for (uint32_t l = 0; l < locations; l++) {
		a.places[l].init = world_call(&ready->surveys[l].init);
		a.places[l].finalize = world_call(&ready->surveys[l].finalize);
	}
	a.n_listeners[SUBJECT_GROUP] = 1;
	a.whole[0] = &ready;
	make_parties(ready, graph->trace);
	ok = group_stage(&a, progress, err);
	free(a.places);
	return ok;
}

struct graph_ready *graph_ready_new(const struct graph *graph, const struct progress *progress,
				    struct err *err)
{
	struct graph_ready *ready = xcalloc(1, sizeof *ready);

	ready->calls = calls_new(graph->trace, graph->options.base, graph->jobs, progress);
	if (ready->calls && survey_all(ready, graph, progress) &&
	    groups(ready, graph, progress, err))
		return ready;
	graph_ready_free(ready);
	return NULL;
}

void graph_ready_free(struct graph_ready *ready)
{
	if (!ready)
		return;
	calls_free(ready->calls);
	free_all(ready->surveys, ready->parties, ready);
}
