/* report_write: a report as text, Markdown and JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/output.h"
#include "base/text.h"
#include "views/report/report.h"

enum { WIDTH = 80, INDENT = 2, GAP = 2, BAR_COLUMN = 30, BAR_WIDTH = 40, CELL = 44 };

/* ---- text ---- */

static void write_line(struct str *line, FILE *out)
{
	while (line->n && line->text[line->n - 1] == ' ')
		line->n--;
	fwrite(line->text, 1, line->n, out);
	fputc('\n', out);
	str_clear(line);
}

/* A sentence: its first line at `indent` and its own blanks, the others two columns further in. */
static void write_wrapped(const char *text, int indent, int width, FILE *out)
{
	struct str line = STR_INIT;
	const int own = (int)strspn(text, " ");
	int in = indent + (own < width / 3 ? own : width / 3);

	indent = in;
	for (const char *p = text + own; *p; p += strspn(p, " ")) {
		const size_t n = report_break(p, width - in > 8 ? width - in : 8);
		str_add_fmt(&line, "%*s", in, "");
		str_add_n(&line, p, n);
		write_line(&line, out);
		p += n;
		in = indent + INDENT;
	}
	str_fini(&line);
}

static void write_bar(const struct report_line *l, int width, FILE *out)
{
	const int room = width - BAR_COLUMN < BAR_WIDTH ? width - BAR_COLUMN : BAR_WIDTH;
	const int blanks = BAR_COLUMN - INDENT - text_width(l->text);
	struct str line = STR_INIT;

	str_add_fmt(&line, "%*s%s%*s", INDENT, "", l->text, blanks > 1 ? blanks : 1, "");
	for (int k = 0; k < (int)(l->share * room + 0.5) && k < room; k++)
		str_add_char(&line, '#');
	write_line(&line, out);
	str_fini(&line);
}

static bool is_number(const struct report_column *column)
{
	return column->kind != REPORT_TEXT && column->kind != REPORT_FLAG;
}

/* A cell as it is shown, cut at CELL columns: what is cut of a path is its beginning. */
static void show_cell(const struct report_value *v, int most, struct str *cell)
{
	size_t cut = 0;

	str_clear(cell);
	report_show(v, cell);
	if (text_width(cell->text) <= most)
		return;
	while (cell->text[cut] && text_width(cell->text + cut) > most - 2)
		cut += str_utf8_length(cell->text + cut, cell->n - cut);
	memmove(cell->text + 2, cell->text + cut, cell->n - cut + 1);
	cell->n -= cut - 2;
	memcpy(cell->text, "..", 2);
}

/* Widths of the columns that people see, and the gap between them, returned. If there is no room
 * the gap gives way, then the widest texts. */
static int measure(const struct report_section *s, int width, int *widths)
{
	struct str cell = STR_INIT;
	int all = INDENT - GAP, gap = GAP, shown = -1;

	for (unsigned c = 0; c < s->n_columns; c++) {
		widths[c] = s->columns[c].title ? text_width(s->columns[c].title) : -GAP;
		for (unsigned r = 0; s->columns[c].title && r < report_rows(s); r++) {
			show_cell(&s->cells.data[r * s->n_columns + c], CELL, &cell);
			if (text_width(cell.text) > widths[c])
				widths[c] = text_width(cell.text);
		}
		all += widths[c] + GAP;
		shown += s->columns[c].title != NULL;
	}
	if (all > width && shown > 0) {
		gap--;
		all -= shown;
	}
	while (all > width) {
		unsigned widest = 0;
		for (unsigned c = 0; c < s->n_columns; c++)
			if (s->columns[c].kind == REPORT_TEXT &&
			    (s->columns[widest].kind != REPORT_TEXT || widths[c] > widths[widest]))
				widest = c;
		if (s->columns[widest].kind != REPORT_TEXT || widths[widest] <= 8)
			break;
		widths[widest]--;
		all--;
	}
	str_fini(&cell);
	return gap;
}

static void put(const struct report_column *column, int width, int gap, const char *cell,
		struct str *line)
{
	const int blanks = width - text_width(cell);

	if (is_number(column) && blanks > 0)
		str_add_fmt(line, "%*s", blanks, "");
	str_add(line, cell);
	str_add_fmt(line, "%*s", gap + (!is_number(column) && blanks > 0 ? blanks : 0), "");
}

static void write_table(const struct report_section *s, int width, FILE *out)
{
	int *widths = xcalloc(s->n_columns, sizeof *widths);
	struct str line = STR_INIT, cell = STR_INIT;
	int gap;

	gap = measure(s, width, widths);
	str_add_fmt(&line, "%*s", INDENT, "");
	for (unsigned c = 0; c < s->n_columns; c++)
		if (s->columns[c].title)
			put(&s->columns[c], widths[c], gap, s->columns[c].title, &line);
	write_line(&line, out);
	for (unsigned r = 0; r < report_rows(s); r++) {
		str_add_fmt(&line, "%*s", INDENT, "");
		for (unsigned c = 0; c < s->n_columns; c++) {
			if (!s->columns[c].title)
				continue;
			show_cell(&s->cells.data[r * s->n_columns + c],
				  widths[c] < CELL ? widths[c] : CELL, &cell);
			put(&s->columns[c], widths[c], gap, cell.text, &line);
		}
		write_line(&line, out);
	}
	free(widths);
	str_fini(&line);
	str_fini(&cell);
}

