#include "views/export/export_text.h"

#include <limits.h>
#include <string.h>

#include "base/name_text.h"
#include "base/output.h"
#include "base/text.h"
#include "views/export/export_rows.h"
#include "views/query/column_fit.h"

enum { LOOK_AHEAD = 1000, GAP = 2, MARK = 2 /* " >": more columns */ };

struct layout {
	unsigned shown[TABLE_COLUMNS]; /* columns of the table that are shown */
	int widths[TABLE_COLUMNS];
	unsigned n, all; /* columns that fit a line, and all that are shown */
	int most;        /* columns of a line, 0: any number */
	const char *ellipsis;
};

static void show_cell(const struct table *table, unsigned column, const struct value *value,
		      struct str *cell)
{
	str_clear(cell);
	table_show(table, column, value, cell);
}

/* ---- aligned ---- */

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

/* In lines of limited width as on a screen; the mark of a column that does not fit is after it. */
static void fit(const struct table *table, struct layout *layout)
{
	struct column_need needs[TABLE_COLUMNS];

	for (unsigned i = 0; i < layout->n; i++)
		needs[i] = column_need_of(&table->columns[layout->shown[i]], layout->widths[i], 0,
					  layout->most);
	layout->n = columns_fit(needs, layout->n, GAP, layout->most, layout->widths);
	if (layout->n == layout->all || layout->most <= MARK)
		return;
	layout->n = columns_fit(needs, layout->all, GAP, layout->most - MARK, layout->widths);
}

static struct layout measure(struct table *table, const struct export_options *options,
			     const struct export_columns *columns)
{
	struct layout layout = { .most = options->width,
				 .ellipsis = options->ascii ? "~" : "\u2026" };
	int widest[TABLE_COLUMNS] = { 0 };
	struct exchange *x = options->exchange;
	uint64_t index = table->stretch ? exchange_before(x, table->rows) : 0;

	layout.n = layout.all = columns->n;
	memcpy(layout.shown, columns->at, columns->n * sizeof *columns->at);
	for (uint64_t row = table_first(table); row != ROW_NONE && index++ < LOOK_AHEAD;
	     row = table_next(table, row))
		column_widths_add(table, row, widest);
	table_leave(table);
	for (unsigned i = 0; i < layout.n; i++) {
		const unsigned c = layout.shown[i];
		const int title = text_width(table->columns[c].title);
		layout.widths[i] = widest[c] > title ? widest[c] : title;
	}
	widen(&layout, x);
	if (layout.most)
		fit(table, &layout);
	return layout;
}

/* A name without its middle, other text without its end. */
static void cut(struct str *cell, int width, bool name, const char *ellipsis)
{
	if (name)
		name_text_fit(cell, width, ellipsis);
	if (text_width(cell->text) <= width)
		return;
	cell->n = text_fit(cell->text, width - 1);
	cell->text[cell->n] = '\0';
	str_add(cell, ellipsis);
}

/* Appends a cell in its column: numbers to the right, text to the left, two blanks between. */
static void put(const struct layout *layout, unsigned i, bool right, const char *cell,
		struct str *line)
{
	const int blanks = layout->widths[i] - text_width(cell);

	if (i)
		text_add_blanks(line, GAP);
	if (right)
		text_add_blanks(line, blanks);
	str_add(line, cell);
	if (!right)
		text_add_blanks(line, blanks);
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
		if (layout->most && column_is_text(&table->columns[c]))
			cut(cell, layout->widths[i], table->columns[c].type == COLUMN_NAME,
			    layout->ellipsis);
		put(layout, i, column_is_number(&table->columns[c]), cell->text, line);
	}
	end_line(line, start, layout->most);
}

bool export_text(struct table *table, const struct export_options *options,
		 const struct export_columns *columns, FILE *out, struct err *err)
{
	const struct layout layout = measure(table, options, columns);
	const struct row_writer writer = { table, options->exchange, "", "", text_row, &layout };
	OWNED_STR line = STR_INIT;

	for (unsigned i = 0; i < layout.n; i++) {
		const struct column *column = &table->columns[layout.shown[i]];
		put(&layout, i, column_is_number(column), column->title, &line);
	}
	if (layout.n < layout.all)
		str_add(&line, " >");
	end_line(&line, 0, layout.most);
	fwrite(line.text, 1, line.n, out);
	export_rows(&writer, out);
	return output_check(out, err);
}

/* ---- Markdown ---- */

static void markdown_row(const struct row_writer *writer, const struct value *values,
			 struct str *cell, struct str *line)
{
	const struct export_columns *columns = writer->context;

	str_add_char(line, '|');
	for (unsigned i = 0; i < columns->n; i++) {
		const unsigned c = columns->at[i];

		show_cell(writer->table, c, &values[c], cell);
		str_add_char(line, ' ');
		str_add_markdown(line, cell->text);
		str_add(line, " |");
	}
	str_add_char(line, '\n');
}

bool export_markdown(struct table *table, struct exchange *x, const struct export_columns *columns,
		     FILE *out, struct err *err)
{
	const struct row_writer writer = { table, x, "", "", markdown_row, columns };
	OWNED_STR line = STR_INIT;

	str_add_char(&line, '|');
	for (unsigned i = 0; i < columns->n; i++) {
		str_add_char(&line, ' ');
		str_add_markdown(&line, table->columns[columns->at[i]].title);
		str_add(&line, " |");
	}
	str_add(&line, "\n|");
	for (unsigned i = 0; i < columns->n; i++)
		str_add(&line,
			column_is_number(&table->columns[columns->at[i]]) ? " ---: |" : " --- |");
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
			text_add_blanks(out, blanks > 1 ? blanks : 1);
			for (int k = 0; k < BAR_WIDTH && k + 0.5 <= l->share * BAR_WIDTH; k++)
				str_add_char(out, '#');
		}
		while (out->n && out->text[out->n - 1] == ' ')
			out->n--;
		str_add_char(out, '\n');
	}
	overview_fini(&overview);
	return true;
}
