#include "views/export/export_text.h"

#include "base/output.h"
#include "base/text.h"

enum { LOOK_AHEAD = 1000, GAP = 2 };

struct layout {
	unsigned shown[TABLE_COLUMNS]; /* columns of the table that are shown */
	int widths[TABLE_COLUMNS];
	unsigned n;
};

static void show_cell(const struct table *table, unsigned column, const struct value *value,
		      struct str *cell)
{
	str_clear(cell);
	table_show(table, column, value, cell);
}

static struct layout measure(struct table *table)
{
	struct layout layout = { .n = 0 };
	struct value values[TABLE_COLUMNS];
	OWNED_STR cell = STR_INIT;
	unsigned rows = 0;

	layout.n = table_shown(table, layout.shown);
	for (unsigned i = 0; i < layout.n; i++)
		layout.widths[i] = text_width(table->columns[layout.shown[i]].title);
	for (uint64_t row = table_first(table); row != ROW_NONE && rows++ < LOOK_AHEAD;
	     row = table_next(table, row)) {
		table_cells(table, row, values);
		for (unsigned i = 0; i < layout.n; i++) {
			int width;
			show_cell(table, layout.shown[i], &values[layout.shown[i]], &cell);
			width = text_width(cell.text);
			if (width > layout.widths[i])
				layout.widths[i] = width;
		}
	}
	return layout;
}

/* Appends a cell in its column: numbers to the right, text to the left, two blanks between. */
static void put(const struct layout *layout, unsigned i, bool right, const char *cell,
		struct str *line)
{
	const int blanks = layout->widths[i] - text_width(cell);

	if (i)
		str_add_fmt(line, "%*s", GAP, "");
	if (right && blanks > 0)
		str_add_fmt(line, "%*s", blanks, "");
	str_add(line, cell);
	if (!right && blanks > 0)
		str_add_fmt(line, "%*s", blanks, "");
}

static void write_line(struct str *line, int width, FILE *out)
{
	if (width)
		line->n = text_fit(line->text, width);
	while (line->n && line->text[line->n - 1] == ' ')
		line->n--;
	fwrite(line->text, 1, line->n, out);
	fputc('\n', out);
	str_clear(line);
}

bool export_text(struct table *table, int width, FILE *out, struct err *err)
{
	const struct layout layout = measure(table);
	struct value values[TABLE_COLUMNS];
	OWNED_STR line = STR_INIT, cell = STR_INIT;

	for (unsigned i = 0; i < layout.n; i++) {
		const struct column *column = &table->columns[layout.shown[i]];
		put(&layout, i, column_is_number(column), column->title, &line);
	}
	write_line(&line, width, out);
	for (uint64_t row = table_first(table); row != ROW_NONE && !ferror(out);
	     row = table_next(table, row)) {
		table_cells(table, row, values);
		for (unsigned i = 0; i < layout.n; i++) {
			const unsigned c = layout.shown[i];
			show_cell(table, c, &values[c], &cell);
			put(&layout, i, column_is_number(&table->columns[c]), cell.text, &line);
		}
		write_line(&line, width, out);
	}
	return output_check(out, err);
}

/* ---- Markdown ---- */

bool export_markdown(struct table *table, FILE *out, struct err *err)
{
	struct value values[TABLE_COLUMNS];
	OWNED_STR line = STR_INIT, cell = STR_INIT;

	str_add_char(&line, '|');
	for (unsigned c = 0; c < table->n_columns; c++)
		if (table->columns[c].on_screen) {
			str_add_char(&line, ' ');
			str_add_markdown(&line, table->columns[c].title);
			str_add(&line, " |");
		}
	str_add(&line, "\n|");
	for (unsigned c = 0; c < table->n_columns; c++)
		if (table->columns[c].on_screen)
			str_add(&line, column_is_number(&table->columns[c]) ? " ---: |" : " --- |");
	write_line(&line, 0, out);
	for (uint64_t row = table_first(table); row != ROW_NONE && !ferror(out);
	     row = table_next(table, row)) {
		table_cells(table, row, values);
		str_add_char(&line, '|');
		for (unsigned c = 0; c < table->n_columns; c++)
			if (table->columns[c].on_screen) {
				show_cell(table, c, &values[c], &cell);
				str_add_char(&line, ' ');
				str_add_markdown(&line, cell.text);
				str_add(&line, " |");
			}
		write_line(&line, 0, out);
	}
	return output_check(out, err);
}

/* ---- overview ---- */

enum { BAR_COLUMN = 32, BAR_WIDTH = 40 };

bool overview_text(const struct query *query, const struct export_options *options, struct str *out,
		   struct err *err)
{
	struct overview overview;

	(void)options;
	(void)err;
	overview_make(&overview, query, true);
	for (size_t i = 0; i < overview.lines.n; i++) {
		const struct overview_line *l = &overview.lines.data[i];
		str_add(out, l->text);
		if (l->share >= 0) {
			const int blanks = BAR_COLUMN - text_width(l->text);
			str_add_fmt(out, "%*s", blanks > 1 ? blanks : 1, "");
			for (int k = 0; k < (int)(l->share * BAR_WIDTH + 0.5); k++)
				str_add_char(out, '#');
		}
		while (out->n && out->text[out->n - 1] == ' ')
			out->n--;
		str_add_char(out, '\n');
	}
	overview_fini(&overview);
	return true;
}
