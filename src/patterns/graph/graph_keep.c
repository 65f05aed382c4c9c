/* Rows of events that are kept with the trace. They are as graph_walk() made them: what follows is
 * computed again, from nodes that definitions and call paths make. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/mem.h"
#include "patterns/graph/graph_state.h"

static const char keep_name[] = "graph";

static bool can_be_kept(const struct graph *graph)
{
	return graph->whole && !graph->options.locations && !graph->options.records &&
	       !graph->origin.records && !trace_exchange(graph->trace);
}

void graph_rows_copy(struct graph *graph)
{
	const uint32_t locations = trace_location_count(graph->trace);
	OWNED_VEC(struct graph_row) all = VEC_INIT;

	if (!can_be_kept(graph))
		return;
	for (uint32_t l = 0; l < locations; l++)
		for (size_t i = 0; i < graph->made[l].n; i++)
			vec_push(&all, graph->made[l].data[i]);
	piece_add_sparse(&graph->piece, all.data, all.n, sizeof *all.data);
}

void graph_keep(struct graph *graph)
{
	if (graph->piece.bytes.n)
		piece_keep(&graph->piece, graph->trace, keep_name, graph->options.base);
}

bool graph_is_kept(const struct trace *trace, enum time_base base)
{
	struct piece_reader reader;

	return piece_find(&reader, trace, keep_name, base);
}

/* ---- reading ---- */

static bool is_time(int64_t ticks)
{
	return ticks >= -RECORD_TIME_MAX && ticks <= RECORD_TIME_MAX;
}

static bool is_cost(const struct cost_range *c)
{
	return isfinite(c->best) && isfinite(c->low) && isfinite(c->high);
}

static bool has_values(const struct graph_row *row)
{
	const struct statement_record *r = &row->r;

	return is_time(r->time) && is_time(r->exclusive) && is_time(r->min) && is_time(r->max) &&
	       is_time(r->trans) && is_time(r->sync) && is_time(row->estimated) &&
	       is_time(row->estimated_own) && isfinite(r->quickest) && isfinite(r->slowest) &&
	       is_cost(&row->probes) && is_cost(&row->probes_own) && isfinite(row->caused);
}

static bool is_row(const struct graph *graph, const struct graph_row *row)
{
	const struct statement_record *r = &row->r;
	const unsigned char happened =
		((const unsigned char *)row)[offsetof(struct graph_row, happened)];

	if (happened > 1 || r->statement >= graph->nodes.n ||
	    r->location >= trace_location_count(graph->trace) ||
	    (r->from != GRAPH_NONE && r->from >= graph->nodes.n) ||
	    (r->comm != UINT32_MAX && r->comm >= trace_comm_count(graph->trace)))
		return false;
	if (graph_at(graph, r->statement)->kind == GRAPH_KIND_CALL ||
	    (r->from != GRAPH_NONE && graph_at(graph, r->from)->kind != GRAPH_KIND_CALL))
		return false;
	return has_values(row);
}

bool graph_rows_kept(struct graph *graph)
{
	OWNED struct graph_row *rows = NULL;
	struct piece_reader reader;
	bool ok = true;
	size_t n;

	if (!graph->options.kept || !can_be_kept(graph) ||
	    !piece_find(&reader, graph->trace, keep_name, graph->options.base))
		return false;
	rows = piece_next_sparse(&reader, sizeof *rows, &n);
	ok = piece_ends(&reader);
	for (size_t i = 0; i < n && ok; i++)
		ok = is_row(graph, &rows[i]);
	for (size_t i = 0; i < n && ok; i++)
		vec_push(&graph->made[rows[i].r.location], rows[i]);
	return ok;
}
