/* report_trust: the section of a report that says how far its numbers can be trusted: clocks, what
 * measuring cost, what was damaged and guessed. */
#include <ctype.h>
#include <string.h>

#include "views/facts/corrections_facts.h"
#include "views/facts/corrections_short.h"
#include "views/facts/sizes.h"
#include "views/query/view_common.h"
#include "views/report/report_parts.h"

/* "Times are linear (interpolated between clock offsets)". */
static void add_base(const struct report_writer *w, struct str *s)
{
	static const char *const means[BASE_COUNT] = {
		[BASE_LINEAR] = " (interpolated between clock offsets)",
		[BASE_FITTED] = " (clocks fitted to the messages)",
		[BASE_CLC] = " (moved by a logical clock)",
		[BASE_COMPENSATED] = " (without what measuring cost)",
		[BASE_LOWER] = " (without the most that measuring can have cost)",
		[BASE_UPPER] = " (without the least that measuring can have cost)",
	};
	const enum time_base base = w->query->base;

	str_add_fmt(s, "Times are %s%s", base == BASE_MEASURED ? "as " : "", time_base_name(base));
	if (means[base])
		str_add(s, means[base]);
	if (base == BASE_MEASURED && !trace_offset_count(w->query->trace) &&
	    w->facts->locations > 1)
		str_add(s, "; the trace holds no clock offsets");
}

/* What a correction has mended: false where there was nothing. */
static bool add_mended(const struct report_writer *w, struct str *s)
{
	const struct corrections *c = w->query->corrections;
	const struct corrected facts = corrected_of(w->query->trace, c);
	const enum time_base base = w->query->base;
	const struct check_sum *before, *now;

	if (!facts.check_before || base <= facts.before || !c->checked[base])
		return false;
	before = &facts.check_before->all;
	now = &c->check[base].all;
	if (!before->reversed)
		return false;
	str_add(s, ". Of ");
	report_add_count(s, before->messages, "message", "messages");
	str_add(s, " (of collectives, too) ");
	units_count(s, before->reversed);
	str_add_fmt(s, "%s received before sent in %s times, by up to ",
		    before->reversed == 1 ? " was" : " were", time_base_name(facts.before));
	report_add_time(w, s, before->worst);
	str_add(s, "; ");
	if (now->reversed)
		units_count(s, now->reversed);
	else
		str_add(s, "none");
	str_add(s, now->reversed > 1 ? " are now." : " is now.");
	return true;
}

static void write_times(const struct report_writer *w)
{
	const struct overview_facts *f = w->facts;
	struct str s = STR_INIT;

	add_base(w, &s);
	if (f->reversed) {
		str_add(&s, "; ");
		report_add_count(&s, f->reversed, "message is", "messages are");
		str_add(&s, " received before being sent, by up to ");
		report_add_time(w, &s, f->worst_reversed);
		str_add_char(&s, '.');
	} else if (add_mended(w, &s)) {
		/* a sentence of its own */
	} else if (f->messages > f->unmatched) {
		str_add(&s, "; no message is received before it is sent.");
	} else {
		str_add_char(&s, '.');
	}
	report_line(w->section, f->reversed ? TEXT_WARNING : TEXT_PLAIN,
		    w->query->corrections ? "corrections" : "findings", s.text);
	str_fini(&s);
}

/* What the measurement cost, where it is known. */
static void write_overhead(const struct report_writer *w)
{
	const struct corrected facts = corrected_of(w->query->trace, w->query->corrections);
	const bool removed = w->query->base >= BASE_COMPENSATED;
	struct str s = STR_INIT;

	if (facts.overhead)
		str_add_fmt(&s, "Measuring took %.1f %% of the run (%.1f to %.1f %%)%s",
			    100 * facts.removed, 100 * facts.least, 100 * facts.largest,
			    removed ? ", which is taken out here."
				    : "; compensated times are without it.");
	else if (facts.trust == OVERHEAD_UNCLAIMED)
		str_add(&s, "Measuring took more than thirty times what is left: no claim about "
			    "the time without it.");
	if (s.n)
		report_line(w->section, facts.trust == OVERHEAD_TRUSTED ? TEXT_PLAIN : TEXT_WARNING,
			    "corrections", s.text);
	str_fini(&s);
}

static void write_findings(const struct report_writer *w)
{
	const struct trace *trace = w->query->trace;
	const uint64_t damage = trace_finding_sum(trace, FINDING_DAMAGE);
	const uint64_t guesses = trace_finding_sum(trace, FINDING_GUESS);
	const uint64_t oddities = trace_finding_sum(trace, FINDING_ODDITY);
	struct str s = STR_INIT;

	if (damage) {
		report_add_count(&s, damage, "record", "records");
		str_add(&s, " could not be read");
	} else {
		str_add(&s, "Every record was read");
	}
	str_add(&s, "; ");
	if (guesses)
		report_add_count(&s, guesses, "thing", "things");
	else
		str_add(&s, "nothing");
	str_add(&s, " had to be guessed");
	if (oddities) {
		str_add(&s, "; ");
		report_add_count(&s, oddities, "oddity was", "oddities were");
		str_add(&s, " tolerated");
	}
	if (damage || guesses || oddities)
		str_add(&s, " (tview check)");
	str_add_char(&s, '.');
	report_line(w->section,
		    damage    ? TEXT_ERROR
		    : guesses ? TEXT_WARNING
			      : TEXT_GOOD,
		    "findings", s.text);
	if (w->query->filter) {
		str_clear(&s);
		str_add(&s, "The filter is not applied here: these are the numbers without it.");
		report_line(w->section, TEXT_MUTED, NULL, s.text);
	}
	str_fini(&s);
}

