/* view_corrections: what was corrected, as keys and values. The keys that come first, and their
 * order, are stable; each is explained in doc/corrections.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "views/facts/corrections_facts.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

enum section { IN_SHORT, CONDITION, CLOCKS, LOGICAL_CLOCK, OVERHEAD, NOTES, SECTIONS };

/* A figure: as exports have it, and as people read it. */
struct figure {
	enum section section;
	const char *key;    /* NULL: of the screen alone */
	const char *what;   /* for people; NULL: not on the screen */
	char *value, *text; /* owned, NULL unknown */
};

enum { K_KEY, K_VALUE, K_WHAT, K_FIGURE, K_COLUMNS };

static const struct column columns[K_COLUMNS] = {
	[K_KEY] = { "key", "key", COLUMN_TEXT, 24, true, false },
	[K_VALUE] = { "value", "value", COLUMN_TEXT, 24, true, false },
	[K_WHAT] = { "what", "what", COLUMN_TEXT, 31, false, true },
	[K_FIGURE] = { "figure", "figure", COLUMN_TEXT, 0, false, true },
};

struct corrections_table {
	struct list_table list;
	const struct timescale *scale;
	VEC(struct figure) figures;
	enum section section; /* of the figures being added */
};

/* ---- figures of several kinds ---- */

static void add(struct corrections_table *t, const char *key, const char *what, const char *value,
		const char *text)
{
	vec_push(&t->figures,
		 ((struct figure){ t->section, key, what, value ? xstrdup(value) : NULL,
				   text ? xstrdup(text) : NULL }));
}

static void word(struct corrections_table *t, const char *key, const char *what, const char *value)
{
	add(t, key, what, value, value);
}

static void count(struct corrections_table *t, const char *key, const char *what, bool known,
		  uint64_t n)
{
	struct str value = STR_INIT, text = STR_INIT;

	str_add_fmt(&value, "%llu", (unsigned long long)n);
	units_count(&text, n);
	add(t, key, what, known ? value.text : NULL, text.text);
	str_fini(&value);
	str_fini(&text);
}

static void ticks(struct corrections_table *t, const char *key, const char *what, bool known,
		  double time)
{
	struct str value = STR_INIT, text = STR_INIT;

	known = known && isfinite(time) && fabs(time) < 9e18;
	if (known) {
		units_seconds(&value, llround(time), t->scale, units_export_digits(t->scale));
		units_human_time(&text, llround(time), t->scale, 4);
	}
	add(t, key, what, known ? value.text : NULL, text.text);
	str_fini(&value);
	str_fini(&text);
}

/* A number, for people with a unit of which it has so many. */
static void number(struct corrections_table *t, const char *key, const char *what, bool known,
		   double n, double scale, const char *unit)
{
	struct str value = STR_INIT, text = STR_INIT;

	str_add_fmt(&value, "%.9g", n);
	str_add_fmt(&text, "%.4g%s%s", n * scale, *unit ? " " : "", unit);
	add(t, key, what, known && isfinite(n) ? value.text : NULL, text.text);
	str_fini(&value);
	str_fini(&text);
}

static void seconds(struct corrections_table *t, const char *key, const char *what, bool known,
		    double s)
{
	const bool small = s < 1e-9;

	number(t, key, what, known && s >= 0, s,
	       small      ? 1e12
	       : s < 1e-6 ? 1e9
			  : 1e6,
	       small      ? "ps"
	       : s < 1e-6 ? "ns"
			  : "us");
}

static void share(struct corrections_table *t, const char *key, const char *what, bool known,
		  double s)
{
	number(t, key, what, known, s, 100, "%");
}

/* ---- what comes first, and stays ---- */

