/* report_causes: the section of a report on what made ranks wait, as far as it has a name. */
#include <math.h>

#include "patterns/severity/plain_path.h"
#include "views/facts/cause_words.h"
#include "views/facts/lacks.h"
#include "views/query/view_common.h"
#include "views/report/report_parts.h"

enum { SAID = 3, ON_OVERVIEW = 2 };

#define ENOUGH 0.8 /* of the waiting: the rest is not said */

static const struct report_column columns[] = {
	{ "kind", NULL, REPORT_TEXT },           { "rank", NULL, REPORT_RANK },
	{ "callpath", NULL, REPORT_TEXT },       { "share", NULL, REPORT_SHARE },
	{ "costs", NULL, REPORT_SECONDS },       { "calls", NULL, REPORT_REAL },
	{ "others_calls", NULL, REPORT_REAL },   { "time", NULL, REPORT_SECONDS },
	{ "others_time", NULL, REPORT_SECONDS }, { "sentence", NULL, REPORT_TEXT },
};

static void add_row(const struct report_writer *w, const struct cause_names *names, uint32_t i)
{
	const struct named_cause *c = &names->of[i];
	OWNED_STR path = STR_INIT;

	plain_path_text(w->query->trace, c->path, &path);
	report_cell_text(w->section, cause_kind_name((enum cause_kind)c->kind));
	report_cell_real(w->section, c->location == UINT32_MAX
					     ? (double)NAN
					     : trace_location(w->query->trace, c->location)->rank);
	report_cell_text(w->section, path.text);
	report_cell_real(w->section, c->share);
	report_cell_real(w->section, report_seconds(w, c->cost));
	report_cell_real(w->section, c->calls);
	report_cell_real(w->section, c->others_calls);
	report_cell_real(w->section, report_seconds(w, c->time));
	report_cell_real(w->section, report_seconds(w, c->others_time));
	report_cell_text(w->section, cause_sentence(w->p, names, i));
}

static void say(const struct report_writer *w, const struct cause_names *names)
{
	const struct time_parts *waiting = &w->diagnosis->waiting;
	const double all = waiting->hosts + waiting->streams;
	/* What ranks and streams wait for their own device is none of the waiting. */
	const double part = all > 0 ? report_part(w, *waiting) * names->waiting / all : 0;
	struct report_line *line;
	double said = 0;
	const char *rest;

	for (uint32_t i = 0; i < names->n && i < SAID && said < ENOUGH; i++) {
		said += names->of[i].share;
		line = report_say(w->section, TEXT_WARNING, "patterns", "%s: %s of the waiting.",
				  phrase_capital(w->p, cause_sentence(w->p, names, i)),
				  phrase_share(w->p, names->of[i].share));
		line->page_only = i >= ON_OVERVIEW;
		line->severity = names->of[i].share * part;
		report_about(line, CUBE_DELAY, UINT32_MAX, names->of[i].path,
			     names->of[i].location);
	}
	rest = cause_rest(w->p, names);
	if (*rest)
		report_line(w->section, TEXT_PLAIN, "patterns", rest)->page_only = names->n > 0;
	if (names->quiet && names->waiting > 0)
		report_line(w->section, TEXT_GOOD, "patterns",
			    "No rank waits much for another one: no cause is worth a name.");
}

void report_causes(struct report_writer *w)
{
	const struct cause_names *names = &w->diagnosis->names;

	w->section = report_section(w->report, "causes", "Causes of waiting");
	if (w->found != DIAGNOSIS_THERE)
		return;
	report_put_real(w->section, "waiting", REPORT_SECONDS, report_seconds(w, names->waiting));
	report_put_real(w->section, "iterations", REPORT_COUNT,
			names->iterations ? names->iterations : (double)NAN);
	report_columns(w->section, columns, ARRAY_SIZE(columns));
	if (w->hung || w->facts->locations < 2)
		return;
	if (!(lacks_hidden(w->query->trace) & LACK_HIDES_WAITS) || names->n)
		say(w, names);
	for (uint32_t i = 0; i < names->n; i++)
		add_row(w, names, i);
}
