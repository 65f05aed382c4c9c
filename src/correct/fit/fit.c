#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/fit/fit_state.h"
#include "model/trace/store.h"

enum {
	EDGES_A_CLOCK = 30,   /* sent and received; below, a fit is noise */
	EDGES_UNMEASURED = 4, /* if no offsets could be made worse */
	CLOCKS_TO_REFINE = 256,
	CLOCKS_FOR_ALL_KNOTS = 4096,
};

/* Hold-out scores that differ by less (us, and a share) are equal. */
#define SCORE_NOISE 1.0
#define SCORE_SHARE 1.1

struct fit {
	struct trace *trace;
	const struct logical *logical;
	const struct fit_options *options;
	const struct progress *progress;
	struct fit_report *report;
	struct ties ties;
	struct clocks clocks;
	struct fit_edges edges;
	struct model model;
	struct solver solver;
	struct fit_choice choice;
	bool *fixed; /* [clocks] keeps its line */
	double *x;
};

/* Notes the reason why there is no fit. */
static bool decline(struct fit *fit, const char *why)
{
	snprintf(fit->report->why, sizeof fit->report->why, "%s", why);
	return false;
}

/* True if most clocks have too few messages. Those of MPI_Init and MPI_Finalize only, two of every
 * pair, do not count. */
static bool poor(const struct fit *fit)
{
	const uint64_t enough = fit->clocks.measured ? EDGES_A_CLOCK : EDGES_UNMEASURED;
	const struct fit_edges *edges = &fit->edges;
	OWNED size_t *of = xcalloc(fit->clocks.n + 1, sizeof *of);
	uint32_t good = 0;

	for (size_t i = 0, end; i < edges->n; i = end) {
		const struct fit_edge *e = &edges->data[i];
		end = edges_pair_end(edges, i);
		of[e->from] += end - i < JOINED_BY ? 0 : end - i;
		of[e->to] += end - i < JOINED_BY ? 0 : end - i;
	}
	for (uint32_t c = 1; c < fit->clocks.n; c++)
		good += of[c] >= enough && fit->report->clocks[c].state == CLOCK_TWO_SIDED;
	return 2 * good < fit->clocks.n - 1;
}

/* False if a fit should not be made. */
static bool worth_it(struct fit *fit)
{
	if (fit->edges.seen == 0)
		return decline(fit, "Clocks were not fitted: there are no messages between them.");
	if (fit->edges.reversed == 0 && !fit->options->even_if_poor)
		return decline(fit, "Clocks were not fitted: no message is reversed.");
	if (!fit->options->even_if_poor && poor(fit))
		return decline(
			fit,
			"Clocks were not fitted: too few messages go in both directions; offsets "
			"are interpolated.");
	return true;
}

static bool collect(struct fit *fit)
{
	edges_fini(&fit->edges);
	edges_init(&fit->edges, &fit->clocks, EDGES_LIMIT);
	return edges_collect(&fit->edges, &fit->clocks, fit->logical, fit->progress);
}

/* The line of time that the knots divide. */
static void span_of(const struct fit *fit, double *first, double *last)
{
	*first = INFINITY;
	*last = -INFINITY;
	for (size_t i = 0; i < fit->edges.n; i++) {
		const struct fit_edge *e = &fit->edges.data[i];
		*first = fmin(*first, fmin(e->send, e->recv));
		*last = fmax(*last, fmax(e->send, e->recv));
	}
	if (fit->report->prealigned)
		return;
	for (size_t i = 0; i < trace_offset_count(fit->trace); i++) {
		const struct offset *o = trace_offset(fit->trace, i);
		const double t =
			clocks_time(&fit->clocks, fit->clocks.of[o->location], o->time + o->offset);
		*first = fmin(*first, t);
		*last = fmax(*last, t);
	}
}

/* Offsets are measured to within some 50 us on a busy machine, sometimes worse, but not off by
 * milliseconds. */
#define ANCHOR_WIDTH 50e3
#define ANCHOR_LIMIT 1e6
#define ANCHOR_LEAST 5e3
#define FIXED        1.0

static void add_anchor(struct fit *fit, uint32_t clock, double t, double width, double limit)
{
	vec_push(&fit->model.anchors,
		 ((struct clock_anchor){ model_place(&fit->model, clock, t), width, limit }));
}

/* True if the location's offsets are not used. */
static bool follows(const struct fit *fit, uint32_t location)
{
	const int64_t *tied = fit->clocks.tied;

	return tied && tied[location] != NOT_TIED && tied[location] != location;
}

/* An offset is wrong by half its round trip at most, a bound that holds however messages are
 * delayed (ns); `most` where there is none. Taken for two deviations: in real sweeps on shared
 * cores, whose messages are ten times as fast one way as the other, the fit is then nearer to the
 * truth than interpolation. */
