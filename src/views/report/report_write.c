/* report_write: a report as text, Markdown and JSON. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/output.h"
#include "base/text.h"
#include "views/report/report.h"

enum { WIDTH = 80, INDENT = 2, GAP = 2, BAR_COLUMN = 30, BAR_WIDTH = 40, CELL = 44 };

/* ---- lines ---- */

static void write_line(struct str *line, FILE *out)
{
	while (line->n && line->text[line->n - 1] == ' ')
		line->n--;
	fwrite(line->text, 1, line->n, out);
	fputc('\n', out);
	str_clear(line);
}

/* Writes a sentence: its first line at `indent` and its own blanks, the others two columns further
 * in. */
static void write_wrapped(const char *text, int indent, int width, FILE *out)
{
	OWNED_STR line = STR_INIT;
	const int own = (int)strspn(text, " ");
	int in = indent + (own < width / 3 ? own : width / 3);

	indent = in;
	for (const char *p = text + own; *p; p += strspn(p, " ")) {
		const size_t n = report_break(p, width - in > 8 ? width - in : 8);
		text_add_blanks(&line, in);
		str_add_n(&line, p, n);
		write_line(&line, out);
		p += n;
		in = indent + INDENT;
	}
}

static void write_bar(const struct report_line *l, int width, FILE *out)
{
	const int room = width - BAR_COLUMN < BAR_WIDTH ? width - BAR_COLUMN : BAR_WIDTH;
	const int blanks = BAR_COLUMN - INDENT - text_width(l->text);
	OWNED_STR line = STR_INIT;

	str_add_fmt(&line, "%*s%s%*s", INDENT, "", l->text, blanks > 1 ? blanks : 1, "");
	for (int k = 0; k < (int)(l->share * room + 0.5) && k < room; k++)
		str_add_char(&line, '#');
	write_line(&line, out);
}

/* ---- tables ---- */

static bool is_number(const struct report_column *column)
{
	return column->kind != REPORT_TEXT && column->kind != REPORT_FLAG;
}

/* A cell as text, cut to CELL columns; paths lose their beginning. */
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

/* Sets the widths of the visible columns and returns the gap between them. If there is no room, the
 * gap shrinks first, then the widest texts. */
static int measure(const struct report_section *s, int width, int *widths)
{
	OWNED_STR cell = STR_INIT;
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
	return gap;
}

/* A table that is being written: in columns, or in Markdown. */
struct grid {
	const struct report_section *section;
	int *widths, gap; /* NULL: Markdown */
	struct str line, cell;
	FILE *out;
};

static void put(struct grid *g, unsigned column, const char *cell)
{
	const bool number = is_number(&g->section->columns[column]);
	int blanks;

	if (!g->widths) {
		str_add(&g->line, "| ");
		str_add_markdown(&g->line, cell);
		str_add_char(&g->line, ' ');
		return;
	}
	blanks = g->widths[column] - text_width(cell);
	if (blanks < 0)
		blanks = 0;
	text_add_blanks(&g->line, number ? blanks : 0);
	str_add(&g->line, cell);
	text_add_blanks(&g->line, g->gap + (number ? 0 : blanks));
}

/* Writes the visible columns; `cells` NULL: their titles. */
static void write_row(struct grid *g, const struct report_value *cells)
{
	const struct report_section *s = g->section;

	text_add_blanks(&g->line, g->widths ? INDENT : 0);
	for (unsigned c = 0; c < s->n_columns; c++) {
		const int most = !g->widths ? INT_MAX : g->widths[c] < CELL ? g->widths[c] : CELL;
		if (!s->columns[c].title)
			continue;
		if (cells)
			show_cell(&cells[c], most, &g->cell);
		put(g, c, cells ? g->cell.text : s->columns[c].title);
	}
	str_add(&g->line, g->widths ? "" : "|");
	write_line(&g->line, g->out);
}

/* The line below the titles in Markdown, which aligns the columns. */
static void write_ruler(struct grid *g)
{
	for (unsigned c = 0; c < g->section->n_columns; c++)
		if (g->section->columns[c].title)
			str_add(&g->line,
				is_number(&g->section->columns[c]) ? "| ---: " : "| --- ");
	str_add_char(&g->line, '|');
	write_line(&g->line, g->out);
}

/* `width` 0: in Markdown. */
static void write_table(const struct report_section *s, int width, FILE *out)
{
	struct grid g = { .section = s, .line = STR_INIT, .cell = STR_INIT, .out = out };

	if (width) {
		g.widths = xcalloc(s->n_columns, sizeof *g.widths);
		g.gap = measure(s, width, g.widths);
	}
	write_row(&g, NULL);
	if (!width)
		write_ruler(&g);
	for (unsigned r = 0; r < report_rows(s); r++)
		write_row(&g, &s->cells.data[r * s->n_columns]);
	free(g.widths);
	str_fini(&g.line);
	str_fini(&g.cell);
}

/* ---- text and Markdown ---- */

/* Writes a list item or a heading of Markdown. */
static void write_marked(const char *mark, const char *text, FILE *out)
{
	OWNED_STR line = STR_INIT;

	str_add(&line, mark);
	str_add_markdown(&line, text);
	write_line(&line, out);
}

static void write_sentence(const struct report_section *s, const struct report_line *l, int width,
			   FILE *out)
{
	if (!width)
		write_marked("- ", l->text, out);
	else if (l->share >= 0)
		write_bar(l, width, out);
	else
		write_wrapped(l->text, *s->title ? INDENT : 0, width, out);
}

/* True if the section has visible columns: some are for JSON only. */
static bool has_table(const struct report_section *s)
{
	for (unsigned c = 0; s->cells.n && c < s->n_columns; c++)
		if (s->columns[c].title)
			return true;
	return false;
}

/* `width` 0: Markdown. */
static void write_page(const struct report *report, int width, FILE *out)
{
	if (!width)
		write_marked("# ", report->title ? report->title : "", out);
	else if (report->title)
		write_wrapped(report->title, 0, width, out);
	for (size_t i = 0; i < report->sections.n; i++) {
		const struct report_section *s = report->sections.data[i];
		const bool table = has_table(s);
		if (!s->lines.n && !table)
			continue;
		if (*s->title)
			fprintf(out, "\n%s%s\n", width ? "" : "## ", s->title);
		if (!width)
			fputc('\n', out);
		for (size_t k = 0; k < s->lines.n; k++)
			write_sentence(s, &s->lines.data[k], width, out);
		if (table && (s->lines.n || !width))
			fputc('\n', out);
		if (table)
			write_table(s, width, out);
	}
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
	OWNED_STR text = STR_INIT;

	str_add(&text, "{\n  \"title\": ");
	str_add_json(&text, report->title ? report->title : "");
	for (size_t i = 0; i < report->sections.n; i++) {
		str_add(&text, ",\n  ");
		add_json_section(&text, report->sections.data[i]);
	}
	str_add(&text, "\n}\n");
	fwrite(text.text, 1, text.n, out);
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
	else
		write_page(report, format == EXPORT_MARKDOWN ? 0 : width ? width : WIDTH, out);
	return output_check(out, err);
}
