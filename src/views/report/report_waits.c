/* report_waits: the sections of a report that say how efficient a run is, what waits, and why, where work
 * is uneven, and which locations wait or make others wait. */
#include <math.h>
#include <string.h>

#include "views/facts/place_words.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"
#include "views/report/report_parts.h"

enum { ON_OVERVIEW = 3 };   /* kinds of waiting that the first screen has room for */
#define WORTH_SAYING 0.0005 /* there: part of all time */

static void add_ticks(const struct report_writer *w, struct str *s, double ticks)
{
	report_add_time(w, s, llround(ticks));
}

/* ---- efficiency ---- */

static void add_ratio(struct str *s, const char *what, double ratio)
{
	if (isfinite(ratio))
		str_add_fmt(s, "%s%.1f %%", what, 100 * ratio);
}

/* "Parallel efficiency 71.0 % = load balance 79.8 % x communication 89.0 %.", behind what is there. */
static void add_efficiency(struct str *s, const struct efficiency *e, bool capital)
{
	add_ratio(s, capital ? "Parallel efficiency " : "parallel efficiency ", e->parallel);
	add_ratio(s, " = load balance ", e->load_balance);
	add_ratio(s, " x communication ", e->communication);
	str_add_char(s, '.');
}

static void put_efficiency(const struct report_writer *w, const struct efficiency *e)
{
	report_put_real(w->section, "parallel", REPORT_SHARE, e->parallel);
	report_put_real(w->section, "load_balance", REPORT_SHARE, e->load_balance);
	report_put_real(w->section, "communication", REPORT_SHARE, e->communication);
	report_put_real(w->section, "serialisation", REPORT_SHARE, e->serialisation);
	report_put_real(w->section, "transfer", REPORT_SHARE, e->transfer);
}

/* The part between MPI_Init and MPI_Finalize comes first: it is the program's own, and in a short run
 * the rest hides it. */
void report_efficiency(struct report_writer *w)
{
	const struct efficiency *e = &w->diagnosis->efficiency, *core = &w->diagnosis->core;
	struct str s = STR_INIT;

	w->section = report_section(w->report, "efficiency", "How efficient it is");
	if (w->found != DIAGNOSIS_THERE)
		return;
	put_efficiency(w, e);
	report_put_real(w->section, "core_length", REPORT_SECONDS,
			isfinite(core->parallel) ? report_seconds(w, core->run_time) : NAN);
	report_put_real(w->section, "core_parallel", REPORT_SHARE, core->parallel);
	report_put_real(w->section, "core_load_balance", REPORT_SHARE, core->load_balance);
	report_put_real(w->section, "core_communication", REPORT_SHARE, core->communication);
	if (!isfinite(e->parallel) || w->facts->locations < 2)
		return;
	if (isfinite(core->parallel)) {
		str_add(&s, "Between MPI_Init and MPI_Finalize (");
		add_ticks(w, &s, core->run_time);
		str_add(&s, ", the measuring next to them left out): ");
		add_efficiency(&s, core, false);
		report_line(w->section, TEXT_PLAIN, "patterns", s.text);
		str_clear(&s);
		str_add(&s, "Of the whole run: ");
	}
	add_efficiency(&s, e, !s.n);
	report_line(w->section, TEXT_PLAIN, "patterns", s.text);
	if (isfinite(e->transfer)) {
		str_clear(&s);
		add_ratio(&s, "Of communication: serialisation ", e->serialisation);
		add_ratio(&s, " x transfer ", e->transfer);
		str_add_char(&s, '.');
		report_line(w->section, TEXT_PLAIN, "patterns", s.text)->page_only = true;
	}
	str_fini(&s);
}

/* ---- waits ---- */

/* Of all time of the chosen locations. */
static double part_of(const struct report_writer *w, double ticks)
{
	return w->facts->whole > 0 ? ticks / (double)w->facts->whole : 0;
}

static void say_where(const struct report_writer *w, const struct diagnosed_wait *d, struct str *s)
{
	str_add_fmt(s, ", %.1f %% of all time, ", 100 * part_of(w, d->sum));
	report_add_count(s, d->count, "time", "times");
	if (d->at.id != UINT32_MAX) {
		str_add(s, d->at.value < 0.999 * d->sum ? ", most in " : ", in ");
		words_path(w->query->trace, d->at.id, s);
	}
	if (d->who.id != UINT32_MAX && w->facts->locations > 1) {
		str_add(s, ", most by ");
		report_add_location(w, s, d->who.id);
		str_add(s, " (");
		add_ticks(w, s, d->who.value);
		str_add_char(s, ')');
	}
	str_add_char(s, '.');
}

/* Who is charged with it: one, if it is one. */
static void say_why(const struct report_writer *w, const struct diagnosed_wait *d, struct str *s)
{
	const double share = d->sum > 0 ? d->culprit.value / d->sum : 0;

	if (d->culprit.id == UINT32_MAX || d->cause.id == UINT32_MAX || share < 0.01)
		return;
	str_add_fmt(s,
		    share < 0.3 ? " It has many causes; %.0f %% of it is caused by "
				: " %.0f %% of it is caused by ",
		    100 * fmin(share, 1));
	report_add_location(w, s, d->culprit.id);
	str_add(s, ", which takes longer in ");
	words_path(w->query->trace, d->cause.id, s);
	str_add_char(s, '.');
}

