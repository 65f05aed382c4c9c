#include "views/facts/corrections_short.h"

#include <math.h>

const char *corrections_question(enum corrections_question question)
{
	static const char *const texts[SHORT_QUESTIONS] = {
		[SHORT_STILL] = "is anything still wrong?",
		[SHORT_WAS] = "what was wrong?",
		[SHORT_DONE] = "what was done?",
		[SHORT_MOVED] = "how far did that move times?",
		[SHORT_OVERHEAD] = "what did measuring cost?",
	};

	return texts[question];
}

/* "27 of 2,184 messages" */
static void of_messages(struct str *out, uint64_t n, uint64_t all)
{
	units_count(out, n);
	str_add(out, " of ");
	units_count(out, all);
	str_add(out, all == 1 ? " message" : " messages");
}

static void still(const struct corrected *f, struct str *out)
{
	const struct check_sum *now = f->check_after ? &f->check_after->all : NULL;

	if (!now || !now->messages) {
		str_add(out, now ? "Nothing that could be seen: there are no messages."
				 : "Not known: messages were not looked at.");
		return;
	}
	if (!now->violating) {
		str_add(out, "No: every message is received after it was sent.");
		return;
	}
	str_add(out, "Yes: ");
	of_messages(out, now->violating, now->messages);
	str_add(out, " are received too early, ");
	units_count(out, now->reversed);
	str_add(out, " of them before they are sent.");
}

static void was(const struct corrected *f, const struct timescale *scale, struct str *out)
{
	const struct check_sum *before = f->check_before ? &f->check_before->all : NULL;
	int64_t worst;

	if (!before || !before->messages)
		return;
	if (!before->violating) {
		str_add(out, "Nothing.");
		return;
	}
	of_messages(out, before->reversed ? before->reversed : before->violating, before->messages);
	str_add(out, before->reversed ? " were received before they were sent, by up to "
				      : " were received sooner than they can be, by up to ");
	worst = before->reversed ? before->worst : before->worst_violation;
	units_human_time(out, worst, scale, 3);
	str_add(out, f->before == BASE_LINEAR ? ", with interpolated offsets." : ", as measured.");
}

static void done(const struct corrected *f, const struct trace *trace, struct str *out)
{
	const size_t begin = out->n;

	if (trace_has_base(trace, BASE_LINEAR))
		str_add(out, "Clock offsets were interpolated");
	if (trace_has_base(trace, BASE_FITTED))
		str_add_fmt(out, "%s fitted to the messages",
			    out->n > begin ? ", then clocks" : "Clocks were");
	if (f->moved && f->after == BASE_CLC)
		str_add_fmt(out, "%s moved behind the sends (logical clock)",
			    out->n > begin ? ", then receives" : "Receives were");
	str_add(out, out->n > begin ? "." : "Nothing: times are as measured.");
}

static void moved(const struct corrected *f, const struct trace *trace, const struct corrections *c,
		  struct str *out)
{
	const struct timescale *scale = trace_scale(trace);
	const bool fitted = trace_has_base(trace, BASE_FITTED) && isfinite(c->fit.max_shift);
	const bool clc = f->moved && f->after == BASE_CLC;

	if (fitted) {
		str_add(out, "The fit: up to ");
		units_human_time(out, llround(c->fit.max_shift), scale, 3);
		str_add(out, clc ? "; the" : ".");
	}
	if (!clc)
		return;
	str_add(out, fitted ? " logical clock: " : "The logical clock: ");
	units_count(out, f->messages);
	str_add_fmt(out, " message%s by up to ", f->messages == 1 ? "" : "s");
	units_human_time(out, f->most, scale, 3);
	str_add(out, ".");
}

static void overhead(const struct corrected *f, const struct corrections *c, struct str *out)
{
	if (!c->overhead.done)
		str_add(out, "Not known: the trace does not say.");
	else if (!f->overhead)
		str_add(out, "Too much for a claim about the time without it.");
	else
		str_add_fmt(out,
			    "%.1f %% of the run (%.1f to %.1f %%); the compensated times (key b) "
			    "are without it.",
			    100 * f->removed, 100 * f->least, 100 * f->largest);
}

void corrections_answer(enum corrections_question question, const struct trace *trace,
			const struct corrections *corrections, struct str *out)
{
	const struct corrected f = corrected_of(trace, corrections);

	if (!corrections)
		return;
	switch (question) {
	case SHORT_STILL: still(&f, out); break;
	case SHORT_WAS: was(&f, trace_scale(trace), out); break;
	case SHORT_DONE: done(&f, trace, out); break;
	case SHORT_MOVED: moved(&f, trace, corrections, out); break;
	default: overhead(&f, corrections, out); break;
	}
}
