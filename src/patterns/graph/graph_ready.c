/* What has to be known about all locations before the waits in the calls of one can be computed:
 * who waited for whom in collectives, MPI_Init and MPI_Finalize, by the definitions of the wait
 * states (sync.h). Messages are looked up one by one in the walk (lateness.h). */
#include <stdlib.h>

#include "base/mem.h"
#include "patterns/analysis/pattern.h"
#include "patterns/graph/graph_state.h"
#include "patterns/kinds/sync.h"

/* ---- groups ---- */

static uint32_t member_of(const struct trace *trace, uint32_t event)
{
	const uint32_t what = event == EVENT_NONE ? 0 : trace_event_what(trace, event);

	return what_kind(what) == EV_COLLECTIVE_BEGIN || what_kind(what) == EV_COLLECTIVE_END
		       ? what_id(what)
		       : ID_NONE;
}

/* A communicator of one rank cannot wait. */
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

static const struct pattern graph_pattern;

static void see_group(struct graph_ready *ready, const struct analysis *a, struct sync_group *group)
{
	const bool any = group->evaluated || sync_evaluate(group);

	for (uint32_t i = 0; i < group->n; i++) {
		const struct sync_party *party = &group->parties[i];
		const int64_t length = any && party->sync ? party->w : 0;
		uint32_t member;
		if (group->finalize) {
			struct graph_finalize *f =
				analysis_local(a, &graph_pattern, party->location);
			*f = (struct graph_finalize){ true, party->begin_event, length };
		}
		member = member_of(analysis_trace(a), party->end_event);
		if (group->collective == UINT32_MAX || member >= ready->n_parties)
			continue;
		ready->parties[member].start = sync_start(group, party);
		ready->parties[member].length = length;
		ready->parties[member].told = TOLD_MATCHED;
	}
}

/* Also where no rank waits: the parties' calls are split all the same. */
static void evaluate(struct sync_group *group)
{
	const bool any = sync_evaluate(group);

	for (uint32_t i = 0; i < group->n && !any; i++)
		group->parties[i].sync = false;
	group->evaluated = true;
}

static void on_notice(struct analysis *a, void *local, const struct notice *notice)
{
	struct graph_ready *ready = analysis_whole(a, &graph_pattern);

	(void)local;
	if (notice->subject == SUBJECT_GATHERED) {
		evaluate(notice->group);
		return;
	}
	if (!ready->parties)
		make_parties(ready, analysis_trace(a));
	see_group(ready, a, notice->group);
}

static void release_whole(void *whole)
{
	free(((struct graph_ready *)whole)->parties);
}

static const struct pattern graph_pattern = {
	.name = "program graph",
	.subjects = 1u << SUBJECT_GATHERED | 1u << SUBJECT_GROUP,
	.local = sizeof(struct graph_finalize),
	.whole = sizeof(struct graph_ready),
	.on_notice = on_notice,
	.release_whole = release_whole,
};

const struct graph_ready *graph_ready(const struct graph *graph, const struct progress *progress,
				      struct err *err)
{
	static const struct pattern *const only_graph[] = { &graph_pattern, NULL };
	const struct analysis_options options = { .jobs = (int)graph->jobs };
	struct analysis *a = analysis_new(only_graph, graph->trace, graph->options.base, &options,
					  progress, err);
	struct graph_ready *ready;

	if (!a)
		return NULL;
	ready = analysis_whole(a, &graph_pattern);
	ready->analysis = a;
	ready->calls = analysis_calls(a);
	ready->finalizes = analysis_local(a, &graph_pattern, 0);
	if (!ready->parties)
		make_parties(ready, graph->trace);
	return ready;
}
