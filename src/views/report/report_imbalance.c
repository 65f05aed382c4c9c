/* report_imbalance: the section of a report on load imbalance and the critical path. */
#include "views/query/view_common.h"
#include "views/report/report_parts.h"

static const struct report_column imbalance_columns[] = {
	{ "kind", NULL, REPORT_TEXT },     { "callpath", NULL, REPORT_TEXT },
	{ "above", NULL, REPORT_SECONDS }, { "rank", NULL, REPORT_RANK },
	{ "more", NULL, REPORT_SECONDS },  { "noise", NULL, REPORT_SECONDS },
	{ "core", NULL, REPORT_SECONDS },
};

static void add_imbalance_row(const struct report_writer *w, const struct imbalance *of)
{
	report_cell_text(w->section, imbalance_kind_name((enum imbalance_kind)of->kind));
	report_cell_path(w, of->path);
	report_cell_seconds(w, true, of->above);
	report_cell_rank(w, of->location);
	report_cell_seconds(w, true, of->more);
	report_cell_seconds(w, of->noise > 0, of->noise);
	report_cell_seconds(w, of->core >= 0, of->core);
}

/* "smooth() (x.c:7): 5.34 ms more than an even share, 4.82 ms of it on rank 2, without 12.0 ms for
 * which it waited for a core". */
static const char *overload_text(struct phrases *p, const struct imbalance *of)
{
	return phrase(p, "%s: %s more than an even share, %s of it on %s%s",
		      phrase_path(p, of->path), phrase_time(p, of->above),
		      of->more > 0.995 * of->above ? "all" : phrase_time(p, of->more),
		      phrase_location(p, of->location), report_core_text(p, of));
}

static void about_overload(struct report_line *line, const struct imbalance *of)
{
	report_about(line, CUBE_COMP, UINT32_MAX, of->path, of->location);
}

static void write_overload(const struct report_writer *w, const struct imbalance *of, bool first)
{
	struct report_line *line =
		first ? report_say(w->section, TEXT_PLAIN, "patterns", "%s.",
				   overload_text(w->p, of))
		      : report_say(w->section, TEXT_PLAIN, "patterns", "%s: %s more.",
				   phrase_path(w->p, of->path), phrase_time(w->p, of->above));

	line->page_only = !first;
	line->severity = report_share_of(w, of->above);
	about_overload(line, of);
}

/* Nothing is above noise: what comes nearest. */
static void write_evenness(const struct report_writer *w, const struct imbalance *of)
{
	struct phrases *p = w->p;
	const char *why, *noise = phrase_time(p, of->noise);
	struct report_line *line;

	if (of->kind == IMBALANCE_CORE)
		why = "; beyond that ranks differ only by waits for a core";
	else if (of->kind == IMBALANCE_EVENED)
		why = phrase(p, "; elsewhere %s computes less, and no rank waits for it",
			     phrase_location(p, of->location));
	else if (of->iterations)
		why = phrase(p, "; by chance it may be %s, as %s iterations scatter", noise,
			     phrase_number(p, of->iterations));
	else
		why = "; outside of iterations, where a rank may have waited for a core";
	line = report_say(w->section, TEXT_GOOD, "patterns", "None above noise. %s%s.",
			  overload_text(p, of), why);
	line->page_only = true;
	about_overload(line, of);
}

static void write_imbalance(const struct report_writer *w)
{
	const struct diagnosis *d = w->diagnosis;
	unsigned said = 0;

	for (unsigned i = 0; i < d->n_imbalance && said < DIAGNOSED_PATHS; i++)
		if (imbalance_is_above(&d->imbalance[i]) && d->imbalance[i].path != UINT32_MAX)
			write_overload(w, &d->imbalance[i], said++ == 0);
	if (!said && d->n_imbalance && d->imbalance[0].path != UINT32_MAX)
		write_evenness(w, &d->imbalance[0]);
}

static void write_critical_path(const struct report_writer *w)
{
	const struct diagnosis *d = w->diagnosis;
	OWNED_STR s = STR_INIT;

	for (unsigned i = 0; i < DIAGNOSED_PATHS && d->critical[i].id != UINT32_MAX; i++)
		str_add_fmt(&s, ", %s%s %s",
			    phrase_share(w->p, d->critical[i].value / d->critical_path),
			    i ? "" : " of it in", phrase_path(w->p, d->critical[i].id));
	report_say(w->section, TEXT_PLAIN, "patterns", "Critical path: %s%s.",
		   phrase_time(w->p, d->critical_path), s.text)
		->page_only = true;
}

void report_imbalance(struct report_writer *w)
{
	const struct diagnosis *d = w->diagnosis;

	w->section = report_section(w->report, "imbalance", "Load imbalance");
	if (w->found != DIAGNOSIS_THERE)
		return;
	report_put_real(w->section, "critical_path", REPORT_SECONDS,
			report_seconds(w, d->critical_path));
	report_put_real(w->section, "underload", REPORT_SECONDS, report_seconds(w, d->underload));
	report_columns(w->section, imbalance_columns, ARRAY_SIZE(imbalance_columns));
	if (w->hung)
		return;
	for (unsigned i = 0; i < d->n_imbalance && d->imbalance[i].path != UINT32_MAX; i++)
		add_imbalance_row(w, &d->imbalance[i]);
	write_imbalance(w);
	if (d->critical_path > 0)
		write_critical_path(w);
}