static void clock_figures(struct corrections_table *t, const struct corrections *c,
			  const struct corrected *f)
{
	static const struct check_sum nothing;
	const bool checked = f->check_before != NULL;
	const struct check_sum *before = checked ? &f->check_before->all : &nothing;
	/* Nothing violated is as much a result as what was corrected. */
	const bool clc = c->clc.done || (f->check_after && f->after != BASE_CLC);

	t->section = CONDITION;
	count(t, "messages", "messages (with collectives)", checked, before->messages);
	count(t, "reversed", "reversed messages", checked, before->reversed);
	count(t, "violations", "below minimum latency", checked, before->violating);
	t->section = CLOCKS;
	word(t, "presync", "clock synchronisation",
	     !checked                         ? NULL
	     : c->presync == PRESYNC_MESSAGES ? "messages"
					      : "offsets");
	count(t, "fitted_reversed", "reversed, fitted", c->checked[BASE_FITTED],
	      c->check[BASE_FITTED].all.reversed);
	ticks(t, "fitted_max_shift_s", "largest shift of the fit", c->fit.done, c->fit.max_shift);
	t->section = LOGICAL_CLOCK;
	count(t, "clc_violated", "receives moved", clc, c->clc.violated_all);
	count(t, "clc_corrected", c->clc.done ? "events moved forward" : NULL, clc,
	      c->clc.corrected);
	ticks(t, "clc_max_error_s", c->clc.done ? "largest move forward" : NULL, clc,
	      c->clc.max_error);
	count(t, "clc_passes", c->clc.done ? "passes" : NULL, clc, (uint64_t)c->clc.passes);
	number(t, "clc_max_slope", "steepest backward ramp", c->clc.done, c->clc.max_slope, 1, "");
	t->section = CONDITION;
	count(t, "violations_after", "below minimum latency, corrected", f->check_after != NULL,
	      f->check_after ? f->check_after->all.violating : 0);
}

static void overhead_figures(struct corrections_table *t, const struct corrections *c,
			     const struct corrected *f)
{
	const struct overhead_report *o = &c->overhead;
	const bool done = o->done, claimed = f->overhead;

	t->section = OVERHEAD;
	seconds(t, "overhead_event_s", "cost per record", done, o->event);
	ticks(t, "measured_s", "measured run", done, (double)o->run.measured);
	ticks(t, "compensated_s", "without overhead", claimed, (double)o->run.compensated);
	ticks(t, "lower_s", "at least", claimed, (double)o->run.lower);
	ticks(t, "upper_s", "at most", claimed, (double)o->run.upper);
	share(t, "carried_share", "time with a deficit", done, o->carried_share);
	share(t, "sampled_share", "sampled segments", done, o->sampled_share);
}

/* ---- more ---- */

static void more_of_the_condition(struct corrections_table *t, const struct corrections *c,
				  const struct corrected *f)
{
	static const struct check_sum nothing;
	const struct check_sum *before = f->check_before ? &f->check_before->all : &nothing;
	const struct check_sum *after = f->check_after ? &f->check_after->all : &nothing;

	t->section = CONDITION;
	word(t, "base_before", "times", time_base_name(f->before));
	word(t, "base", "times after", time_base_name(f->after));
	ticks(t, "worst_reversed_s", "worst reversal", f->check_before && before->reversed,
	      (double)before->worst);
	ticks(t, "mean_reversed_s", "mean reversal", f->check_before && before->reversed,
	      before->reversed ? before->sum / (double)before->reversed : 0);
	ticks(t, "worst_violation_s", "worst violation", f->check_before && before->violating,
	      (double)before->worst_violation);
	count(t, "reversed_after", "reversed messages, corrected", f->check_after != NULL,
	      after->reversed);
	count(t, "unmatched", "unmatched messages", c->counts.unmatched, c->counts.unmatched);
	count(t, "incomplete", "incomplete collectives", c->counts.incomplete,
	      c->counts.incomplete);
	count(t, "vector_collectives", "MPI_Alltoallv, -w: not checked", c->counts.vector,
	      c->counts.vector);
	count(t, "request_collectives", "nonblocking collectives: not checked",
	      c->counts.nonblocking, c->counts.nonblocking);
}

