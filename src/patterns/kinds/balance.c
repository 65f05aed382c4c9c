/* Computational imbalance (doc/references.md): by how much the computation of a call path on a
 * location deviates from the mean over the locations.
 *
 * The mean is over all processes, visitors or not (A14); inside a parallel region, and where
 * threads other than the first of a process visit it, over all threads. O(call paths with
 * computation x locations). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "patterns/analysis/pattern.h"
#include "patterns/severity/region_metric.h"

/* Of a call path, over the locations of all processes. */
struct path_sums {
	fixed time, estimated;
	int128 cells;    /* of `time` */
	int128 visitors; /* locations that compute */
	int128 threads;  /* of these not the first of their process */
};

/* Cells of a metric, by call path, then location. */
struct balance_cells {
	struct cube_cell *cells;
	size_t n, at; /* `at`: the next to be read */
};

struct balance {
	struct cube *cube;
	const struct trace *trace;
	uint32_t locations;
	uint32_t threads, processes;
	bool *computes;    /* [locations] it runs code; not a collection of metrics */
	bool *first;       /* [locations] of these the first of its process */
	bool *parallel;    /* [call paths] within a parallel region */
	VEC(uint32_t) own; /* locations here that compute */
	struct balance_cells times, gaps, visits;
	double *time;           /* [locations] for the current call path */
	double *estimated;      /* the same: the part in gaps (model/trace/gap.h) */
	bool *visited;          /* the same */
	size_t cells;           /* of time: how many it has here */
	struct path_sums *sums; /* [call paths] */
};

/* ---- who takes part ---- */

static void find_locations(struct balance *b)
{
	for (uint32_t l = 0; l < b->locations; l++) {
		const struct location *location = trace_location(b->trace, l);
		b->computes[l] = location_runs_code(location);
		b->first[l] =
			b->computes[l] && (location->rank == RANK_UNKNOWN ||
					   trace_location_of_rank(b->trace, location->rank) == l);
		b->threads += b->computes[l];
		b->processes += b->first[l];
		if (b->computes[l] && trace_has_location(b->trace, l))
			vec_push(&b->own, l);
	}
}

static void find_parallel(struct balance *b)
{
	const uint32_t n = trace_callpath_count(b->trace);

	/* Parents have smaller numbers than their children. */
	for (uint32_t p = 1; p < n; p++) {
		const struct callpath *path = trace_callpath(b->trace, p);
		b->parallel[p] = b->parallel[path->parent] ||
				 region_is_parallel(b->trace, trace_callpath_region(b->trace, p));
	}
}

/* ---- a call path ---- */

/* Reads its cells; call paths come in their order. */
static void read_path(struct balance *b, uint32_t path)
{
	const uint32_t *l;
	struct balance_cells *c;

	b->cells = 0;
	vec_each (l, &b->own) {
		b->time[*l] = b->estimated[*l] = 0;
		b->visited[*l] = false;
	}
	for (c = &b->times; c->at < c->n && c->cells[c->at].path <= path; c->at++)
		if (c->cells[c->at].path == path) {
			b->time[c->cells[c->at].location] = c->cells[c->at].value;
			b->visited[c->cells[c->at].location] = true;
			b->cells++;
		}
	for (c = &b->gaps; c->at < c->n && c->cells[c->at].path <= path; c->at++)
		if (c->cells[c->at].path == path)
			b->estimated[c->cells[c->at].location] = c->cells[c->at].value;
	for (c = &b->visits; c->at < c->n && c->cells[c->at].path <= path; c->at++)
		if (c->cells[c->at].path == path)
			b->visited[c->cells[c->at].location] = true;
}

static void sum_path(struct balance *b, uint32_t path)
{
	struct path_sums *sums = &b->sums[path];
	const uint32_t *l;

	sums->cells += b->cells;
	vec_each (l, &b->own) {
		sums->time += fixed_of(b->time[*l]);
		sums->estimated += fixed_of(b->estimated[*l]);
		sums->visitors += b->visited[*l];
		sums->threads += b->visited[*l] && !b->first[*l];
	}
}

