/* Messages that are reversed after clocks were moved: the least smooth change of the clocks that
 * mends them. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "correct/fit/fit_state.h"

/* Clocks rather move than turn: what is not known of links hardly changes while a program runs. */
#define RATE_CHANGED 1e-5

static bool any_reversed(const struct model *model, const struct fit_edges *edges,
			 const struct fit_share *share, const double *x)
{
	bool any = false;

	for (size_t i = 0; i < edges->n && !any; i++) {
		const struct term term = model_term(model, &edges->data[i], true);
		any = !(edges->flags[i] & EDGE_DROPPED) && term_slack(&term, x) < 0;
	}
	return exchange_any(share->x, any);
}

bool repair_run(struct solver *solver, const struct model *model, struct fit_edges *edges,
		const struct fit_share *share, double *x, const struct progress *progress)
{
	OWNED double *change = NULL;
	struct model hinges = { .clocks = model->clocks,
				.knots = model->knots,
				.held = model->held,
				.first = model->first,
				.step = model->step,
				.sigma = model->sigma,
				.rate = RATE_CHANGED,
				.from = x };
	bool ok;

	if (!any_reversed(model, edges, share, x))
		return true;
	change = xcalloc(solver->all + 1, sizeof *change);
	anchors_of_all(&hinges);
	for (uint32_t slot = model->held; slot < model->clocks; slot++)
		vec_push(&hinges.rates, ((struct clock_rate){ slot, 0 }));
	ok = solver_fit(solver, &hinges, edges, 0, EDGE_DROPPED, change, progress);
	for (size_t i = 0; i < solver->all; i++)
		x[i] += change[i];
	model_fini(&hinges);
	return ok;
}