static void write_text(const struct report *report, int width, FILE *out)
{
	if (report->title)
		write_wrapped(report->title, 0, width, out);
	for (size_t i = 0; i < report->sections.n; i++) {
		const struct report_section *s = report->sections.data[i];
		if (!s->lines.n && !s->cells.n)
			continue;
		if (*s->title)
			fprintf(out, "\n%s\n", s->title);
		for (size_t k = 0; k < s->lines.n; k++) {
			const struct report_line *l = &s->lines.data[k];
			if (l->share >= 0)
				write_bar(l, width, out);
			else
				write_wrapped(l->text, *s->title ? INDENT : 0, width, out);
		}
		if (s->cells.n && s->lines.n)
			fputc('\n', out);
		if (s->cells.n)
			write_table(s, width, out);
	}
}

/* ---- Markdown ---- */

static void markdown_table(const struct report_section *s, FILE *out)
{
	struct str line = STR_INIT, cell = STR_INIT;

	fputc('\n', out);
	for (unsigned c = 0; c < s->n_columns; c++)
		if (s->columns[c].title) {
			str_add(&line, "| ");
			str_add_markdown(&line, s->columns[c].title);
			str_add_char(&line, ' ');
		}
	str_add(&line, "|\n");
	for (unsigned c = 0; c < s->n_columns; c++)
		if (s->columns[c].title)
			str_add(&line, is_number(&s->columns[c]) ? "| ---: " : "| --- ");
	str_add(&line, "|");
	write_line(&line, out);
	for (unsigned r = 0; r < report_rows(s); r++) {
		for (unsigned c = 0; c < s->n_columns; c++) {
			if (!s->columns[c].title)
				continue;
			str_clear(&cell);
			report_show(&s->cells.data[r * s->n_columns + c], &cell);
			str_add(&line, "| ");
			str_add_markdown(&line, cell.text);
			str_add_char(&line, ' ');
		}
		str_add_char(&line, '|');
		write_line(&line, out);
	}
	str_fini(&line);
	str_fini(&cell);
}

static void write_markdown(const struct report *report, FILE *out)
{
	struct str line = STR_INIT;

	str_add(&line, "# ");
	str_add_markdown(&line, report->title ? report->title : "");
	write_line(&line, out);
	for (size_t i = 0; i < report->sections.n; i++) {
		const struct report_section *s = report->sections.data[i];
		if (!s->lines.n && !s->cells.n)
			continue;
		if (*s->title)
			fprintf(out, "\n## %s\n", s->title);
		fputc('\n', out);
		for (size_t k = 0; k < s->lines.n; k++) {
			str_add(&line, "- ");
			str_add_markdown(&line, s->lines.data[k].text);
			write_line(&line, out);
		}
		if (s->cells.n)
			markdown_table(s, out);
	}
	str_fini(&line);
}

/* ---- JSON ---- */

static void add_json_value(struct str *out, const struct report_value *v)
{
	if (!v->known)
		str_add(out, "null");
	else if (v->kind == REPORT_TEXT)
		str_add_json(out, v->text);
	else if (v->kind == REPORT_FLAG)
		str_add(out, v->real != 0 ? "true" : "false");
	else
		str_add_fmt(out,
			    v->kind == REPORT_COUNT || v->kind == REPORT_RANK ? "%.0f" : "%.15g",
			    v->real);
}

static void add_json_rows(struct str *out, const struct report_section *s)
{
	str_add(out, ",\n    \"rows\": [");
	for (unsigned r = 0; r < report_rows(s); r++) {
		str_add(out, r ? ",\n      {" : "\n      {");
		for (unsigned c = 0; c < s->n_columns; c++) {
			str_add(out, c ? ", " : "");
			str_add_json(out, s->columns[c].key);
			str_add(out, ": ");
			add_json_value(out, &s->cells.data[r * s->n_columns + c]);
		}
		str_add_char(out, '}');
	}
	str_add(out, report_rows(s) ? "\n    ]" : "]");
}

static void add_json_section(struct str *out, const struct report_section *s)
{
	str_add_json(out, s->key);
	str_add(out, ": {\n    ");
	for (size_t i = 0; i < s->values.n; i++) {
		str_add_json(out, s->values.data[i].key);
		str_add(out, ": ");
		add_json_value(out, &s->values.data[i]);
		str_add(out, ",\n    ");
	}
	str_add(out, "\"lines\": [");
	for (size_t i = 0; i < s->lines.n; i++) {
		str_add(out, i ? ",\n      " : "\n      ");
		str_add_json(out, s->lines.data[i].text);
	}
	str_add(out, s->lines.n ? "\n    ]" : "]");
	if (s->n_columns)
		add_json_rows(out, s);
	str_add(out, "\n  }");
}

static void write_json(const struct report *report, FILE *out)
{
	struct str text = STR_INIT;

	str_add(&text, "{\n  \"title\": ");
	str_add_json(&text, report->title ? report->title : "");
	for (size_t i = 0; i < report->sections.n; i++) {
		str_add(&text, ",\n  ");
		add_json_section(&text, report->sections.data[i]);
	}
	str_add(&text, "\n}\n");
	fwrite(text.text, 1, text.n, out);
	str_fini(&text);
}

bool report_can(enum export_format format, struct err *err)
{
	return format == EXPORT_TEXT || format == EXPORT_MARKDOWN || format == EXPORT_JSON ||
	       err_set(err, STATUS_USAGE,
		       "a report is text, md or json; tview export has tables for other formats");
}

bool report_write(const struct report *report, enum export_format format, int width, FILE *out,
		  struct err *err)
{
	if (!report_can(format, err))
		return false;
	if (format == EXPORT_JSON)
		write_json(report, out);
	else if (format == EXPORT_MARKDOWN)
		write_markdown(report, out);
	else
		write_text(report, width ? width : WIDTH, out);
	return output_check(out, err);
}
