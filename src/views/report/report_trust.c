/* report_trust: the section of a report on its reliability: damage, guesses, clocks, measurement
 * overhead. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "model/trace/program.h"
#include "views/facts/clock_bounds.h"
#include "views/facts/corrections_facts.h"
#include "views/facts/lacks.h"
#include "views/facts/place_words.h"
#include "views/facts/virtual_text.h"
#include "views/query/view_common.h"
#include "views/report/report_parts.h"

static const char *base_text(const struct report_writer *w)
{
	const enum time_base base = w->query->base;
	const struct corrected facts = corrected_of(w->query->trace, w->query->corrections);
	const char *means = words_base(base);

	if (base == BASE_FITTED && facts.one_clock)
		means = "all ranks share one clock; the measured offsets are noise and not used";
	else if (base == BASE_MEASURED && !trace_offset_count(w->query->trace) &&
		 w->facts->locations > 1)
		means = "as recorded; no clock offsets";
	return phrase(w->p, "Times: %s (%s)", time_base_name(base), means);
}

/* The effect of a correction; "" if there was nothing to correct. */
static const char *mended_text(const struct report_writer *w)
{
	const struct corrections *c = w->query->corrections;
	const struct corrected facts = corrected_of(w->query->trace, c);
	const enum time_base base = w->query->base;
	const struct check_sum *before, *now;
	struct phrases *p = w->p;

	if (!facts.check_before || base <= facts.before || !c->checked[base])
		return "";
	before = &facts.check_before->all;
	now = &c->check[base].all;
	if (!before->reversed)
		return "";
	return phrase(p, ". In %s times %s of %s %s, by up to %s; after correction %s",
		      time_base_name(facts.before), phrase_number(p, before->reversed),
		      phrase_count(p, before->messages, "message", "messages"),
		      before->reversed == 1 ? "arrives before it is sent"
					    : "arrive before they are sent",
		      phrase_time(p, (double)before->worst),
		      now->reversed ? phrase(p, "%s still %s", phrase_number(p, now->reversed),
					     now->reversed == 1 ? "does" : "do")
				    : "none does");
}

static void write_times(const struct report_writer *w)
{
	const struct overview_facts *f = w->facts;
	struct phrases *p = w->p;
	const char *order = mended_text(w);

	if (f->reversed)
		order = phrase(p, "; %s before %s sent, by up to %s",
			       phrase_count(p, f->reversed, "message arrives", "messages arrive"),
			       f->reversed == 1 ? "it is" : "they are",
			       phrase_time(p, (double)f->worst_reversed));
	else if (!*order && f->messages > f->unmatched)
		order = "; no message arrives before it is sent";
	report_say(w->section, f->reversed ? TEXT_WARNING : TEXT_PLAIN,
		   w->query->corrections ? "corrections" : "findings", "%s%s.", base_text(w),
		   order);
}

static void write_overhead(const struct report_writer *w)
{
	const struct corrected facts = corrected_of(w->query->trace, w->query->corrections);
	const enum text_role role = facts.trust == OVERHEAD_TRUSTED ? TEXT_PLAIN : TEXT_WARNING;

	if (facts.overhead)
		report_say(w->section, role, "corrections", "Measurement overhead: %s; %s.",
			   corrections_overhead(w->p, &facts),
			   w->query->base >= BASE_COMPENSATED ? "removed in these times"
							      : "--base compensated removes it");
	else if (facts.trust == OVERHEAD_UNCLAIMED)
		report_line(w->section, role, "corrections",
			    "Measurement overhead is more than 30 times the program itself: no "
			    "estimate without it.");
}

/* Virtual times beside compensated ones. */
static void write_virtual(const struct report_writer *w)
{
	const struct corrections *c = w->query->corrections;
	const char *sentence = virtual_sentence(w->p, c), *crowd = virtual_crowd(w->p, c);

	if (!*sentence)
		return;
	report_put_text(w->section, "virtual_compared", virtual_state(c));
	report_put_real(w->section, "virtual_events", REPORT_COUNT, (double)c->compared.events);
	report_put_real(w->section, "virtual_beyond", REPORT_COUNT, (double)c->compared.beyond);
	report_put_real(w->section, "virtual_unbounded", REPORT_COUNT, (double)c->compared.without);
	report_line(w->section, c->compared.beyond ? TEXT_WARNING : TEXT_PLAIN, "corrections",
		    sentence);
	if (*crowd)
		report_line(w->section, TEXT_WARNING, "corrections", crowd);
}

/* Seconds of all locations together. */
static double total_time(const struct trace *trace)
{
	int64_t begin, end;

	trace_span(trace, BASE_MEASURED, &begin, &end);
	return (double)(end - begin) / (double)trace_scale(trace)->per_second *
	       trace_state_locations(trace);
}

