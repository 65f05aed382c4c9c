/* report_waits: the sections of a report on wait states, efficiency, and the ranks that wait or
 * cause waits. */
#include <math.h>
#include <string.h>

#include "views/facts/lacks.h"
#include "views/facts/place_words.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"
#include "views/report/report_parts.h"

enum { ON_OVERVIEW = 3 };    /* kinds of waiting on the first screen */
#define WORTH_SAYING  0.0005 /* there: share of total time */
#define WORTH_DETAILS 0.005  /* where and why: share of total time */

/* ---- efficiency ---- */

/* "arallel efficiency 71.0 % = load balance 79.8 % x communication efficiency 89.0 %": the caller
 * adds the first letter. */
static const char *efficiency_text(const struct report_writer *w, const struct efficiency *e)
{
	struct phrases *p = w->p;

	if (!isfinite(e->load_balance) || !isfinite(e->communication))
		return phrase(p, "arallel efficiency %s", phrase_share(p, e->parallel));
	return phrase(p, "arallel efficiency %s = load balance %s x communication efficiency %s",
		      phrase_share(p, e->parallel), phrase_share(p, e->load_balance),
		      phrase_share(p, e->communication));
}

static void put_efficiency(const struct report_writer *w, const struct efficiency *e)
{
	report_put_real(w->section, "parallel", REPORT_SHARE, e->parallel);
	report_put_real(w->section, "load_balance", REPORT_SHARE, e->load_balance);
	report_put_real(w->section, "communication", REPORT_SHARE, e->communication);
	report_put_real(w->section, "serialisation", REPORT_SHARE, e->serialisation);
	report_put_real(w->section, "transfer", REPORT_SHARE, e->transfer);
}

/* The page shows the part between MPI_Init and MPI_Finalize if there is one, as start and end
 * dominate a short run. Scripts and conditions get the values of the whole run. */
void report_efficiency(struct report_writer *w)
{
	const struct efficiency *e = &w->diagnosis->efficiency, *core = &w->diagnosis->core;
	const bool whole = query_is_whole(w->query), has_core = isfinite(core->parallel);
	const struct efficiency *said = has_core ? core : e;

	w->section = report_section(w->report, "efficiency",
				    has_core ? "Efficiency between MPI_Init and MPI_Finalize (POP)"
				    : whole  ? "Efficiency (POP)"
					     : "Efficiency in this window (POP)");
	if (w->found != DIAGNOSIS_THERE)
		return;
	put_efficiency(w, e);
	report_put_real(w->section, "core_length", REPORT_SECONDS,
			has_core ? report_seconds(w, core->run_time) : NAN);
	report_put_real(w->section, "core_parallel", REPORT_SHARE, core->parallel);
	report_put_real(w->section, "core_load_balance", REPORT_SHARE, core->load_balance);
	report_put_real(w->section, "core_communication", REPORT_SHARE, core->communication);
	if (!isfinite(e->parallel) || w->facts->locations < 2 || w->hung)
		return;
	report_say(w->section, TEXT_PLAIN, "patterns", "P%s%s.", efficiency_text(w, said),
		   lacks_hidden(w->query->trace) & LACK_HIDES_MPI
			   ? "; calls that were not recorded count as computation"
			   : "");
	if (isfinite(said->transfer))
		report_say(w->section, TEXT_PLAIN, "patterns",
			   "Communication efficiency = serialisation efficiency %s x transfer "
			   "efficiency %s.",
			   phrase_share(w->p, said->serialisation),
			   phrase_share(w->p, said->transfer))
			->page_only = true;
}

/* ---- waits ---- */

/* " in MPI_Waitall (x.c:46)". */
static const char *where_text(const struct report_writer *w, const struct diagnosed_wait *d,
			      bool details)
{
	if (d->at.id == UINT32_MAX)
		return "";
	return phrase(w->p, "%s in %s",
		      !details                       ? ""
		      : d->at.value < 0.999 * d->sum ? ", most"
						     : ", all",
		      phrase_path(w->p, d->at.id));
}

/* " (2.20 s to 2.21 s)", if the bounds differ in print. */
static const char *range_text(struct phrases *p, const struct diagnosed_wait *d)
{
	const char *from, *to;

	if (d->lower >= d->upper)
		return "";
	from = phrase_time(p, d->lower);
	to = phrase_time(p, d->upper);
	return strcmp(from, to) == 0 ? "" : phrase(p, " (%s to %s)", from, to);
}

