/* Measurement overhead is taken out of the times of statement records (tvrun --statistics).
 *
 * A visit's probes cost something inside of its own time, and something around it, which is its
 * container's: both as a loop measured them at the start of the run, made ranges by
 * overhead_cost.h as for events that were not calibrated. Counts are exact, so that a record's own
 * time loses its own visits' inside and its direct contents' around; where a procedure has several
 * records, the latter is divided by their own time. Its inclusive time loses all that is below,
 * which goes up with waiting and transfer (graph_records.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "patterns/graph/graph_state.h"

/* A visit is two records. */
static void cost_as_events(struct overhead_cost *cost)
{
	static const enum cost_kind enter[PROBE_KINDS] = { COST_ENTER, COST_ENTER, COST_MPI_ENTER };

	for (int k = 0; k < PROBE_KINDS; k++) {
		const double inside = cost->pair[enter[k]][enter[k] + 1];
		cost->rows[k] =
			(struct row_cost){ inside + cost->pair[enter[k] + 1][enter[k]], inside };
	}
}

/* Time in calls of MPI, of all locations. */
static double calling_time(const struct graph *graph)
{
	double sum = 0;

	for (uint32_t l = 0; l < trace_location_count(graph->trace); l++)
		for (size_t i = 0; i < graph->made[l].n; i++) {
			const struct statement_record *r = &graph->made[l].data[i].r;
			if (graph_at(graph, r->statement)->kind == GRAPH_KIND_COMMUNICATION)
				sum += (double)r->time;
		}
	return sum;
}

/* Ranks without a processor of their own take longer for everything, so also for probes. Calls of
 * MPI may wait with or without one, so that outside of them it is not known exactly. */
static struct cost_range slowed_by(const struct graph *graph, double cpu, double wall)
{
	const double calling = fmin(calling_time(graph), wall);
	const double best = fmax(1, wall / cpu);

	return (struct cost_range){ best, fmin(best, fmax(1, (wall - calling) / cpu)),
				    cpu > calling ? fmax(best, (wall - calling) / (cpu - calling))
						  : best };
}

/* What is in a loop is counted around the outermost loop that calls nothing. */
static void mark_calling(struct graph_probes *p)
{
	const struct graph *graph = p->graph;

	for (uint32_t id = 0; id < graph->nodes.n; id++) {
		const struct graph_node *node = graph_at(graph, id);
		uint32_t up = node->parent;
		if ((node->kind != GRAPH_KIND_CALL && node->kind != GRAPH_KIND_COMMUNICATION) ||
		    node->flags & GRAPH_UNTIMED)
			continue;
		for (; up != GRAPH_NONE && !p->calling[up]; up = graph_at(graph, up)->parent)
			p->calling[up] = true;
	}
}

bool graph_probes_begin(struct graph_probes *p, struct graph *graph)
{
	const struct overhead_options options = OVERHEAD_DEFAULTS;

	const bool alone = trace_records_alone(graph->trace);

	*p = (struct graph_probes){ .graph = graph };
	if (!alone && !(graph->origin.records && graph->options.costs))
		return false;
	cost_read(&p->cost, graph->trace, &options);
	memcpy(p->limited, p->cost.rows, sizeof p->limited);
	if (!alone)
		cost_as_events(&p->cost);
	/* Where it was not measured, what writes no event costs at most as much as what does. */
	if (!(p->limited[PROBE_PROCEDURE].all > 0))
		memcpy(p->limited, p->cost.rows, sizeof p->limited);
	if (!(p->cost.rows[PROBE_PROCEDURE].all > 0)) {
		cost_fini(&p->cost);
		return false;
	}
	p->around = xcalloc(graph->nodes.n + 1, sizeof *p->around);
	p->exclusive = xcalloc(graph->nodes.n + 1, sizeof *p->exclusive);
	p->calling = xcalloc(graph->nodes.n + 1, sizeof *p->calling);
	p->count = xcalloc(graph->nodes.n + 1, sizeof *p->count);
	p->alone = alone;
	mark_calling(p);
	p->slowed = p->cost.cpu > 0 && p->cost.wall > 0
			    ? slowed_by(graph, p->cost.cpu, p->cost.wall)
			    : (struct cost_range){ 1, 1, 1 };
	graph->origin.compensated = true;
	return true;
}

void graph_probes_end(struct graph_probes *p)
{
	cost_fini(&p->cost);
	free_all(p->around, p->exclusive, p->calling, p->count);
}

uint32_t graph_row_within(const struct graph *graph, const struct statement_record *r)
{
	const struct graph_node *node = graph_at(graph, r->statement);

	if (node->kind != GRAPH_KIND_PROCEDURE)
		return node->parent;
	return r->from == GRAPH_NONE ? GRAPH_PROGRAM : graph_at(graph, r->from)->parent;
}

static struct cost_range times(struct cost_range a, double n, struct cost_range slowed)
{
	/* What is negative is so at most. */
	return (struct cost_range){ a.best * n * slowed.best,
				    a.low * n * (a.low < 0 ? slowed.high : slowed.low),
				    a.high * n * slowed.high };
}

/* How often the executions of a loop that is only counted were handed on. */
static double calls_that_count(const struct graph_probes *p, const struct statement_record *r)
{
	const struct graph *graph = p->graph;
	uint32_t holder = r->statement, up = graph_at(graph, holder)->parent;

	while (graph_at(graph, up)->kind == GRAPH_KIND_LOOP && !p->calling[up]) {
		holder = up;
		up = graph_at(graph, up)->parent;
	}
	return fmin((double)r->count,
		    holder == r->statement ? (double)r->count : (double)p->count[holder]);
}