static void latencies(struct corrections_table *t, const struct corrections *c,
		      const struct corrected *f)
{
	const bool known = f->check_before != NULL;

	ticks(t, "lmin_inter_s", "minimum latency between nodes", known, (double)c->lmin.inter);
	word(t, "lmin_inter_source", "  source",
	     known ? lmin_source_name(c->lmin.inter_source) : NULL);
	ticks(t, "lmin_intra_s", "minimum latency in a node", known, (double)c->lmin.intra);
	word(t, "lmin_intra_source", "  source",
	     known ? lmin_source_name(c->lmin.intra_source) : NULL);
	ticks(t, "lmin_omp_s", "minimum latency of threads", known, (double)c->lmin.omp);
}

static void more_of_the_clocks(struct corrections_table *t, const struct trace *trace,
			       const struct corrections *c, const struct corrected *f)
{
	const struct fit_report *fit = &c->fit;

	t->section = CLOCKS;
	count(t, "offsets", c->offsets_given ? "given offsets" : "recorded offsets", true,
	      trace_offset_count(trace));
	word(t, "fitted", "fitted to the messages", fit->done ? "yes" : "no");
	word(t, "prealigned", "aligned first (no offsets)",
	     !fit->done        ? NULL
	     : fit->prealigned ? "yes"
			       : "no");
	count(t, "fitted_clocks", "clocks", fit->done, fit->n_clocks);
	number(t, "fitted_sigma_ns", "flexibility (1 ns: straight)", fit->done, fit->sigma, 1,
	       "ns");
	count(t, "fitted_edges", "messages between clocks", fit->done, fit->edges);
	count(t, "fitted_used", "  used as bounds", fit->done, fit->used);
	count(t, "fitted_thinned", "  left out: too many", fit->done, fit->thinned);
	count(t, "fitted_dropped", "  left out: outliers", fit->done, fit->dropped);
	ticks(t, "fitted_min_latency_s", "minimum latency, fitted", fit->done, fit->min_slack);
	latencies(t, c, f);
}

static void more_of_the_logical_clock(struct corrections_table *t, const struct corrections *c,
				      const struct corrected *f)
{
	const struct clc_report *clc = &c->clc;
	char gamma[32];

	t->section = LOGICAL_CLOCK;
	word(t, "clc_from", "starts from", clc->done ? time_base_name(clc->from) : NULL);
	snprintf(gamma, sizeof gamma, "%.9g", clc->gamma);
	word(t, "clc_gamma", "control variable (gamma)", clc->done ? gamma : NULL);
	count(t, "clc_events", "events", clc->done, clc->events);
	count(t, "clc_corrected_final", "events that differ at the end", clc->done,
	      clc->corrected_final);
	count(t, "clc_messages_moved", "messages moved", clc->done, clc->messages_moved);
	ticks(t, "clc_max_move_s", "largest move at the end", clc->done, (double)f->most);
	share(t, "clc_error_at_final", "advance at the end", clc->done, clc->error_at_final);
	count(t, "clc_forced", "impossible sends", clc->done, clc->forced);
}

static const char *model_name(const struct overhead_report *o)
{
	return o->model == OVERHEAD_PAPER ? "paper" : "insitu";
}

static void more_of_the_overhead(struct corrections_table *t, const struct corrections *c,
				 const struct corrected *f)
{
	const struct overhead_report *o = &c->overhead;
	const bool done = o->done;

	t->section = OVERHEAD;
	word(t, "overhead_reference", "compared with", done ? OVERHEAD_REFERENCE : NULL);
	share(t, "removed_share", "overhead, share of the run", f->overhead, f->removed);
	share(t, "removed_share_lower", "at least", f->overhead, f->least);
	share(t, "removed_share_upper", "at most", f->overhead, f->largest);
	number(t, "overhead_ratio", "overhead / user time", done, o->ratio, 1, "");
	word(t, "overhead_model", "model", done ? model_name(o) : NULL);
	word(t, "overhead_source", "costs", done ? overhead_source_name(o->source) : NULL);
	seconds(t, "overhead_event_low_s", "cost per record, cheapest class", done, o->event_low);
	seconds(t, "overhead_event_high_s", "cost per record, dearest class", done, o->event_high);
	seconds(t, "overhead_loop_s", "cost per record in a loop", done, o->loop);
	seconds(t, "overhead_copy_s", "cost per byte copied", done, o->copy_cost);
	count(t, "overhead_records", "records", done, o->run.records);
	count(t, "overhead_classes", "segment classes", done, o->classes);
	count(t, "overhead_classes_sampled", "  with enough samples", done, o->classes_sampled);
	ticks(t, "flushed_s", "flushes, offset measurements", done, (double)o->flushed);
	count(t, "flushes", "  number", done, o->flushes);
	share(t, "overhead_blocking_share", "time in blocked sends", done, o->blocking_share);
	count(t, "overhead_clamped", "intervals limited to 0", done, o->clamped);
	count(t, "overhead_extended", "cases beyond the model", done, o->extended);
	count(t, "overhead_violations", "violations repaired", done, o->violations);
}

