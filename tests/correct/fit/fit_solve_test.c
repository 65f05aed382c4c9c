/* The solver of the fit: derivatives against finite differences, its linear algebra and its minimum
 * against dense matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/tree_sum.h"
#include "correct/fit/fit_state.h"
#include "harness/random.h"
#include "harness/test.h"

enum { CLOCKS = 4, KNOTS = 9, N = CLOCKS * KNOTS, TERMS = 60, TRIES = 40 };

static double uniform(struct rng *rng)
{
	return (double)(rng_next(rng) & 0xffffff) / 16777216.0;
}

/* Random messages between all clocks, with slacks on all pieces of the penalty. */
static void make(struct model *model, double *x, struct rng *rng)
{
	const struct fit_share share = { .own = CLOCKS, .first = (uint32_t[]){ 0, CLOCKS } };

	model_init(model, &share, KNOTS, 0, 1e6);
	model->sigma = 100 + 1000 * uniform(rng);
	for (int i = 0; i < TERMS; i++) {
		const uint32_t from = rng_below(rng, CLOCKS);
		const uint32_t to = (from + 1 + rng_below(rng, CLOCKS - 1)) % CLOCKS;
		const double t = 1.2e6 * uniform(rng) - 1e5;
		const struct fit_edge edge = { t, t + 40e3 * uniform(rng) - 10e3, from, to, 0 };
		vec_push(&model->terms, model_term(model, &edge, rng_below(rng, 4) > 0));
	}
	for (uint32_t c = 1; c < CLOCKS; c++) {
		vec_push(&model->anchors,
			 ((struct clock_anchor){ model_place(model, c, 1e6 * uniform(rng)),
						 rng_below(rng, 2) ? 50e3 : 1e6, 0 }));
		vec_push(&model->rates, ((struct clock_rate){ c, 1e3 * uniform(rng) }));
	}
	for (int i = 0; i < N; i++)
		x[i] = i < KNOTS ? 0 : 10e3 * uniform(rng) - 5e3;
}

static double model_value(const struct model *model, const double *x)
{
	struct tree_sum all = TREE_SUM_INIT;
	double of[CLOCKS];

	model_values(model, x, of);
	for (int c = 0; c < CLOCKS; c++)
		tree_sum_add(&all, of[c]);
	return tree_sum(&all);
}

static struct curves curves_make(void)
{
	return (struct curves){ calloc(TERMS, sizeof(double)) };
}

static void curves_fini(struct curves *curves)
{
	free(curves->terms);
}

TEST(penalties_are_smooth_and_their_derivatives_right)
{
	struct penalty (*const penalties[])(double) = { penalty_two_sided, penalty_one_sided };

	for (int p = 0; p < 2; p++)
		for (double s = -30e3; s < 60e3; s += 37) {
			const double h = 0.1;
			const struct penalty a = penalties[p](s - h), b = penalties[p](s + h);
			const struct penalty at = penalties[p](s);
			const double size = fabs(at.slope) + 1e-9;
			assert_true(fabs((b.value - a.value) / (2 * h) - at.slope) < 1e-3 * size);
			assert_true(at.curve >= 0 && at.slope <= 0);
			/* Beyond the bend the curvature is a weight that leads to the minimum, not
			 * a derivative. */
			if (s > -7e3 && fabs(s - 100) > 1 && fabs(s - 2e3) > 1)
				assert_true(fabs((b.slope - a.slope) / (2 * h) - at.curve) <
					    1e-3 * (at.curve + 1e-12));
		}
	/* Worked out by hand: 20 us squared over twice 10 us squared, ... */
	assert_true(fabs(penalty_two_sided(10e3).value - 2) < 1e-12);
	assert_true(fabs(penalty_two_sided(10e3).slope + 4e-4) < 1e-12);
	assert_true(fabs(penalty_two_sided(2e3).value - 50) < 1e-9);
	assert_true(penalty_one_sided(100).value == 0);
	assert_true(penalty_one_sided(99).value > 0);
}

TEST(gradient_is_that_of_the_function)
{
	struct rng rng = { 7 };

	for (int try = 0; try < TRIES; try++) {
		ENDED_BY(curves_fini) struct curves curves = curves_make();
		ENDED_BY(model_fini) struct model model;
		double x[N], g[N];
		make(&model, x, &rng);
		model_gradient(&model, x, g, &curves);
		for (int i = 0; i < N; i++) {
			const double h = 0.5, was = x[i];
			double up, down;
			x[i] = was + h;
			up = model_value(&model, x);
			x[i] = was - h;
			down = model_value(&model, x);
			x[i] = was;
			if (i < KNOTS)
				assert_true(g[i] == 0);
			else
				assert_true(fabs((up - down) / (2 * h) - g[i]) <
					    1e-3 * fabs(g[i]) + 1e-5);
		}
	}
}

