#include "correct/fit/level.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "correct/fit/level_state.h"

/* Most links are alike both ways, which is the first kappa; the others are a geometric row. */
enum { KAPPAS = 20, ETAS = 30 };
#define KAPPA_ALIKE 0.03
#define KAPPA_LEAST 0.04
#define KAPPA_MOST  1.584893192461113 /* 10^0.2 */
#define SHARE_ALIKE 0.8
#define ETA_LEAST   0.01
#define ETA_MOST    50.11872336272722 /* 10^1.7 */
/* An honest record is wrong by up to ETA_HONEST; others have a round trip that is not the truth. */
#define ETA_CLOSE   0.2
#define ETA_HONEST  0.6
#define ETA_PRICE   4.6
#define LOOPS_MOST  6
#define EXCEPTION   0.03 /* a clock whose messages say nothing but their interval */
#define NEGLIGIBLE  1e-4
#define USUAL_RATE  1e-4

/* Of records that are wrong by a share eta of half their round trip. */
static struct level_sums sum_records(const struct level_clock *clock,
				     const struct level_record *records, double eta)
{
	struct level_sums sums = { .n = clock->n };

	for (size_t i = clock->first; i < clock->first + clock->n; i++) {
		const struct level_record *r = &records[i];
		const double w = 1 / (level_square(eta * r->half) + level_square(r->loose));
		sums.s0 += w;
		sums.s1 += w * r->u;
		sums.s2 += w * r->u * r->u;
		sums.b0 += w * r->residual;
		sums.b1 += w * r->residual * r->u;
		sums.q += w * r->residual * r->residual;
		sums.logs -= log(w);
	}
	return sums;
}

static struct level_prior prior_of(const struct level_clock *clock, double share)
{
	const double least = level_square(LEVEL_NOISE_LEAST);
	const double level = fmin(level_variance(&clock->level, share), level_square(clock->most));

	return (struct level_prior){
		fmax(level, least), fmax(level_variance(&clock->turn, LEVEL_TURN * share), least)
	};
}

/* An exception: within the interval that messages leave. */
static struct level_prior prior_of_exception(const struct level_clock *clock)
{
	struct level_clock other = *clock;

	other.level.symmetric = clock->most;
	other.turn.symmetric = clock->most / 2;
	return prior_of(&other, 1);
}

struct level_posterior {
	struct level_line line;
	double likelihood;    /* logarithm */
	double p00, p01, p11; /* inverse of the precision */
};

static struct level_posterior posterior(const struct level_sums *s, struct level_prior prior)
{
	const double a = 1 / prior.level + s->s0, b = s->s1, c = 1 / prior.tilt + s->s2;
	const double det = a * c - b * b;
	struct level_posterior fit = { .p00 = c / det, .p01 = -b / det, .p11 = a / det };

	fit.line.level = fit.p00 * s->b0 + fit.p01 * s->b1;
	fit.line.tilt = fit.p01 * s->b0 + fit.p11 * s->b1;
	fit.likelihood = -(s->q - s->b0 * fit.line.level - s->b1 * fit.line.tilt) / 2 -
			 (log(det) + log(prior.level) + log(prior.tilt) + s->logs) / 2;
	return fit;
}

/* The same of records against a line. */
struct level_sums level_against(const struct level_sums *s, struct level_line line)
{
	const double a = line.level, b = line.tilt;
	struct level_sums out = *s;

	out.b0 -= s->s0 * a + s->s1 * b;
	out.b1 -= s->s1 * a + s->s2 * b;
	out.q += -2 * (a * s->b0 + b * s->b1) + s->s0 * a * a + 2 * s->s1 * a * b + s->s2 * b * b;
	return out;
}

/* ---- the grid ---- */

static double geometric(double least, double most, int i, int n)
{
	return least * pow(most / least, (double)i / (n - 1));
}

static double kappa_at(int i)
{
	return i == 0 ? KAPPA_ALIKE : geometric(KAPPA_LEAST, KAPPA_MOST, i - 1, KAPPAS - 1);
}

static double eta_at(int i)
{
	return geometric(ETA_LEAST, ETA_MOST, i, ETAS);
}

static double prior_of_shares(const struct level_question *question, int kappa, double eta)
{
	const double loops = question->loops < LOOPS_MOST ? question->loops : LOOPS_MOST;
	const double v = level_square(kappa_at(kappa)) + question->curl_noise;
	double sum = kappa == 0 ? log(SHARE_ALIKE) : log((1 - SHARE_ALIKE) / (KAPPAS - 1));

	if (eta < ETA_CLOSE)
		sum -= level_square(log(eta / ETA_CLOSE)) / 2;
	if (eta > ETA_HONEST)
		sum -= ETA_PRICE * fmin(1, log(eta / ETA_HONEST) / log(1 / ETA_HONEST));
	return sum - loops * (log(v) + question->curl / v) / 2;
}

/* The line of an island as a whole, the clocks from..to. */
static struct level_line line_of_island(const struct level_grid *g, size_t from, size_t to)
{
	const struct level_question *question = g->question;
	double l00 = 1e-15, l01 = 0,
	       l11 = 1e-15 + 1 / level_square(USUAL_RATE * question->half_length);
	double v0 = 0, v1 = 0, det;

