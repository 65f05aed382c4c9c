/* The hold-out: how much clocks may bend is what predicts messages best that the fit has not seen,
 * each half of them by the other one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "base/mem.h"
#include "correct/fit/fit_state.h"

#define LATE_MOST   100.0 /* us: what one edge can add to a score */
/* Scores that differ by less (us, and a share) are equal. */
#define SCORE_EQUAL 0.3
#define SHARE_EQUAL 1.1

/* us by which each unseen edge is reversed, and their sums. */
struct unseen {
	const struct solver *solver;
	const struct model *model;
	const struct fit_edges *edges;
	float *late; /* [sigmas * edges] */
	double *scores;
};

double choose_sigma(const struct model *model, int i)
{
	return ldexp(1, 2 * i) * pow((double)FIT_KNOTS / model->knots, 2);
}

static double late_of(const struct unseen *u, size_t edge, const double *x)
{
	const struct term term = model_term(u->model, &u->edges->data[edge], true);

	return fmin(fmax(-term_slack(&term, x) / 1e3, 0), LATE_MOST);
}

/* Of edges that are not of a half; fills late[edges]. */
static double score(const struct unseen *u, const double *x, enum edge_flag half, float *late)
{
	fixed sum = 0;

	for (size_t i = 0; i < u->edges->n; i++) {
		if (u->edges->flags[i] & (EDGE_LEFT_OUT | half) ||
		    !edges_counts(u->solver->share, &u->edges->data[i]))
			continue;
		late[i] = (float)late_of(u, i, x);
		sum += fixed_of((double)late[i]);
	}
	exchange_sum(u->solver->share->x, &sum, 1);
	return fixed_value(sum);
}

/* Whether one predicts messages better by more than the standard error of that: a few of them are
 * late by luck. */
static bool is_better(const struct unseen *u, int one, int other)
{
	const float *a = u->late + (size_t)one * u->edges->n;
	const float *b = u->late + (size_t)other * u->edges->n;
	const double more = u->scores[other] - u->scores[one];
	fixed squares = 0;

	for (size_t i = 0; i < u->edges->n; i++)
		squares += fixed_of(pow((double)b[i] - (double)a[i], 2));
	exchange_sum(u->solver->share->x, &squares, 1);
	return u->scores[other] > SHARE_EQUAL * u->scores[one] + SCORE_EQUAL &&
	       more > sqrt(fixed_value(squares));
}

/* The straightest one that is not worse than the best. */
static int straightest(const struct unseen *u)
{
	int best = 0;

	for (int i = 1; i < FIT_SIGMAS; i++)
		if (u->scores[i] < u->scores[best])
			best = i;
	for (int i = 0; i < best; i++)
		if (!isinf(u->scores[i]) && !is_better(u, best, i))
			return i;
	return best;
}

/* Adds up what each sigma from `first` on leaves reversed in the half that it has not seen. Clocks
 * that may bend more than is good do not get better again. */
static bool score_sigmas(struct unseen *u, struct solver *solver, struct model *model,
			 struct fit_edges *edges, int first, const struct progress *progress)
{
	OWNED double *x = xmalloc(sizeof *x * (solver->all + 1));
	bool ok = true;

	for (int i = 0; i < FIT_SIGMAS; i++)
		u->scores[i] = i < first ? INFINITY : 0;
	for (int h = 0; h < 2 && ok; h++) {
		const enum edge_flag half = h ? EDGE_ODD : EDGE_EVEN;
		double least = INFINITY;
		memset(x, 0, sizeof *x * solver->all);
		for (int i = first; i < FIT_SIGMAS && ok; i++) {
			double unseen;
			model->sigma = choose_sigma(model, i);
			ok = solver_fit(solver, model, edges, (uint8_t)half, EDGE_LEFT_OUT, x,
					progress);
			unseen = score(u, x, half, u->late + (size_t)i * edges->n);
			u->scores[i] += unseen;
			least = fmin(least, unseen);
			for (int j = i + 1; unseen > 3 * least + 10 && j < FIT_SIGMAS; j++)
				u->scores[j] = INFINITY;
			if (unseen > 3 * least + 10)
				break;
		}
	}
	return ok;
}

/* us that interpolated offsets leave reversed. */
static double score_nothing(const struct unseen *u)
{
	OWNED float *late = xcalloc(u->edges->n + 1, sizeof *late);
	OWNED double *x = xcalloc(u->solver->all + 1, sizeof *x);
	double one;

	for (size_t i = 0; i < u->model->base.n; i++)
		x[i] = u->model->base.data[i];
	share_refresh(u->solver->share, x, u->model->knots);
	one = score(u, x, EDGE_EVEN, late);
	return one + score(u, x, EDGE_ODD, late);
}

int hold_out(struct fit_choice *choice, const struct fit_share *share, const struct model *model,
	     const struct fit_edges *edges, int first, double scores[FIT_SIGMAS],
	     const struct progress *progress)
{
	struct fit_share few;
	struct model sampled;
	struct fit_edges some;
	struct solver solver;
	struct unseen u = {
		.solver = &solver, .model = &sampled, .edges = &some, .scores = scores
	};
	int best = -1;

	sample_make(model, edges, share, SAMPLE_CLOCKS, &sampled, &some, &few);
	solver_init(&solver, &few, sampled.knots);
	u.late = xcalloc(FIT_SIGMAS * some.n + 1, sizeof *u.late);
	if (score_sigmas(&u, &solver, &sampled, &some, first, progress)) {
		choice->linear = score_nothing(&u);
		best = straightest(&u);
		/* So few clocks may all be in the first process. */
		exchange_from(share->x, 0, scores, FIT_SIGMAS * sizeof *scores);
		exchange_from(share->x, 0, &choice->linear, sizeof choice->linear);
		exchange_from(share->x, 0, &best, sizeof best);
		choice->score = scores[best];
	}
	free(u.late);
	solver_fini(&solver);
	share_fini(&few);
	edges_fini(&some);
	model_fini(&sampled);
	return best;
}
