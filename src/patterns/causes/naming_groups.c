/* Costs by call path: those that are charged with most. */
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "patterns/causes/naming_state.h"
#include "patterns/severity/region_metric.h"

#define GROUP_OF_WAITING 0.05 /* least share of the waiting */
#define GROUP_OF_CORE    0.01
#define SPREAD           0.001 /* of the waiting: a call path that counts */

/* Cells of one location at a time. */
struct cost_cell {
	uint32_t location, path; /* plain; UINT32_MAX: functions that were not recorded */
	double cost;
};

struct cost_cells {
	const struct naming *m;
	const uint8_t *use; /* [call paths] enum cost_use */
	VEC(struct cost_cell) of;
};

/* What becomes of a cost. */
enum cost_use { COST_NAMED, COST_SPREAD, COST_UNNAMED };

static uint8_t *uses_of(const struct naming *m)
{
	const uint32_t n = m->plain.n;
	uint8_t *use = xcalloc((size_t)n + 1, sizeof *use);

	for (uint32_t p = 1; p < n; p++) {
		const uint32_t region = trace_callpath_region(m->trace, p);
		const enum region_class cls =
			(enum region_class)trace_region(m->trace, region)->cls;

		if (m->plain.unrecorded[p])
			use[p] = COST_SPREAD;
		else if (cls == CLASS_OVERHEAD || cls == CLASS_START_END || cls == CLASS_OUTSIDE)
			use[p] = COST_UNNAMED;
	}
	return use;
}

static void add_cell(void *context, const struct cube_cell *cell)
{
	struct cost_cells *cells = context;

	if (cells->use[cell->path] != COST_UNNAMED)
		vec_push(&cells->of, ((struct cost_cell){ cell->location,
							  cells->use[cell->path] == COST_SPREAD
								  ? UINT32_MAX
								  : cells->m->plain.of[cell->path],
							  cell->value }));
}

static int by_location(const void *a, const void *b)
{
	const struct cost_cell *x = a, *y = b;

	ORDER_BY(x->location, y->location);
	ORDER_BY(x->path, y->path);
	return ORDER(x->cost, y->cost);
}

/* Spreads what was charged to functions that were not recorded over the location's other call
 * paths; cells [0, n) are of one location. */
static void spread(struct cost_cell *cells, size_t n)
{
	double known = 0, unrecorded = 0;

	for (size_t i = 0; i < n; i++)
		*(cells[i].path == UINT32_MAX ? &unrecorded : &known) += cells[i].cost;
	if (known <= 0 || unrecorded <= 0)
		return;
	for (size_t i = 0; i < n; i++)
		cells[i].cost *= cells[i].path == UINT32_MAX ? 0 : 1 + unrecorded / known;
}

static void collect(struct naming *m, struct cost_cells *cells)
{
	cube_visit(m->cube, CUBE_DELAY, add_cell, cells);
	vec_sort(&cells->of, by_location);
	for (size_t i = 0, from = 0; i <= cells->of.n; i++)
		if (i == cells->of.n ||
		    cells->of.data[i].location != cells->of.data[from].location) {
			spread(cells->of.data + from, i - from);
			from = i;
		}
}

/* Those that are waits for another rank between MPI_Init and MPI_Finalize. */
static double all_waiting(const struct naming *m)
{
	double sum = 0;

	for (int i = 0; i < CUBE_METRICS; i++) {
		const enum cube_metric metric = (enum cube_metric)i;
		if (cube_metric_is_waiting(metric) && metric != CUBE_DEVICE_WAIT &&
		    !cube_metric_within(metric, CUBE_MPI_INIT_EXIT) &&
		    !cube_metric_is_completion(metric))
			sum += cube_total(m->cube, metric, NULL);
	}
	return sum;
}

/* Of locations that run code: a device works while its host waits for it. */
static double core_of(const struct naming *m)
{
	OWNED bool *hosts = xcalloc((size_t)m->series.locations + 1, sizeof *hosts);

	for (uint32_t l = 0; l < m->series.locations; l++)
		hosts[l] = location_runs_code(trace_location(m->trace, l));
	return cube_total(m->cube, CUBE_EXECUTION, hosts) -
	       cube_total(m->cube, CUBE_MPI_INIT_EXIT, hosts);
}