/* A sentence that is on the screen alone, in as many lines as it needs. */
static void sentence(struct corrections_table *t, const char *what, const char *text)
{
	enum { LINE_COLUMNS = 44 };

	for (const char *p = text; *p; p += strspn(p, " ")) {
		size_t n = text_fit(p, LINE_COLUMNS);
		char line[CORRECT_NOTE];
		if (p[n])
			for (size_t blank = n; blank; blank--)
				if (p[blank] == ' ') {
					n = blank;
					break;
				}
		if (n == 0 || n >= sizeof line)
			break;
		memcpy(line, p, n);
		line[n] = '\0';
		word(t, NULL, p == text ? what : "", line);
		p += n;
	}
}

/* One row of exports. */
static void note(struct corrections_table *t, const char *text)
{
	word(t, "note", NULL, text);
	sentence(t, "note", text);
}

static void in_short(struct corrections_table *t, const struct query *query)
{
	struct phrases p = { .trace = query->trace };

	t->section = IN_SHORT;
	for (int f = 0; f < CORRECTIONS_FIGURES; f++) {
		const char *text =
			corrections_figure(&p, (enum corrections_figure)f, query->corrections);

		if (*text)
			sentence(t, corrections_figure_title((enum corrections_figure)f), text);
	}
	phrases_fini(&p);
}

static void notes(struct corrections_table *t, const struct query *query)
{
	const struct corrections *c = query->corrections;

	t->section = NOTES;
	if (!c)
		note(t, "No corrections: cancelled, or not asked for.");
	for (int i = 0; c && i < CORRECT_NOTES && c->notes[i][0]; i++)
		note(t, c->notes[i]);
	if (c && !c->overhead.done && c->overhead.why[0])
		note(t, c->overhead.why);
	if (c && c->overhead.done && c->overhead.ratio > OVERHEAD_NO_CLAIM)
		note(t, "The overhead is too large to estimate the time without it.");
	if (c && c->overhead.done && c->overhead.blocking_share > 0.1)
		note(t,
		     "Over 10 % of total time is in blocked sends, left as measured: the bounds do "
		     "not hold.");
	if (trace_partial(query->trace)->is)
		note(t, "Only this part of the trace was loaded.");
}

/* ---- figures that people read together ---- */

static struct figure *find(struct corrections_table *t, const char *key)
{
	struct figure *f;

	vec_each (f, &t->figures)
		if (f->key && strcmp(f->key, key) == 0)
			return f;
	return NULL;
}

/* Appends the second one's text to the first one's, and it has no line of its own any more. */
static void join(struct corrections_table *t, const char *key, const char *between,
		 const char *other, const char *behind)
{
	struct figure *first = find(t, key), *second = find(t, other);
	struct str text = STR_INIT;

	second->what = NULL;
	if (!first->value || !second->value)
		return;
	str_add_fmt(&text, "%s%s%s%s", first->text, between, second->text, behind);
	free(first->text);
	first->text = xstrdup(text.text);
	str_fini(&text);
}