static void add_path(struct balance *b, uint32_t path)
{
	const struct path_sums *sums = &b->sums[path];
	const bool all = b->parallel[path] || sums->threads;
	const uint32_t n = all ? b->threads : b->processes, *l;
	double mean, estimated;

	if (!sums->cells || n < 2)
		return;
	mean = fixed_value(sums->time) / n;
	estimated = fixed_value(sums->estimated) / n;
	vec_each (l, &b->own) {
		const double over = b->time[*l] - mean;
		if (!all && !b->first[*l])
			continue;
		/* A deviation up to twice the error of estimated times, which is half of them, does
		 * not count. */
		if (fabs(over) <= b->estimated[*l] + estimated)
			continue;
		cube_add(b->cube, over > 0 ? CUBE_IMBALANCE_ABOVE : CUBE_IMBALANCE_BELOW, path, *l,
			 over > 0 ? over : -over);
		if (!b->visited[*l])
			cube_add(b->cube, CUBE_IMBALANCE_BELOW_BYPASS, path, *l, mean);
		if (sums->visitors == 1)
			cube_add(b->cube,
				 b->visited[*l] ? CUBE_IMBALANCE_ABOVE_SINGLE
						: CUBE_IMBALANCE_BELOW_SINGULARITY,
				 path, *l, b->visited[*l] ? over : mean);
	}
}

/* ---- all call paths ---- */

static void copy_cells(struct balance_cells *copy, const struct cube *cube, enum cube_metric metric)
{
	const struct cube_cell *cells = cube_cells(cube, metric, &copy->n);

	copy->cells = xmalloc((copy->n + 1) * sizeof *copy->cells);
	if (copy->n)
		memcpy(copy->cells, cells, copy->n * sizeof *cells);
}

ORDERING(by_place, struct cube_cell, path, location)

/* Subtracts idle threads and the like from computation, as cells below zero. */
static void take_away(void *context, const struct cube_cell *cell)
{
	const struct balance_cells *times = context;
	struct cube_cell *found;

	if (cell->value >= 0)
		return;
	found = bsearch(cell, times->cells, times->n, sizeof *times->cells, by_place);
	if (found)
		found->value += cell->value;
}

static bool is_computation(const struct trace *trace, uint32_t path)
{
	return path == 0 || region_metric(trace, trace_callpath_region(trace, path)) == CUBE_COMP;
}

static void each_path(struct balance *b, void (*work)(struct balance *b, uint32_t path))
{
	b->times.at = b->gaps.at = b->visits.at = 0;
	for (uint32_t p = 0; p < trace_callpath_count(b->trace); p++) {
		if (!is_computation(b->trace, p))
			continue;
		read_path(b, p);
		work(b, p);
	}
}

static void add_all(struct balance *b)
{
	copy_cells(&b->times, b->cube, CUBE_TIME);
	copy_cells(&b->gaps, b->cube, CUBE_ESTIMATED);
	copy_cells(&b->visits, b->cube, CUBE_VISITS);
	cube_visit(b->cube, CUBE_COMP, take_away, &b->times);
	cube_reopen(b->cube);
	each_path(b, sum_path);
	exchange_sum(trace_exchange(b->trace), &b->sums->time,
		     trace_callpath_count(b->trace) * (sizeof *b->sums / sizeof b->sums->time));
	each_path(b, add_path);
	cube_settle(b->cube);
	free_all(b->times.cells, b->gaps.cells, b->visits.cells);
}

static void balance_add(struct cube *cube)
{
	struct balance b = { .cube = cube, .trace = cube_trace(cube) };

	b.locations = trace_location_count(b.trace);
	b.computes = xcalloc(b.locations + 1, sizeof *b.computes);
	b.first = xcalloc(b.locations + 1, sizeof *b.first);
	b.parallel = xcalloc(trace_callpath_count(b.trace) + 1, sizeof *b.parallel);
	b.time = xcalloc(b.locations + 1, sizeof *b.time);
	b.estimated = xcalloc(b.locations + 1, sizeof *b.estimated);
	b.visited = xcalloc(b.locations + 1, sizeof *b.visited);
	b.sums = xcalloc(trace_callpath_count(b.trace) + 1, sizeof *b.sums);
	find_locations(&b);
	find_parallel(&b);
	add_all(&b);
	vec_fini(&b.own);
	free_all(b.computes, b.first, b.parallel, b.time, b.estimated, b.visited, b.sums);
}

const struct pattern balance_pattern = {
	.name = "balance",
	.part = CUBE_BALANCE,
	.add_settled = balance_add,
};
