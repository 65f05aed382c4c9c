/* Clocks: offsets, the fit, its bounds, and the logical clock, each checked before and after. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/correct_step.h"
#include "correct/fit/step_text.h"
#include "model/trace/halo.h"

bool correct_linear(struct correct_step *r)
{
	if (!trace_has_base(r->trace, BASE_LINEAR))
		return true;
	if (!trace_base_make(r->trace, BASE_LINEAR, r->progress, r->err))
		return false;
	r->best = BASE_LINEAR;
	return true;
}

/* Checks the measured times and, if there are offsets, the linear ones. */
static bool check_offsets(struct correct_step *r)
{
	return correct_check(r, BASE_MEASURED) &&
	       (r->best == BASE_MEASURED || correct_check(r, r->best));
}

/* True if the ranks do not share a clock: there are impossible messages, or offsets other than
 * 0. */
static bool clocks_differ(const struct correct_step *r)
{
	if (r->out->check[r->best].all.violating)
		return true;
	for (size_t i = 0; i < trace_offset_count(r->trace); i++)
		if (trace_offset(r->trace, i)->offset != 0)
			return true;
	return false;
}

static void hold(int64_t *latency, enum lmin_source *source, int64_t most)
{
	if (*latency <= most)
		return;
	*latency = most;
	*source = LMIN_FITTED;
}

/* Takes minimum latencies from the fitted clocks, which show them better. A minimum, even a given
 * one, above the smallest latency that the fit left would move correct events. The earlier bases
 * are checked again if the latencies change. */
static bool lower_lmin(struct correct_step *r)
{
	struct lmin lmin = lmin_make(r->logical, BASE_FITTED, &r->options->lmin);
	const struct lmin before = r->out->lmin;
	const double slack = r->out->fit.min_slack;
	const int64_t least = slack > 0 ? (int64_t)slack : 0;

	if ((lmin.inter_source == LMIN_OPTION && lmin.inter > least) ||
	    (lmin.intra_source == LMIN_OPTION && lmin.intra > least))
		correct_note(
			r->out,
			"The given minimum latency is larger than the smallest one between fitted "
			"clocks, which is used instead (--presync offsets keeps clocks unfitted).");
	hold(&lmin.inter, &lmin.inter_source, least);
	hold(&lmin.intra, &lmin.intra_source, least);
	r->out->lmin = lmin;
	return (lmin.inter == before.inter && lmin.intra == before.intra) || check_offsets(r);
}

#define MOSTLY_ONE_SIDED 0.3

static bool has_two_sided(const struct fit_report *fit)
{
	for (uint32_t i = 0; i < fit->n_clocks; i++)
		if (fit->clocks[i].state == CLOCK_TWO_SIDED)
			return true;
	return false;
}

/* What decided between messages and offset records, if it is not usual. */
static void note_level(struct corrections *out)
{
	const struct fit_level *level = &out->fit.level;

	if (level->kappa >= MOSTLY_ONE_SIDED)
		correct_note(
			out,
			"Messages take longer one way than the other, or ranks come late to "
			"receive them (about %.0f %% of the round trip): offset records help to "
			"place clocks.",
			1e2 * fmin(level->kappa, 1));
	if (level->eta >= 1)
		correct_note(out,
			     "Offset records are wrong by about %.2g times what their round trips "
			     "allow: they are hardly used.",
			     level->eta);
	if (level->records == 0 && level->loops == 0 && has_two_sided(&out->fit))
		correct_note(
			out,
			"Whether messages take equally long both ways cannot be seen here: clocks "
			"are placed as if they did.");
}

/* True also if there is no fit. */
static bool fit(struct correct_step *r)
{
	const struct fit_options options = { .without_records =
						     r->options->presync == PRESYNC_MESSAGES };
	struct corrections *out = r->out;
	const enum time_base before = r->best;

	if (r->options->presync == PRESYNC_OFFSETS || !clocks_differ(r))
		return true;
	if (!fit_run(&out->fit, r->trace, r->logical, &options, r->progress, r->err))
		return false;
	if (out->fit.why[0])
		correct_note(out, "%s", out->fit.why);
	if (!out->fit.done)
		return true;
	if (!lower_lmin(r) || !correct_check(r, BASE_FITTED))
		return false;
	if (out->check[BASE_FITTED].all.reversed > out->check[before].all.reversed) {
		correct_note(out,
			     "The fit was discarded: it leaves %" PRIu64
			     " reversed messages, %s times %" PRIu64 ".",
			     out->check[BASE_FITTED].all.reversed, time_base_name(before),
			     out->check[before].all.reversed);
		out->fit.done = false;
		correct_drop(r, BASE_FITTED);
		out->lmin = lmin_make(r->logical, before, &r->options->lmin);
		return check_offsets(r);
	}
	if (!options.without_records)
		note_level(out);
	r->best = BASE_FITTED;
	out->presync = PRESYNC_MESSAGES;
	return true;
}

ORDERING(by_location, struct clc_gap, location, time)

