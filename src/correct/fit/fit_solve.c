/* Newton's method, whose linear systems are solved by conjugate gradients over the active edges,
 * with each clock's own block of the matrix as preconditioner; and the active set around it
 * (doc/references.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/fit/fit_state.h"

enum { NEWTON_STEPS = 40, CG_STEPS = 500, HALVINGS = 14, SELECTIONS = 6, WINDOW = 4 };
/* Steps need not be exact: Newton's method corrects them, and most of its work is here (0.01 costs
 * 1.6 times as much and gives the same clocks). */
#define CG_TOLERANCE 0.1
/* Of the function, and as a share of it: below, it is at its minimum. What no clock can satisfy
 * makes a large function; its last digits cost more steps than all that matters (1e-6: twice the
 * time, the same clocks). */
#define DECREASE     1e-3
#define RELATIVE     1e-4
#define STILL        200.0 /* ns: a selection that moves no knot by more was the last */

void solver_init(struct solver *solver, struct fit_share *share, uint32_t knots)
{
	const size_t n = (size_t)share->own * knots, all = (size_t)share_slots(share) * knots;
	double **const vectors[] = { &solver->g,        &solver->r,     &solver->q,
				     &solver->diagonal, &solver->band1, &solver->band2 };
	double **const wide[] = { &solver->dx, &solver->z, &solver->p, &solver->trial };
	const size_t narrow = sizeof vectors / sizeof *vectors;
	double *at =
		xcalloc(narrow * n + sizeof wide / sizeof *wide * all + share->own + 1, sizeof *at);

	*solver = (struct solver){ .share = share, .n = n, .all = all };
	for (size_t i = 0; i < narrow; i++, at += n)
		*vectors[i] = at;
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++, at += all)
		*wide[i] = at;
	solver->of = at;
}

void solver_fini(struct solver *solver)
{
	share_plan_fini(&solver->reached);
	free_all(solver->g, solver->curves.terms);
	*solver = (struct solver){ 0 };
}

/* ---- bands ---- */

void bands_factor(double *diagonal, double *band1, double *band2, size_t n, uint32_t knots)
{
	for (size_t i = 0; i < n; i++) {
		const size_t k = i % knots;
		double l1 = 0, l2 = 0;

		diagonal[i] = diagonal[i] * (1 + 1e-9) + 1e-14;
		if (k >= 2)
			l2 = band2[i] / diagonal[i - 2];
		if (k >= 1)
			l1 = (band1[i] - (k >= 2 ? band2[i] * band1[i - 1] : 0)) / diagonal[i - 1];
		if (k >= 1)
			diagonal[i] -= l1 * l1 * diagonal[i - 1];
		if (k >= 2)
			diagonal[i] -= l2 * l2 * diagonal[i - 2];
		/* Rounding of a nearly singular block must not turn its sign. */
		diagonal[i] = fmax(diagonal[i], 1e-14);
		band1[i] = l1;
		band2[i] = l2;
	}
}

/* One block; the steps of its loop wait for each other. */
static void solve_block(const double *diagonal, const double *band1, const double *band2,
			uint32_t knots, const double *r, double *z)
{
	for (uint32_t i = 0; i < knots; i++)
		z[i] = r[i] - (i > 0 ? band1[i] * z[i - 1] : 0) - (i > 1 ? band2[i] * z[i - 2] : 0);
	for (uint32_t i = knots; i-- > 0;)
		z[i] = z[i] / diagonal[i] - (i + 1 < knots ? band1[i + 1] * z[i + 1] : 0) -
		       (i + 2 < knots ? band2[i + 2] * z[i + 2] : 0);
}

/* Several at once, so that these waits overlap. */
static void solve_blocks(const double *diagonal, const double *band1, const double *band2,
			 uint32_t knots, const double *r, double *z)
{
	double a[SHARE_ABREAST] = { 0 }, b[SHARE_ABREAST] = { 0 }; /* the last two values */

	for (size_t i = 0; i < knots; i++)
		for (size_t j = 0; j < SHARE_ABREAST; j++) {
			const size_t at = i + j * knots;
			const double value = r[at] - band1[at] * a[j] - band2[at] * b[j];
			b[j] = a[j];
			z[at] = a[j] = value;
		}
	for (size_t j = 0; j < SHARE_ABREAST; j++)
		a[j] = b[j] = 0;
	/* a: what is subtracted from the next value; b: from the one after it, so far. */
	for (size_t i = knots; i-- > 0;)
		for (size_t j = 0; j < SHARE_ABREAST; j++) {
			const size_t at = i + j * knots;
			const double value = z[at] / diagonal[at] - a[j];
			a[j] = b[j] + band1[at] * value;
			b[j] = band2[at] * value;
			z[at] = value;
		}
}