static void write_wait(const struct report_writer *w, const struct diagnosed_wait *d,
		       bool page_only)
{
	struct phrases *p = w->p;
	const double part = report_part(w, d->parts);
	const bool details = part >= WORTH_DETAILS;
	struct report_line *line;
	const char *who = "";

	if (details && d->who.id != UINT32_MAX && w->facts->locations > 1)
		who = phrase(p, "; %s waits most (%s)", phrase_location(p, d->who.id),
			     phrase_time(p, d->who.value));
	if (d->metric == CUBE_DEVICE_WAIT && details && d->worst_partner != UINT32_MAX)
		who = phrase(p, "%s; the longest (%s) is for %s", who,
			     phrase_time(p, (double)d->worst_length),
			     phrase_location(p, d->worst_partner));
	line = report_say(w->section, part >= 0.05 ? TEXT_WARNING : TEXT_PLAIN, "patterns",
			  "%s: %s%s (%s) in %s%s%s.",
			  cube_metric_info((enum cube_metric)d->metric)->title,
			  phrase_time(p, d->sum), range_text(p, d),
			  phrase_time_share(w->p, d->parts, w->whole),
			  phrase_count(p, d->count, "wait", "waits"), where_text(w, d, details),
			  who);
	line->page_only = page_only;
	line->severity = part;
	report_about(line, (enum cube_metric)d->metric, UINT32_MAX, d->at.id, d->who.id);
}

static const struct report_column wait_columns[] = {
	{ "metric", NULL, REPORT_TEXT },
	{ "title", "wait state", REPORT_TEXT },
	{ "severity", "total", REPORT_SECONDS },
	{ "lower", NULL, REPORT_SECONDS },
	{ "upper", NULL, REPORT_SECONDS },
	{ "share", "share", REPORT_SHARE },
	{ "count", "waits", REPORT_COUNT },
	{ "callpath", NULL, REPORT_TEXT },
	{ "file", NULL, REPORT_TEXT },
	{ "line", NULL, REPORT_RANK },
	{ "rank", NULL, REPORT_RANK },
	{ "costs", NULL, REPORT_SECONDS },
	{ "cause_rank", NULL, REPORT_RANK },
	{ "cause_callpath", NULL, REPORT_TEXT },
	{ "cause_costs", NULL, REPORT_SECONDS },
	{ "worst", "longest", REPORT_SECONDS },
	{ "worst_at", "at", REPORT_SECONDS },
	{ "worst_rank", "on rank", REPORT_RANK },
	{ "worst_partner", "for rank", REPORT_RANK },
	{ "worst_place", NULL, REPORT_TEXT },
};

static void cell_source(const struct report_writer *w, uint32_t path)
{
	const struct trace *trace = w->query->trace;
	const struct site *site = path != UINT32_MAX && path
					  ? trace_site(trace, trace_callpath(trace, path)->site)
					  : NULL;

	report_cell_text(w->section, site ? trace_string(trace, site->file) : NULL);
	report_cell_real(w->section, site && site->line ? site->line : (double)NAN);
}

static void add_row(const struct report_writer *w, const struct diagnosed_wait *d)
{
	const struct cube_metric_info *info = cube_metric_info((enum cube_metric)d->metric);
	const bool worst = d->worst_location != UINT32_MAX;
	const bool bounded = d->lower < d->upper;
	OWNED_STR place = STR_INIT;

	report_cell_text(w->section, info->name);
	report_cell_text(w->section, info->title);
	report_cell_seconds(w, true, d->sum);
	report_cell_seconds(w, bounded, d->lower);
	report_cell_seconds(w, bounded, d->upper);
	report_cell_real(w->section, report_part(w, d->parts));
	report_cell_real(w->section, (double)d->count);
	report_cell_path(w, d->at.id);
	cell_source(w, d->at.id);
	report_cell_rank(w, d->who.id);
	report_cell_seconds(w, d->costs > 0, d->costs);
	report_cell_rank(w, d->culprit.id);
	report_cell_path(w, d->cause.id);
	report_cell_seconds(w, d->cause.id != UINT32_MAX, d->cause.value);
	report_cell_seconds(w, worst, (double)d->worst_length);
	report_cell_seconds(w, worst, (double)d->worst_begin);
	report_cell_rank(w, d->worst_location);
	report_cell_rank(w, d->worst_partner);
	if (worst)
		words_path(w->query->trace, d->worst_path, &place);
	report_cell_text(w->section, place.text);
}