/* Where times of this process' locations were held back after a step. */
static void find_gaps(struct correct_step *r)
{
	const struct fit_report *fit = &r->out->fit;
	struct cursor c;

	for (uint32_t i = 0; r->best == BASE_FITTED && i < fit->n_steps; i++) {
		const struct fit_step *s = &fit->steps[i];
		for (uint32_t l = 0; s->held != STEP_NOT_HELD && l < trace_location_count(r->trace);
		     l++)
			if (fit->map.of[l] == fit->map.of[s->location] &&
			    trace_has_location(r->trace, l) &&
			    cursor_seek(&c, r->trace, BASE_MEASURED, l, s->held) &&
			    cursor_time(&c) == s->held)
				vec_push(&r->gaps,
					 ((struct clc_gap){
						 l,
						 trace_event_time(r->trace, BASE_FITTED, c.id) }));
	}
	vec_sort(&r->gaps, by_location);
}

/* Bounds of the best times, with the clocks and steps of the fit if it made them. */
static bool bound_clocks(struct correct_step *r)
{
	struct fit_report *fit = &r->out->fit;
	const bool ok = clock_room_make(&r->out->room, r->trace, r->logical, r->best,
					r->best == BASE_FITTED ? fit : NULL, r->progress);

	find_gaps(r);
	clock_map_fini(&fit->map);
	if (r->out->room.too_many)
		correct_note(r->out,
			     "How wrong the clocks may be is not known: there are %" PRIu32
			     ", and of more than %d errors are not bounded.",
			     r->out->room.too_many, CLOCKS_BOUNDED);
	return ok;
}

enum { STEPS_NOTED = 3 }; /* in sentences of their own */

/* Clocks that were set. */
static void note_steps(struct correct_step *r)
{
	const struct fit_report *fit = &r->out->fit;
	const bool taken_out = r->best == BASE_FITTED;
	OWNED struct fit_step *steps = xmalloc((fit->n_steps + 1u) * sizeof *steps);
	uint32_t noted = 0;

	memcpy(steps, fit->steps, fit->n_steps * sizeof *steps);
	steps_by_group(steps, fit->n_steps);
	for (uint32_t i = 0; i < fit->n_steps; noted++) {
		OWNED_STR text = STR_INIT;
		if (noted == STEPS_NOTED) {
			correct_note(r->out,
				     "%" PRIu32 " more steps of clocks were %s: tview export "
				     "corrections-clocks.",
				     fit->n_steps - i, taken_out ? "taken out" : "found");
			return;
		}
		i += step_sentence(&text, r->trace, steps + i, fit->n_steps - i, taken_out);
		correct_note(r->out, "%s", text.text);
	}
}

/* The control variable stays below 1 - the largest drift (paper 4). Fitted clocks have almost no
 * drift left: reversed messages are noise there, and a shift must decay as fast as the ramp before
 * it rose, or it spreads over all locations and moves the whole run. */
#define GAMMA_FITTED 0.99

static bool amortise(struct correct_step *r)
{
	const struct clc_options options = { .gamma = r->options->gamma == 0 &&
								      r->best == BASE_FITTED
							      ? GAMMA_FITTED
							      : r->options->gamma,
					     .passes = r->options->passes,
					     .gaps = r->gaps.data,
					     .n_gaps = r->gaps.n };
	struct corrections *out = r->out;
	const uint64_t before = out->check[r->best].all.violating;
	uint64_t after;

	if (r->options->want < BASE_CLC || before == 0)
		return true;
	if (!clc_run(&out->clc, r->trace, r->logical, r->best, &out->lmin, &options, r->progress,
		     r->err))
		return false;
	if (!out->clc.done)
		return true;
	if (!correct_check(r, BASE_CLC))
		return false;
	after = out->check[BASE_CLC].all.violating;
	if (after)
		correct_note(out,
			     "%" PRIu64 " of %" PRIu64
			     " violations cannot be corrected: the trace contradicts itself.",
			     after, before);
	if (out->clc.error_at_final > CLC_LEAD_MOST)
		correct_note(
			out,
			"A logical clock ends %.0f %% of the run ahead of its rank's own clock: "
			"more --passes or a smaller --gamma reduce that.",
			100 * out->clc.error_at_final);
	if (out->check[BASE_CLC].all.reversed > out->check[r->best].all.reversed) {
		correct_drop(r, BASE_CLC);
		out->clc.done = false;
		return true;
	}
	r->best = BASE_CLC;
	return true;
}

/* Measured offsets may be noise if the ranks share a clock. */
static void note_bad_offsets(const struct correct_step *r)
{
	const uint64_t measured = r->out->check[BASE_MEASURED].all.reversed;
	const uint64_t linear = r->out->check[BASE_LINEAR].all.reversed;

	if (r->best == BASE_LINEAR && linear > measured)
		correct_note(r->out,
			     "Clock offsets make it worse: %" PRIu64
			     " messages reversed with them, %" PRIu64 " without.",
			     linear, measured);
}

bool correct_clocks(struct correct_step *r)
{
	r->out->lmin = lmin_make(r->logical, r->best, &r->options->lmin);
	if (!check_offsets(r) || !fit(r) || !bound_clocks(r))
		return false;
	if (r->out->fit.n_steps)
		note_steps(r);
	note_bad_offsets(r);
	return amortise(r);
}