/* ---- not recorded ---- */

static const struct report_column lack_columns[] = {
	{ "lacks", NULL, REPORT_TEXT },
	{ "count", NULL, REPORT_COUNT },
	{ "ranks", NULL, REPORT_COUNT },
	{ "what", NULL, REPORT_TEXT },
};

static void write_lacks(const struct report_writer *w)
{
	struct lack lack;

	if (!lacks_any(w->query->trace))
		return;
	report_columns(w->section, lack_columns, ARRAY_SIZE(lack_columns));
	for (size_t at = 0; lacks_next(w->query->trace, &at, &lack);) {
		report_cell_text(w->section, lack_name(lack.kind));
		report_cell_real(w->section, (double)lack.count);
		report_cell_real(w->section, lack.ranks ? (double)lack.ranks : (double)NAN);
		report_cell_text(w->section, lack.what);
	}
	for (unsigned kind = 0; kind < LACK_KINDS; kind++) {
		const char *sentence = lacks_sentence(w->p, (enum lack_kind)kind);
		if (*sentence)
			report_line(w->section, TEXT_WARNING, "definitions", sentence);
	}
}

/* "Trace complete" only if nothing is known to be missing: part of the trace, ranks that ended
 * early or had full or damaged buffers, segments without function records, calls that were not
 * recorded. */
static const char *all_read(struct phrases *p, const struct trace *trace)
{
	const char *insitu = trace_property_value(trace, "insitu");
	const char *gaps = trace_property_value(trace, "gaps-ns");
	const double total = total_time(trace);
	const char *whole =
		lacks_any(trace) ? "All records read" : "Trace complete: all records read";

	if (trace_live(trace))
		return phrase(p, "The run goes on: all records up to %s read",
			      phrase_date(p, trace_live(trace)));
	if (lacks_kind(trace, LACK_DAMAGED))
		return "Trace incomplete (buffers of ranks were cut off or damaged): all "
		       "records in it read";
	if (trace_property_value(trace, "incomplete"))
		return "Trace incomplete (ranks ended early or their buffers were full): all "
		       "records in it read";
	if (trace_partial(trace)->is)
		return "Part of the trace loaded: all records of it read";
	if (insitu && strcmp(insitu, "on") == 0)
		return "All records read (sampled segments have no function records)";
	if (gaps && total > 0)
		return phrase(p, "%s, in %s of total time with estimated times of functions", whole,
			      phrase_share(p, strtod(gaps, NULL) * 1e-9 / total));
	return whole;
}

static void write_findings(const struct report_writer *w)
{
	const struct trace *trace = w->query->trace;
	const uint64_t damage = trace_finding_sum(trace, FINDING_DAMAGE);
	const uint64_t guesses = trace_finding_sum(trace, FINDING_GUESS);
	const uint64_t deviations = trace_finding_sum(trace, FINDING_ODDITY);
	const char *why = trace_property_value(trace, "trigger");
	struct phrases *p = w->p;

	report_say(w->section,
		   damage ? TEXT_ERROR
		   : guesses || trace_property_value(trace, "incomplete") || lacks_any(trace)
			   ? TEXT_WARNING
			   : TEXT_GOOD,
		   "findings", "%s%s%s%s%s.",
		   damage ? phrase(p, "Trace damaged: %s skipped",
				   phrase_count(p, damage, "record", "records"))
			  : all_read(p, trace),
		   guesses ? phrase(p, ", %s guessed",
				    phrase_count(p, guesses, "value was", "values were"))
			   : ", none guessed",
		   deviations ? phrase(p, ", %s from the format accepted",
				       phrase_count(p, deviations, "deviation", "deviations"))
			      : "",
		   damage || guesses || deviations ? " (see tview check)" : "",
		   lacks_any(trace) ? "; not everything was recorded" : "");
	if (why)
		report_say(w->section, TEXT_PLAIN, "findings", "This trace was made because %s.",
			   why);
	if (w->query->filter)
		report_line(w->section, TEXT_MUTED, NULL,
			    "The filter does not apply here: these numbers are without it.");
}

/* Ranks that did not end, or were not recorded to their end: by the trace's properties, and by
 * findings. */
static void write_ends(const struct report_writer *w)
{
	enum { MOST = 300 };
	const struct trace *trace = w->query->trace;
	const char *incomplete = trace_property_value(trace, "incomplete");
	const char *first = trace_property_value(trace, "ended-first");
	OWNED_STR s = STR_INIT;

	if (first) {
		report_put_text(w->section, "ended_first", first);
		str_add_fmt(&s, "%c%s.", toupper((unsigned char)first[0]), first + 1);
		report_line(w->section, TEXT_ERROR, "findings", s.text);
		str_clear(&s);
	}
	if (incomplete) {
		str_add_fmt(&s, "Incomplete: %.*s%s.", MOST, incomplete,
			    strlen(incomplete) > MOST ? " ..." : "");
		report_line(w->section, TEXT_WARNING, "findings", s.text);
	}
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
}