	for (size_t i = from; i < to; i++) {
		const struct level_sums s = g->sums[i];
		const struct level_posterior fit =
			posterior(&s, prior_of(&question->clocks[i], g->kappa));
		const double n00 = s.s0 * fit.p00 + s.s1 * fit.p01;
		const double n01 = s.s0 * fit.p01 + s.s1 * fit.p11;
		const double n10 = s.s1 * fit.p00 + s.s2 * fit.p01;
		const double n11 = s.s1 * fit.p01 + s.s2 * fit.p11;
		l00 += s.s0 - (n00 * s.s0 + n01 * s.s1);
		l01 += s.s1 - (n00 * s.s1 + n01 * s.s2);
		l11 += s.s2 - (n10 * s.s1 + n11 * s.s2);
		v0 += s.b0 - (s.s0 * fit.line.level + s.s1 * fit.line.tilt);
		v1 += s.b1 - (s.s1 * fit.line.level + s.s2 * fit.line.tilt);
	}
	det = l00 * l11 - l01 * l01;
	if (!(det > 0))
		return (struct level_line){ 0, 0 };
	if (g->likelihood)
		*g->likelihood -= log(det) / 2;
	return (struct level_line){ (l11 * v0 - l01 * v1) / det, (l00 * v1 - l01 * v0) / det };
}

static void sum_clocks(const struct level_question *question, double eta, struct level_sums *sums)
{
	for (size_t i = 0; i < question->n; i++)
		sums[i] = sum_records(&question->clocks[i], question->records, eta);
}

void level_given(const struct level_question *question, double kappa, double eta,
		 struct level_line *lines)
{
	OWNED struct level_sums *sums = xcalloc(question->n + 1, sizeof *sums);
	OWNED struct level_node *nodes = xcalloc(question->n + 1, sizeof *nodes);
	const struct level_grid g = {
		.question = question, .sums = sums, .kappa = kappa, .nodes = nodes
	};

	sum_clocks(question, eta, sums);
	level_find_lines(&g, 0, question->n, (struct level_line){ 0, 0 });
	for (size_t i = 0; i < question->n; i++)
		lines[i] = nodes[i].line;
}

/* One clock may be an exception. */
static void look_at_clock(const struct level_grid *g, size_t i, struct level_line part)
{
	const struct level_question *question = g->question;
	const struct level_clock *clock = &question->clocks[i];
	const struct level_sums s = level_against(&g->sums[i], part);
	const struct level_posterior usual = posterior(&s, prior_of(clock, g->kappa));
	const struct level_posterior other = posterior(&s, prior_of_exception(clock));
	const double a = log(1 - EXCEPTION) + usual.likelihood;
	const double b = log(EXCEPTION) + other.likelihood;
	const double share = s.n ? 1 / (1 + exp(fmin(fmax(b - a, -50), 50))) : 1;
	const struct level_line line = g->nodes[i].line;

	if (g->likelihood && s.n)
		*g->likelihood += fmax(a, b) + log1p(exp(-fabs(a - b)));
	if (!g->answer)
		return;
	g->answer->clock[i].level +=
		g->weight * (part.level + share * line.level + (1 - share) * other.line.level);
	g->answer->clock[i].tilt +=
		g->weight * (part.tilt + share * line.tilt + (1 - share) * other.line.tilt);
}

static void look_at_point(const struct level_grid *g)
{
	const struct level_question *question = g->question;

	for (size_t from = 0, to; from < question->n; from = to) {
		const uint32_t part = question->clocks[from].part;
		struct level_line line = { 0, 0 };
		for (to = from; to < question->n && question->clocks[to].part == part;)
			to++;
		if (question->island[part])
			line = line_of_island(g, from, to);
		if (g->answer)
			level_find_lines(g, from, to, line);
		for (size_t i = from; i < to; i++)
			look_at_clock(g, i, line);
	}
}

void level_solve(const struct level_question *question, struct level_answer *answer)
{
	OWNED struct level_sums *sums = xcalloc(question->n + 1, sizeof *sums);
	double likelihood[ETAS][KAPPAS], most = -INFINITY, all = 0, kappa = 0, eta = 0;
	OWNED struct level_node *nodes = xcalloc(question->n + 1, sizeof *nodes);
	struct level_grid g = { .question = question, .sums = sums, .nodes = nodes };

	memset(answer->clock, 0, question->n * sizeof *answer->clock);
	for (int b = 0; b < ETAS; b++) {
		sum_clocks(question, eta_at(b), sums);
		for (int a = 0; a < KAPPAS; a++) {
			g.kappa = kappa_at(a);
			g.likelihood = &likelihood[b][a];
			likelihood[b][a] = prior_of_shares(question, a, eta_at(b));
			look_at_point(&g);
			most = fmax(most, likelihood[b][a]);
		}
	}
	for (int i = 0; i < KAPPAS * ETAS; i++)
		all += exp(likelihood[i / KAPPAS][i % KAPPAS] - most);
	g.likelihood = NULL;
	g.answer = answer;
	for (int b = 0; b < ETAS; b++) {
		sum_clocks(question, eta_at(b), sums);
		for (int a = 0; a < KAPPAS; a++) {
			g.weight = exp(likelihood[b][a] - most) / all;
			g.kappa = kappa_at(a);
			kappa += g.weight * log(g.kappa);
			eta += g.weight * log(eta_at(b));
			if (g.weight > NEGLIGIBLE)
				look_at_point(&g);
		}
	}
	answer->kappa = exp(kappa);
	answer->eta = exp(eta);
}