static void join_all(struct corrections_table *t)
{
	static const struct {
		const char *key, *between, *other, *behind;
	} joins[] = {
		{ "reversed", " before, ", "reversed_after", " after" },
		{ "violations", " before, ", "violations_after", " after" },
		{ "base_before", " before, ", "base", " after" },
		{ "worst_reversed_s", ", mean ", "mean_reversed_s", "" },
		{ "lmin_inter_s", " (", "lmin_inter_source", ")" },
		{ "lmin_intra_s", " (", "lmin_intra_source", ")" },
		{ "compensated_s", ", at least ", "lower_s", "" },
		{ "compensated_s", ", at most ", "upper_s", "" },
		{ "removed_share", ", at least ", "removed_share_lower", "" },
		{ "removed_share", ", at most ", "removed_share_upper", "" },
		{ "overhead_event_s", ", classes ", "overhead_event_low_s", "" },
		{ "overhead_event_s", " to ", "overhead_event_high_s", "" },
		{ "overhead_event_s", ", loop ", "overhead_loop_s", "" },
		{ "overhead_classes", ", with enough samples ", "overhead_classes_sampled", "" },
		{ "flushed_s", " in ", "flushes", "" },
		{ "presync", " (", "offsets", " measurements)" },
		{ "fitted_edges", ", used as bounds ", "fitted_used", "" },
		{ "overhead_model", ", costs: ", "overhead_source", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(joins); i++)
		join(t, joins[i].key, joins[i].between, joins[i].other, joins[i].behind);
	find(t, "fitted")->what = NULL;
}

/* ---- the table ---- */

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct figure *f = &((struct corrections_table *)list)->figures.data[item];

	v[K_KEY] = value_text(f->key);
	v[K_VALUE] = value_text(f->value);
	v[K_WHAT] = (struct value){ .known = true, .text = f->what ? f->what : f->key };
	v[K_FIGURE] = value_text(f->value ? f->text : NULL);
	if (!f->key && !f->value)
		v[K_FIGURE] = (struct value){ .known = true, .text = "" };
}

static void fini(struct list_table *list)
{
	struct corrections_table *t = (struct corrections_table *)list;
	struct figure *f;

	vec_each (f, &t->figures) {
		free_all(f->value, f->text);
	}
	vec_fini(&t->figures);
}

static struct corrections_table *figures_new(const struct query *query)
{
	static const struct list_ops ops = { .cells = cells, .fini = fini };
	static const struct corrections none;
	const struct corrections *c = query->corrections ? query->corrections : &none;
	const struct corrected f = corrected_of(query->trace, c);
	struct corrections_table *t =
		list_table_new(sizeof *t, &ops, columns, K_COLUMNS, query->trace);

	t->scale = trace_scale(query->trace);
	in_short(t, query);
	clock_figures(t, c, &f);
	overhead_figures(t, c, &f);
	more_of_the_condition(t, c, &f);
	more_of_the_clocks(t, query->trace, c, &f);
	more_of_the_logical_clock(t, c, &f);
	more_of_the_overhead(t, c, &f);
	notes(t, query);
	return t;
}

struct table *corrections_table_new(const struct query *query, struct err *err)
{
	struct corrections_table *t = figures_new(query);

	(void)err;
	for (uint32_t i = 0; i < t->figures.n; i++)
		if (t->figures.data[i].key)
			list_table_add(&t->list, i);
	return &t->list.table;
}

struct table *corrections_summary_new(const struct query *query, struct err *err)
{
	static const char *const headings[SECTIONS] = { "IN SHORT", "CLOCK CONDITION",
							"CLOCKS",   "LOGICAL CLOCK",
							"OVERHEAD", "NOTES" };
	struct corrections_table *t = figures_new(query);
	size_t n;

	(void)err;
	join_all(t);
	n = t->figures.n;
	for (int s = 0; s < SECTIONS; s++) {
		bool any = false;
		for (uint32_t i = 0; i < n; i++) {
			const struct figure *f = &t->figures.data[i];
			if ((int)f->section != s || !f->value || !f->what)
				continue;
			if (!any) {
				t->section = (enum section)s;
				add(t, NULL, headings[s], NULL, NULL);
				list_table_add(&t->list, (uint32_t)t->figures.n - 1);
				any = true;
			}
			list_table_add(&t->list, i);
		}
	}
	return &t->list.table;
}
