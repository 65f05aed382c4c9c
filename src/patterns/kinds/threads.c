#include "patterns/kinds/threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/trace/detail.h"
#include "patterns/kinds/sync.h"

uint32_t *threads_masters(const struct trace *trace)
{
	const uint32_t n = trace_location_count(trace), processes = trace_process_count(trace);
	uint32_t *masters = xmalloc((n + 1) * sizeof *masters);
	OWNED uint32_t *owned = xmalloc((processes + 1) * sizeof *owned);

	memset(owned, 0xff, (processes + 1) * sizeof *owned);
	for (uint32_t l = 0; l < n; l++) {
		const struct location *location = trace_location(trace, l);
		const uint32_t of_rank = location->rank == RANK_UNKNOWN
						 ? UINT32_MAX
						 : trace_location_of_rank(trace, location->rank);
		masters[l] = of_rank < n ? of_rank : l;
		if (of_rank < n || location->owner >= processes)
			continue;
		if (owned[location->owner] == UINT32_MAX)
			owned[location->owner] = l;
		masters[l] = owned[location->owner];
	}
	return masters;
}

/* ---- the walk: when threads are in a team ---- */

static void begin_team(struct own_threads *own, const struct notice *notice)
{
	if (own->depth++)
		return;
	vec_push(&own->spans,
		 ((struct team_span){ .begin = notice->time,
				      .end = INT64_MAX,
				      .fork = notice->time,
				      .event = notice->event,
				      .path = notice->call ? notice->call->path : 0 }));
}

static void end_team(struct own_threads *own, int64_t time)
{
	if (own->depth && --own->depth == 0)
		vec_last(&own->spans)->end = time;
}

static void on_event(const struct analysis *analysis, struct own_threads *own,
		     const struct notice *notice)
{
	const struct trace *trace = analysis_trace(analysis);

	if (what_id(notice->what) >= trace_detail_count(trace))
		return;
	switch (trace_detail(trace, what_id(notice->what))->type) {
	case DETAIL_TEAM_BEGIN: begin_team(own, notice); break;
	case DETAIL_TEAM_END: end_team(own, notice->time); break;
	default: break;
	}
}

/* ---- the groups: barriers of a team, forks ---- */

static void barrier(struct analysis *analysis, struct sync_group *group)
{
	const struct trace *trace = analysis_trace(analysis);
	const uint32_t path = group->parties[0].path;
	enum cube_metric metric = CUBE_OMP_EBARRIER_WAIT;

	if (!barrier_evaluate(group))
		return;
	if (path && region_metric(trace, trace_callpath_region(trace, path)) == CUBE_OMP_IBARRIER)
		metric = CUBE_OMP_IBARRIER_WAIT;
	sync_publish(analysis, group, metric, CUBE_NONE);
}

static void fork_span(struct own_threads *own, uint32_t event, int64_t fork)
{
	size_t low = 0, high = own->spans.n;

	BISECT(low, high, middle, own->spans.data[middle].event < event);
	if (low < own->spans.n && own->spans.data[low].event == event)
		own->spans.data[low].fork = fork;
}

static bool is_first_of_process(const struct trace *trace, uint32_t location)
{
	const struct location *l = trace_location(trace, location);

	if (l->rank != RANK_UNKNOWN)
		return trace_location_of_rank(trace, l->rank) == location;
	for (uint32_t i = 0; i < location; i++)
		if (trace_location(trace, i)->owner == l->owner)
			return false;
	return true;
}

/* A thread starts from the fork on, or from what it did last, if that is later. Before its first
 * event only a further thread of a process has time, in no region (threads_idle.c). */
static int64_t starts_at(const struct analysis *analysis, const struct sync_party *party,
			 int64_t fork)
{
	const struct trace *trace = analysis_trace(analysis);
	int64_t time = party->end;
	struct cursor c;

	cursor_at(&c, trace, analysis_base(analysis), party->end_event);
	while (cursor_prev(&c)) {
		const enum event_kind kind = what_kind(cursor_what(&c));
		time = cursor_time(&c);
		if (time <= fork)
			return fork;
		if (kind == EV_ENTER || kind == EV_LEAVE || kind == EV_TRACING_ON ||
		    kind == EV_TRACING_OFF || kind == EV_THREAD_BEGIN || kind == EV_THREAD_END)
			return time;
	}
	return party->path || is_first_of_process(trace, party->location) ? time : fork;
}

static void fork_team(struct analysis *analysis, const struct sync_group *group)
{
	const struct sync_party *master;

	if (group->root == UINT32_MAX)
		return;
	master = &group->parties[group->root];
	for (uint32_t i = 0; i < group->n; i++) {
		const struct sync_party *party = &group->parties[i];
		int64_t begin;
		if (i == group->root || party->end <= master->begin ||
		    !trace_event_traced(analysis_trace(analysis), party->end_event))
			continue;
		begin = starts_at(analysis, party, master->begin);
		if (begin >= party->end)
			continue;
		fork_span(analysis_local(analysis, &threads_pattern, party->location),
			  party->end_event, begin);
		analysis_found(analysis, party->location,
			       &(struct wait){ .event = party->end_event,
					       .partner = master->begin_event,
					       .path = party->path,
					       .metric = CUBE_OMP_FORK,
					       .begin = begin,
					       .length = party->end - begin });
	}
}

static void on_notice(struct analysis *analysis, void *local, const struct notice *notice)
{
	if (notice->subject == SUBJECT_EVENT)
		on_event(analysis, local, notice);
	else if (notice->group->cls == LOGICAL_TEAM)
		barrier(analysis, notice->group);
	else if (notice->group->cls == LOGICAL_FORK)
		fork_team(analysis, notice->group);
}

static void release(void *local)
{
	vec_fini(&((struct own_threads *)local)->spans);
}

const struct pattern threads_pattern = {
	.name = "threads",
	.subjects = 1u << SUBJECT_GROUP,
	.events = 1u << EV_THREAD | 1u << EV_THREAD_BEGIN | 1u << EV_THREAD_END,
	.local = sizeof(struct own_threads),
	.on_notice = on_notice,
	.release = release,
};