/* " (2.20 s to 2.21 s)": bounds that people can tell from each other. */
static void add_range(const struct report_writer *w, double lower, double upper, struct str *s)
{
	struct str from = STR_INIT, to = STR_INIT;

	add_ticks(w, &from, lower);
	add_ticks(w, &to, upper);
	if (strcmp(from.text, to.text) != 0)
		str_add_fmt(s, " (%s to %s)", from.text, to.text);
	str_fini(&from);
	str_fini(&to);
}

static void say_wait(const struct report_writer *w, const struct diagnosed_wait *d, bool page_only)
{
	const struct cube_metric_info *info = cube_metric_info((enum cube_metric)d->metric);
	struct str s = STR_INIT;

	str_add_fmt(&s, "%s: ", info->title);
	add_ticks(w, &s, d->sum);
	if (d->lower < d->upper)
		add_range(w, d->lower, d->upper, &s);
	say_where(w, d, &s);
	say_why(w, d, &s);
	report_line(w->section, part_of(w, d->sum) >= 0.05 ? TEXT_WARNING : TEXT_PLAIN, "patterns",
		    s.text)
		->page_only = page_only;
	str_fini(&s);
}

static const struct report_column wait_columns[] = {
	{ "metric", NULL, REPORT_TEXT },         { "title", "wait state", REPORT_TEXT },
	{ "severity", "time", REPORT_SECONDS },  { "lower", NULL, REPORT_SECONDS },
	{ "upper", NULL, REPORT_SECONDS },       { "share", "share", REPORT_SHARE },
	{ "count", "times", REPORT_COUNT },      { "callpath", NULL, REPORT_TEXT },
	{ "file", NULL, REPORT_TEXT },           { "line", NULL, REPORT_RANK },
	{ "rank", NULL, REPORT_RANK },           { "costs", NULL, REPORT_SECONDS },
	{ "cause_rank", NULL, REPORT_RANK },     { "cause_callpath", NULL, REPORT_TEXT },
	{ "cause_costs", NULL, REPORT_SECONDS }, { "worst", "longest", REPORT_SECONDS },
	{ "worst_at", "at", REPORT_SECONDS },    { "worst_rank", "rank", REPORT_RANK },
	{ "worst_partner", "for", REPORT_RANK }, { "worst_place", NULL, REPORT_TEXT },
};

static void cell_path(const struct report_writer *w, uint32_t path)
{
	struct str s = STR_INIT;

	if (path != UINT32_MAX && path)
		trace_callpath_text(w->query->trace, path, &s);
	report_cell_text(w->section, s.text);
	str_fini(&s);
}

static void cell_rank(const struct report_writer *w, uint32_t location)
{
	const int32_t rank = location == UINT32_MAX
				     ? RANK_UNKNOWN
				     : trace_location(w->query->trace, location)->rank;

	report_cell_real(w->section, rank < 0 ? (double)NAN : rank);
}

static void cell_source(const struct report_writer *w, uint32_t path)
{
	const struct trace *trace = w->query->trace;
	const struct site *site = path != UINT32_MAX && path
					  ? trace_site(trace, trace_callpath(trace, path)->site)
					  : NULL;

	report_cell_text(w->section, site ? trace_string(trace, site->file) : NULL);
	report_cell_real(w->section, site && site->line ? site->line : (double)NAN);
}

static void cell_seconds(const struct report_writer *w, bool known, double ticks)
{
	report_cell_real(w->section, known ? report_seconds(w, ticks) : (double)NAN);
}

static void add_row(const struct report_writer *w, const struct diagnosed_wait *d)
{
	const struct cube_metric_info *info = cube_metric_info((enum cube_metric)d->metric);
	const bool worst = d->worst_location != UINT32_MAX;
	const bool bounded = d->lower < d->upper;
	struct str place = STR_INIT;

	report_cell_text(w->section, info->name);
	report_cell_text(w->section, info->title);
	cell_seconds(w, true, d->sum);
	cell_seconds(w, bounded, d->lower);
	cell_seconds(w, bounded, d->upper);
	report_cell_real(w->section, part_of(w, d->sum));
	report_cell_real(w->section, (double)d->count);
	cell_path(w, d->at.id);
	cell_source(w, d->at.id);
	cell_rank(w, d->who.id);
	cell_seconds(w, d->costs > 0, d->costs);
	cell_rank(w, d->culprit.id);
	cell_path(w, d->cause.id);
	cell_seconds(w, d->cause.id != UINT32_MAX, d->cause.value);
	cell_seconds(w, worst, (double)d->worst_length);
	cell_seconds(w, worst, (double)d->worst_begin);
	cell_rank(w, d->worst_location);
	cell_rank(w, d->worst_partner);
	if (worst)
		words_path(w->query->trace, d->worst_path, &place);
	report_cell_text(w->section, place.text);
	str_fini(&place);
}