/* M, column by column. */
static void dense(const struct model *model, const struct curves *curves, double m[N][N])
{
	double unit[N] = { 0 }, column[N];

	for (int i = 0; i < N; i++) {
		unit[i] = 1;
		model_multiply(model, curves, unit, column);
		unit[i] = 0;
		for (int j = 0; j < N; j++)
			m[j][i] = i < KNOTS || j < KNOTS ? i == j : column[j];
	}
}

/* Gaussian elimination with pivots. */
static void dense_solve(double m[N][N], double *b)
{
	for (int k = 0; k < N; k++) {
		int pivot = k;
		for (int i = k + 1; i < N; i++)
			if (fabs(m[i][k]) > fabs(m[pivot][k]))
				pivot = i;
		for (int j = 0; j < N; j++) {
			const double swap = m[k][j];
			m[k][j] = m[pivot][j];
			m[pivot][j] = swap;
		}
		const double swap = b[k];
		b[k] = b[pivot];
		b[pivot] = swap;
		for (int i = k + 1; i < N; i++) {
			const double f = m[i][k] / m[k][k];
			for (int j = k; j < N; j++)
				m[i][j] -= f * m[k][j];
			b[i] -= f * b[k];
		}
	}
	for (int k = N - 1; k >= 0; k--) {
		for (int j = k + 1; j < N; j++)
			b[k] -= m[k][j] * b[j];
		b[k] /= m[k][k];
	}
}

TEST(matrix_is_the_derivative_of_the_gradient)
{
	struct rng rng = { 11 };

	for (int try = 0; try < TRIES; try++) {
		ENDED_BY(curves_fini) struct curves curves = curves_make(), spare = curves_make();
		ENDED_BY(model_fini) struct model model;
		double x[N], v[N], g[N], up[N], down[N], out[N], most = 0;
		make(&model, x, &rng);
		/* Where every slack is in the smooth part. */
		for (size_t i = 0; i < model.terms.n; i++)
			model.terms.data[i].latency =
				3e3 + fabs(model.terms.data[i].latency) -
				(term_slack(&model.terms.data[i], x) - model.terms.data[i].latency);
		model.anchors.n = 0;
		for (int i = 0; i < N; i++)
			v[i] = i < KNOTS ? 0 : uniform(&rng) - 0.5;
		model_gradient(&model, x, g, &curves);
		model_multiply(&model, &curves, v, out);
		for (int i = 0; i < N; i++)
			up[i] = x[i] + v[i];
		model_gradient(&model, up, g, &spare);
		for (int i = 0; i < N; i++)
			down[i] = x[i] - v[i];
		memcpy(up, g, sizeof up);
		model_gradient(&model, down, g, &spare);
		for (int i = 0; i < N; i++)
			most = fmax(most, fabs(out[i]));
		for (int i = 0; i < N; i++)
			assert_true(fabs((up[i] - g[i]) / 2 - out[i]) < 1e-3 * most);
	}
}

TEST(bands_are_the_blocks_and_solve_them)
{
	struct rng rng = { 13 };
	static double m[N][N];

	for (int try = 0; try < TRIES; try++) {
		ENDED_BY(curves_fini) struct curves curves = curves_make();
		ENDED_BY(model_fini) struct model model;
		double x[N], g[N], d[N], b1[N], b2[N], r[N], z[N];
		make(&model, x, &rng);
		model.rates.n = 0; /* they couple the ends of a block */
		model_gradient(&model, x, g, &curves);
		dense(&model, &curves, m);
		model_blocks(&model, &curves, d, b1, b2);
		for (int i = KNOTS; i < N; i++)
			for (int j = KNOTS; j < N; j++) {
				const double is = j == i       ? d[i]
						  : j == i - 1 ? b1[i]
						  : j == i - 2 ? b2[i]
							       : 0;
				if (i / KNOTS != j / KNOTS)
					m[i][j] = 0;
				else if (j <= i)
					assert_true(fabs(m[i][j] - is) < 1e-9 * (fabs(is) + 1e-6));
			}
		for (int i = 0; i < N; i++)
			r[i] = i < KNOTS ? 0 : uniform(&rng) - 0.5;
		bands_factor(d, b1, b2, N, KNOTS);
		bands_solve(d, b1, b2, N, KNOTS, r, z);
		dense_solve(m, r);
		for (int i = KNOTS; i < N; i++)
			assert_true(fabs(z[i] - r[i]) < 1e-3 * fabs(r[i]) + 1);
	}
}

