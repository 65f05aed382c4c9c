/* Measurement overhead is taken out of the times of statement records (tvrun --statistics).
 *
 * A visit's probes cost something inside of its own time, and something around it, which is its
 * container's: both as a loop measured them at the start of the run, made ranges by
 * overhead_cost.h as for events that were not calibrated. Counts are exact, so that a record's own
 * time loses its own visits' inside and its direct contents' around; where a procedure has several
 * records, the latter is divided by their own time. Its inclusive time loses all that is below,
 * which goes up with waiting and transfer (graph_records.c). */
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
	graph->origin.compensated = true;
	return true;
}

void graph_probes_end(struct graph_probes *p)
{
	cost_fini(&p->cost);
	free_all(p->around, p->exclusive);
}

uint32_t graph_row_within(const struct graph *graph, const struct statement_record *r)
{
	const struct graph_node *node = graph_at(graph, r->statement);

	if (node->kind != GRAPH_KIND_PROCEDURE)
		return node->parent;
	return r->from == GRAPH_NONE ? GRAPH_PROGRAM : graph_at(graph, r->from)->parent;
}

void graph_probes_of(const struct graph_probes *p, struct graph_row *row, struct cost_range *inside,
		     struct cost_range *around)
{
	static const struct cost_range none = { 0, 0, 0 };
	const struct statement_record *r = &row->r;
	const uint8_t kind = graph_at(p->graph, r->statement)->kind;
	const struct row_cost *costs = r->flags & RECORD_LIMITED ? p->limited : p->cost.rows;
	const struct row_cost *cost = &costs[kind == GRAPH_KIND_LOOP            ? PROBE_LOOP
					     : kind == GRAPH_KIND_COMMUNICATION ? PROBE_CALL
										: PROBE_PROCEDURE];
	/* A statement that is only counted has no probe. */
	const double n =
		graph_at(p->graph, r->statement)->flags & GRAPH_UNTIMED ? 0 : (double)r->count;

	*inside = cost_sum(none, cost_of_visit(&p->cost, cost->inside, cost->all), n);
	*around = cost_sum(none, cost_of_visit(&p->cost, cost->all - cost->inside, cost->all), n);
	if (kind == GRAPH_KIND_LOOP && r->flags & RECORD_ITERATED)
		*inside =
			cost_sum(*inside,
				 cost_of_visit(&p->cost, p->cost.iteration, 2 * p->cost.iteration),
				 (double)r->iterations);
	row->probes_own = *inside;
	row->caused = inside->best + around->best;
	graph_add(&p->exclusive[r->statement], r->exclusive);
	p->around[graph_row_within(p->graph, r)] =
		cost_sum(p->around[graph_row_within(p->graph, r)], *around, 1);
}

/* ---- removal ---- */

/* Limits the range to the time that is available. */
static struct cost_range at_most(struct cost_range range, int64_t time)
{
	const double most = (double)time;

	return (struct cost_range){ range.best < most ? range.best : most,
				    range.low < most ? range.low : most,
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
