/* Queries of a graph: sums of rows. Rows of a node are sorted by location, so that those of one
 * location are found in O(log rows). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "patterns/graph/graph_state.h"

/* The rows that add up to a node's numbers: its own, or for a call those of the procedures that it
 * entered. */
struct row_range {
	const struct graph *graph;
	const uint32_t *list; /* NULL: they follow each other from `first` on */
	size_t first, n;
};

static struct row_range rows_of(const struct graph *graph, uint32_t node)
{
	struct row_range r = { .graph = graph };

	if (graph_at(graph, node)->kind == GRAPH_KIND_CALL) {
		r.list = graph->entries.list + graph->entries.start[node];
		r.n = graph->entries.start[node + 1] - graph->entries.start[node];
	} else {
		r.first = graph->start[node];
		r.n = graph->start[node + 1] - graph->start[node];
	}
	return r;
}

static const struct graph_row *row_in(const struct row_range *r, size_t i)
{
	return &r->graph->rows[r->list ? r->list[i] : r->first + i];
}

/* Rows of one location among rows that are ordered by location. */
static void cut_to_location(const struct row_range *r, size_t *from, size_t *to, uint32_t location)
{
	size_t low = *from, high = *to;

	if (location == UINT32_MAX)
		return;
	BISECT(low, high, middle, row_in(r, middle)->r.location < location);
	*from = low;
	while (low < *to && row_in(r, low)->r.location == location)
		low++;
	*to = low;
}

/* Entries of a call are ordered by procedure, then location. */
static size_t end_of_run(const struct row_range *r, size_t from)
{
	const uint32_t node = row_in(r, from)->r.statement;
	size_t low = from, high = r->n;

	BISECT(low, high, middle, row_in(r, middle)->r.statement <= node);
	return low;
}

static void add_row(const struct row_range *r, size_t i, struct graph_values *values)
{
	if (r->list)
		graph_entry_add(r->graph, values, row_in(r, i));
	else
		graph_values_add(values, row_in(r, i));
}

void graph_values(const struct graph *graph, uint32_t node, struct graph_values *values)
{
	*values = graph->totals[node];
}

double graph_iteration_time(const struct graph_values *v)
{
	return v->iterations ? (double)v->iterated / (double)v->iterations : 0;
}

void graph_values_at(const struct graph *graph, uint32_t node, uint32_t location,
		     struct graph_values *values)
{
	const struct row_range r = rows_of(graph, node);

	memset(values, 0, sizeof *values);
	for (size_t run = 0, end; run < r.n; run = end) {
		size_t from = run, to;
		to = end = end_of_run(&r, run);
		cut_to_location(&r, &from, &to, location);
		for (size_t i = from; i < to; i++)
			add_row(&r, i, values);
	}
}

void graph_cycle_values(const struct graph *graph, uint32_t cycle, struct graph_values *values)
{
	*values = graph->cycle_totals[cycle];
}

/* ---- spread ---- */

static void spread_over(struct graph_spread *s, uint32_t location, int64_t time)
{
	if (s->there == 0 || time < s->min) {
		s->min = time;
		s->min_at = location;
	}
	if (s->there == 0 || time > s->max) {
		s->max = time;
		s->max_at = location;
	}
	s->mean += (double)time;
	s->there++;
}

/* The locations at which a node was. */
struct presence {
	const struct graph *graph;
	bool *there; /* [location] */
	bool hosts, streams;
};

static void note_presence(struct presence *p, uint32_t location)
{
	const bool host = location_runs_code(trace_location(p->graph->trace, location));

	p->there[location] = true;
	p->hosts |= host;
	p->streams |= !host;
}

/* Those with counters alone call nothing; what a host runs is on no device's stream, and what a
 * stream runs on no host. What was nowhere could be anywhere. */
static bool could_be(const struct presence *p, uint32_t location)
{
	const struct location *l = trace_location(p->graph->trace, location);

	return p->graph->chosen[location] && location_has_states(l) &&
	       (p->hosts == p->streams || p->hosts == location_runs_code(l));
}