static double wrong_by(const struct fit *fit, const struct offset *o, double most)
{
	if (o->rtt <= 0)
		return most;
	return fmin(fmax((double)o->rtt * fit->clocks.ns / 4, ANCHOR_LEAST), most);
}

/* Anchors: where offsets were measured, the correction is about 0. */
static void add_anchors(struct fit *fit)
{
	for (size_t i = 0; i < trace_offset_count(fit->trace); i++) {
		const struct offset *o = trace_offset(fit->trace, i);
		const uint32_t clock = fit->clocks.of[o->location];
		if (clock != 0 && !follows(fit, o->location))
			add_anchor(fit, clock,
				   clocks_time(&fit->clocks, clock, o->time + o->offset),
				   wrong_by(fit, o, ANCHOR_WIDTH), wrong_by(fit, o, ANCHOR_LIMIT));
	}
}

/* Limits how far a line may turn, however few messages hold it (a run of a millisecond after an
 * MPI_Init of seconds); the first clock of an island without offsets stays where it is. */
static void hold_lines(struct fit *fit)
{
	for (uint32_t c = 1; c < fit->clocks.n; c++) {
		const double limit = fit->fixed[c] ? FIXED : ANCHOR_LIMIT;
		add_anchor(fit, c, fit->model.first, 0, limit);
		add_anchor(fit, c, fit->model.first + fit->model.step * fit->model.knots, 0, limit);
	}
}

/* If messages leave a clock more room than offsets are wrong by, the middle of that room is worse
 * than the measured offset: such a clock is only kept from reversing messages. Measured on real
 * runs with eight ranks on two cores, whose waits are as long as time slices: 11 us became 19. */
static void leave_loose_clocks(struct fit *fit)
{
	const uint32_t n = fit->clocks.n;
	struct fit_edges *edges = &fit->edges;
	double *in = xcalloc(n + 1, sizeof *in), *out = xcalloc(n + 1, sizeof *out);

	for (uint32_t c = 0; c < n; c++)
		in[c] = out[c] = c == 0 ? -INFINITY : INFINITY;
	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *e = &edges->data[i];
		in[e->to] = fmin(in[e->to], e->recv - e->send);
		out[e->from] = fmin(out[e->from], e->recv - e->send);
	}
	for (size_t i = 0; i < edges->n; i++) {
		const struct fit_edge *e = &edges->data[i];
		if (in[e->from] + out[e->from] > ANCHOR_WIDTH ||
		    in[e->to] + out[e->to] > ANCHOR_WIDTH)
			edges->flags[i] &= (uint8_t)~EDGE_TWO_SIDED;
	}
	free_all(in, out);
}

static bool prepare(struct fit *fit)
{
	const uint32_t knots = fit->clocks.n > CLOCKS_FOR_ALL_KNOTS ? FIT_KNOTS / 4 : FIT_KNOTS;
	double first, last;

	if (!fit->clocks.measured) {
		align_run(&fit->clocks, &fit->edges, fit->fixed);
		fit->report->prealigned = true;
		if (!collect(fit))
			return false;
	}
	span_of(fit, &first, &last);
	model_init(&fit->model, fit->clocks.n, knots, first, last);
	hold_lines(fit);
	if (!fit->report->prealigned) {
		add_anchors(fit);
		leave_loose_clocks(fit);
	}
	solver_init(&fit->solver, (size_t)fit->clocks.n * knots);
	fit->x = xcalloc(fit->solver.n, sizeof *fit->x);
	return true;
}

/* With the corrections so far, it is better known which rank comes last to a large group. Once is
 * enough; with very many clocks the time is better spent otherwise. */
static bool refine(struct fit *fit)
{
	if (!fit->clocks.large || fit->clocks.n > CLOCKS_TO_REFINE)
		return true;
	fit->clocks.guess = &fit->model;
	fit->clocks.x = fit->x;
	if (!collect(fit))
		return false;
	if (!fit->report->prealigned)
		leave_loose_clocks(fit);
	return choose_again(&fit->choice, &fit->solver, &fit->model, &fit->edges, fit->x,
			    fit->progress);
}

/* False with the reason if interpolation is better. */
static bool better(struct fit *fit)
{
	const struct fit_choice *c = &fit->choice;

	if (!apply_is_sane(&fit->model, fit->x))
		return decline(
			fit,
			"Clocks were not fitted: the messages would need clocks at half speed or "
			"less; offsets are interpolated.");
	if (c->score >= 0 && !fit->report->prealigned &&
	    c->score > SCORE_SHARE * c->linear + SCORE_NOISE)
		return decline(fit, "Clocks were not fitted: interpolated offsets predict unseen "
				    "messages better.");
	return true;
}

