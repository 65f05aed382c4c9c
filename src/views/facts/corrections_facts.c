#include "views/facts/corrections_facts.h"

#include <stdlib.h>

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
		if (clc->locations[l].max_move > facts->most) {
			facts->most = clc->locations[l].max_move;
			facts->most_event = clc->locations[l].max_event;
		}
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

struct corrected corrected_of(const struct trace *trace, const struct corrections *c)
{
	struct corrected facts = { .most_event = EVENT_NONE };

	facts.before = trace_has_base(trace, BASE_LINEAR) ? BASE_LINEAR : BASE_MEASURED;
	facts.after = trace_default_base(trace);
	if (!c)
		return facts;
	if (c->checked[facts.before])
		facts.check_before = &c->check[facts.before];
	if (c->checked[facts.after])
		facts.check_after = &c->check[facts.after];
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
		str_add(out, "moved ");
		units_count(out, facts.messages);
		if (brief)
			return;
		str_add(out, facts.messages == 1 ? " msg (max " : " msgs (max ");
		units_human_time(out, facts.most, trace_scale(trace), 3);
		str_add_char(out, ')');
	} else if (c->fit.done) {
		/* Ranks that share a clock: what is left out is the offsets' noise. */
		const bool as_measured = c->fit.max_shift < 1;
		str_add(out, as_measured ? "clocks as measured" : "clocks moved");
		if (brief || as_measured)
			return;
		str_add(out, " (max ");
		units_human_time(out, (int64_t)c->fit.max_shift, trace_scale(trace), 3);
		str_add_char(out, ')');
	}
}

void corrected_overhead(const struct corrected *facts, enum time_base base, bool brief,
			struct str *out)
{
	const bool out_of_it = base >= BASE_COMPENSATED;

	if (!facts->overhead)
		return;
	str_add_fmt(out, "overhead %s%.1f %%", out_of_it ? "-" : "", 100 * facts->removed);
	if (!brief)
		str_add_fmt(out, " [%.1f..%.1f]", 100 * facts->least, 100 * facts->largest);
}

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