void bands_solve(const double *diagonal, const double *band1, const double *band2, size_t n,
		 uint32_t knots, const double *r, double *z)
{
	size_t from = 0;

	for (; from + (size_t)SHARE_ABREAST * knots <= n; from += (size_t)SHARE_ABREAST * knots)
		solve_blocks(diagonal + from, band1 + from, band2 + from, knots, r + from,
			     z + from);
	for (; from < n; from += knots)
		solve_block(diagonal + from, band1 + from, band2 + from, knots, r + from, z + from);
}

/* Of each clock in order, those of all clocks along the tree. v not NULL: its guests get their
 * values. */
static double dot(const struct solver *s, const struct model *model, const double *a,
		  const double *b, double *v)
{
	const uint32_t knots = model->knots;

	for (uint32_t c = 0; c < model->clocks; c++) {
		double sum = 0;
		for (size_t i = (size_t)c * knots; i < (size_t)(c + 1) * knots; i++)
			sum += a[i] * b[i];
		s->of[c] = sum;
	}
	return share_sum(s->share, s->of, &s->reached, v);
}

static double value_at(const struct solver *s, const struct model *model, const double *x)
{
	model_values(model, x, s->of);
	return share_sum(s->share, s->of, NULL, NULL);
}

/* ---- Newton ---- */

/* z = M^-1 r by the blocks alone; r'z. */
static double precondition(const struct solver *s, const struct model *model)
{
	bands_solve(s->diagonal, s->band1, s->band2, s->n, model->knots, s->r, s->z);
	return dot(s, model, s->r, s->z, s->z);
}

/* dx = M^-1 g, as far as conjugate gradients get. What a step needs of other processes' clocks is
 * the next direction; it comes with the sum: a step is two exchanges. */
static void solve_step(struct solver *s, const struct model *model)
{
	double rz, first;

	model_blocks(model, &s->curves, s->diagonal, s->band1, s->band2);
	bands_factor(s->diagonal, s->band1, s->band2, s->n, model->knots);
	memset(s->dx, 0, sizeof *s->dx * s->all);
	memcpy(s->r, s->g, sizeof *s->r * s->n);
	first = rz = precondition(s, model);
	memcpy(s->p, s->z, sizeof *s->p * s->all);
	for (int i = 0; i < CG_STEPS && rz > CG_TOLERANCE * CG_TOLERANCE * first; i++) {
		double curve, step, next;
		model_multiply(model, &s->curves, s->p, s->q);
		curve = dot(s, model, s->p, s->q, NULL);
		if (!(curve > 0))
			break;
		step = rz / curve;
		for (size_t j = 0; j < s->n; j++) {
			s->dx[j] += step * s->p[j];
			s->r[j] -= step * s->q[j];
		}
		for (size_t j = 0; j < s->n_reached; j++)
			s->dx[s->reached.wanted[j]] += step * s->p[s->reached.wanted[j]];
		next = precondition(s, model);
		for (size_t j = 0; j < s->n; j++)
			s->p[j] = s->z[j] + next / rz * s->p[j];
		for (size_t j = 0; j < s->n_reached; j++) {
			const uint32_t at = s->reached.wanted[j];
			s->p[at] = s->z[at] + next / rz * s->p[at];
		}
		rz = next;
		s->cg++;
	}
}

/* Goes down along dx as far as it helps; false: no step does. */
static bool walk(struct solver *s, const struct model *model, double *x, double *value,
		 double decrease)
{
	for (int halved = 0; halved < HALVINGS; halved++) {
		const double step = ldexp(1, -halved);
		double there;
		for (size_t i = 0; i < s->all; i++)
			s->trial[i] = x[i] - step * s->dx[i];
		there = value_at(s, model, s->trial);
		if (there <= *value - 1e-4 * step * decrease) {
			memcpy(x, s->trial, sizeof *x * s->all);
			*value = there;
			return true;
		}
	}
	return false;
}

static void reserve_curves(struct solver *s, const struct model *model)
{
	if (model->terms.n < s->terms)
		return;
	s->terms = model->terms.n + model->terms.n / 2 + 1;
	s->curves.terms = xrealloc(s->curves.terms, s->terms * sizeof *s->curves.terms);
}

bool solver_minimise(struct solver *s, const struct model *model, double *x,
		     const struct progress *progress)
{
	double value = value_at(s, model, x);

	reserve_curves(s, model);
	for (int i = 0; i < NEWTON_STEPS; i++) {
		double decrease;
		if (!fit_goes_on(progress, s->newton, 0))
			return false;
		model_gradient(model, x, s->g, &s->curves);
		solve_step(s, model);
		s->newton++;
		decrease = dot(s, model, s->g, s->dx, NULL);
		if (!(decrease >= DECREASE + RELATIVE * value) ||
		    !walk(s, model, x, &value, decrease))
			break;
	}
	return true;
}

