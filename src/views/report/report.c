#include "views/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void report_init(struct report *report)
{
	*report = (struct report){ 0 };
}

static void section_free(struct report_section *s)
{
	for (size_t i = 0; i < s->lines.n; i++)
		free(s->lines.data[i].text);
	for (size_t i = 0; i < s->values.n; i++)
		free(s->values.data[i].text);
	for (size_t i = 0; i < s->cells.n; i++)
		free(s->cells.data[i].text);
	vec_fini(&s->lines);
	vec_fini(&s->values);
	vec_fini(&s->cells);
	free_all(s->title, s);
}

void report_fini(struct report *report)
{
	for (size_t i = 0; i < report->sections.n; i++)
		section_free(report->sections.data[i]);
	vec_fini(&report->sections);
	free(report->title);
	report_init(report);
}

static char *cleaned(const char *text)
{
	OWNED_STR s = STR_INIT;

	str_add_clean(&s, text, strlen(text));
	if (!s.n)
		return xcalloc(1, 1);
	return str_take(&s);
}

void report_title(struct report *report, const char *text)
{
	free(report->title);
	report->title = cleaned(text);
}

struct report_section *report_section(struct report *report, const char *key, const char *title)
{
	struct report_section *s = xcalloc(1, sizeof *s);

	s->key = key;
	s->title = cleaned(title);
	vec_push(&report->sections, s);
	return s;
}

struct report_line *report_line(struct report_section *s, enum text_role role, const char *view,
				const char *text)
{
	vec_push(&s->lines,
		 ((struct report_line){
			 .text = cleaned(text), .role = role, .view = view, .share = -1 }));
	return vec_last(&s->lines);
}

struct report_line *report_bar(struct report_section *s, enum text_role role, const char *view,
			       double share, const char *text)
{
	struct report_line *line = report_line(s, role, view, text);

	line->share = share;
	return line;
}

struct report_line *report_say(struct report_section *s, enum text_role role, const char *view,
			       const char *fmt, ...)
{
	OWNED_STR text = STR_INIT;
	va_list args;

	va_start(args, fmt);
	str_add_fmt_v(&text, fmt, args);
	va_end(args);
	return report_line(s, role, view, text.text);
}

void report_about(struct report_line *line, enum cube_metric metric, uint32_t region,
		  uint32_t callpath, uint32_t location)
{
	line->about = (struct line_subject){ true, (uint8_t)metric, region, callpath, location };
}

void report_put_real(struct report_section *s, const char *key, enum report_kind kind, double value)
{
	vec_push(&s->values,
		 ((struct report_value){
			 .key = key, .kind = kind, .known = isfinite(value), .real = value }));
}

void report_put_text(struct report_section *s, const char *key, const char *text)
{
	vec_push(&s->values, ((struct report_value){ .key = key,
						     .kind = REPORT_TEXT,
						     .known = text && *text,
						     .text = text ? cleaned(text) : NULL }));
}

void report_columns(struct report_section *s, const struct report_column *columns, unsigned n)
{
	s->columns = columns;
	s->n_columns = n;
}

static void add_cell(struct report_section *s, bool known, double real, const char *text)
{
	const enum report_kind kind = s->columns[s->cells.n % s->n_columns].kind;

	vec_push(&s->cells, ((struct report_value){ .kind = kind,
						    .known = known,
						    .real = real,
						    .text = text ? cleaned(text) : NULL }));
}

void report_cell_real(struct report_section *s, double value)
{
	add_cell(s, isfinite(value), value, NULL);
}

void report_cell_text(struct report_section *s, const char *text)
{
	add_cell(s, text && *text, 0, text);
}

unsigned report_rows(const struct report_section *s)
{
	return s->n_columns ? (unsigned)(s->cells.n / s->n_columns) : 0;
}

/* ---- as text ---- */

/* Seconds as text: in whole picoseconds first, or in milliseconds if they are too long for that. */
static void show_seconds(double seconds, struct str *out)
{
	static const struct timescale fine = { 1000000000000, 12 }, coarse = { 1000, 3 };
	const bool fits = fabs(seconds) < 4e6;
	const struct timescale *scale = fits ? &fine : &coarse;
	const double ticks = seconds * (double)scale->per_second;

	units_human_time(out, fabs(ticks) < 9e18 ? (int64_t)llround(ticks) : INT64_MAX, scale, 3);
}

void report_show(const struct report_value *v, struct str *out)
{
	if (!v->known) {
		str_add_char(out, '-');
		return;
	}
	switch (v->kind) {
	case REPORT_TEXT: str_add(out, v->text); break;
	case REPORT_COUNT:
		if (v->real < 0)
			str_add_char(out, '-');
		units_count(out, (uint64_t)fmin(fabs(v->real), 9e18));
		break;
	case REPORT_RANK: str_add_fmt(out, "%.0f", v->real); break;
	case REPORT_SECONDS: show_seconds(v->real, out); break;
	case REPORT_SHARE: units_share(out, v->real); break;
	case REPORT_REAL: str_add_fmt(out, "%.3f", v->real); break;
	case REPORT_FLAG: str_add(out, v->real != 0 ? "yes" : "no"); break;
	}
}

/* A number and its unit stay on one line. */
static bool breaks_at(const char *text, const char *blank)
{
	const bool number = blank > text && blank[-1] >= '0' && blank[-1] <= '9';

	return !number || strcspn(blank + 1, " ,;.:)") > 3;
}

size_t report_break(const char *text, int width)
{
	const size_t all = text_fit(text, width);
	size_t n = all;

	if (!text[n])
		return n;
	while (n && !(text[n] == ' ' && breaks_at(text, text + n)))
		n--;
	if (n)
		return n;
	/* Cuts a word that is wider than the line, but never a character. */
	return all ? all
		   : str_utf8_length(text, strlen(text)) +
			       (*text && !str_utf8_length(text, strlen(text)));
}
