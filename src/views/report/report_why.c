/* report_why: the section of a report that explains the longest wait of the costliest kind, as the
 * key e does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "views/explain/explain_keep.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"
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

/* ---- the explanation ---- */

struct why {
	double wait, explained; /* ticks */
	struct explain_line *lines;
	size_t n;
};

static void why_fini(struct why *why)
{
	explain_lines_free(why->lines, why->n);
}

static void compute(struct why *why, const struct query *query, const struct diagnosed_wait *worst)
{
	struct explain explain = { 0 };

	explain_wait(&explain, query, worst->worst_location, worst->worst_event);
	why->wait = explain.sum.wait;
	why->explained = explain.sum.explained;
	why->lines = xcalloc(explain.lines.n + 1, sizeof *why->lines);
	for (; why->n < explain.lines.n; why->n++) {
		why->lines[why->n] = explain.lines.data[why->n];
		explain.lines.data[why->n].text = NULL;
	}
	explain_fini(&explain);
}

/* ---- with the trace ---- */

static const char keep_name[] = "longest-wait";

struct kept_why {
	double wait, explained;
	uint32_t location, event; /* of the wait */
};

static void keep(const struct why *why, const struct query *query,
		 const struct diagnosed_wait *worst)
{
	const struct kept_why head = { why->wait, why->explained, worst->worst_location,
				       worst->worst_event };
	struct piece piece = { VEC_INIT };

	piece_add(&piece, &head, 1, sizeof head);
	explain_lines_add(&piece, query->trace, why->lines, why->n);
	piece_keep(&piece, query->trace, keep_name, query->base);
}

static bool take_kept(struct why *why, const struct query *query,
		      const struct diagnosed_wait *worst)
{
	struct piece_reader reader;
	struct kept_why head;

	if (!explain_keeps(query) || !piece_find(&reader, query->trace, keep_name, query->base) ||
	    !piece_value(&reader, &head, sizeof head))
		return false;
	why->lines = explain_lines_next(&reader, query->trace, &why->n);
	why->wait = head.wait;
	why->explained = head.explained;
	if (why->lines && piece_ends(&reader) && head.location == worst->worst_location &&
	    head.event == worst->worst_event && isfinite(head.wait) && isfinite(head.explained))
		return true;
	why_fini(why);
	*why = (struct why){ .lines = NULL };
	return false;
}

/* Whether the longest wait of the costliest kind can be explained. */
static bool has_worst(const struct diagnosis *d)
{
	return d->n && d->waits[0].worst_location != UINT32_MAX &&
	       !cube_metric_is_completion((enum cube_metric)d->waits[0].metric);
}

/* False: stopped, or failed. */
static bool make(struct why *why, const struct query *query, const struct diagnosed_wait *worst)
{
	*why = (struct why){ .lines = NULL };
	if (take_kept(why, query, worst))
		return true;
	if (!analyses_get(query->analyses, query->base, query->progress, NULL))
		return false;
	compute(why, query, worst);
	if (explain_keeps(query))
		keep(why, query, worst);
	return true;
}

void report_why_prepare(const struct query *query, const struct diagnosis *diagnosis)
{
	struct why why;

	if (has_worst(diagnosis) && make(&why, query, &diagnosis->waits[0]))
		why_fini(&why);
}

/* ---- the section ---- */

static void add_lines(const struct report_writer *w, const struct why *why)
{
	OWNED_STR s = STR_INIT;
	unsigned shown = 0;
	bool more = false;

	for (size_t i = 0; i < why->n; i++) {
		const struct explain_line *line = &why->lines[i];
		if (strstr(line->value, " 0 %")) /* share of the wait, rounded */
			continue;
		/* The last line is the sum. */
		if (shown++ >= LINES && i + 1 < why->n) {
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
			    "... more: explain this wait in the timeline.")
			->page_only = true;
}

void report_why(struct report_writer *w)
{
	struct why why;

	w->section = report_section(w->report, "why", "The longest wait, explained");
	if (!w->wait || w->report->brief || w->hung || w->found != DIAGNOSIS_THERE ||
	    !has_worst(w->diagnosis) || !make(&why, w->query, &w->diagnosis->waits[0]))
		return;
	report_put_real(w->section, "wait", REPORT_SECONDS, report_seconds(w, why.wait));
	report_put_real(w->section, "explained", REPORT_SECONDS, report_seconds(w, why.explained));
	add_lines(w, &why);
	why_fini(&why);
}
