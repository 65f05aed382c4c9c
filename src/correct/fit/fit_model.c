/* The function that is minimised: smooth clocks of usual rates, anchors, barriers that push every
 * clock to the middle of the room that messages in both directions leave (doc/references.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/fit/fit_state.h"

/* tau = 20 us: strength of the barrier; below 2 us of slack it goes on as a parabola, beyond five
 * times that as a straight line, so that an outlier's force is bounded. */
#define TAU_SQUARE (20e3 * 20e3)
#define EPSILON    2e3
#define CURVE_LOW  (3 * TAU_SQUARE / (EPSILON * EPSILON * EPSILON * EPSILON))
#define SLOPE_LOW  (-TAU_SQUARE / (EPSILON * EPSILON * EPSILON))
#define BEND       (-5 * EPSILON)
/* Where the hinge begins: what is at its edge is not reversed by rounding. */
#define HINGE      100.0
/* Keeps the matrix definite if nothing constrains a clock. */
#define TINY       1e-14

struct penalty penalty_two_sided(double slack)
{
	double d, q, slope;

	if (slack >= EPSILON) {
		const double s2 = slack * slack;
		return (struct penalty){ TAU_SQUARE / (2 * s2), -TAU_SQUARE / (s2 * slack),
					 3 * TAU_SQUARE / (s2 * s2) };
	}
	d = slack - EPSILON;
	q = fmax(d, BEND);
	slope = SLOPE_LOW + CURVE_LOW * q;
	return (struct penalty){ TAU_SQUARE / (2 * EPSILON * EPSILON) + SLOPE_LOW * q +
					 CURVE_LOW * q * q / 2 + slope * (d - q),
				 slope, d >= BEND ? CURVE_LOW : fabs(slope) / fabs(d) };
}

struct penalty penalty_one_sided(double slack)
{
	const double d = slack - HINGE;
	double q;

	if (d >= 0)
		return (struct penalty){ 0, 0, 0 };
	q = fmax(d, BEND);
	return (struct penalty){ CURVE_LOW * q * q / 2 + CURVE_LOW * q * (d - q), CURVE_LOW * q,
				 d >= BEND ? CURVE_LOW : CURVE_LOW * q / d };
}

static struct penalty penalty_of(const struct term *term, const double *x)
{
	const double slack = term_slack(term, x);

	return term->two_sided ? penalty_two_sided(slack) : penalty_one_sided(slack);
}

/* ---- the rate of a clock ---- */

static double rate_weight(const struct model *model)
{
	const double usual = model->rate * model->step * (model->knots - 1);

	return 1 / (usual * usual);
}

/* What the last knot is above the first one. */
static double rise_of(const struct model *model, uint32_t clock, const double *x)
{
	const double *knots = x + (size_t)clock * model->knots;

	return knots[model->knots - 1] - knots[0];
}

static void add_rise(const struct model *model, uint32_t clock, double value, double *out)
{
	double *knots = out + (size_t)clock * model->knots;

	knots[model->knots - 1] += value;
	knots[0] -= value;
}

/* ---- the function ---- */

static double anchor_weight(const struct clock_anchor *anchor)
{
	return 1 / (anchor->limit * anchor->limit);
}

static double anchor_error(const struct clock_anchor *anchor, const double *x)
{
	return place_value(anchor->place, x) - anchor->expected;
}

void model_init(struct model *model, const struct fit_share *share, uint32_t knots, double first,
		double last)
{
	*model = (struct model){ .clocks = share->own,
				 .held = share_reference(share),
				 .knots = knots,
				 .sigma = 1,
				 .rate = RATE_USUAL,
				 .first = first };
	model->step = fmax((last - first) / (knots - 1), 1e-3);
}

void model_fini(struct model *model)
{
	vec_fini(&model->anchors);
	vec_fini(&model->rates);
	vec_fini(&model->base);
	vec_fini(&model->terms);
}

struct clock_place model_place(const struct model *model, uint32_t clock, double t)
{
	const double u = fmin(fmax((t - model->first) / model->step, 0), model->knots - 1.0);
	uint32_t k = (uint32_t)u;

	if (k > model->knots - 2)
		k = model->knots - 2;
	return (struct clock_place){ clock * model->knots + k, (float)(u - k) };
}

struct term model_term(const struct model *model, const struct fit_edge *edge, bool two_sided)
{
	struct term term = { edge->recv - edge->send, model_place(model, edge->to, edge->recv),
			     model_place(model, edge->from, edge->send), two_sided };

	if (model->from) {
		term.latency = term_slack(&term, model->from);
		term.two_sided = false;
	}
	return term;
}

static double bend_of(const double *x)
{
	return x[0] - 2 * x[1] + x[2];
}

/* In the order of its anchors, and of the terms. */
void model_values(const struct model *model, const double *x, double *of)
{
	const uint32_t knots = model->knots;
	const double weight = 1 / (2 * model->sigma * model->sigma);

	memset(of, 0, model->clocks * sizeof *of);
	for (uint32_t c = model->held; c < model->clocks; c++) {
		for (uint32_t k = 0; k + 2 < knots; k++) {
			const double bend = bend_of(x + (size_t)c * knots + k);
			of[c] += bend * bend;
		}
		of[c] *= weight;
	}
	for (size_t i = 0; i < model->anchors.n; i++) {
		const struct clock_anchor *anchor = &model->anchors.data[i];
		const double d = anchor_error(anchor, x);
		of[anchor->place.at / knots] += anchor_weight(anchor) * d * d / 2;
	}
	for (size_t i = 0; i < model->rates.n; i++) {
		const struct clock_rate *usual = &model->rates.data[i];
		const double d = rise_of(model, usual->clock, x) + usual->expected;
		of[usual->clock] += rate_weight(model) * d * d / 2;
	}
	for (size_t i = 0; i < model->terms.n; i++) {
		const struct term *term = &model->terms.data[i];
		const uint32_t c = term->recv.at / knots;
		if (c < model->clocks)
			of[c] += penalty_of(term, x).value;
	}
}