static struct presence presence_of(const struct graph *graph, uint32_t node)
{
	const struct row_range r = rows_of(graph, node);
	struct presence p = { .graph = graph,
			      .there = xcalloc(trace_location_count(graph->trace) + 1,
					       sizeof *p.there) };

	for (size_t i = 0; i < r.n; i++)
		note_presence(&p, row_in(&r, i)->r.location);
	return p;
}

void graph_presence(const struct graph *graph, uint32_t node, bool *hosts, bool *streams)
{
	const struct presence p = presence_of(graph, node);

	*hosts = p.hosts;
	*streams = p.streams;
	free(p.there);
}

uint32_t graph_reach(const struct graph *graph, uint32_t node, const uint32_t *locations,
		     uint32_t n, uint32_t *reached)
{
	const struct presence p = presence_of(graph, node);
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t location = locations ? locations[i] : i;
		if (p.there[location] || could_be(&p, location))
			reached[found++] = location;
	}
	free(p.there);
	return found;
}

/* The first such location without time. */
static uint32_t first_idle(const struct presence *p)
{
	uint32_t l = 0;

	while (!could_be(p, l) || p->there[l])
		l++;
	return l;
}

void graph_spread(const struct graph *graph, uint32_t node, struct graph_spread *spread)
{
	const uint32_t locations = trace_location_count(graph->trace);
	const struct row_range r = rows_of(graph, node);
	int64_t *times = xcalloc(locations + 1, sizeof *times);
	const struct presence p = presence_of(graph, node);

	*spread = (struct graph_spread){ .min_at = UINT32_MAX, .max_at = UINT32_MAX };
	for (size_t i = 0; i < r.n; i++) {
		const struct statement_record *row = &row_in(&r, i)->r;
		if (!r.list || !graph_is_inside(graph, row))
			graph_add(&times[row->location], row->time);
	}
	for (uint32_t l = 0; l < locations; l++) {
		if (p.there[l])
			spread_over(spread, l, times[l]);
		spread->of += p.there[l] || could_be(&p, l);
	}
	if (spread->there < spread->of && (spread->there == 0 || spread->min > 0)) {
		spread->min = 0;
		spread->min_at = first_idle(&p);
		spread->max_at = spread->there ? spread->max_at : spread->min_at;
	}
	if (spread->of)
		spread->mean /= spread->of;
	free_all(times, p.there);
}

/* ---- parts ---- */

enum part_key { BY_CALLER, BY_CALLEE, BY_DESTINATION };

/* A row, and the key that it is summed by. */
struct keyed_row {
	uint32_t key[2];
	size_t at;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed_row *x = a, *y = b;

	for (int i = 0; i < 2; i++)
		ORDER_BY(x->key[i], y->key[i]);
	return ORDER(x->at, y->at);
}

static int most_first(const void *a, const void *b)
{
	const struct graph_part *x = a, *y = b;

	ORDER_BY(y->values.time, x->values.time);
	ORDER_BY(y->values.count, x->values.count);
	ORDER_BY(x->node, y->node);
	ORDER_BY(x->partner, y->partner);
	return ORDER(x->comm, y->comm);
}

static struct keyed_row keyed_row(const struct row_range *r, size_t i, enum part_key key)
{
	const struct statement_record *row = &row_in(r, i)->r;

	switch (key) {
	case BY_CALLER: return (struct keyed_row){ { row->from, 0 }, i };
	case BY_CALLEE: return (struct keyed_row){ { row->statement, 0 }, i };
	default: return (struct keyed_row){ { (uint32_t)row->partner, row->comm }, i };
	}
}

static struct graph_part part_of(const struct keyed_row *keyed, enum part_key key)
{
	struct graph_part part = { .node = GRAPH_NONE,
				   .partner = RANK_UNKNOWN,
				   .comm = UINT32_MAX };

