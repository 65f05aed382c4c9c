/* Computational imbalance (doc/references.md): by how much the computation of a call path on a
 * location deviates from the mean over the locations.
 *
 * The mean is over all processes, visitors or not (A14); inside a parallel region, and where
 * threads other than the first of a process visit it, over all threads. O(call paths with
 * computation x locations). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "base/mem.h"
#include "base/order.h"
#include "patterns/analysis/pattern.h"
#include "patterns/severity/region_metric.h"

struct balance {
	struct cube *cube;
	const struct trace *trace;
	uint32_t locations;
	uint32_t threads, processes;
	bool *computes;    /* [locations] it runs code; not a collection of metrics */
	bool *first;       /* [locations] of these the first of its process */
	bool *parallel;    /* [call paths] within a parallel region */
	double *time;      /* [locations] for the current call path */
	double *estimated; /* the same: the part in gaps (model/trace/gap.h) */
	bool *visited;     /* the same */
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

/* The call path's cells have been read into time and visited. */
static void add_path(struct balance *b, uint32_t path)
{
	bool all = b->parallel[path];
	uint32_t n, visitors = 0;
	fixed sum = 0, in_gaps = 0;
	double mean, estimated;

	for (uint32_t l = 0; l < b->locations; l++) {
		if (!b->computes[l])
			continue;
		all = all || (b->visited[l] && !b->first[l]);
		visitors += b->visited[l];
		sum += fixed_of(b->time[l]);
		in_gaps += fixed_of(b->estimated[l]);
	}
	n = all ? b->threads : b->processes;
	if (n < 2)
		return;
	mean = fixed_value(sum) / n;
	estimated = fixed_value(in_gaps) / n;
	for (uint32_t l = 0; l < b->locations; l++) {
		const double over = b->time[l] - mean;
		if (!(all ? b->computes[l] : b->first[l]))
			continue;
		/* A deviation up to twice the error of estimated times, which is half of them, does
		 * not count. */
		if (fabs(over) <= b->estimated[l] + estimated)
			continue;
		cube_add(b->cube, over > 0 ? CUBE_IMBALANCE_ABOVE : CUBE_IMBALANCE_BELOW, path, l,
			 over > 0 ? over : -over);
		if (!b->visited[l])
			cube_add(b->cube, CUBE_IMBALANCE_BELOW_BYPASS, path, l, mean);
		if (visitors == 1)
			cube_add(b->cube,
				 b->visited[l] ? CUBE_IMBALANCE_ABOVE_SINGLE
					       : CUBE_IMBALANCE_BELOW_SINGULARITY,
				 path, l, b->visited[l] ? over : mean);
	}
}

static struct cube_cell *copy_cells(const struct cube *cube, enum cube_metric metric, size_t *n)
{
	const struct cube_cell *cells = cube_cells(cube, metric, n);
	struct cube_cell *copy = xmalloc((*n + 1) * sizeof *copy);

	if (*n)
		memcpy(copy, cells, *n * sizeof *copy);
	return copy;
}

struct balance_cells {
	struct cube_cell *cells;
	size_t n;
};

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

/* Times and visits are sorted by call path, then location. */
static void add_all(struct balance *b)
{
	size_t n, m, g, k = 0, e = 0;
	struct cube_cell *times = copy_cells(b->cube, CUBE_TIME, &n);
	struct cube_cell *gaps = copy_cells(b->cube, CUBE_ESTIMATED, &g);
	struct cube_cell *visits = copy_cells(b->cube, CUBE_VISITS, &m);

	cube_visit(b->cube, CUBE_COMP, take_away, &(struct balance_cells){ times, n });
	cube_reopen(b->cube);
	for (size_t i = 0, end; i < n; i = end) {
		const uint32_t path = times[i].path;
		memset(b->time, 0, b->locations * sizeof *b->time);
		memset(b->estimated, 0, b->locations * sizeof *b->estimated);
		memset(b->visited, 0, b->locations * sizeof *b->visited);
		for (end = i; end < n && times[end].path == path; end++) {
			b->time[times[end].location] = times[end].value;
			b->visited[times[end].location] = true;
		}
		while (e < g && gaps[e].path < path)
			e++;
		for (; e < g && gaps[e].path == path; e++)
			b->estimated[gaps[e].location] = gaps[e].value;
		while (k < m && visits[k].path < path)
			k++;
		for (; k < m && visits[k].path == path; k++)
			b->visited[visits[k].location] = true;
		if (is_computation(b->trace, path))
			add_path(b, path);
	}
	cube_settle(b->cube);
	free_all(times, visits, gaps);
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
	find_locations(&b);
	find_parallel(&b);
	add_all(&b);
	free_all(b.computes, b.first, b.parallel, b.time, b.estimated, b.visited);
}

const struct pattern balance_pattern = {
	.name = "balance",
	.part = CUBE_BALANCE,
	.add_settled = balance_add,
};
