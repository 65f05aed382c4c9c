/* Messages that are received in the wrong order, where that costs something. */
#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "model/trace/visit_walk.h"
#include "patterns/causes/naming_state.h"
#include "patterns/severity/region_metric.h"

enum { EVENTS_MOST = 1000 }; /* that are looked at after a wait */

#define WRONG_ORDER      0.3 /* of the waiting */
#define WRONG_ORDER_CORE 0.05
#define WORK_AFTER       0.1 /* of the wait: work that could have been done instead */

struct order_cost {
	uint32_t location, path;
	double cost;
};

ORDERING(by_place, struct order_cost, location, path, cost)

/* Whether the location does something between the call and the next one of MPI. Where it receives
 * one message after the other, it needs both, and their order does not matter. */
static bool works_after(const struct naming *m, uint32_t location, const struct wait *wait)
{
	const int64_t end = wait->begin + wait->length;
	const uint32_t depth = trace_callpath(m->trace, wait->path)->depth;
	int64_t left = INT64_MIN;
	struct visit_walk v;
	int n = 0;

	for (bool ok = visit_walk_begin_all(&v, m->trace, m->base, location, end, INT64_MAX);
	     ok && n < EVENTS_MOST; ok = visit_walk_next(&v)) {
		if (v.time < end)
			continue;
		n++;
		if (left == INT64_MIN && visit_walk_kind(&v) == EV_LEAVE &&
		    v.paths[what_id(v.what)].depth <= depth)
			left = v.time;
		else if (left != INT64_MIN && visit_walk_kind(&v) == EV_ENTER &&
			 trace_callpath_class(m->trace, v.next) != CLASS_USER)
			break;
	}
	return left != INT64_MIN && (double)(v.time - left) >= WORK_AFTER * (double)wait->length;
}

static int64_t inside(const struct naming *m, const struct wait *wait)
{
	const int64_t from = wait->begin > m->t0 ? wait->begin : m->t0;
	const int64_t end = wait->begin + wait->length, to = end < m->t1 ? end : m->t1;

	return to > from ? to - from : 0;
}

typedef VEC(struct order_cost) order_costs;

/* In a call that waits for several requests the order does not matter. */
static void find_on(const struct naming *m, uint32_t location, order_costs *costs)
{
	size_t n;
	const struct wait *waits = analysis_waits(m->causes->analysis, location, &n);

	for (size_t i = 0; i < n; i++) {
		const struct wait *w = &waits[i];
		if (!(w->flags & WAIT_WRONG_ORDER) || !w->path || inside(m, w) <= 0 ||
		    region_call(m->trace, trace_callpath_region(m->trace, w->path)) != CALL_RECV ||
		    !works_after(m, location, w))
			continue;
		vec_push(costs, ((struct order_cost){ location, m->plain.of[w->path],
						      (double)inside(m, w) }));
	}
}

/* Adds up equal places, so that little is exchanged. */
static void join(order_costs *costs)
{
	size_t n = 0;

	vec_sort(costs, by_place);
	for (size_t i = 0; i < costs->n; i++) {
		struct order_cost *last = n ? &costs->data[n - 1] : NULL;
		const struct order_cost *c = &costs->data[i];
		if (last && last->location == c->location && last->path == c->path)
			last->cost += c->cost;
		else
			costs->data[n++] = *c;
	}
	costs->n = n;
}

bool naming_order(const struct naming *m, struct named_cause *cause)
{
	order_costs costs = VEC_INIT;
	const struct order_cost *c, *best = NULL;
	fixed sum = 0;

	for (uint32_t l = 0; l < m->series.locations; l++)
		if (trace_has_location(m->trace, l))
			find_on(m, l, &costs);
	join(&costs);
	exchange_rows(trace_exchange(m->trace), &costs);
	vec_sort(&costs, by_place);
	vec_each (c, &costs) {
		sum += fixed_of(c->cost);
		if (!best || c->cost > best->cost)
			best = c;
	}
	*cause = (struct named_cause){ .kind = CAUSE_WRONG_ORDER,
				       .location = best ? best->location : UINT32_MAX,
				       .path = best ? best->path : 0,
				       .cost = fixed_value(sum),
				       .share = fixed_value(sum) / m->waiting };
	vec_fini(&costs);
	return best && cause->cost >= WRONG_ORDER * m->waiting &&
	       cause->cost >= WRONG_ORDER_CORE * m->core;
}