/* Corrections of the times other than interpolated offsets. */
static void write_corrections(const struct report_writer *w)
{
	const struct corrections *c = w->query->corrections;
	const struct corrected facts = corrected_of(w->query->trace, c);
	const char *shift;

	if (!c || facts.after <= BASE_LINEAR || facts.one_clock)
		return;
	shift = corrections_figure(w->p, FIGURE_SHIFT, c);
	report_say(w->section, TEXT_PLAIN, "corrections", "Correction: %s%s%s.",
		   corrections_figure(w->p, FIGURE_DONE, c), *shift ? "; largest shift: " : "",
		   shift)
		->page_only = true;
}

/* Times of clocks that nothing bounds against the others' cannot be compared: that is a finding. */
static void add_island(void *context, const char *sentence, bool unknown)
{
	report_line(context, TEXT_WARNING, "corrections", sentence)->page_only = !unknown;
}

/* How certain clocks are. */
static void write_clock_bounds(const struct report_writer *w)
{
	const struct corrections *c = w->query->corrections;
	const bool lacking = clock_bounds_lacking(c, w->query->trace);
	const char *all = clock_bounds_sentence(w->p, c), *records = clock_bounds_records(w->p, c);
	bool exceeded;
	const char *drift = clock_bounds_drift(w->p, c, &exceeded);

	if (exceeded)
		report_line(w->section, TEXT_WARNING, "corrections", drift)->page_only = true;
	if (*all)
		report_line(w->section, lacking ? TEXT_WARNING : TEXT_PLAIN, "corrections", all)
			->page_only = !lacking;
	clock_bounds_islands(w->p, c, add_island, w->section);
	if (*records)
		report_line(w->section, TEXT_PLAIN, "corrections", records)->page_only = true;
}

/* Guesses, each sort with its sentence; and the grid of the ranks. */
static void write_guesses(const struct report_writer *w)
{
	const struct trace *trace = w->query->trace;

	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		if (f->kind == FINDING_GUESS)
			report_say(w->section, TEXT_WARNING, "findings", "Guessed %llu %s: %s.",
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

/* Data that the analysis could not use. */
static void write_left_out(const struct report_writer *w)
{
	const struct analysis_counts *c = &w->diagnosis->counts;

	if (w->found != DIAGNOSIS_THERE)
		return;
	report_put_real(w->section, "violations", REPORT_COUNT, (double)c->violations);
	report_put_real(w->section, "skipped", REPORT_COUNT, (double)c->skipped);
	report_put_real(w->section, "extended", REPORT_COUNT, (double)c->extended);
	if (c->violations)
		report_say(w->section, TEXT_PLAIN, "patterns",
			   "%s shortened: clocks contradict each other.",
			   phrase_count(w->p, c->violations, "wait", "waits"))
			->page_only = true;
	if (c->skipped)
		report_say(w->section, TEXT_WARNING, "patterns",
			   "%s not analysed (neighbours that no record names, and the like).",
			   phrase_count(w->p, c->skipped, "collective was", "collectives were"));
}

void report_trust(struct report_writer *w)
{
	const struct trace *trace = w->query->trace;

	w->section = report_section(w->report, "trust", "Reliability");
	report_put_real(w->section, "reversed", REPORT_COUNT, (double)w->facts->reversed);
	report_put_real(w->section, "damaged", REPORT_COUNT,
			(double)trace_finding_sum(trace, FINDING_DAMAGE));
	report_put_real(w->section, "guessed", REPORT_COUNT,
			(double)trace_finding_sum(trace, FINDING_GUESS));
	report_put_real(w->section, "odd", REPORT_COUNT,
			(double)trace_finding_sum(trace, FINDING_ODDITY));
	write_findings(w);
	write_lacks(w);
	if (trace_records_alone(trace)) {
		report_say(
			w->section, TEXT_PLAIN, "graph",
			trace_property_value(trace, "virtual-time")
				? "Times are durations in virtual time, kept by each rank while it "
				  "ran, but for that of loops of MPI_Test, which is measured."
				: "Times are durations measured on each rank's own clock.");
	} else {
		write_times(w);
		write_corrections(w);
		write_clock_bounds(w);
		write_overhead(w);
		write_virtual(w);
	}
	write_guesses(w);
	write_left_out(w);
	write_ends(w);
}