static void say_looking(const struct report_writer *w)
{
	const struct analyses_state state = analyses_state(w->query->analyses);

	if (state.busy && state.all)
		report_say(w->section, TEXT_MUTED, "patterns",
			   "What waits, and why, is being looked for (%.0f %%).",
			   100 * (double)state.done / (double)state.all);
	else
		report_line(w->section, TEXT_MUTED, "patterns",
			    "What waits, and why, is being looked for.");
}

void report_waits(struct report_writer *w)
{
	const struct diagnosis *d = w->diagnosis;

	w->section = report_section(w->report, "waits", "What waits, and why");
	if (w->found == DIAGNOSIS_LOOKING)
		say_looking(w);
	if (w->found != DIAGNOSIS_THERE)
		return;
	report_put_real(w->section, "waiting", REPORT_SECONDS, report_seconds(w, d->waiting));
	report_put_real(w->section, "share", REPORT_SHARE, part_of(w, d->waiting));
	report_columns(w->section, wait_columns, ARRAY_SIZE(wait_columns));
	if (!d->n && w->facts->locations < 2)
		return;
	if (!d->n) {
		report_line(w->section, TEXT_GOOD, "patterns", "Nobody waits for anybody.");
		return;
	}
	for (uint32_t i = 0; i < d->n; i++) {
		const bool completion =
			diagnosis_is_completion((enum cube_metric)d->waits[i].metric);
		if (!completion)
			say_wait(w, &d->waits[i],
				 i >= ON_OVERVIEW || part_of(w, d->waits[i].sum) < WORTH_SAYING);
		add_row(w, &d->waits[i]);
	}
}

/* ---- imbalance ---- */

void report_imbalance(struct report_writer *w)
{
	const struct diagnosis *d = w->diagnosis;
	struct str s = STR_INIT;

	w->section = report_section(w->report, "imbalance", "Where work is uneven");
	if (w->found != DIAGNOSIS_THERE)
		return;
	for (unsigned i = 0; i < DIAGNOSED_PATHS && d->imbalance[i].id != UINT32_MAX; i++) {
		str_clear(&s);
		words_path(w->query->trace, d->imbalance[i].id, &s);
		str_add(&s, ": ");
		add_ticks(w, &s, d->imbalance[i].value);
		str_add(&s, " above the mean");
		if (i == 0 && d->overloaded.id != UINT32_MAX) {
			str_add(&s, " of all locations, ");
			add_ticks(w, &s, d->overloaded.value);
			str_add(&s, " of it on ");
			report_add_location(w, &s, d->overloaded.id);
		}
		str_add_char(&s, '.');
		report_line(w->section, TEXT_PLAIN, "patterns", s.text)->page_only = true;
	}
	if (d->critical_path > 0) {
		str_clear(&s);
		str_add(&s, "The critical path, ");
		add_ticks(w, &s, d->critical_path);
		str_add(&s, " long, is ");
		for (unsigned i = 0; i < DIAGNOSED_PATHS && d->critical[i].id != UINT32_MAX; i++) {
			str_add_fmt(&s, "%s%.1f %% ", i ? ", " : "",
				    100 * d->critical[i].value / d->critical_path);
			words_path(w->query->trace, d->critical[i].id, &s);
		}
		str_add_char(&s, '.');
		report_line(w->section, TEXT_PLAIN, "patterns", s.text)->page_only = true;
	}
	report_put_real(w->section, "critical_path", REPORT_SECONDS,
			report_seconds(w, d->critical_path));
	report_put_real(w->section, "underload", REPORT_SECONDS, report_seconds(w, d->underload));
	str_fini(&s);
}

/* ---- ranks ---- */

static const struct report_column rank_columns[] = {
	{ "rank", NULL, REPORT_RANK },
	{ "location", "location", REPORT_TEXT },
	{ "computation", "computes", REPORT_SECONDS },
	{ "mpi", "in MPI", REPORT_SECONDS },
	{ "waiting", "waits", REPORT_SECONDS },
	{ "costs", "makes others wait", REPORT_SECONDS },
};

void report_ranks(struct report_writer *w)
{
	const struct diagnosis *d = w->diagnosis;

	w->section = report_section(w->report, "ranks", "Who waits, who makes others wait");
	if (w->found != DIAGNOSIS_THERE)
		return;
	report_columns(w->section, rank_columns, ARRAY_SIZE(rank_columns));
	for (uint32_t i = 0; i < d->n_ranks; i++) {
		const struct diagnosed_rank *r = &d->ranks[i];
		cell_rank(w, r->location);
		report_cell_text(w->section,
				 trace_string(w->query->trace,
					      trace_location(w->query->trace, r->location)->name));
		cell_seconds(w, true, r->comp);
		cell_seconds(w, true, r->mpi);
		cell_seconds(w, true, r->waits);
		cell_seconds(w, true, r->costs);
	}
}