/* Latencies inside a node count as well. */
static void hold_slack(const struct fit *fit)
{
	const double least = fit->ties.least / fit->clocks.ns;
	double *slack = &fit->report->min_slack;

	if (fit->ties.leader)
		*slack = fit->edges.n == 0 ? least : fmin(*slack, least);
}

/* Reports the effect of using one clock for each node. */
static void tell_ties(const struct fit *fit)
{
	struct fit_report *report = fit->report;
	const double us = fit->ties.noise / 1e3;

	report->reversed_before += fit->ties.reversed;
	if (!fit->ties.leader || report->prealigned)
		return;
	if (fit->clocks.n == 1)
		snprintf(report->why, sizeof report->why,
			 "All ranks share one clock; the measured offsets (up to %.3g us) are "
			 "noise and not used.",
			 us);
	else
		snprintf(
			report->why, sizeof report->why,
			"The ranks of a node share its clock (nodes: %u); offsets measured between "
			"them (up to %.3g us) are noise and not used.",
			fit->ties.nodes, us);
}

/* Writes the column, and the report on it. */
static bool apply(struct fit *fit, double sigma, struct err *err)
{
	struct fit_report *report = fit->report;

	if (!report_edges(report, &fit->clocks, &fit->edges, &fit->model, fit->x, fit->logical,
			  fit->progress) ||
	    !apply_run(fit->trace, &fit->clocks, &fit->model, fit->x, fit->progress, err))
		return false;
	report_fit(report, &fit->clocks, &fit->model, fit->x);
	hold_slack(fit);
	tell_ties(fit);
	report->sigma = sigma;
	report->done = true;
	return true;
}

/* Uses one clock for each node, without a fit. */
static bool only_tie(struct fit *fit, struct err *err)
{
	if (!fit->ties.leader || fit->clocks.base != BASE_LINEAR || fit->report->prealigned)
		return true;
	if (!fit->x) {
		model_init(&fit->model, fit->clocks.n, FIT_KNOTS, 0, fit->clocks.length);
		fit->x = xcalloc((size_t)fit->clocks.n * FIT_KNOTS, sizeof *fit->x);
	}
	memset(fit->x, 0, (size_t)fit->clocks.n * fit->model.knots * sizeof *fit->x);
	return apply(fit, 1, err);
}

static bool finish(struct fit *fit, struct err *err)
{
	struct fit_report *report = fit->report;

	if (!better(fit))
		return only_tie(fit, err);
	if (!apply(fit, fit->choice.sigma, err))
		return false;
	report->dropped = fit->choice.dropped;
	report->used = fit->model.terms.n;
	if (report->prealigned)
		snprintf(report->why, sizeof report->why,
			 "No clock offsets were measured: clocks were aligned by messages alone.");
	return true;
}

static bool run(struct fit *fit, struct err *err)
{
	if (!collect(fit))
		return false;
	report_clocks(fit->report, &fit->clocks, &fit->edges);
	fit->report->edges = fit->edges.seen;
	fit->report->reversed_before = fit->edges.reversed;
	if (!worth_it(fit))
		return only_tie(fit, err);
	if (!prepare(fit))
		return false;
	fit->report->thinned = fit->edges.seen - fit->edges.n;
	return choose_run(&fit->choice, &fit->solver, &fit->model, &fit->edges, fit->x,
			  fit->progress) &&
	       refine(fit) && finish(fit, err);
}

bool fit_run(struct fit_report *report, struct trace *trace, const struct logical *logical,
	     const struct fit_options *options, const struct progress *progress, struct err *err)
{
	struct fit fit = { .trace = trace,
			   .logical = logical,
			   .options = options,
			   .progress = progress,
			   .report = report };
	const bool linear = trace_has_base(trace, BASE_LINEAR);
	bool ok;

	*report = (struct fit_report){ 0 };
	if (linear && !trace_base_make(trace, BASE_LINEAR, progress, err))
		return false;
	if (!ties_find(&fit.ties, trace, logical, linear ? BASE_LINEAR : BASE_MEASURED, progress))
		return false;
	clocks_make(&fit.clocks, trace, linear ? BASE_LINEAR : BASE_MEASURED, &fit.ties);
	fit.fixed = xcalloc(fit.clocks.n + 1, sizeof *fit.fixed);
	if (fit.clocks.n > 1) {
		ok = run(&fit, err);
	} else {
		decline(&fit, "Clocks were not fitted: all ranks share one clock.");
		edges_init(&fit.edges, &fit.clocks, EDGES_LIMIT);
		report_clocks(report, &fit.clocks, &fit.edges);
		ok = only_tie(&fit, err);
	}
	if (!ok)
		fit_report_fini(report);
	free_all(fit.x, fit.fixed);
	solver_fini(&fit.solver);
	model_fini(&fit.model);
	edges_fini(&fit.edges);
	clocks_fini(&fit.clocks);
	ties_fini(&fit.ties);
	return ok;
}