/* ---- the active set ---- */

/* Edges of one pair of clocks and window. */
struct step_candidates {
	size_t end;             /* after them */
	size_t tightest, other; /* SIZE_MAX none; the tightest that is not active and reversed */
};

static struct step_candidates look(const struct model *model, const struct fit_edges *edges,
				   size_t from, uint8_t with, uint8_t without, const double *x)
{
	const double width = WINDOW * model->step;
	const struct fit_edge *first = &edges->data[from];
	const double until =
		model->first + (floor((first->recv - model->first) / width) + 1) * width;
	struct step_candidates found = { from, SIZE_MAX, SIZE_MAX };
	double least = INFINITY, least_other = 0;

	for (; found.end < edges->n; found.end++) {
		const struct fit_edge *e = &edges->data[found.end];
		if (e->from != first->from || e->to != first->to ||
		    (e->recv >= until && found.end > from))
			break;
		if ((edges->flags[found.end] & with) != with || edges->flags[found.end] & without)
			continue;
		const struct term term = model_term(model, e, true);
		const double slack = term_slack(&term, x);
		if (slack < least) {
			least = slack;
			found.tightest = found.end;
		}
		if (slack < least_other && !(edges->flags[found.end] & EDGE_ACTIVE)) {
			least_other = slack;
			found.other = found.end;
		}
	}
	return found;
}

static void activate(struct model *model, struct fit_edges *edges, size_t i)
{
	if (i == SIZE_MAX || edges->flags[i] & EDGE_ACTIVE)
		return;
	edges->flags[i] |= EDGE_ACTIVE;
	vec_push(&model->terms,
		 model_term(model, &edges->data[i], edges->flags[i] & EDGE_TWO_SIDED));
}

/* Adds the tightest edge of every pair of clocks and window of four knots, and the tightest
 * reversed one that is not in yet. The edges are sorted, so that those of a pair and window are
 * adjacent. */
static void select_terms(struct model *model, struct fit_edges *edges, uint8_t with,
			 uint8_t without, const double *x)
{
	for (size_t i = 0; i < edges->n;) {
		const struct step_candidates found = look(model, edges, i, with, without, x);
		activate(model, edges, found.tightest);
		activate(model, edges, found.other);
		i = found.end;
	}
}

static double largest_change(const double *a, const double *b, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(a[i] - b[i]));
	return most;
}

/* The values of guests that the terms reach. */
static void plan_values(struct solver *s, const struct model *model)
{
	VEC(uint32_t) wanted = VEC_INIT;
	OWNED bool *reached = NULL;

	if (!s->share->x)
		return;
	reached = xcalloc(s->all - s->n + 1, sizeof *reached);
	for (size_t i = 0; i < model->terms.n; i++) {
		const struct term *term = &model->terms.data[i];
		const size_t ends[2] = { term->recv.at, term->send.at };
		for (int end = 0; end < 2; end++)
			if (ends[end] >= s->n)
				reached[ends[end] - s->n] = reached[ends[end] - s->n + 1] = true;
	}
	for (size_t i = 0; i < s->all - s->n; i++)
		if (reached[i])
			vec_push(&wanted, (uint32_t)(s->n + i));
	s->n_reached = wanted.n;
	share_plan_make(&s->reached, s->share, model->knots, wanted.data, wanted.n);
}

bool solver_fit(struct solver *solver, struct model *model, struct fit_edges *edges, uint8_t with,
		uint8_t without, double *x, const struct progress *progress)
{
	OWNED double *before = xmalloc(sizeof *before * (solver->n + 1));
	struct exchange *exchange = solver->share->x;
	bool ok = true, still = false;

	model->terms.n = 0;
	for (size_t i = 0; i < edges->n; i++)
		edges->flags[i] &= (uint8_t)~EDGE_ACTIVE;
	for (int i = 0; i < SELECTIONS && ok && !still; i++) {
		const size_t terms = model->terms.n;
		memcpy(before, x, sizeof *x * solver->n);
		select_terms(model, edges, with, without, x);
		if (i > 0 && !exchange_any(exchange, model->terms.n != terms))
			break;
		plan_values(solver, model);
		ok = solver_minimise(solver, model, x, progress);
		/* What the edges reach that are looked at next. */
		share_refresh(solver->share, x, model->knots);
		still = exchange_most(exchange, largest_change(before, x, solver->n)) < STILL;
	}
	return ok;
}