/* out += D2' D2 v / sigma^2 */
static void add_smoothness(const struct model *model, const double *v, double *out)
{
	const double weight = 1 / (model->sigma * model->sigma);

	for (uint32_t c = model->held; c < model->clocks; c++) {
		const size_t from = (size_t)c * model->knots;
		for (size_t i = from; i + 2 < from + model->knots; i++) {
			const double bend = weight * bend_of(v + i);
			out[i] += bend;
			out[i + 1] -= 2 * bend;
			out[i + 2] += bend;
		}
	}
}

/* Of an own clock: that of a guest is its process' to add. */
static void add_place(struct clock_place place, double value, double *out, size_t n)
{
	if (place.at >= n)
		return;
	out[place.at] += (1 - (double)place.a) * value;
	out[place.at + 1] += (double)place.a * value;
}

void model_gradient(const struct model *model, const double *x, double *g, struct curves *curves)
{
	const size_t n = (size_t)model->clocks * model->knots;

	memset(g, 0, sizeof *g * n);
	add_smoothness(model, x, g);
	for (size_t i = 0; i < model->anchors.n; i++) {
		const struct clock_anchor *anchor = &model->anchors.data[i];
		add_place(anchor->place, anchor_weight(anchor) * anchor_error(anchor, x), g, n);
	}
	for (size_t i = 0; i < model->rates.n; i++) {
		const struct clock_rate *usual = &model->rates.data[i];
		const double d = rise_of(model, usual->clock, x) + usual->expected;
		add_rise(model, usual->clock, rate_weight(model) * d, g);
	}
	for (size_t i = 0; i < model->terms.n; i++) {
		const struct term *term = &model->terms.data[i];
		const struct penalty phi = penalty_of(term, x);
		curves->terms[i] = phi.curve;
		add_place(term->recv, phi.slope, g, n);
		add_place(term->send, -phi.slope, g, n);
	}
	memset(g, 0, sizeof *g * model->held * model->knots);
}

void model_multiply(const struct model *model, const struct curves *curves, const double *v,
		    double *out)
{
	const size_t n = (size_t)model->clocks * model->knots;

	for (size_t i = 0; i < n; i++)
		out[i] = TINY * v[i];
	add_smoothness(model, v, out);
	for (size_t i = 0; i < model->anchors.n; i++)
		add_place(model->anchors.data[i].place,
			  anchor_weight(&model->anchors.data[i]) *
				  place_value(model->anchors.data[i].place, v),
			  out, n);
	for (size_t i = 0; i < model->rates.n; i++) {
		const uint32_t clock = model->rates.data[i].clock;
		add_rise(model, clock, rate_weight(model) * rise_of(model, clock, v), out);
	}
	for (size_t i = 0; i < model->terms.n; i++) {
		const struct term *term = &model->terms.data[i];
		double pull;
		if (curves->terms[i] == 0)
			continue;
		pull = curves->terms[i] * (place_value(term->recv, v) - place_value(term->send, v));
		add_place(term->recv, pull, out, n);
		add_place(term->send, -pull, out, n);
	}
	memset(out, 0, sizeof *out * model->held * model->knots);
}

static void block_place(struct clock_place place, double curve, double *diagonal, double *band1,
			size_t n)
{
	const double a = (double)place.a;

	if (place.at >= n)
		return;
	diagonal[place.at] += curve * (1 - a) * (1 - a);
	diagonal[place.at + 1] += curve * a * a;
	band1[place.at + 1] += curve * a * (1 - a);
}

void model_blocks(const struct model *model, const struct curves *curves, double *diagonal,
		  double *band1, double *band2)
{
	const size_t n = (size_t)model->clocks * model->knots;
	const double weight = 1 / (model->sigma * model->sigma);

	for (size_t i = 0; i < n; i++) {
		diagonal[i] = TINY;
		band1[i] = band2[i] = 0;
	}
	for (uint32_t c = model->held; c < model->clocks; c++) {
		const size_t from = (size_t)c * model->knots;
		for (size_t i = from; i + 2 < from + model->knots; i++) {
			diagonal[i] += weight;
			diagonal[i + 1] += 4 * weight;
			diagonal[i + 2] += weight;
			band1[i + 1] -= 2 * weight;
			band1[i + 2] -= 2 * weight;
			band2[i + 2] += weight;
		}
	}
	for (size_t i = 0; i < model->anchors.n; i++)
		block_place(model->anchors.data[i].place, anchor_weight(&model->anchors.data[i]),
			    diagonal, band1, n);
	/* What couples its ends is outside of the bands. */
	for (size_t i = 0; i < model->rates.n; i++) {
		const size_t at = (size_t)model->rates.data[i].clock * model->knots;
		diagonal[at] += rate_weight(model);
		diagonal[at + model->knots - 1] += rate_weight(model);
	}
	for (size_t i = 0; i < model->terms.n; i++) {
		block_place(model->terms.data[i].recv, curves->terms[i], diagonal, band1, n);
		block_place(model->terms.data[i].send, curves->terms[i], diagonal, band1, n);
	}
}