/* Ranks that did not come to their end: the sentences of the findings. */
static void write_ends(const struct report_writer *w)
{
	const struct trace *trace = w->query->trace;
	struct str s = STR_INIT;

	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		if (strcmp(f->code, "not-finalised") != 0 &&
		    (w->rollcalled || strcmp(f->code, "cut-off") != 0))
			continue;
		str_clear(&s);
		str_add_char(&s, (char)toupper((unsigned char)f->text[0]));
		str_add_fmt(&s, "%s.", f->text + 1);
		report_line(w->section, TEXT_WARNING, "findings", s.text);
	}
	str_fini(&s);
}

/* What was done to the times, in the words of the view of the corrections. What was wrong, and what still
 * is, stands above it. */
static void write_corrections(const struct report_writer *w)
{
	static const enum corrections_question questions[] = { SHORT_DONE, SHORT_MOVED };
	const struct corrected facts = corrected_of(w->query->trace, w->query->corrections);
	struct str s = STR_INIT;

	for (size_t q = 0; q < ARRAY_SIZE(questions); q++) {
		str_clear(&s);
		if (w->query->corrections && facts.after != BASE_MEASURED)
			corrections_answer(questions[q], w->query->trace, w->query->corrections,
					   &s);
		if (s.n)
			report_line(w->section, TEXT_PLAIN, "corrections", s.text)->page_only =
				true;
	}
	str_fini(&s);
}

/* What was guessed, each sort with its sentence; and the grid of the ranks. */
static void write_guesses(const struct report_writer *w)
{
	const struct trace *trace = w->query->trace;

	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		if (f->kind == FINDING_GUESS)
			report_say(w->section, TEXT_WARNING, "findings", "Guessed, %llu %s: %s.",
				   (unsigned long long)f->count, f->count == 1 ? "time" : "times",
				   f->text)
				->page_only = true;
	}
	if (w->found == DIAGNOSIS_THERE && *w->diagnosis->grid) {
		report_put_text(w->section, "grid", w->diagnosis->grid);
		report_say(w->section, w->diagnosis->guessed ? TEXT_WARNING : TEXT_PLAIN,
			   "topology", "Grid of ranks: %s", w->diagnosis->grid)
			->page_only = true;
	}
}

/* What the analysis could not look at. */
static void write_left_out(const struct report_writer *w)
{
	const struct analysis_counts *c = &w->diagnosis->counts;
	struct str s = STR_INIT;

	if (w->found != DIAGNOSIS_THERE)
		return;
	report_put_real(w->section, "violations", REPORT_COUNT, (double)c->violations);
	report_put_real(w->section, "skipped", REPORT_COUNT, (double)c->skipped);
	report_put_real(w->section, "extended", REPORT_COUNT, (double)c->extended);
	if (c->violations) {
		report_add_count(&s, c->violations, "wait is", "waits are");
		str_add(&s, " bounded by clocks that disagree");
	}
	if (c->skipped) {
		str_add(&s, s.n ? "; " : "");
		report_add_count(&s, c->skipped, "collective", "collectives");
		str_add(&s, " (MPI_Alltoallv and the like) could not be looked at");
	}
	if (c->extended) {
		str_add(&s, s.n ? "; " : "");
		report_add_count(&s, c->extended, "wait", "waits");
		str_add(&s, " of requests and neighbourhoods by extended formulas");
	}
	if (s.n) {
		str_add_char(&s, '.');
		report_line(w->section, TEXT_PLAIN, "patterns", s.text)->page_only = true;
	}
	str_fini(&s);
}

void report_trust(struct report_writer *w)
{
	const struct trace *trace = w->query->trace;

	w->section = report_section(w->report, "trust", "How far this can be trusted");
	report_put_real(w->section, "reversed", REPORT_COUNT, (double)w->facts->reversed);
	report_put_real(w->section, "damaged", REPORT_COUNT,
			(double)trace_finding_sum(trace, FINDING_DAMAGE));
	report_put_real(w->section, "guessed", REPORT_COUNT,
			(double)trace_finding_sum(trace, FINDING_GUESS));
	report_put_real(w->section, "odd", REPORT_COUNT,
			(double)trace_finding_sum(trace, FINDING_ODDITY));
	if (sizes_records_only(trace)) {
		report_say(w->section, TEXT_PLAIN, "graph",
			   "Times are durations by the clock of each location itself.");
	} else {
		write_times(w);
		write_corrections(w);
		write_overhead(w);
	}
	write_findings(w);
	write_guesses(w);
	write_left_out(w);
	write_ends(w);
}
