#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/fit/fit_state.h"
#include "model/trace/store.h"

enum { CLOCKS_TO_REFINE = 256, CLOCKS_FOR_ALL_KNOTS = 4096 };

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
	struct clock_steps steps;
	struct fit_share share;
	struct fit_edges edges;
	struct model model;
	struct solver solver;
	struct fit_choice choice;
	bool *stays; /* [clocks] keeps its line */
	bool least;  /* messages cannot tell: interpolated offsets, changed as little as will do */
	double *x;
};

/* Notes the reason why there is no fit. */
static bool decline(struct fit *fit, const char *why)
{
	snprintf(fit->report->why, sizeof fit->report->why, "%s", why);
	return false;
}

static bool collect(struct fit *fit)
{
	edges_fini(&fit->edges);
	edges_init(&fit->edges, &fit->clocks, EDGES_LIMIT);
	return edges_collect(&fit->edges, &fit->share, &fit->clocks, fit->logical, fit->progress);
}

/* The line of time that the knots divide: that of the messages. */
static void span_of(const struct fit *fit, double *first, double *last)
{
	*first = INFINITY;
	*last = -INFINITY;
	for (size_t i = 0; i < fit->edges.n; i++) {
		const struct fit_edge *e = &fit->edges.data[i];
		*first = fmin(*first, fmin(e->send, e->recv));
		*last = fmax(*last, fmax(e->send, e->recv));
	}
	*first = exchange_fewest(fit->share.job, *first);
	*last = exchange_most(fit->share.job, *last);
}

/* Vectors of the clocks that the edges are of. */
static void make_vectors(struct fit *fit)
{
	const size_t knots = fit->model.knots;
	double *x;

	solver_fini(&fit->solver);
	solver_init(&fit->solver, &fit->share, fit->model.knots);
	x = xcalloc(fit->solver.all + 1, sizeof *x);
	if (fit->x) {
		memcpy(x, fit->x, fit->share.own * knots * sizeof *x);
		share_refresh(&fit->share, x, fit->model.knots);
	}
	free(fit->x);
	fit->x = x;
}

/* What interpolated offsets would be, as corrections. */
static void note_base(struct fit *fit)
{
	struct model *model = &fit->model;

	for (uint32_t slot = 0; slot < fit->share.own; slot++)
		for (uint32_t k = 0; k < model->knots; k++)
			vec_push(&model->base,
				 clocks_to_base(&fit->clocks, share_clock(&fit->share, slot),
						model->first + k * model->step));
}

static bool prepare(struct fit *fit)
{
	const uint32_t knots = fit->clocks.n > CLOCKS_FOR_ALL_KNOTS ? FIT_KNOTS / 4 : FIT_KNOTS;
	double first, last;

	fit->report->prealigned = !fit->clocks.measured;
	align_run(&fit->clocks, &fit->edges, &fit->share, fit->stays);
	if (!collect(fit))
		return false;
	span_of(fit, &first, &last);
	model_init(&fit->model, &fit->share, knots, first, last);
	anchors_of_lines(&fit->model, &fit->clocks, &fit->share, fit->stays);
	anchors_of_offsets(&fit->model, &fit->clocks, &fit->edges, &fit->share);
	if (!fit->report->prealigned)
		note_base(fit);
	make_vectors(fit);
	return true;
}

/* With the corrections so far, it is better known which rank comes last to a large group. Once is
 * enough; with very many clocks the time is better spent otherwise. */
static bool refine(struct fit *fit)
{
	ENDED_BY(found_fini) struct fit_found found = { 0 };
	bool ok;

	if (!fit->clocks.large || fit->clocks.n > CLOCKS_TO_REFINE)
		return true;
	found_make(&found, &fit->clocks, &fit->edges, &fit->share, &fit->model, fit->x);
	fit->clocks.guess = &found;
	ok = collect(fit);
	fit->clocks.guess = NULL;
	if (!ok)
		return false;
	make_vectors(fit);
	return choose_again(&fit->choice, &fit->solver, &fit->model, &fit->edges, fit->x,
			    fit->progress);
}

/* MPI_Init and MPI_Finalize say where clocks are, and would turn straight ones instead of moving
 * them. */
static bool turn_back(struct fit *fit)
{
	if (fit->choice.sigma > 1 ||
	    !level_find_later(&fit->edges, &fit->clocks, &fit->share, &fit->model, fit->x))
		return true;
	return choose_again(&fit->choice, &fit->solver, &fit->model, &fit->edges, fit->x,
			    fit->progress);
}

/* False with the reason if interpolation is better. */
static bool better(struct fit *fit)
{
	const struct fit_choice *c = &fit->choice;

	if (exchange_any(fit->share.job, !apply_is_sane(&fit->model, fit->x)))
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
		*slack = fit->edges.kept == 0 ? least : fmin(*slack, least);
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
	ENDED_BY(found_fini) struct fit_found found;
	struct fit_report *report = fit->report;

	found_make(&found, &fit->clocks, &fit->edges, &fit->share, &fit->model, fit->x);
	if (!report_edges(report, &fit->clocks, &fit->edges, &fit->share, &found, fit->x,
			  fit->logical, fit->progress) ||
	    !apply_run(fit->trace, &fit->clocks, &found, fit->progress, err))
		return false;
	report_fit(report, &fit->clocks, &fit->share, &fit->model, fit->x);
	hold_slack(fit);
	tell_ties(fit);
	report->sigma = sigma;
	report->done = true;
	return true;
}