/* 1: visits take no longer than empty ones, the cost of which is known; 0: twice as long. */
static double emptiness(const struct graph_probes *p, const struct statement_record *r)
{
	static const double none = 1.25, much = 2;
	const double empty = p->cost.rows[PROBE_PROCEDURE].inside * p->slowed.best;
	const double own = (double)r->exclusive / (double)r->count;

	return empty > 0 && r->count ? fmax(0, fmin(1, (much - own / empty) / (much - none))) : 0;
}

/* Of a visit: inside of its own time, and around it. */
static void visit_costs(const struct graph_probes *p, const struct statement_record *r,
			struct cost_range *inside, struct cost_range *around)
{
	const uint8_t kind = graph_at(p->graph, r->statement)->kind;
	const struct row_cost *costs = r->flags & RECORD_LIMITED ? p->limited : p->cost.rows;
	const int probe = kind == GRAPH_KIND_LOOP            ? PROBE_LOOP
			  : kind == GRAPH_KIND_COMMUNICATION ? PROBE_CALL
							     : PROBE_PROCEDURE;
	const struct row_cost *cost = &costs[probe];

	if (probe != PROBE_CALL && p->alone && p->cost.around[probe].best > 0) {
		const double shift =
			emptiness(p, r) * (p->cost.empty[probe] - p->cost.inside[probe].best);
		*inside = p->cost.inside[probe];
		*around = p->cost.around[probe];
		inside->best += shift;
		around->best -= fmin(shift, around->best - around->low);
		return;
	}
	*inside = cost_of_visit(&p->cost, cost->inside, cost->all);
	*around = cost_of_visit(&p->cost, cost->all - cost->inside, cost->all);
}

void graph_probes_of(const struct graph_probes *p, struct graph_row *row, struct cost_range *inside,
		     struct cost_range *around)
{
	static const struct cost_range none = { 0, 0, 0 };
	const struct statement_record *r = &row->r;
	const struct graph_node *node = graph_at(p->graph, r->statement);

	if (node->flags & GRAPH_UNTIMED) {
		*inside = none;
		*around = node->kind == GRAPH_KIND_LOOP
				  ? times(p->cost.count, calls_that_count(p, r), p->slowed)
				  : none;
	} else {
		visit_costs(p, r, inside, around);
		*inside = times(*inside, (double)r->count, p->slowed);
		*around = times(*around, (double)r->count, p->slowed);
	}
	if (node->kind == GRAPH_KIND_LOOP && r->flags & RECORD_ITERATED)
		*inside = cost_sum(*inside,
				   times(cost_of_visit(&p->cost, p->cost.iteration,
						       2 * p->cost.iteration),
					 (double)r->iterations, p->slowed),
				   1);
	row->probes_own = *inside;
	row->caused = inside->best + around->best;
	graph_add(&p->exclusive[r->statement], r->exclusive);
	p->around[graph_row_within(p->graph, r)] =
		cost_sum(p->around[graph_row_within(p->graph, r)], *around, 1);
}

void graph_probes_count(struct graph_probes *p, const struct graph_rows *rows)
{
	memset(p->count, 0, p->graph->nodes.n * sizeof *p->count);
	for (size_t i = 0; i < rows->n; i++)
		if (graph_at(p->graph, rows->data[i].r.statement)->kind == GRAPH_KIND_LOOP)
			p->count[rows->data[i].r.statement] += rows->data[i].r.count;
}

/* ---- removal ---- */

/* Limits the range to the time that is available. If even the least cost is more, probes cost less
 * there than was assumed: how much less is not known. */
static struct cost_range at_most(struct cost_range range, int64_t time)
{
	const double most = (double)time;

	return (struct cost_range){ range.best < most ? range.best : most,
				    range.low <= most ? range.low : 0,
				    range.high < most ? range.high : most };
}

static int64_t scaled(int64_t time, double factor)
{
	return (int64_t)((double)time * factor + 0.5);
}

static void take(const struct graph_probes *p, struct graph_row *row)
{
	struct statement_record *r = &row->r;
	const int64_t all = p->exclusive[r->statement];
	const double part = all > 0                         ? (double)r->exclusive / (double)all
			    : r->statement == GRAPH_PROGRAM ? 1
							    : 0;
	double left;

	row->probes_own =
		at_most(cost_sum(row->probes_own, p->around[r->statement], part), r->exclusive);
	row->probes = at_most(row->probes, r->time);
	left = r->time > 0 ? 1 - row->probes.best / (double)r->time : 1;
	r->time -= scaled(r->time, 1 - left);
	r->exclusive -= (int64_t)(row->probes_own.best + 0.5);
	r->min = scaled(r->min, left);
	r->max = scaled(r->max, left);
	r->quickest *= left;
	r->slowest *= left;
	if (graph_at(p->graph, r->statement)->kind == GRAPH_KIND_COMMUNICATION) {
		/* They begin inside the call's own probes, which are at its ends. */
		r->trans = scaled(r->trans, left);
		r->sync = r->sync < r->time - r->trans ? r->sync : r->time - r->trans;
	}
}

void graph_probes_take(struct graph_probes *p, struct graph_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		take(p, &rows->data[i]);
	memset(p->around, 0, p->graph->nodes.n * sizeof *p->around);
	memset(p->exclusive, 0, p->graph->nodes.n * sizeof *p->exclusive);
}
