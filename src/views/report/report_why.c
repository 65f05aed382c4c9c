/* report_why: the section of a report that explains the longest wait of the costliest kind, as the
 * key e does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/correct_keep.h"
#include "model/trace/piece.h"
#include "views/explain/explaining.h"
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

struct why_line {
	char *text; /* owned, clean */
	char value[40];
	uint8_t role, depth;
};

struct why {
	double wait, explained; /* ticks */
	VEC(struct why_line) lines;
};

static void why_fini(struct why *why)
{
	for (size_t i = 0; i < why->lines.n; i++)
		free(why->lines.data[i].text);
	vec_fini(&why->lines);
}

static void compute(struct why *why, const struct query *query, const struct diagnosed_wait *worst)
{
	struct explain explain = { 0 };

	explain_wait(&explain, query, worst->worst_location, worst->worst_event);
	why->wait = explain.sum.wait;
	why->explained = explain.sum.explained;
	for (size_t i = 0; i < explain.lines.n; i++) {
		struct explain_line *from = &explain.lines.data[i];
		struct why_line line = { .text = from->text,
					 .role = (uint8_t)from->role,
					 .depth = from->depth };

		memcpy(line.value, from->value, sizeof line.value);
		vec_push(&why->lines, line);
		from->text = NULL;
	}
	explain_fini(&explain);
}

/* ---- with the trace ---- */

static const char keep_name[] = "longest-wait";

struct kept_why {
	double wait, explained;
	uint32_t location, event; /* of the wait */
	uint64_t corrections;     /* correct_kept_key(): bounds of clocks are in the sentences */
};

struct kept_line {
	char value[40];
	uint8_t role, depth;
};

/* Bounds of compensated times depend on what else was analysed. */
static bool can_be_kept(const struct query *query)
{
	return query_is_whole(query) && !query->locations && !query->filter &&
	       query->base != BASE_COMPENSATED && query->corrections &&
	       correct_kept_key(query->trace);
}

static void keep(const struct why *why, const struct query *query,
		 const struct diagnosed_wait *worst)
{
	const struct kept_why head = { why->wait, why->explained, worst->worst_location,
				       worst->worst_event, correct_kept_key(query->trace) };
	OWNED_VEC(struct kept_line) lines = VEC_INIT;
	struct piece piece = { VEC_INIT };
	OWNED_STR texts = STR_INIT;
	const struct why_line *l;

	vec_each (l, &why->lines) {
		struct kept_line line = { .role = l->role, .depth = l->depth };

		memcpy(line.value, l->value, sizeof line.value);
		vec_push(&lines, line);
		str_add_n(&texts, l->text, strlen(l->text) + 1);
	}
	piece_add(&piece, &head, 1, sizeof head);
	piece_add(&piece, lines.data, lines.n, sizeof *lines.data);
	piece_add(&piece, texts.text, texts.n, 1);
	piece_keep(&piece, query->trace, keep_name, query->base);
}

/* A text that ends within its bytes; what could write to a terminal is taken out. */
static bool take_text(const char *text, size_t bytes, struct str *out)
{
	const char *end = memchr(text, '\0', bytes);

	if (end)
		str_add_clean(out, text, (size_t)(end - text));
	return end != NULL;
}

static bool take_line(struct why *why, const struct kept_line *kept, const char **text,
		      size_t *left)
{
	struct why_line line = { .role = kept->role, .depth = kept->depth };
	OWNED_STR value = STR_INIT;
	struct str clean = STR_INIT;
	const bool ok = kept->role<TEXT_CLASS + CLASS_COUNT && * left> 0 &&
			take_text(*text, *left, &clean) &&
			take_text(kept->value, sizeof kept->value, &value) &&
			value.n < sizeof line.value;

	if (!ok) {
		str_fini(&clean);
		return false;
	}
	*left -= strlen(*text) + 1;
	*text += strlen(*text) + 1;
	memcpy(line.value, value.text, value.n);
	line.text = str_take(&clean);
	vec_push(&why->lines, line);
	return true;
}

static bool take_kept(struct why *why, const struct query *query,
		      const struct diagnosed_wait *worst)
{
	struct piece_reader reader;
	const struct kept_line *lines;
	struct kept_why head;
	const char *texts;
	size_t n, left;
	bool ok;

	if (!can_be_kept(query) || !piece_find(&reader, query->trace, keep_name, query->base) ||
	    !piece_value(&reader, &head, sizeof head))
		return false;
	lines = piece_next(&reader, sizeof *lines, &n);
	texts = piece_next(&reader, 1, &left);
	ok = piece_ends(&reader) && head.location == worst->worst_location &&
	     head.event == worst->worst_event && isfinite(head.wait) && isfinite(head.explained) &&
	     head.corrections == correct_kept_key(query->trace);
	for (size_t i = 0; i < n && ok; i++)
		ok = take_line(why, &lines[i], &texts, &left);
	why->wait = head.wait;
	why->explained = head.explained;
	if (ok)
		return true;
	why_fini(why);
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
	*why = (struct why){ .lines = VEC_INIT };
	if (take_kept(why, query, worst))
		return true;
	if (!analyses_get(query->analyses, query->base, query->progress, NULL))
		return false;
	compute(why, query, worst);
	if (can_be_kept(query))
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

	for (size_t i = 0; i < why->lines.n; i++) {
		const struct why_line *line = &why->lines.data[i];
		if (strstr(line->value, " 0 %")) /* share of the wait, rounded */
			continue;
		/* The last line is the sum. */
		if (shown++ >= LINES && i + 1 < why->lines.n) {
			more = true;
			continue;
		}
		str_clear(&s);
		str_add_fmt(&s, "%*s%s", 2 * (int)line->depth, "", line->text);
		if (*line->value)
			add_value(&s, line->value);
		report_line(w->section, (enum text_role)line->role, "timeline", s.text)->page_only =
			true;
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
