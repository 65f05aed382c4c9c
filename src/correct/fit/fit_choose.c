/* How much clocks may bend: straight lines first, then what predicts unseen messages best
 * (fit_hold.c); messages that cannot be true are left out (doc/references.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/fit/fit_state.h"

enum { MORE_BENDS = 2 };
#define NEARLY_BEST       1.5
#define CLEARLY_FEWER     0.75
#define STRAIGHT_ENOUGH   1e-4 /* share of reversed edges */
#define FAR_FROM_STRAIGHT 1e-2
#define CLEARLY           -10e3 /* ns: an outlier's slack */
#define OUTLIERS          5e-3  /* share of edges, at most */

/* What is below a slack in the edges that are not dropped. */
static uint64_t count_below(const struct solver *solver, const struct model *model,
			    const struct fit_edges *edges, const double *x, double slack)
{
	uint64_t n = 0;

	for (size_t i = 0; i < edges->n; i++) {
		if (edges->flags[i] & EDGE_LEFT_OUT ||
		    !edges_counts(solver->share, &edges->data[i]))
			continue;
		const struct term term = model_term(model, &edges->data[i], true);
		n += term_slack(&term, x) < slack;
	}
	return exchange_count(solver->share->x, n);
}

static bool fit_all(struct fit_choice *choice, struct solver *solver, struct model *model,
		    struct fit_edges *edges, int i, double *x, const struct progress *progress)
{
	model->sigma = choose_sigma(model, i);
	choice->sigma = ldexp(1, 2 * i);
	return solver_fit(solver, model, edges, 0, EDGE_LEFT_OUT, x, progress);
}

/* That was chosen. */
static double sigma_of(const struct fit_choice *choice, const struct model *model)
{
	return choice->sigma * pow((double)FIT_KNOTS / model->knots, 2);
}

/* Where a few messages are still reversed, clocks that may bend a little more than is best may
 * satisfy them, and predict unseen ones hardly worse. */
static bool bend_for_all(struct fit_choice *choice, struct solver *solver, struct model *model,
			 struct fit_edges *edges, int best, const double scores[FIT_SIGMAS],
			 double *x, const struct progress *progress)
{
	OWNED double *trial = xmalloc(sizeof *trial * (solver->all + 1));
	uint64_t reversed = count_below(solver, model, edges, x, REVERSED_BELOW);
	double sigma = choice->sigma;
	bool ok = true;

	memcpy(trial, x, sizeof *x * solver->all);
	for (int i = best + 1; i < FIT_SIGMAS && i <= best + MORE_BENDS && reversed > 0; i++) {
		uint64_t now;
		if (scores[i] > NEARLY_BEST * scores[best] + 1)
			break;
		ok = fit_all(choice, solver, model, edges, i, trial, progress);
		now = count_below(solver, model, edges, trial, REVERSED_BELOW);
		if (!ok || (double)now > CLEARLY_FEWER * (double)reversed)
			break;
		reversed = now;
		sigma = choice->sigma;
		memcpy(x, trial, sizeof *x * solver->all);
	}
	choice->sigma = sigma;
	model->sigma = sigma_of(choice, model);
	return ok;
}

/* Steps 1 to 3. */
static bool choose(struct fit_choice *choice, struct solver *solver, struct model *model,
		   struct fit_edges *edges, double *x, const struct progress *progress)
{
	double scores[FIT_SIGMAS] = { 0 }, reversed;
	int best = 0;

	memset(x, 0, sizeof *x * solver->all);
	choice->score = choice->linear = -1;
	if (!fit_all(choice, solver, model, edges, 0, x, progress))
		return false;
	reversed =
		(double)count_below(solver, model, edges, x, REVERSED_BELOW) / (double)edges->kept;
	if (reversed > STRAIGHT_ENOUGH) {
		best = hold_out(choice, solver->share, model, edges,
				reversed > FAR_FROM_STRAIGHT ? 2 : 0, scores, progress);
		if (best < 0)
			return false;
	}
	if (best > 0 && !fit_all(choice, solver, model, edges, best, x, progress))
		return false;
	return bend_for_all(choice, solver, model, edges, best, scores, x, progress);
}

static uint64_t drop_outliers(const struct solver *solver, const struct model *model,
			      struct fit_edges *edges, const double *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < edges->n; i++) {
		const struct term term = model_term(model, &edges->data[i], true);
		if (edges->flags[i] & EDGE_LATER || term_slack(&term, x) >= CLEARLY)
			continue;
		edges->flags[i] |= EDGE_DROPPED;
		n += edges_counts(solver->share, &edges->data[i]);
	}
	return exchange_count(solver->share->x, n);
}

bool choose_run(struct fit_choice *choice, struct solver *solver, struct model *model,
		struct fit_edges *edges, double *x, const struct progress *progress)
{
	uint64_t outliers;

	*choice = (struct fit_choice){ 0 };
	if (!choose(choice, solver, model, edges, x, progress))
		return false;
	outliers = count_below(solver, model, edges, x, CLEARLY);
	if (outliers == 0 || (double)outliers > OUTLIERS * (double)edges->kept)
		return true;
	choice->dropped = drop_outliers(solver, model, edges, x);
	return choose(choice, solver, model, edges, x, progress);
}

bool choose_again(struct fit_choice *choice, struct solver *solver, struct model *model,
		  struct fit_edges *edges, double *x, const struct progress *progress)
{
	model->sigma = sigma_of(choice, model);
	if (choice->dropped > 0)
		choice->dropped = drop_outliers(solver, model, edges, x);
	return solver_fit(solver, model, edges, 0, EDGE_LEFT_OUT, x, progress);
}