/* Uses one clock for each node, and takes steps out, without a fit. */
static bool only_tie(struct fit *fit, struct err *err)
{
	if (fit->report->prealigned)
		return true;
	if (fit->steps.n == 0 && (!fit->ties.leader || fit->clocks.base != BASE_LINEAR))
		return true;
	if (!fit->x)
		model_init(&fit->model, &fit->share, FIT_KNOTS, 0, fit->clocks.length);
	free(fit->x);
	fit->x = xcalloc((size_t)share_slots(&fit->share) * fit->model.knots + 1, sizeof *fit->x);
	return apply(fit, 1, err);
}

/* Each term counts where its receiver is. */
static uint64_t count_terms(const struct fit *fit)
{
	uint64_t n = 0;

	for (size_t i = 0; i < fit->model.terms.n; i++)
		n += fit->model.terms.data[i].recv.at < fit->solver.n;
	return n;
}

static bool finish(struct fit *fit, struct err *err)
{
	struct fit_report *report = fit->report;

	if (!better(fit))
		return only_tie(fit, err);
	if (!apply(fit, fit->choice.sigma, err))
		return false;
	report->dropped = fit->choice.dropped;
	report->used = exchange_count(fit->share.job, count_terms(fit));
	if (report->prealigned)
		snprintf(report->why, sizeof report->why,
			 "No clock offsets were measured: clocks were aligned by messages alone.");
	if (fit->least)
		snprintf(report->why, sizeof report->why,
			 "Messages leave too much room to place clocks: interpolated offsets "
			 "were changed hardly more than is needed to reverse no message.");
	return true;
}

static bool find_steps(struct fit *fit)
{
	if (!steps_find(&fit->steps, &fit->clocks, fit->logical, fit->progress))
		return false;
	if (fit->steps.n == 0)
		return true;
	clocks_use_steps(&fit->clocks, &fit->steps);
	fit->report->n_steps = fit->steps.n;
	fit->report->steps = xmalloc(fit->steps.n * sizeof *fit->steps.data);
	memcpy(fit->report->steps, fit->steps.data, fit->steps.n * sizeof *fit->steps.data);
	return true;
}

static bool run(struct fit *fit, struct err *err)
{
	if (!find_steps(fit) || !collect(fit))
		return false;
	report_clocks(fit->report, &fit->clocks, &fit->edges, &fit->share);
	fit->report->edges = fit->edges.seen;
	fit->report->reversed_before = fit->edges.reversed;
	if (fit->edges.seen == 0) {
		decline(fit, "Clocks were not fitted: there are no messages between them.");
		return only_tie(fit, err);
	}
	if (!prepare(fit))
		return false;
	fit->report->thinned = fit->edges.seen - fit->edges.kept;
	if (!choose_run(&fit->choice, &fit->solver, &fit->model, &fit->edges, fit->x,
			fit->progress))
		return false;
	exchange_from(fit->share.job, 0, &fit->choice, sizeof fit->choice);
	if (!refine(fit))
		return false;
	exchange_from(fit->share.job, 0, &fit->choice, sizeof fit->choice);
	if (!turn_back(fit))
		return false;
	fit->report->level = (struct fit_level){ .kappa = -1, .eta = -1 };
	if (!fit->options->without_records &&
	    !level_run(&fit->report->level, &fit->solver, &fit->model, &fit->edges, &fit->clocks,
		       &fit->share, fit->x, fit->progress))
		return false;
	if (!fit->options->without_records && !fit->report->prealigned &&
	    !least_run(&fit->solver, &fit->model, &fit->edges, &fit->clocks, &fit->share, fit->x,
		       &fit->least, fit->progress))
		return false;
	if (!repair_run(&fit->solver, &fit->model, &fit->edges, &fit->share, fit->x, fit->progress))
		return false;
	return finish(fit, err);
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
	share_init(&fit.share, trace_exchange(trace), fit.clocks.n);
	fit.stays = xcalloc(fit.clocks.n + 1, sizeof *fit.stays);
	if (fit.clocks.n > 1) {
		ok = run(&fit, err);
	} else {
		decline(&fit, "Clocks were not fitted: all ranks share one clock.");
		edges_init(&fit.edges, &fit.clocks, EDGES_LIMIT);
		report_clocks(report, &fit.clocks, &fit.edges, &fit.share);
		ok = only_tie(&fit, err);
	}
	if (!ok)
		fit_report_fini(report);
	free_all(fit.x, fit.stays);
	solver_fini(&fit.solver);
	model_fini(&fit.model);
	edges_fini(&fit.edges);
	share_fini(&fit.share);
	clocks_fini(&fit.clocks);
	steps_fini(&fit.steps);
	ties_fini(&fit.ties);
	return ok;
}
