#include "correct/correct.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/units.h"
#include "model/base_write.h"

#pragma weak clc_run
#pragma weak clc_report_fini
#pragma weak overhead_run
#pragma weak overhead_report_fini

void corrections_note(struct corrections *corrections, const char *fmt, ...)
{
	va_list args;

	for (int i = 0; i < CORRECT_NOTES; i++) {
		if (corrections->notes[i][0])
			continue;
		va_start(args, fmt);
		vsnprintf(corrections->notes[i], CORRECT_NOTE, fmt, args);
		va_end(args);
		return;
	}
}

void corrections_free(struct corrections *corrections)
{
	if (!corrections)
		return;
	for (int i = 0; i < BASE_COUNT; i++)
		check_fini(&corrections->check[i]);
	fit_report_fini(&corrections->fit);
	if (clc_report_fini)
		clc_report_fini(&corrections->clc);
	if (overhead_report_fini)
		overhead_report_fini(&corrections->overhead);
	free(corrections);
}

/* ---- the steps ---- */

struct run {
	struct trace *trace;
	const struct correct_options *options;
	const struct progress *progress;
	struct err *err;
	struct corrections *out;
	struct logical *logical;
	enum time_base best;   /* synchronised so far */
	bool made[BASE_COUNT]; /* by this run */
};

static bool check(struct run *r, enum time_base base)
{
	check_fini(&r->out->check[base]);
	r->out->checked[base] =
		check_make(&r->out->check[base], r->logical, base, &r->out->lmin, r->progress);
	return r->out->checked[base];
}

static void drop(struct run *r, enum time_base base)
{
	base_drop(r->trace, base);
	check_fini(&r->out->check[base]);
	r->out->checked[base] = r->made[base] = false;
}

static bool make_linear(struct run *r)
{
	if (!trace_has_base(r->trace, BASE_LINEAR))
		return true;
	if (!trace_base_make(r->trace, BASE_LINEAR, r->progress, r->err))
		return false;
	r->best = BASE_LINEAR;
	return true;
}

/* The offsets as they are: measured and, where there are any, linear. */
static bool check_offsets(struct run *r)
{
	return check(r, BASE_MEASURED) && (r->best == BASE_MEASURED || check(r, r->best));
}

/* What speaks for clocks that are not one: offsets that differ, or what cannot be. */
static bool clocks_differ(const struct run *r)
{
	if (r->out->check[r->best].all.violating)
		return true;
	for (size_t i = 0; i < trace_offset_count(r->trace); i++)
		if (trace_offset(r->trace, i)->offset != 0)
			return true;
	return false;
}

/* A least latency above what the fitted clocks left somewhere would move what was right. */
static bool lower_lmin(struct run *r)
{
	struct lmin *lmin = &r->out->lmin;
	const double slack = r->out->fit.min_slack;
	const int64_t least = slack > 0 ? (int64_t)slack : 0;
	bool lowered = false;

	if (lmin->inter > least && lmin->inter_source != LMIN_OPTION) {
		lmin->inter = least;
		lmin->inter_source = LMIN_FITTED;
		lowered = true;
	}
	if (lmin->intra > least && lmin->intra_source != LMIN_OPTION) {
		lmin->intra = least;
		lmin->intra_source = LMIN_FITTED;
		lowered = true;
	}
	if (lmin->omp > least) {
		lmin->omp = least;
		lowered = true;
	}
	return !lowered || check_offsets(r);
}

/* True also where nothing came of it. */
static bool fit(struct run *r)
{
	const struct fit_options options = { .even_if_poor =
						     r->options->presync == PRESYNC_MESSAGES };
	struct corrections *out = r->out;
	const enum time_base before = r->best;

	if (r->options->presync == PRESYNC_OFFSETS || !clocks_differ(r))
		return true;
	if (!fit_run(&out->fit, r->trace, r->logical, &options, r->progress, r->err))
		return false;
	if (out->fit.why[0])
		corrections_note(out, "%s", out->fit.why);
	if (!out->fit.done)
		return true;
	r->made[BASE_FITTED] = true;
	if (!lower_lmin(r) || !check(r, BASE_FITTED))
		return false;
	if (out->check[BASE_FITTED].all.reversed > out->check[before].all.reversed) {
		corrections_note(out,
				 "The fitted clocks left more reversed messages (%" PRIu64
				 ") than the times before (%" PRIu64 "): they were dropped.",
				 out->check[BASE_FITTED].all.reversed,
				 out->check[before].all.reversed);
		out->fit.done = false;
		drop(r, BASE_FITTED);
		out->lmin = lmin_make(r->logical, before, &r->options->lmin);
		return check_offsets(r);
	}
	r->best = BASE_FITTED;
	out->presync = PRESYNC_MESSAGES;
	return true;
}

static bool amortise(struct run *r)
{
	const struct clc_options options = { .gamma = r->options->gamma,
					     .passes = r->options->passes };
	struct corrections *out = r->out;
	const uint64_t before = out->check[r->best].all.violating;
	uint64_t after;

	if (!clc_run || r->options->want < BASE_CLC || before == 0)
		return true;
	if (!clc_run(&out->clc, r->trace, r->logical, r->best, &out->lmin, &options, r->progress,
		     r->err))
		return false;
	if (!out->clc.done)
		return true;
	r->made[BASE_CLC] = true;
	if (!check(r, BASE_CLC))
		return false;
	after = out->check[BASE_CLC].all.violating;
	if (after)
		corrections_note(out,
				 "The logical clock left %" PRIu64 " of %" PRIu64
				 " violations: the trace contradicts itself there.",
				 after, before);
	if (out->check[BASE_CLC].all.reversed > out->check[r->best].all.reversed) {
		drop(r, BASE_CLC);
		out->clc.done = false;
		return true;
	}
	r->best = BASE_CLC;
	return true;
}

static bool compensate(struct run *r)
{
	struct corrections *out = r->out;

	if (!overhead_run || r->options->want < BASE_COMPENSATED)
		return true;
	if (!overhead_run(&out->overhead, r->trace, r->logical, r->best, &r->options->overhead,
			  r->progress, r->err))
		return false;
	if (!out->overhead.done)
		return true;
	r->made[BASE_COMPENSATED] = r->made[BASE_LOWER] = r->made[BASE_UPPER] = true;
	return check(r, BASE_COMPENSATED);
}

static bool run(struct run *r)
{
	if (r->options->want == BASE_MEASURED)
		return true;
	if (!make_linear(r))
		return false;
	if (r->options->want == BASE_LINEAR)
		return true;
	r->logical = logical_new(r->trace, r->progress, r->err);
	if (!r->logical)
		return false;
	r->out->lmin = lmin_make(r->logical, r->best, &r->options->lmin);
	return check_offsets(r) && fit(r) && amortise(r) && compensate(r);
}

/* What is there of a run that did not come to its end is of no use. */
static void undo(struct run *r)
{
	for (int base = BASE_MEASURED + 1; base < BASE_COUNT; base++)
		if (r->made[base])
			base_drop(r->trace, (enum time_base)base);
}

struct corrections *correct_run(struct trace *trace, const struct correct_options *options,
				const struct progress *progress, struct err *err)
{
	struct run r = { .trace = trace,
			 .options = options,
			 .progress = progress,
			 .err = err,
			 .out = xcalloc(1, sizeof *r.out) };
	const bool ok = (r.out->presync = PRESYNC_OFFSETS, run(&r));

	logical_free(r.logical);
	if (ok)
		return r.out;
	undo(&r);
	corrections_free(r.out);
	return NULL;
}