/* Eight blocks abreast give what each gives alone. */
TEST(blocks_abreast_are_solved_like_single_ones)
{
	enum { BLOCKS = 19, ALL = BLOCKS * KNOTS };
	struct rng rng = { 17 };
	double d[ALL], b1[ALL], b2[ALL], r[ALL], z[ALL], alone[KNOTS];

	for (int i = 0; i < ALL; i++) {
		const int k = i % KNOTS;
		d[i] = 5 + uniform(&rng);
		b1[i] = k > 0 ? uniform(&rng) - 0.5 : 0;
		b2[i] = k > 1 ? uniform(&rng) - 0.5 : 0;
		r[i] = uniform(&rng);
	}
	bands_factor(d, b1, b2, ALL, KNOTS);
	bands_solve(d, b1, b2, ALL, KNOTS, r, z);
	for (int block = 0; block < BLOCKS; block++) {
		const int at = block * KNOTS;
		bands_solve(d + at, b1 + at, b2 + at, KNOTS, KNOTS, r + at, alone);
		for (int k = 0; k < KNOTS; k++)
			assert_true(fabs(z[at + k] - alone[k]) < 1e-12);
	}
}

/* Newton's method with dense matrices, to the last digit. */
static void dense_minimise(const struct model *model, double *x)
{
	static double m[N][N];
	ENDED_BY(curves_fini) struct curves curves = curves_make();

	for (int step = 0; step < 500; step++) {
		const double value = model_value(model, x);
		double g[N], dx[N], trial[N], decrease = 0, length = 1;
		model_gradient(model, x, g, &curves);
		dense(model, &curves, m);
		memcpy(dx, g, sizeof dx);
		dense_solve(m, dx);
		for (int i = 0; i < N; i++)
			decrease += g[i] * dx[i];
		if (decrease < 1e-10)
			break;
		do {
			for (int i = 0; i < N; i++)
				trial[i] = x[i] - length * dx[i];
			length /= 2;
		} while (model_value(model, trial) > value && length > 1e-9);
		memcpy(x, trial, sizeof trial);
	}
}

TEST(minimum_is_that_of_dense_matrices)
{
	struct rng rng = { 19 };

	for (int try = 0; try < TRIES; try++) {
		ENDED_BY(model_fini) struct model model;
		ENDED_BY(solver_fini) struct solver solver;
		ENDED_BY(share_fini) struct fit_share share;
		double x[N], y[N];
		make(&model, x, &rng);
		memcpy(y, x, sizeof y);
		share_init(&share, NULL, CLOCKS);
		solver_init(&solver, &share, KNOTS);
		assert_true(solver_minimise(&solver, &model, x, NULL));
		dense_minimise(&model, y);
		/* As near as the share of the function that the solver stops at. */
		assert_true(model_value(&model, x) - model_value(&model, y) <
			    1e-3 * model_value(&model, y) + 1e-2);
		for (int k = 0; k < KNOTS; k++)
			assert_true(x[k] == 0);
	}
}

/* Terms of different receivers may come in any order: a process that has some of the clocks adds
 * theirs alone. */
TEST(value_does_not_depend_on_the_order_of_clocks)
{
	struct rng rng = { 11 };

	for (int try = 0; try < TRIES; try++) {
		ENDED_BY(model_fini) struct model model, sorted;
		double x[N];
		make(&model, x, &rng);
		sorted = model;
		sorted.terms.data = NULL;
		sorted.terms.n = sorted.terms.cap = 0;
		sorted.anchors.data = NULL;
		sorted.anchors.n = sorted.anchors.cap = 0;
		sorted.rates.data = NULL;
		sorted.rates.n = sorted.rates.cap = 0;
		for (uint32_t c = CLOCKS; c-- > 0;) {
			for (size_t i = 0; i < model.terms.n; i++)
				if (model.terms.data[i].recv.at / KNOTS == c)
					vec_push(&sorted.terms, model.terms.data[i]);
			for (size_t i = 0; i < model.anchors.n; i++)
				if (model.anchors.data[i].place.at / KNOTS == c)
					vec_push(&sorted.anchors, model.anchors.data[i]);
			for (size_t i = 0; i < model.rates.n; i++)
				if (model.rates.data[i].clock == c)
					vec_push(&sorted.rates, model.rates.data[i]);
		}
		assert_int_equal(sorted.terms.n, TERMS);
		assert_true(model_value(&model, x) == model_value(&sorted, x));
	}
}
