/* Messages that cannot tell: the truth reverses no message, so that the least change of
 * interpolated offsets after which none is reversed is not farther from it than they are, as a
 * projection to a convex set. The middle of the room that messages leave is far nearer where they
 * are as fast both ways; where ranks wait for cores, or links are slow one way in each part of a
 * run, it may be anywhere in that room. */
#include <math.h>

#include "base/exchange.h"
#include "base/fixed.h"
#include "base/mem.h"
#include "correct/fit/fit_level_state.h"
#include "model/trace/store.h"

/* The middle is so many times as far off the least change as that is off the records, and so many
 * of their half round trips (of bent clocks one): good records are left for nothing that messages
 * demand. */
#define DEMANDED 0.9
#define FAR      1.5
/* Of bent clocks the middle is followed only so far, as a share of that change. That is not
 * farther from the truth than the records are, in whatever direction it is, unless the least change
 * is 1.9 times as far from it as from them. */
#define FOLLOWED 0.25

/* Of knots of own clocks that messages hold from both sides; of all, if they hold none so. */
struct least {
	double *tightness;
	bool all;
	const struct leveling *of;
	size_t first, end;
};

static bool counts(const struct least *l, size_t i)
{
	return l->all || !isinf(l->tightness[i]);
}

/* rms difference of two corrections */
static double between(const struct least *l, const double *a, const double *b)
{
	uint64_t n = 0;
	fixed sum = 0;

	for (size_t i = l->first; i < l->end; i++)
		if (counts(l, i)) {
			sum += fixed_of((a[i] - b[i]) * (a[i] - b[i]));
			n++;
		}
	exchange_sum(l->of->share->job, &sum, 1);
	n = exchange_count(l->of->share->job, n);
	return n ? sqrt(fixed_value(sum) / (double)n) : 0;
}

/* Half round trip of the records of own clocks, the mean. */
static double half_of_records(const struct leveling *l)
{
	uint64_t n = 0;
	fixed sum = 0;

	for (size_t i = 0; i < trace_offset_count(l->clocks->trace); i++) {
		const struct offset *o = clocks_offset(l->clocks, i);
		const uint32_t clock = l->clocks->of[o->location];
		if (clock == 0 || clock - share_begin(l->share) >= l->share->own ||
		    clocks_follow(l->clocks, o->location))
			continue;
		sum += fixed_of(leveling_half(l->clocks, o));
		n++;
	}
	exchange_sum(l->share->job, &sum, 1);
	n = exchange_count(l->share->job, n);
	return n ? fixed_value(sum) / (double)n : INFINITY;
}

/* How much of the way from the least change y to the middle is gone: 1 where messages tell. */
static double way_to_middle(const struct leveling *of, const double *y)
{
	const size_t knots = of->model->knots;
	const bool bent = of->model->sigma > choose_sigma(of->model, 0);
	OWNED double *tightness = leveling_find_tightness(of);
	struct least l = { .tightness = tightness,
			   .of = of,
			   .first = of->model->held * knots,
			   .end = of->share->own * knots };
	double demanded, off;
	bool any = false;

	for (size_t i = l.first; i < l.end; i++)
		any = any || !isinf(tightness[i]);
	l.all = !exchange_any(of->share->job, any);
	demanded = between(&l, y, of->model->base.data);
	off = between(&l, of->x, y);
	if (off <= (bent ? 1 : FAR) * half_of_records(of))
		return 1;
	if (off > DEMANDED * demanded)
		return 0;
	return bent ? fmin(FOLLOWED * demanded / off, 1) : 1;
}

bool least_run(struct solver *solver, struct model *model, struct fit_edges *edges,
	       const struct clocks *clocks, struct fit_share *share, double *x, bool *is,
	       const struct progress *progress)
{
	const struct leveling l = {
		.clocks = clocks, .edges = edges, .share = share, .model = model, .x = x
	};
	OWNED double *y = xcalloc(solver->all + 1, sizeof *y);
	const double sigma = model->sigma;
	double way;

	for (size_t i = 0; i < model->base.n; i++)
		y[i] = model->base.data[i];
	share_refresh(share, y, model->knots);
	model->sigma = choose_sigma(model, FIT_SIGMAS - 1);
	if (!repair_run(solver, model, edges, share, y, progress)) {
		model->sigma = sigma;
		return false;
	}
	model->sigma = sigma;
	way = way_to_middle(&l, y);
	*is = way < 1;
	for (size_t i = 0; *is && i < solver->all; i++)
		x[i] = y[i] + way * (x[i] - y[i]);
	return true;
}
