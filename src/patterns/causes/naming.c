#include "patterns/causes/naming.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "patterns/analysis/analysis_state.h"
#include "patterns/causes/naming_state.h"
#include "patterns/severity/region_metric.h"

#define QUIET            0.02 /* share of the core that must be waiting */
#define WRONG_ORDER      0.3  /* of the waiting */
#define WRONG_ORDER_CORE 0.05

const char *cause_kind_name(enum cause_kind kind)
{
	static const char *const names[CAUSE_KINDS] = {
#define X(id, name) [CAUSE_##id] = name,
#include "patterns/causes/cause_kind.def"
#undef X
	};

	return names[kind];
}

/* ---- wrong order ---- */

struct order_cost {
	uint32_t location, path;
	double cost;
};

struct order_costs {
	const struct naming *m;
	VEC(struct order_cost) of;
};

/* In a call that waits for several requests the order does not matter. */
static void add_order(void *context, const struct cube_cell *cell)
{
	struct order_costs *costs = context;
	const struct trace *trace = costs->m->trace;

	if (cell->path && region_call(trace, trace_callpath_region(trace, cell->path)) == CALL_RECV)
		vec_push(&costs->of,
			 ((struct order_cost){ cell->location, costs->m->plain.of[cell->path],
					       cell->value }));
}

ORDERING(by_place, struct order_cost, location, path, cost)

/* The location and receive with most of it. */
static void find_wrong_order(const struct naming *m, struct cause_names *names)
{
	struct order_costs costs = { .m = m };
	struct order_cost best = { UINT32_MAX, 0, 0 }, at = { UINT32_MAX, 0, 0 };
	const struct order_cost *c;
	fixed sum = 0;

	cube_visit(m->cube, CUBE_MPI_LATESENDER_WO, add_order, &costs);
	exchange_rows(trace_exchange(m->trace), &costs.of);
	vec_sort(&costs.of, by_place);
	vec_each (c, &costs.of) {
		if (at.location != c->location || at.path != c->path)
			at = (struct order_cost){ c->location, c->path, 0 };
		at.cost += c->cost;
		sum += fixed_of(c->cost);
		if (at.cost > best.cost)
			best = at;
	}
	vec_fini(&costs.of);
	if (fixed_value(sum) < WRONG_ORDER * m->waiting ||
	    fixed_value(sum) < WRONG_ORDER_CORE * m->core || best.location == UINT32_MAX)
		return;
	names->of[names->n++] = (struct named_cause){ .kind = CAUSE_WRONG_ORDER,
						      .location = best.location,
						      .path = best.path,
						      .cost = fixed_value(sum),
						      .share = fixed_value(sum) / m->waiting };
}

/* ---- all ---- */

/* After the wrong order, which is first, by its share; the later of equal ones last. */
static void add(struct cause_names *names, const struct named_cause *cause)
{
	uint32_t place = names->n;

	if (names->n == CAUSES_NAMED)
		return;
	for (; place > 0 && names->of[place - 1].kind != CAUSE_WRONG_ORDER &&
	       names->of[place - 1].share < cause->share;
	     place--)
		names->of[place] = names->of[place - 1];
	names->of[place] = *cause;
	names->n++;
}

/* No cost is named twice: not as wrong order and as work, either. */
static void cap_shares(struct cause_names *names)
{
	double left = 1;

	for (uint32_t i = 0; i < names->n; i++) {
		struct named_cause *c = &names->of[i];
		if (c->share > left) {
			c->share = left;
			c->cost = left * names->waiting;
		}
		left -= c->share;
	}
}

static bool name(struct naming *m, struct cause_names *names)
{
	naming_groups(m, names);
	names->waiting = m->waiting;
	names->core = m->core;
	names->quiet = !(m->waiting > 0 && m->waiting >= QUIET * m->core);
	if (names->quiet)
		return true;
	find_wrong_order(m, names);
	m->iterations = causes_iterations(m->causes, m->progress);
	if (!m->iterations || !naming_series(m))
		return false;
	names->iterations = m->series.iterating ? (m->series.cells - 2) * m->series.each : 0;
	for (unsigned g = 0; g < m->n_groups; g++) {
		struct named_cause cause;
		if (naming_rule(m, g, &cause))
			add(names, &cause);
	}
	cap_shares(names);
	return true;
}

bool cause_names_make(const struct causes *causes, const struct cube *cube, int64_t t0, int64_t t1,
		      const struct progress *progress, struct cause_names *names)
{
	const struct trace *trace = analysis_trace(causes->analysis);
	struct naming m = { .causes = causes,
			    .trace = trace,
			    .base = analysis_base(causes->analysis),
			    .cube = cube,
			    .t0 = t0,
			    .t1 = t1,
			    .progress = progress,
			    .jobs = causes->analysis->jobs };
	bool done;

	memset(names, 0, sizeof *names);
	plain_paths_init(&m.plain, trace);
	m.series.locations = trace_location_count(trace);
	m.group_of = xmalloc((size_t)m.plain.n + 1);
	done = name(&m, names);
	for (unsigned g = 0; g < m.n_groups; g++)
		free(m.groups[g].cost);
	free_all(m.group_of, m.series.there, m.series.time, m.series.visits, m.series.spoiled);
	plain_paths_fini(&m.plain);
	return done;
}