	if (key == BY_DESTINATION) {
		part.partner = (int32_t)keyed->key[0];
		part.comm = keyed->key[1];
	} else {
		part.node = keyed->key[0];
	}
	return part;
}

static uint32_t make_parts(const struct row_range *r, uint32_t location, enum part_key key,
			   struct graph_part **parts)
{
	OWNED struct keyed_row *rows = xmalloc((r->n + 1) * sizeof *rows);
	VEC(struct graph_part) made = VEC_INIT;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (location == UINT32_MAX || row_in(r, i)->r.location == location)
			rows[n++] = keyed_row(r, i, key);
	SORT(rows, n, by_key);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || memcmp(rows[i].key, rows[i - 1].key, sizeof rows[i].key) != 0)
			vec_push(&made, part_of(&rows[i], key));
		if (key == BY_DESTINATION)
			graph_values_add(&vec_last(&made)->values, row_in(r, rows[i].at));
		else
			graph_entry_add(r->graph, &vec_last(&made)->values, row_in(r, rows[i].at));
	}
	vec_sort(&made, most_first);
	*parts = made.data;
	return (uint32_t)made.n;
}

static uint32_t parts_of(const struct graph *graph, uint32_t node, enum graph_kind kind,
			 uint32_t location, enum part_key key, struct graph_part **parts)
{
	struct row_range r = rows_of(graph, node);
	size_t from = 0, to = r.n;

	*parts = NULL;
	if (graph_at(graph, node)->kind != kind)
		return 0;
	if (!r.list) {
		cut_to_location(&r, &from, &to, location);
		r.first += from;
		r.n = to - from;
	}
	return make_parts(&r, location, key, parts);
}

uint32_t graph_callers(const struct graph *graph, uint32_t procedure, uint32_t location,
		       struct graph_part **parts)
{
	return parts_of(graph, procedure, GRAPH_KIND_PROCEDURE, location, BY_CALLER, parts);
}

uint32_t graph_callees(const struct graph *graph, uint32_t call, uint32_t location,
		       struct graph_part **parts)
{
	return parts_of(graph, call, GRAPH_KIND_CALL, location, BY_CALLEE, parts);
}

uint32_t graph_destinations(const struct graph *graph, uint32_t communication, uint32_t location,
			    struct graph_part **parts)
{
	return parts_of(graph, communication, GRAPH_KIND_COMMUNICATION, location, BY_DESTINATION,
			parts);
}

/* ---- the hottest ---- */

static uint32_t hottest_callee(const struct graph *graph, uint32_t call)
{
	struct graph_part *parts;
	const uint32_t n = graph_callees(graph, call, UINT32_MAX, &parts);
	const uint32_t node = n && parts[0].values.time > 0 ? parts[0].node : GRAPH_NONE;

	free(parts);
	return node;
}

/* What a procedure cost where it was entered from outside. */
static int64_t time_outside(const struct graph *graph, uint32_t procedure)
{
	const struct row_range r = rows_of(graph, procedure);
	int64_t time = 0;

	for (size_t i = 0; i < r.n; i++)
		if (row_in(&r, i)->r.from == GRAPH_NONE)
			graph_add(&time, row_in(&r, i)->r.time);
	return time;
}

uint32_t graph_hottest(const struct graph *graph, uint32_t node)
{
	const uint32_t *children;
	uint32_t n, best = GRAPH_NONE;
	int64_t most = 0;

	if (graph_at(graph, node)->kind == GRAPH_KIND_CALL)
		return hottest_callee(graph, node);
	children = graph_children(graph, node, &n);
	for (uint32_t i = 0; i < n; i++) {
		int64_t time;
		if (graph_at(graph, children[i])->flags & (GRAPH_OVERHEAD | GRAPH_ENDS))
			continue;
		time = graph_at(graph, children[i])->kind == GRAPH_KIND_PROCEDURE
			       ? time_outside(graph, children[i])
			       : graph->totals[children[i]].time;
		if (time > most) {
			most = time;
			best = children[i];
		}
	}
	return best;
}