static bool is_mpi(const struct trace *trace, uint32_t path)
{
	return path && trace_callpath_class(trace, path) != CLASS_USER &&
	       trace_callpath_class(trace, path) != CLASS_IO;
}

/* The largest, by call path: the first of equal ones. */
static void choose(struct naming *m, const fixed *sums)
{
	const uint32_t n = m->plain.n;
	const size_t n_costs = (size_t)m->series.locations + 1;
	OWNED bool *taken = xcalloc((size_t)n + 1, sizeof *taken);

	while (m->n_groups < GROUPS) {
		struct cause_group *g = &m->groups[m->n_groups];
		uint32_t best = UINT32_MAX;
		for (uint32_t p = 0; p < n; p++)
			if (!taken[p] && sums[p] > 0 &&
			    (best == UINT32_MAX || sums[p] > sums[best]))
				best = p;
		if (best == UINT32_MAX || fixed_value(sums[best]) < GROUP_OF_WAITING * m->waiting ||
		    fixed_value(sums[best]) < GROUP_OF_CORE * m->core)
			return;
		taken[best] = true;
		*g = (struct cause_group){ .path = best,
					   .mpi = is_mpi(m->trace, best),
					   .sum = fixed_value(sums[best]),
					   .cost = xcalloc(n_costs, sizeof *g->cost),
					   .cost_with_core =
						   xcalloc(n_costs, sizeof *g->cost_with_core) };
		m->n_groups++;
	}
}

static void fill_costs(struct naming *m, const struct cost_cells *cells)
{
	const size_t n = (size_t)m->n_groups * m->series.locations;
	OWNED fixed *costs = xcalloc(n + 1, sizeof *costs);
	const struct cost_cell *c;

	vec_each (c, &cells->of)
		if (c->path != UINT32_MAX && m->group_of[c->path] != NO_GROUP)
			costs[(size_t)m->group_of[c->path] * m->series.locations + c->location] +=
				fixed_of(c->cost);
	exchange_sum(trace_exchange(m->trace), costs, n);
	for (unsigned g = 0; g < m->n_groups; g++)
		for (uint32_t l = 0; l < m->series.locations; l++)
			m->groups[g].cost[l] =
				fixed_value(costs[(size_t)g * m->series.locations + l]);
}

void naming_groups(struct naming *m, struct cause_names *names)
{
	OWNED uint8_t *use = uses_of(m);
	OWNED fixed *sums = xcalloc((size_t)m->plain.n + 1, sizeof *sums);
	struct cost_cells cells = { .m = m, .use = use };
	const struct cost_cell *c;
	fixed inside = 0;

	m->waiting = all_waiting(m);
	m->core = core_of(m);
	collect(m, &cells);
	vec_each (c, &cells.of)
		if (c->path != UINT32_MAX)
			sums[c->path] += fixed_of(c->cost);
	exchange_sum(trace_exchange(m->trace), sums, m->plain.n);
	for (uint32_t p = 0; p < m->plain.n; p++) {
		inside += is_mpi(m->trace, p) ? sums[p] : 0;
		names->others += !is_mpi(m->trace, p) && fixed_value(sums[p]) > SPREAD * m->waiting;
	}
	names->inside = fixed_value(inside);
	choose(m, sums);
	memset(m->group_of, NO_GROUP, m->plain.n);
	for (unsigned g = 0; g < m->n_groups; g++)
		m->group_of[m->groups[g].path] = (uint8_t)g;
	fill_costs(m, &cells);
	/* Call paths that differ by loops alone are one group. */
	for (uint32_t p = 1; p < m->plain.n; p++)
		m->group_of[p] = use[p] == COST_NAMED ? m->group_of[m->plain.of[p]] : NO_GROUP;
	vec_fini(&cells.of);
}
