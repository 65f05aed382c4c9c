#include "views/export/export_text.h"

#include <limits.h>

#include "base/output.h"
#include "base/text.h"
#include "views/export/export_rows.h"

enum { LOOK_AHEAD = 1000, GAP = 2 };

struct layout {
	unsigned shown[TABLE_COLUMNS]; /* columns of the table that are shown */
	int widths[TABLE_COLUMNS];
	unsigned n;
	int most; /* columns of a line, 0: any number */
};

static void show_cell(const struct table *table, unsigned column, const struct value *value,
		      struct str *cell)
{
	str_clear(cell);
	table_show(table, column, value, cell);
}

/* ---- aligned ---- */

static void measure_row(struct table *table, uint64_t row, struct layout *layout, struct str *cell)
{
	struct value values[TABLE_COLUMNS];

	table_cells(table, row, values);
	for (unsigned i = 0; i < layout->n; i++) {
		int width;
		show_cell(table, layout->shown[i], &values[layout->shown[i]], cell);
		width = text_width(cell->text);
		if (width > layout->widths[i])
			layout->widths[i] = width;
	}
}

/* Each process has seen some of the rows. */
static void widen(struct layout *layout, struct exchange *x)
{
	uint64_t left[TABLE_COLUMNS];

	for (unsigned i = 0; i < layout->n; i++)
		left[i] = (uint64_t)(INT_MAX - layout->widths[i]);
	exchange_least(x, left, layout->n);
	for (unsigned i = 0; i < layout->n; i++)
		layout->widths[i] = INT_MAX - (int)left[i];
}

static struct layout measure(struct table *table, const struct export_options *options)
{
	struct layout layout = { .most = options->width };
	OWNED_STR cell = STR_INIT;
	struct exchange *x = options->exchange;
	uint64_t index = table->stretch ? exchange_before(x, table->rows) : 0;

	layout.n = table_shown(table, layout.shown);
	for (unsigned i = 0; i < layout.n; i++)
		layout.widths[i] = text_width(table->columns[layout.shown[i]].title);
	for (uint64_t row = table_first(table); row != ROW_NONE && index++ < LOOK_AHEAD;
	     row = table_next(table, row))
		measure_row(table, row, &layout, &cell);
	table_leave(table);
	widen(&layout, x);
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

/* What was appended from `start` on becomes a line. */
static void end_line(struct str *line, size_t start, int width)
{
	if (width)
		line->n = start + text_fit(line->text + start, width);
	while (line->n > start && line->text[line->n - 1] == ' ')
		line->n--;
	str_add_char(line, '\n');
}

static void text_row(const struct row_writer *writer, const struct value *values, struct str *cell,
		     struct str *line)
{
	const struct layout *layout = writer->context;
	const struct table *table = writer->table;
	const size_t start = line->n;

	for (unsigned i = 0; i < layout->n; i++) {
		const unsigned c = layout->shown[i];
		show_cell(table, c, &values[c], cell);
		put(layout, i, column_is_number(&table->columns[c]), cell->text, line);
	}
	end_line(line, start, layout->most);
}

bool export_text(struct table *table, const struct export_options *options, FILE *out,
		 struct err *err)
{
	const struct layout layout = measure(table, options);
	const struct row_writer writer = { table, options->exchange, "", "", text_row, &layout };
	OWNED_STR line = STR_INIT;

	for (unsigned i = 0; i < layout.n; i++) {
		const struct column *column = &table->columns[layout.shown[i]];
		put(&layout, i, column_is_number(column), column->title, &line);
	}
	end_line(&line, 0, layout.most);
	fwrite(line.text, 1, line.n, out);
	export_rows(&writer, out);
	return output_check(out, err);
}

/* ---- Markdown ---- */

static void markdown_row(const struct row_writer *writer, const struct value *values,
			 struct str *cell, struct str *line)
{
	const struct table *table = writer->table;

	str_add_char(line, '|');
	for (unsigned c = 0; c < table->n_columns; c++)
		if (table->columns[c].on_screen) {
			show_cell(table, c, &values[c], cell);
			str_add_char(line, ' ');
			str_add_markdown(line, cell->text);
			str_add(line, " |");
		}
	str_add_char(line, '\n');
}

bool export_markdown(struct table *table, struct exchange *x, FILE *out, struct err *err)
{
	const struct row_writer writer = { table, x, "", "", markdown_row, NULL };
	OWNED_STR line = STR_INIT;

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
	str_add_char(&line, '\n');
	fwrite(line.text, 1, line.n, out);
	export_rows(&writer, out);
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
