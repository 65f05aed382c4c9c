#include "views/facts/corrections_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum overhead_trust trust_of(double ratio)
{
	if (ratio > OVERHEAD_NO_CLAIM)
		return OVERHEAD_UNCLAIMED;
	return ratio > OVERHEAD_DOUBTFUL ? OVERHEAD_GREY : OVERHEAD_TRUSTED;
}

static void look_at_moves(struct corrected *facts, const struct clc_report *clc)
{
	facts->moved = true;
	facts->messages = clc->messages_moved;
	for (uint32_t l = 0; l < clc->n_locations; l++)
		if (clc->locations[l].max_move > facts->most)
			facts->most = clc->locations[l].max_move;
}

static void look_at_overhead(struct corrected *facts, const struct overhead_report *overhead)
{
	const struct overhead_sum *run = &overhead->run;
	const double whole = (double)run->measured;

	facts->trust = trust_of(overhead->ratio);
	facts->overhead = facts->trust != OVERHEAD_UNCLAIMED;
	facts->removed = (whole - (double)run->compensated) / whole;
	facts->least = (whole - (double)run->upper) / whole;
	facts->largest = (whole - (double)run->lower) / whole;
}

static bool is_of_reference(const struct fit_clock *clock)
{
	return clock->state == CLOCK_REFERENCE || clock->state == CLOCK_SHARED;
}

/* The measured offsets were noise around one clock. */
bool corrected_one_clock(const struct corrections *c)
{
	bool one = c && c->fit.done && c->fit.n_steps == 0;

	for (uint32_t i = 0; one && i < c->fit.n_clocks; i++)
		one = is_of_reference(&c->fit.clocks[i]);
	return one;
}

/* Ticks that the fit moved an event, at most: where the messages alone placed the clocks, by their
 * offsets at the run's begin and end. */
static double fit_shift(const struct fit_report *fit)
{
	const double run = fit->knots ? (fit->knots - 1) * fit->step : 0;
	double most = fit->max_shift;

	for (uint32_t i = 0; fit->prealigned && i < fit->n_clocks; i++) {
		const struct fit_clock *clock = &fit->clocks[i];

		most = fmax(most,
			    fmax(fabs(clock->offset), fabs(clock->offset + clock->drift * run)));
	}
	return most;
}

struct corrected corrected_of(const struct trace *trace, const struct corrections *c)
{
	struct corrected facts = { 0 };

	facts.before = trace_has_base(trace, BASE_LINEAR) ? BASE_LINEAR : BASE_MEASURED;
	facts.after = trace_default_base(trace);
	if (!c)
		return facts;
	if (c->checked[facts.before])
		facts.check_before = &c->check[facts.before];
	if (c->checked[facts.after])
		facts.check_after = &c->check[facts.after];
	facts.one_clock = facts.after == BASE_FITTED && corrected_one_clock(c);
	if (c->clc.done)
		look_at_moves(&facts, &c->clc);
	if (c->overhead.done && c->overhead.run.measured > 0)
		look_at_overhead(&facts, &c->overhead);
	return facts;
}

void corrected_moves(const struct corrections *c, const struct trace *trace, enum time_base base,
		     bool brief, struct str *out)
{
	const struct corrected facts = corrected_of(trace, c);

	if (base == BASE_MEASURED || base == BASE_LINEAR || !c)
		return;
	if (facts.moved && base != BASE_FITTED) {
		if (brief) {
			str_add(out, "moved ");
			units_count(out, facts.messages);
			return;
		}
		units_count(out, facts.messages);
		str_add(out,
			facts.messages == 1 ? " message moved (max " : " messages moved (max ");
		units_human_time(out, facts.most, trace_scale(trace), 3);
		str_add_char(out, ')');
	} else if (c->fit.done) {
		str_add(out, facts.one_clock ? "one clock" : "clocks moved");
		if (brief || facts.one_clock)
			return;
		str_add(out, " (max ");
		units_human_time(out, (int64_t)fit_shift(&c->fit), trace_scale(trace), 3);
		str_add_char(out, ')');
	}
}

void corrected_overhead(const struct corrected *facts, enum time_base base, bool brief,
			struct str *out)
{
	const bool out_of_it = base >= BASE_COMPENSATED;
	char least[16], most[16];

	if (!facts->overhead)
		return;
	str_add_fmt(out, "overhead %s%.1f %%", out_of_it ? "-" : "", 100 * facts->removed);
	snprintf(least, sizeof least, "%.1f", 100 * facts->least);
	snprintf(most, sizeof most, "%.1f", 100 * facts->largest);
	if (!brief && strcmp(least, most) != 0)
		str_add_fmt(out, " [%s..%s]", least, most);
}

/* ---- figures ---- */

const char *corrections_figure_title(enum corrections_figure figure)
{
	static const char *const titles[CORRECTIONS_FIGURES] = {
		[FIGURE_LEFT] = "violations left",
		[FIGURE_BEFORE] = "violations before",
		[FIGURE_DONE] = "correction",
		[FIGURE_SHIFT] = "largest shift",
		[FIGURE_OVERHEAD] = "measurement overhead",
	};

	return titles[figure];
}

