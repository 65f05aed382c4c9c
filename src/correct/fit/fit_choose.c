/* How much clocks may bend: straight lines first, then what predicts unseen messages best; messages
 * that cannot be true are left out (doc/references.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "base/mem.h"
#include "correct/fit/fit_state.h"

enum { SIGMAS = 8, MORE_BENDS = 2, LEFT_OUT = EDGE_DROPPED | EDGE_LATER };
#define NEARLY_BEST       1.5
#define CLEARLY_FEWER     0.75
#define STRAIGHT_ENOUGH   1e-4 /* share of reversed edges */
#define FAR_FROM_STRAIGHT 1e-2
#define CLEARLY           -10e3 /* ns: an outlier's slack */
#define OUTLIERS          5e-3  /* share of edges, at most */
#define SCORE_MOST        100.0 /* us: what one edge can add to a score */

/* Second difference per knot, ns: 1, 4, ..., 16384 with 64 knots. */
static double sigma_at(const struct model *model, int i)
{
	return ldexp(1, 2 * i) * pow((double)FIT_KNOTS / model->knots, 2);
}

/* What is below a slack in the edges that are not dropped. */
static uint64_t count_below(const struct solver *solver, const struct model *model,
			    const struct fit_edges *edges, const double *x, double slack)
{
	uint64_t n = 0;

	for (size_t i = 0; i < edges->n; i++) {
		if (edges->flags[i] & LEFT_OUT || !edges_counts(solver->share, &edges->data[i]))
			continue;
		const struct term term = model_term(model, &edges->data[i], true);
		n += term_slack(&term, x) < slack;
	}
	return exchange_count(solver->share->x, n);
}

/* us by which the edges of a fold are reversed. */
static double score(const struct solver *solver, const struct model *model,
		    const struct fit_edges *edges, const double *x, bool fold)
{
	fixed sum = 0;

	for (size_t i = 0; i < edges->n; i++) {
		double late;
		if (edges->flags[i] & LEFT_OUT || !!(edges->flags[i] & EDGE_FOLD) != fold ||
		    !edges_counts(solver->share, &edges->data[i]))
			continue;
		const struct term term = model_term(model, &edges->data[i], true);
		late = -term_slack(&term, x) / 1e3;
		if (late > 0)
			sum += fixed_of(fmin(late, SCORE_MOST));
	}
	exchange_sum(solver->share->x, &sum, 1);
	return fixed_value(sum);
}

static int best_of(const double scores[SIGMAS])
{
	double least = scores[0];

	for (int i = 1; i < SIGMAS; i++)
		least = fmin(least, scores[i]);
	for (int i = 0;; i++)
		if (scores[i] <= 1.1 * least + 0.3)
			return i;
}

/* Adds up what each sigma from `first` on leaves reversed in the half that it has not seen. Clocks
 * that may bend more than is good do not get better again. */
static bool score_sigmas(struct solver *solver, struct model *model, struct fit_edges *edges,
			 int first, double scores[SIGMAS], const struct progress *progress)
{
	OWNED double *x = xmalloc(sizeof *x * (solver->all + 1));
	bool ok = true;

	for (int i = 0; i < SIGMAS; i++)
		scores[i] = i < first ? INFINITY : 0;
	for (int fold = 0; fold < 2 && ok; fold++) {
		double least = INFINITY;
		memset(x, 0, sizeof *x * solver->all);
		for (int i = first; i < SIGMAS && ok; i++) {
			double unseen;
			model->sigma = sigma_at(model, i);
			ok = solver_fit(solver, model, edges, fold ? 0 : EDGE_FOLD,
					LEFT_OUT | (fold ? EDGE_FOLD : 0), x, progress);
			unseen = score(solver, model, edges, x, fold);
			scores[i] += unseen;
			least = fmin(least, unseen);
			for (int j = i + 1; unseen > 3 * least + 10 && j < SIGMAS; j++)
				scores[j] = INFINITY;
			if (unseen > 3 * least + 10)
				break;
		}
	}
	return ok;
}

/* us that interpolated offsets leave reversed. */
static double score_nothing(const struct solver *solver, const struct model *model,
			    const struct fit_edges *edges)
{
	OWNED double *x = xcalloc(solver->all + 1, sizeof *x);
	double one;

	for (size_t i = 0; i < model->base.n; i++)
		x[i] = model->base.data[i];
	share_refresh(solver->share, x, model->knots);
	one = score(solver, model, edges, x, false);

	return one + score(solver, model, edges, x, true);
}

/* The hold-out, of a sample where there are many clocks. */
static bool hold_out(struct fit_choice *choice, const struct fit_share *share,
		     const struct model *model, const struct fit_edges *edges, int first,
		     double scores[SIGMAS], const struct progress *progress)
{
	struct fit_share few;
	struct model sampled;
	struct fit_edges some;
	struct solver solver;
	bool ok;

	sample_make(model, edges, share, SAMPLE_CLOCKS, &sampled, &some, &few);
	solver_init(&solver, &few, sampled.knots);
	ok = score_sigmas(&solver, &sampled, &some, first, scores, progress);
	if (ok) {
		choice->linear = score_nothing(&solver, &sampled, &some);
		/* So few clocks may all be in the first process. */
		exchange_from(share->x, 0, scores, SIGMAS * sizeof *scores);
		exchange_from(share->x, 0, &choice->linear, sizeof choice->linear);
		choice->score = scores[best_of(scores)];
	}
	solver_fini(&solver);
	share_fini(&few);
	edges_fini(&some);
	model_fini(&sampled);
	return ok;
}

static bool fit_all(struct fit_choice *choice, struct solver *solver, struct model *model,
		    struct fit_edges *edges, int i, double *x, const struct progress *progress)
{
	model->sigma = sigma_at(model, i);
	choice->sigma = ldexp(1, 2 * i);
	return solver_fit(solver, model, edges, 0, LEFT_OUT, x, progress);
}

/* That was chosen. */
static double sigma_of(const struct fit_choice *choice, const struct model *model)
{
	return choice->sigma * pow((double)FIT_KNOTS / model->knots, 2);
}

/* Where a few messages are still reversed, clocks that may bend a little more than is best may
 * satisfy them, and predict unseen ones hardly worse. */
static bool bend_for_all(struct fit_choice *choice, struct solver *solver, struct model *model,
			 struct fit_edges *edges, int best, const double scores[SIGMAS], double *x,
			 const struct progress *progress)
{
	OWNED double *trial = xmalloc(sizeof *trial * (solver->all + 1));
	uint64_t reversed = count_below(solver, model, edges, x, REVERSED_BELOW);
	double sigma = choice->sigma;
	bool ok = true;

	memcpy(trial, x, sizeof *x * solver->all);
	for (int i = best + 1; i < SIGMAS && i <= best + MORE_BENDS && reversed > 0; i++) {
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
	double scores[SIGMAS] = { 0 }, reversed;
	int best = 0;

	memset(x, 0, sizeof *x * solver->all);
	choice->score = choice->linear = -1;
	if (!fit_all(choice, solver, model, edges, 0, x, progress))
		return false;
	reversed =
		(double)count_below(solver, model, edges, x, REVERSED_BELOW) / (double)edges->kept;
	if (reversed > STRAIGHT_ENOUGH) {
		if (!hold_out(choice, solver->share, model, edges,
			      reversed > FAR_FROM_STRAIGHT ? 2 : 0, scores, progress))
			return false;
		best = best_of(scores);
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
	return solver_fit(solver, model, edges, 0, LEFT_OUT, x, progress);
}
