/* report_why: the section of a report that explains the longest wait of the costliest kind, as the
 * key e does. */
#include <string.h>

#include "views/explain/explaining.h"
#include "views/query/analyses.h"
#include "views/report/report_parts.h"

enum { LINES = 8 };

/* Runs of blanks, which aligned the value in a column, become one. */
static void add_value(struct str *s, const char *value)
{
	str_add(s, " [");
	for (const char *p = value; *p; p++)
		if (*p != ' ' || p[1] != ' ')
			str_add_char(s, *p);
	str_add_char(s, ']');
}

static void add_lines(const struct report_writer *w, const struct explain *explain)
{
	OWNED_STR s = STR_INIT;
	unsigned shown = 0;
	bool more = false;

	for (size_t i = 0; i < explain->lines.n; i++) {
		const struct explain_line *line = &explain->lines.data[i];
		if (strstr(line->value, " 0 %")) /* share of the wait, rounded */
			continue;
		/* The last line is the sum. */
		if (shown++ >= LINES && i + 1 < explain->lines.n) {
			more = true;
			continue;
		}
		str_clear(&s);
		str_add_fmt(&s, "%*s%s", 2 * (int)line->depth, "", line->text);
		if (*line->value)
			add_value(&s, line->value);
		report_line(w->section, line->role, "timeline", s.text)->page_only = true;
	}
	if (more)
		report_line(w->section, TEXT_MUTED, "timeline",
			    "... more: press e on this wait in the timeline.")
			->page_only = true;
}

void report_why(struct report_writer *w)
{
	const struct diagnosed_wait *worst = &w->diagnosis->waits[0];
	struct explain explain = { 0 };

	w->section = report_section(w->report, "why", "The longest wait, explained");
	if (!w->wait || w->report->brief || w->hung || w->found != DIAGNOSIS_THERE ||
	    !w->diagnosis->n || worst->worst_location == UINT32_MAX ||
	    cube_metric_is_completion((enum cube_metric)worst->metric) ||
	    !analyses_get(w->query->analyses, w->query->base, w->query->progress, NULL))
		return;
	explain_wait(&explain, w->query, worst->worst_location, worst->worst_event);
	report_put_real(w->section, "wait", REPORT_SECONDS, report_seconds(w, explain.sum.wait));
	report_put_real(w->section, "explained", REPORT_SECONDS,
			report_seconds(w, explain.sum.explained));
	add_lines(w, &explain);
	explain_fini(&explain);
}