/* "27 of 2,184 messages arrive" */
static const char *of_messages(struct phrases *p, uint64_t n, uint64_t all)
{
	return phrase(p, "%s of %s %s", phrase_number(p, n),
		      phrase_count(p, all, "message", "messages"), n == 1 ? "arrives" : "arrive");
}

static const char *violations_left(struct phrases *p, const struct corrected *f)
{
	const struct check_sum *now = f->check_after ? &f->check_after->all : NULL;

	if (!now)
		return "not known: messages were not checked";
	if (!now->messages)
		return "not known: there is no message with both ends";
	if (!now->violating)
		return "none: every message arrives after it was sent";
	return phrase(p, "%s faster than the minimum latency%s",
		      of_messages(p, now->violating, now->messages),
		      now->reversed ? phrase(p, ", %s of them before being sent",
					     phrase_number(p, now->reversed))
				    : "");
}

static const char *violations_before(struct phrases *p, const struct corrected *f)
{
	const struct check_sum *before = f->check_before ? &f->check_before->all : NULL;

	if (!before || !before->messages)
		return "";
	if (!before->violating)
		return "none";
	return phrase(p, "%s %s, by up to %s (%s times)",
		      of_messages(p, before->reversed ? before->reversed : before->violating,
				  before->messages),
		      before->reversed ? "before being sent" : "faster than the minimum latency",
		      phrase_time(p, (double)(before->reversed ? before->worst
							       : before->worst_violation)),
		      time_base_name(f->before));
}

static const char *correction_done(struct phrases *p, const struct corrected *f)
{
	const bool linear = trace_has_base(p->trace, BASE_LINEAR);
	const char *fitted = "";

	if (f->one_clock)
		return "none: all ranks share one clock; the measured offsets are noise "
		       "and not used";
	if (trace_has_base(p->trace, BASE_FITTED))
		fitted = phrase(p, "%sclocks fitted to the messages", linear ? ", " : "");
	if (f->moved && f->after == BASE_CLC)
		return phrase(p, "%s%s%s%s moved after %s (logical clock)",
			      linear ? "clock offsets interpolated" : "", fitted,
			      linear || *fitted ? ", " : "",
			      phrase_count(p, f->messages, "receive", "receives"),
			      f->messages == 1 ? "its send" : "their sends");
	if (!linear && !*fitted)
		return "none: times are as recorded";
	return phrase(p, "%s%s", linear ? "clock offsets interpolated" : "", fitted);
}

static const char *largest_shift(struct phrases *p, const struct corrected *f,
				 const struct corrections *c)
{
	const double shift = fit_shift(&c->fit);
	const bool fitted = trace_has_base(p->trace, BASE_FITTED) && isfinite(shift) && shift >= 1;
	const bool clc = f->moved && f->after == BASE_CLC;
	const char *fit = fitted ? phrase(p, "%s by the fit", phrase_time(p, shift)) : "";

	if (!clc)
		return fit;
	return phrase(p, "%s%s%s by the logical clock (%s)", fit, fitted ? ", " : "",
		      phrase_time(p, (double)f->most),
		      phrase_count(p, f->messages, "message", "messages"));
}

const char *corrections_overhead(struct phrases *p, const struct corrected *f)
{
	const char *best, *least, *most;

	if (!f->overhead)
		return "";
	best = phrase_share(p, f->removed);
	least = phrase(p, "%.1f", 100 * f->least);
	most = phrase(p, "%.1f", 100 * f->largest);
	return phrase(p, "%s of the run%s", best,
		      strcmp(least, most) == 0 ? "" : phrase(p, " (%s to %s %%)", least, most));
}

const char *corrections_figure(struct phrases *p, enum corrections_figure figure,
			       const struct corrections *c)
{
	const struct corrected f = corrected_of(p->trace, c);

	if (!c)
		return "";
	switch (figure) {
	case FIGURE_LEFT: return violations_left(p, &f);
	case FIGURE_BEFORE: return violations_before(p, &f);
	case FIGURE_DONE: return correction_done(p, &f);
	case FIGURE_SHIFT: return largest_shift(p, &f, c);
	default: break;
	}
	if (!c->overhead.done)
		return "not recorded";
	if (!f.overhead)
		return "too large to estimate the time without it";
	return phrase(p, "%s; compensated times are without it", corrections_overhead(p, &f));
}

/* ---- words ---- */

const char *clock_state_name(enum clock_state state)
{
	switch (state) {
	case CLOCK_REFERENCE: return "reference";
	case CLOCK_SHARED: return "shared";
	case CLOCK_TWO_SIDED: return "two-sided";
	case CLOCK_ONE_SIDED: return "one-sided";
	case CLOCK_UNSEEN: return "unseen";
	}
	return "";
}

const char *overhead_source_name(enum overhead_source source)
{
	switch (source) {
	case OVERHEAD_NONE: return "none";
	case OVERHEAD_GIVEN: return "given";
	case OVERHEAD_LOOP: return "loop";
	case OVERHEAD_SAMPLED: return "sampled";
	}
	return "";
}
