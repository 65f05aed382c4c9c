#include "correct/correct.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"
#include "correct/clocks/offsets_file.h"
#include "correct/correct_keep.h"
#include "correct/fit/step_text.h"
#include "model/trace/base_write.h"
#include "model/trace/halo.h"

/* Appends a note; drops it if there is no room left. */
__attribute__((format(printf, 2, 3))) static void note(struct corrections *corrections,
						       const char *fmt, ...)
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

/* ---- the steps ---- */

typedef VEC(struct clc_gap) gap_vec;

struct correct_step {
	struct trace *trace;
	const struct correct_options *options;
	const struct progress *progress;
	struct err *err;
	struct corrections *out;
	struct logical *logical;
	enum time_base best; /* synchronised so far */
	gap_vec gaps;        /* after steps */
};

static bool check(struct correct_step *r, enum time_base base)
{
	check_fini(&r->out->check[base]);
	r->out->checked[base] =
		check_make(&r->out->check[base], r->logical, base, &r->out->lmin, r->progress);
	return r->out->checked[base];
}

static void drop(struct correct_step *r, enum time_base base)
{
	base_drop(r->trace, base);
	check_fini(&r->out->check[base]);
	r->out->checked[base] = false;
}

static bool make_linear(struct correct_step *r)
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
	return check(r, BASE_MEASURED) && (r->best == BASE_MEASURED || check(r, r->best));
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
		note(r->out,
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
		note(out,
		     "Messages take longer one way than the other, or ranks come late to receive "
		     "them (about %.0f %% of the round trip): offset records help to place clocks.",
		     1e2 * fmin(level->kappa, 1));
	if (level->eta >= 1)
		note(out,
		     "Offset records are wrong by about %.2g times what their round trips allow: "
		     "they are hardly used.",
		     level->eta);
	if (level->records == 0 && level->loops == 0 && has_two_sided(&out->fit))
		note(out,
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
		note(out, "%s", out->fit.why);
	if (!out->fit.done)
		return true;
	if (!lower_lmin(r) || !check(r, BASE_FITTED))
		return false;
	if (out->check[BASE_FITTED].all.reversed > out->check[before].all.reversed) {
		note(out,
		     "The fit was discarded: it leaves %" PRIu64
		     " reversed messages, %s times %" PRIu64 ".",
		     out->check[BASE_FITTED].all.reversed, time_base_name(before),
		     out->check[before].all.reversed);
		out->fit.done = false;
		drop(r, BASE_FITTED);
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
		note(r->out,
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
			note(r->out,
			     "%" PRIu32 " more steps of clocks were %s: tview export "
			     "corrections-clocks.",
			     fit->n_steps - i, taken_out ? "taken out" : "found");
			return;
		}
		i += step_sentence(&text, r->trace, steps + i, fit->n_steps - i, taken_out);
		note(r->out, "%s", text.text);
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
	if (!check(r, BASE_CLC))
		return false;
	after = out->check[BASE_CLC].all.violating;
	if (after)
		note(out,
		     "%" PRIu64 " of %" PRIu64
		     " violations cannot be corrected: the trace contradicts itself.",
		     after, before);
	if (out->clc.error_at_final > CLC_LEAD_MOST)
		note(out,
		     "A logical clock ends %.0f %% of the run ahead of its rank's own clock: more "
		     "--passes or a smaller --gamma reduce that.",
		     100 * out->clc.error_at_final);
	if (out->check[BASE_CLC].all.reversed > out->check[r->best].all.reversed) {
		drop(r, BASE_CLC);
		out->clc.done = false;
		return true;
	}
	r->best = BASE_CLC;
	return true;
}

/* Compensated times must not reverse messages, in any of the three bases. */
static bool check_compensated(struct correct_step *r)
{
	static const enum time_base bases[] = { BASE_COMPENSATED, BASE_LOWER, BASE_UPPER };
	const uint64_t before = r->out->check[r->best].all.reversed;
	uint64_t most = 0;

	for (int i = 0; i < 3; i++) {
		if (!trace_has_base(r->trace, bases[i]))
			continue;
		if (!check(r, bases[i]))
			return false;
		if (r->out->check[bases[i]].all.reversed > most)
			most = r->out->check[bases[i]].all.reversed;
	}
	if (most <= before)
		return true;
	note(r->out,
	     "Compensated times were discarded: they would reverse %" PRIu64 " messages (%" PRIu64
	     " before).",
	     most, before);
	for (int i = 0; i < 3; i++)
		drop(r, bases[i]);
	r->out->overhead.done = false;
	return true;
}

static bool compensate(struct correct_step *r)
{
	struct corrections *out = r->out;

	if (r->options->want < BASE_COMPENSATED)
		return true;
	if (!overhead_run(&out->overhead, r->trace, r->logical, r->best, &r->options->overhead,
			  r->progress, r->err))
		return false;
	return !out->overhead.done || check_compensated(r);
}

/* As the ranks knew it while they ran. */
static bool take_virtual(struct correct_step *r)
{
	struct corrections *out = r->out;

	if (r->options->want < BASE_COMPENSATED)
		return true;
	if (!virtual_base_make(&out->virtual_time, r->trace, r->best, r->progress, r->err))
		return false;
	if (!out->virtual_time.done)
		return true;
	if (!check(r, BASE_VIRTUAL))
		return false;
	if (out->check[BASE_VIRTUAL].all.reversed > out->check[r->best].all.reversed)
		note(out, "Virtual times reverse %" PRIu64 " messages (%" PRIu64 " before).",
		     out->check[BASE_VIRTUAL].all.reversed, out->check[r->best].all.reversed);
	if (out->virtual_time.without)
		note(out, "%" PRIu32 " locations kept no virtual time: theirs are as measured.",
		     out->virtual_time.without);
	virtual_compare(&out->compared, r->trace);
	return true;
}

/* Measured offsets may be noise if the ranks share a clock. */
static void note_bad_offsets(const struct correct_step *r)
{
	const uint64_t measured = r->out->check[BASE_MEASURED].all.reversed;
	const uint64_t linear = r->out->check[BASE_LINEAR].all.reversed;

	if (r->best == BASE_LINEAR && linear > measured)
		note(r->out,
		     "Clock offsets make it worse: %" PRIu64
		     " messages reversed with them, %" PRIu64 " without.",
		     linear, measured);
}

static bool run(struct correct_step *r)
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
	if (trace_exchange(r->trace) && !logical_share(r->logical, r->trace, r->err))
		return false;
	r->out->counts = *logical_counts(r->logical);
	r->out->lmin = lmin_make(r->logical, r->best, &r->options->lmin);
	if (!check_offsets(r) || !fit(r) || !bound_clocks(r))
		return false;
	if (r->out->fit.n_steps)
		note_steps(r);
	note_bad_offsets(r);
	return amortise(r) && compensate(r) && take_virtual(r);
}

/* ---- before and after ---- */

/* Takes the given measurements or the trace's own, without those that would make a clock run
 * backwards. */
static void take_offsets(struct correct_step *r, struct offset_list *given)
{
	struct offset_list list = { NULL, 0, 0 };
	size_t refused;

	if (r->options->offsets) {
		list = *given;
		*given = (struct offset_list){ NULL, 0, 0 };
		correct_keep_offsets(r->trace);
		r->out->offsets_given = true;
	} else {
		for (size_t i = 0; i < trace_offset_count(r->trace); i++)
			vec_push(&list, *trace_offset(r->trace, i));
	}
	refused = offsets_refuse(list.data, &list.n);
	if (refused)
		note(r->out,
		     "%zu offset measurement%s skipped: with %s a clock would run "
		     "backwards.",
		     refused, refused == 1 ? " was" : "s were", refused == 1 ? "it" : "them");
	if (refused || r->options->offsets)
		trace_replace_offsets(r->trace, list.data, list.n);
	offset_list_fini(&list);
}

/* Removes the results of earlier corrections. */
static void start_anew(struct trace *trace)
{
	for (int base = BASE_FITTED; base < BASE_COUNT; base++)
		base_drop(trace, (enum time_base)base);
	correct_own_offsets(trace);
}

/* Removes the results of a correction that was stopped. */
static void undo(struct correct_step *r)
{
	start_anew(r->trace);
	logical_free(r->logical);
	r->logical = NULL;
}

/* The result of a correction that was stopped: the trace can be shown without one. */
static struct corrections *stopped(struct corrections *corrections)
{
	struct corrections *out = xcalloc(1, sizeof *out);

	out->presync = PRESYNC_OFFSETS;
	corrections_free(corrections);
	note(out, "The correction was cancelled: times are as recorded.");
	return out;
}

static struct corrections *run_all(struct correct_step *r, struct offset_list *given, uint64_t key)
{
	struct corrections *out = r->out;

	start_anew(r->trace);
	take_offsets(r, given);
	if (run(r)) {
		logical_free(r->logical);
		if (r->options->want > BASE_LINEAR)
			correct_keep(r->trace, out, key, r->options->want);
		return out;
	}
	undo(r);
	if (!err_is_set(r->err) && !progress_dropped(r->progress))
		return stopped(out);
	corrections_free(out);
	return NULL;
}

struct corrections *correct_run(struct trace *trace, const struct correct_options *options,
				const struct progress *progress, struct err *err)
{
	struct err failure = ERR_INIT;
	struct correct_step r = {
		.trace = trace, .options = options, .progress = progress, .err = &failure
	};
	struct offset_list given = { NULL, 0, 0 };
	struct corrections *out;
	uint64_t key;

	if (options->offsets && !offsets_file_read(&given, trace, options->offsets, err))
		return NULL;
	key = correct_key(options, given.data, given.n);
	out = correct_kept(trace, key, options->want);
	if (!out) {
		r.out = xcalloc(1, sizeof *r.out);
		r.out->presync = PRESYNC_OFFSETS;
		out = run_all(&r, &given, key);
		vec_fini(&r.gaps);
		if (!out && err_is_set(&failure))
			err_set(err, failure.status, "%s", failure.text);
	}
	offset_list_fini(&given);
	return out;
}
