#include "correct/fit/level.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

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
#define CURL_NOISE  4e-4
#define EXCEPTION   0.03 /* a clock whose messages say nothing but their interval */
#define NEGLIGIBLE  1e-4
#define USUAL_RATE  1e-4

/* Records of a clock, weighted by 1 / half^2. */
struct level_sums {
	double s0, s1, s2, b0, b1, q, logs;
	size_t n;
};

static struct level_sums sum_records(const struct level_clock *clock,
				     const struct level_record *records)
{
	struct level_sums sums = { .n = clock->n };

	for (size_t i = clock->first; i < clock->first + clock->n; i++) {
		const struct level_record *r = &records[i];
		const double w = 1 / (r->half * r->half);
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

/* The same of records that are wrong by a share eta of half. */
static struct level_sums scaled(const struct level_sums *sums, double eta)
{
	const double w = 1 / (eta * eta);

	return (struct level_sums){ w * sums->s0,
				    w * sums->s1,
				    w * sums->s2,
				    w * sums->b0,
				    w * sums->b1,
				    w * sums->q,
				    sums->logs - (double)sums->n * log(w),
				    sums->n };
}

/* The same of records against a line. */
static struct level_sums against(const struct level_sums *s, struct level_line line)
{
	const double a = line.level, b = line.tilt;
	struct level_sums out = *s;

	out.b0 -= s->s0 * a + s->s1 * b;
	out.b1 -= s->s1 * a + s->s2 * b;
	out.q += -2 * (a * s->b0 + b * s->b1) + s->s0 * a * a + 2 * s->s1 * a * b + s->s2 * b * b;
	return out;
}

/* Variances of a clock's level and tilt by messages alone. */
struct level_prior {
	double level, tilt;
};

static double square(double x)
{
	return x * x;
}

static struct level_prior prior_of(const struct level_clock *clock, double noise, double share)
{
	const double room = square(share * clock->symmetric), other = square(clock->excess);

	return (struct level_prior){ room + other + square(noise),
				     room / 4 + other / 4 + square(noise) };
}

/* An exception: within the interval that messages leave. */
static struct level_prior prior_of_exception(const struct level_clock *clock, double noise)
{
	const struct level_clock other = { .symmetric = clock->most, .excess = clock->excess };

	return prior_of(&other, noise, 1);
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
	const double v = square(kappa_at(kappa)) + CURL_NOISE;
	double sum = kappa == 0 ? log(SHARE_ALIKE) : log((1 - SHARE_ALIKE) / (KAPPAS - 1));

	if (eta < ETA_CLOSE)
		sum -= square(log(eta / ETA_CLOSE)) / 2;
	if (eta > ETA_HONEST)
		sum -= ETA_PRICE * fmin(1, log(eta / ETA_HONEST) / log(1 / ETA_HONEST));
	return sum - loops * (log(v) + question->curl / v) / 2;
}

struct level_grid {
	const struct level_question *question;
	const struct level_sums *sums; /* [n] */
	double kappa, eta;
	double *likelihood; /* adds to it; NULL: not asked for */
	/* adds lines with this weight; NULL: not asked for */
	struct level_answer *answer;
	double weight;
	struct level_node *nodes; /* [n] */
};

/* The line of an island as a whole, the clocks from..to. */
static struct level_line line_of_island(const struct level_grid *g, size_t from, size_t to)
{
	const struct level_question *question = g->question;
	double l00 = 1e-15, l01 = 0, l11 = 1e-15 + 1 / square(USUAL_RATE * question->half_length);
	double v0 = 0, v1 = 0, det;

	for (size_t i = from; i < to; i++) {
		const struct level_sums s = scaled(&g->sums[i], g->eta);
		const struct level_posterior fit =
			posterior(&s, prior_of(&question->clocks[i], question->noise, g->kappa));
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

/* ---- clocks share the errors of their way ---- */

/* A symmetric matrix, as a rule the precision of a level and a tilt, times these. */
struct level_information {
	double m00, m01, m11, v0, v1;
};

/* A clock on the tree of paths: the error that it has of its way, beside its own noise. */
struct level_node {
	struct level_sums records;
	struct level_prior step;        /* variances of what it adds to its parent's */
	struct level_information below; /* what it and the clocks after it say */
	struct level_line line;         /* of its way; the mean */
};

/* (1 + s m)^-1 (v0, v1), with a diagonal matrix s. */
static struct level_line solve_with(const struct level_information *m, struct level_prior s,
				    double v0, double v1)
{
	const double a = 1 + s.level * m->m00, b = s.level * m->m01;
	const double c = s.tilt * m->m01, d = 1 + s.tilt * m->m11, det = a * d - b * c;

	return (struct level_line){ (d * v0 - b * v1) / det, (a * v1 - c * v0) / det };
}

/* The same through an error of variance s: m (1 + s m)^-1, and (1 + m s)^-1 v. */
static struct level_information through(const struct level_information *m, struct level_prior s)
{
	const struct level_line x = solve_with(m, s, 1, 0), y = solve_with(m, s, 0, 1);
	const struct level_line v = solve_with(m, s, s.level * m->v0, s.tilt * m->v1);

	/* (1 + m s)^-1 v = v - m (1 + s m)^-1 s v */
	return (struct level_information){ m->m00 * x.level + m->m01 * x.tilt,
					   m->m00 * y.level + m->m01 * y.tilt,
					   m->m01 * y.level + m->m11 * y.tilt,
					   m->v0 - (m->m00 * v.level + m->m01 * v.tilt),
					   m->v1 - (m->m01 * v.level + m->m11 * v.tilt) };
}

static void add_information(struct level_information *to, const struct level_information *from)
{
	to->m00 += from->m00;
	to->m01 += from->m01;
	to->m11 += from->m11;
	to->v0 += from->v0;
	to->v1 += from->v1;
}

static struct level_information said_by(const struct level_sums *s)
{
	return (struct level_information){ s->s0, s->s1, s->s2, s->b0, s->b1 };
}

static struct level_prior step_of(const struct level_grid *g, const struct level_clock *clock)
{
	const struct level_clock *clocks = g->question->clocks;
	const bool root = clock->parent == LEVEL_ROOT;
	const double symmetric = root ? 0 : square(clocks[clock->parent].symmetric);
	const double excess = root ? 0 : square(clocks[clock->parent].excess);
	const double step = square(g->kappa) * fmax(square(clock->symmetric) - symmetric, 0) +
			    fmax(square(clock->excess) - excess, 0);

	return (struct level_prior){ step, step / 4 };
}

/* Means of the clocks from..to: the tree up, then down. */
static void find_lines(const struct level_grid *g, size_t from, size_t to, struct level_line part)
{
	const double noise = square(g->question->noise);
	const struct level_prior own = { noise, noise };

	for (size_t i = from; i < to; i++) {
		struct level_node *node = &g->nodes[i];
		const struct level_sums all = scaled(&g->sums[i], g->eta);
		struct level_information said;
		node->records = against(&all, part);
		node->step = step_of(g, &g->question->clocks[i]);
		said = said_by(&node->records);
		node->below = through(&said, own);
	}
	for (size_t i = to; i-- > from;) {
		const uint32_t parent = g->question->clocks[i].parent;
		const struct level_node *node = &g->nodes[i];
		struct level_information said;
		if (parent == LEVEL_ROOT)
			continue;
		said = through(&node->below, node->step);
		add_information(&g->nodes[parent].below, &said);
	}
	for (size_t i = from; i < to; i++) {
		const uint32_t parent = g->question->clocks[i].parent;
		struct level_node *node = &g->nodes[i];
		const struct level_line before =
			parent == LEVEL_ROOT ? (struct level_line){ 0, 0 } : g->nodes[parent].line;
		node->line = solve_with(&node->below, node->step,
					before.level + node->step.level * node->below.v0,
					before.tilt + node->step.tilt * node->below.v1);
	}
}

/* The clock's own noise is in what its records say, too. */
static struct level_line with_noise(const struct level_node *node, double noise)
{
	const struct level_information said = said_by(&node->records);
	const double s = square(noise);

	return solve_with(&said, (struct level_prior){ s, s }, node->line.level + s * said.v0,
			  node->line.tilt + s * said.v1);
}

static struct level_sums *sum_clocks(const struct level_question *question)
{
	struct level_sums *sums = xcalloc(question->n + 1, sizeof *sums);

	for (size_t i = 0; i < question->n; i++)
		sums[i] = sum_records(&question->clocks[i], question->records);
	return sums;
}

void level_given(const struct level_question *question, double kappa, double eta,
		 struct level_line *lines)
{
	OWNED struct level_sums *sums = sum_clocks(question);
	OWNED struct level_node *nodes = xcalloc(question->n + 1, sizeof *nodes);
	const struct level_grid g = {
		.question = question, .sums = sums, .kappa = kappa, .eta = eta, .nodes = nodes
	};

	find_lines(&g, 0, question->n, (struct level_line){ 0, 0 });
	for (size_t i = 0; i < question->n; i++)
		lines[i] = with_noise(&nodes[i], question->noise);
}

/* One clock may be an exception. */
static void look_at_clock(const struct level_grid *g, size_t i, struct level_line part)
{
	const struct level_question *question = g->question;
	const struct level_clock *clock = &question->clocks[i];
	const struct level_sums all = scaled(&g->sums[i], g->eta), s = against(&all, part);
	const struct level_posterior usual =
		posterior(&s, prior_of(clock, question->noise, g->kappa));
	const struct level_posterior other =
		posterior(&s, prior_of_exception(clock, question->noise));
	const double a = log(1 - EXCEPTION) + usual.likelihood;
	const double b = log(EXCEPTION) + other.likelihood;
	const double share = s.n ? 1 / (1 + exp(fmin(fmax(b - a, -50), 50))) : 1;
	struct level_line line;

	if (g->likelihood && s.n)
		*g->likelihood += fmax(a, b) + log1p(exp(-fabs(a - b)));
	if (!g->answer)
		return;
	line = with_noise(&g->nodes[i], question->noise);
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
			find_lines(g, from, to, line);
		for (size_t i = from; i < to; i++)
			look_at_clock(g, i, line);
	}
}

void level_solve(const struct level_question *question, struct level_answer *answer)
{
	OWNED struct level_sums *sums = sum_clocks(question);
	double likelihood[KAPPAS][ETAS], most = -INFINITY, all = 0, kappa = 0, eta = 0;
	OWNED struct level_node *nodes = xcalloc(question->n + 1, sizeof *nodes);
	struct level_grid g = { .question = question, .sums = sums, .nodes = nodes };

	memset(answer->clock, 0, question->n * sizeof *answer->clock);
	for (int a = 0; a < KAPPAS; a++)
		for (int b = 0; b < ETAS; b++) {
			g.kappa = kappa_at(a);
			g.eta = eta_at(b);
			g.likelihood = &likelihood[a][b];
			likelihood[a][b] = prior_of_shares(question, a, g.eta);
			look_at_point(&g);
			most = fmax(most, likelihood[a][b]);
		}
	for (int i = 0; i < KAPPAS * ETAS; i++)
		all += exp(likelihood[i / ETAS][i % ETAS] - most);
	g.likelihood = NULL;
	g.answer = answer;
	for (int a = 0; a < KAPPAS; a++)
		for (int b = 0; b < ETAS; b++) {
			g.weight = exp(likelihood[a][b] - most) / all;
			g.kappa = kappa_at(a);
			g.eta = eta_at(b);
			kappa += g.weight * log(g.kappa);
			eta += g.weight * log(g.eta);
			if (g.weight > NEGLIGIBLE)
				look_at_point(&g);
		}
	answer->kappa = exp(kappa);
	answer->eta = exp(eta);
}
