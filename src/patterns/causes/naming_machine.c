/* Costs that are the machine's: charged to time inside MPI in which a message was delivered, or
 * ranks were released, late (kinds/late_inside.c). The costs of a call path on a location are
 * divided in the proportion of such time to all of its time without waiting. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/keymap.h"
#include "base/mem.h"
#include "model/trace/halo.h"
#include "patterns/causes/naming_state.h"

#define MACHINE_OF_WAITING 0.05 /* as of call paths that are named */
#define MACHINE_OF_CORE    0.01
#define MACHINE_ALONE      0.5 /* of its costs, from which on it is not another rank each time */

/* What is known of a call path on a location, ticks. */
struct machine_cell {
	uint32_t location, path; /* plain */
	fixed cost, time, late;
};

enum machine_figure { MACHINE_COST, MACHINE_TIME, MACHINE_WAIT, MACHINE_LATE };

struct machine_cells {
	const struct naming *m;
	enum machine_figure figure; /* of the cells that are visited */
	struct keymap rows;
	VEC(struct machine_cell) of;
};

static bool communicates(const struct trace *trace, uint32_t path)
{
	switch (path ? trace_callpath_class(trace, path) : CLASS_USER) {
	case CLASS_P2P:
	case CLASS_COLLECTIVE:
	case CLASS_SYNC: return true;
	default: return false;
	}
}

static void add_cell(void *context, const struct cube_cell *cell)
{
	struct machine_cells *cells = context;
	const fixed value = fixed_of(cell->value);
	struct machine_cell *c;
	uint32_t row;

	if (!communicates(cells->m->trace, cell->path))
		return;
	if (keymap_new(&cells->rows, KEY_OF(cell->location, cells->m->plain.of[cell->path], 0, 0),
		       cells->of.n, &row))
		vec_push(&cells->of,
			 ((struct machine_cell){ cell->location, cells->m->plain.of[cell->path], 0,
						 0, 0 }));
	c = &cells->of.data[row];
	switch (cells->figure) {
	case MACHINE_COST: c->cost += value; break;
	case MACHINE_TIME: c->time += value; break;
	case MACHINE_WAIT: c->time -= value; break;
	case MACHINE_LATE: c->late += value; break;
	}
}

static void visit(struct machine_cells *cells, enum machine_figure figure, enum cube_metric metric)
{
	cells->figure = figure;
	cube_visit(cells->m->cube, metric, add_cell, cells);
}

static void collect(struct machine_cells *cells)
{
	visit(cells, MACHINE_COST, CUBE_DELAY);
	visit(cells, MACHINE_TIME, CUBE_TIME);
	for (int i = 0; i < CUBE_METRICS; i++)
		if (cube_metric_is_waiting((enum cube_metric)i) &&
		    !cube_metric_is_completion((enum cube_metric)i))
			visit(cells, MACHINE_WAIT, (enum cube_metric)i);
	visit(cells, MACHINE_LATE, CUBE_MPI_DELIVERED_LATE);
	visit(cells, MACHINE_LATE, CUBE_MPI_RELEASED_LATE);
}

/* Its cost has a name already. */
static bool is_named(const struct cause_names *names, const struct machine_cell *c)
{
	for (uint32_t i = 0; i < names->n; i++)
		if (names->of[i].path == c->path &&
		    (names->of[i].location == c->location || names->of[i].location == UINT32_MAX))
			return true;
	return false;
}

static double share_of(const struct machine_cell *c)
{
	const double time = fixed_value(c->time), late = fixed_value(c->late);

	return late <= 0 ? 0 : late >= time ? 1 : late / time;
}

bool naming_machine(const struct naming *m, const struct cause_names *names,
		    struct named_cause *cause)
{
	struct machine_cells cells = { .m = m };
	OWNED fixed *by_location = xcalloc((size_t)m->series.locations + 1, sizeof *by_location);
	const struct machine_cell *c;
	fixed sum = 0;
	double most = 0;

	collect(&cells);
	vec_each (c, &cells.of)
		if (!is_named(names, c)) {
			const fixed part = fixed_of(share_of(c) * fixed_value(c->cost));
			sum += part;
			by_location[c->location] += part;
		}
	keymap_fini(&cells.rows);
	vec_fini(&cells.of);
	for (uint32_t l = 0; l < m->series.locations; l++)
		most = fmax(most, fixed_value(by_location[l]));
	exchange_sum(trace_exchange(m->trace), &sum, 1);
	most = exchange_most(trace_exchange(m->trace), most);
	if (most >= MACHINE_ALONE * fixed_value(sum))
		sum = 0;
	memset(cause, 0, sizeof *cause);
	sum += fixed_of(m->no_core);
	cause->time = m->no_core;
	cause->kind = CAUSE_MACHINE;
	cause->location = cause->other = UINT32_MAX;
	cause->cost = fixed_value(sum);
	cause->share = fmin(cause->cost / m->waiting, 1);
	return cause->cost >= MACHINE_OF_WAITING * m->waiting &&
	       cause->cost >= MACHINE_OF_CORE * m->core;
}