static void write_searching(const struct report_writer *w)
{
	const struct analyses_state state = analyses_state(w->query->analyses);

	if (state.busy && state.all)
		report_say(w->section, TEXT_MUTED, "patterns",
			   "Searching for wait states (%.0f %%).",
			   100 * (double)state.done / (double)state.all);
	else
		report_line(w->section, TEXT_MUTED, "patterns", "Searching for wait states.");
}

/* "87.6 % of total time, 6.6 % of the streams' time". */
static const char *waiting_text(const struct report_writer *w)
{
	const struct time_parts on[] = { { .hosts = w->diagnosis->waiting.hosts },
					 { .streams = w->diagnosis->waiting.streams } };
	const char *text = "";

	for (size_t i = 0; i < ARRAY_SIZE(on); i++)
		if (on[i].hosts > 0 || on[i].streams > 0)
			text = phrase(w->p, "%s%s%s of %s", text, *text ? ", " : "",
				      phrase_share(w->p, report_part(w, on[i])),
				      time_share_of(on[i], w->whole));
	return text;
}

/* Of ranks and of streams, where there are both: 100 % of either is another time. */
static void put_waiting(const struct report_writer *w)
{
	const struct time_parts all = w->diagnosis->waiting, streams = { .streams = all.streams };
	const bool both = w->whole.hosts > 0 && w->whole.streams > 0;
	struct time_parts first = all;

	if (both)
		first.streams = 0;
	report_put_real(w->section, "waiting", REPORT_SECONDS,
			report_seconds(w, first.hosts + first.streams));
	report_put_real(w->section, "share", REPORT_SHARE, report_part(w, first));
	if (!both)
		return;
	report_put_real(w->section, "streams_waiting", REPORT_SECONDS,
			report_seconds(w, streams.streams));
	report_put_real(w->section, "streams_share", REPORT_SHARE, report_part(w, streams));
}

void report_waits(struct report_writer *w)
{
	const struct diagnosis *d = w->diagnosis;
	const bool there = w->found == DIAGNOSIS_THERE;
	const unsigned hidden = lacks_hidden(w->query->trace);
	const char *title = "Wait states";

	if (there && d->n && !w->hung)
		title = phrase(w->p, "%s (%s%s)", title, waiting_text(w),
			       hidden & LACK_HIDES_WAITS ? "; not all was recorded" : "");
	w->section = report_section(w->report, "waits", title);
	if (w->found == DIAGNOSIS_LOOKING && !w->hung)
		write_searching(w);
	if (!there)
		return;
	put_waiting(w);
	report_columns(w->section, wait_columns, ARRAY_SIZE(wait_columns));
	if (w->hung || (!d->n && w->facts->locations < 2))
		return;
	if (!d->n && hidden & LACK_HIDES_WAITS)
		report_line(w->section, TEXT_PLAIN, "patterns",
			    "No wait states found in what was recorded.");
	else if (!d->n)
		report_line(w->section, TEXT_GOOD, "patterns", "No wait states found.");
	for (uint32_t i = 0; i < d->n; i++) {
		if (!cube_metric_is_completion((enum cube_metric)d->waits[i].metric))
			write_wait(w, &d->waits[i],
				   i >= ON_OVERVIEW ||
					   report_part(w, d->waits[i].parts) < WORTH_SAYING);
		add_row(w, &d->waits[i]);
	}
}

/* ---- ranks ---- */

static const struct report_column rank_columns[] = {
	{ "rank", NULL, REPORT_RANK },
	{ "location", "location", REPORT_TEXT },
	{ "computation", "computes", REPORT_SECONDS },
	{ "mpi", "in MPI", REPORT_SECONDS },
	{ "waiting", "waits", REPORT_SECONDS },
	{ "costs", "causes waits", REPORT_SECONDS },
};

void report_ranks(struct report_writer *w)
{
	const struct diagnosis *d = w->diagnosis;

	w->section = report_section(w->report, "ranks", "Ranks: waits and waits caused");
	if (w->found != DIAGNOSIS_THERE)
		return;
	report_columns(w->section, rank_columns, ARRAY_SIZE(rank_columns));
	for (uint32_t i = 0; i < d->n_ranks && !w->hung; i++) {
		const struct diagnosed_rank *r = &d->ranks[i];
		report_cell_rank(w, r->location);
		report_cell_text(w->section,
				 trace_string(w->query->trace,
					      trace_location(w->query->trace, r->location)->name));
		report_cell_seconds(w, true, r->comp);
		report_cell_seconds(w, true, r->mpi);
		report_cell_seconds(w, true, r->waits);
		report_cell_seconds(w, true, r->costs);
	}
}
