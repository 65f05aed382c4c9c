#include "views/export/export.h"

#include <string.h>

#include "base/exchange.h"
#include "base/output.h"
#include "model/trace/program.h"
#include "views/export/export_rows.h"
#include "views/export/export_text.h"
#include "views/query/column_names.h"

enum export_format export_format_find(const char *name)
{
	static const char *const names[EXPORT_FORMATS] = { "text", "csv", "json", "md", "cube" };

	for (int f = 0; f < EXPORT_FORMATS; f++)
		if (strcmp(name, names[f]) == 0)
			return (enum export_format)f;
	return EXPORT_FORMATS;
}

enum export_format export_format_of_file(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;
	const enum export_format format = dot ? export_format_find(dot + 1) : EXPORT_TEXT;

	return format == EXPORT_FORMATS ? EXPORT_TEXT : format;
}

/* ---- CSV ---- */

struct csv_form {
	const struct export_columns *columns;
	void (*add)(struct str *line, const char *text);
};

static void csv_header(const struct table *table, const struct export_columns *columns,
		       struct str *line)
{
	for (unsigned i = 0; i < columns->n; i++) {
		if (i)
			str_add_char(line, ',');
		str_add_csv(line, table->columns[columns->at[i]].name);
	}
	str_add_char(line, '\n');
}

static void csv_row(const struct row_writer *writer, const struct value *values, struct str *text,
		    struct str *line)
{
	const struct table *table = writer->table;
	const struct csv_form *form = writer->context;

	for (unsigned i = 0; i < form->columns->n; i++) {
		const unsigned c = form->columns->at[i];

		if (i)
			str_add_char(line, ',');
		if (!values[c].known)
			continue;
		if (!column_is_text(&table->columns[c])) {
			table_write(table, c, &values[c], line);
			continue;
		}
		str_clear(text);
		table_write(table, c, &values[c], text);
		form->add(line, text->text);
	}
	str_add_char(line, '\n');
}

static bool export_csv(struct table *table, const struct export_options *options,
		       const struct export_columns *columns, FILE *out, struct err *err)
{
	const struct csv_form form = { columns,
				       options->csv_safe ? str_add_csv_safe : str_add_csv };
	const struct row_writer writer = { table, options->exchange, "", "", csv_row, &form };
	OWNED_STR line = STR_INIT;

	csv_header(table, columns, &line);
	fwrite(line.text, 1, line.n, out);
	export_rows(&writer, out);
	return output_check(out, err);
}

/* ---- JSON ---- */

static bool json_is_string(const struct column *column, const struct value *value)
{
	return column_is_text(column) ||
	       (column->type == COLUMN_RANK && value->integer == RANK_HOST);
}

static void json_row(const struct row_writer *writer, const struct value *values, struct str *text,
		     struct str *line)
{
	const struct export_columns *columns = writer->context;
	const struct table *table = writer->table;

	for (unsigned i = 0; i < columns->n; i++) {
		const unsigned c = columns->at[i];
		const struct column *column = &table->columns[c];

		str_add_char(line, i ? ',' : '{');
		str_add_json(line, column->name);
		str_add_char(line, ':');
		str_clear(text);
		table_write(table, c, &values[c], text);
		if (!values[c].known || (!text->n && !column_is_text(column)))
			str_add(line, "null");
		else if (json_is_string(column, &values[c]))
			str_add_json(line, text->text);
		else
			str_add(line, text->text);
	}
	str_add_char(line, '}');
}

static bool export_json(struct table *table, struct exchange *x,
			const struct export_columns *columns, FILE *out, struct err *err)
{
	const struct row_writer writer = { table, x, "[\n", ",\n", json_row, columns };

	fputs(export_rows(&writer, out) ? "\n]\n" : "[]\n", out);
	return output_check(out, err);
}

/* ---- columns ---- */

/* Those that a format has without a choice. */
static void usual_columns(const struct table *table, enum export_format format,
			  struct export_columns *columns)
{
	columns->n = 0;
	if (format == EXPORT_TEXT) {
		columns->n = table_shown(table, columns->at);
		return;
	}
	for (unsigned c = 0; c < table->n_columns; c++)
		if (format == EXPORT_MARKDOWN ? table->columns[c].on_screen
					      : table->columns[c].exported)
			columns->at[columns->n++] = c;
}

bool export_columns_of(const struct table *table, const struct export_options *options,
		       struct export_columns *columns, struct err *err)
{
	struct export_columns usual;

	usual_columns(table, options->format, &usual);
	*columns = usual;
	if (!options->columns)
		return true;
	if (!column_names_parse(table, usual.at, usual.n, options->columns, columns->at,
				&columns->n, err))
		return false;
	if (!columns->n)
		*columns = usual;
	return true;
}

bool export_table(struct table *table, const struct export_options *options, FILE *out,
		  struct err *err)
{
	struct export_columns columns;

	if (!export_columns_of(table, options, &columns, err))
		return false;
	switch (options->format) {
	case EXPORT_CSV: return export_csv(table, options, &columns, out, err);
	case EXPORT_JSON: return export_json(table, options->exchange, &columns, out, err);
	case EXPORT_MARKDOWN: return export_markdown(table, options->exchange, &columns, out, err);
	default: return export_text(table, options, &columns, out, err);
	}
}

/* ---- views ---- */

static bool write_text(const struct view_info *view, const struct query *query,
		       const struct export_options *options, FILE *out, struct err *err)
{
	OWNED_STR text = STR_INIT;
	bool ok;

	if ((options->sort && !view->text_sorts) || (options->columns && !view->text_has_columns))
		return err_set(err, STATUS_USAGE, "the text of %s has no rows to %s%s", view->name,
			       options->sort ? "sort" : "choose columns of",
			       view->table ? "; its csv has" : "");
	ok = view->text(query, options, &text, err);
	if (ok)
		fwrite(text.text, 1, text.n, out);
	return ok && output_check(out, err);
}

static bool sort_table(struct table *table, const struct export_options *options, struct err *err)
{
	const char *by = options->sort;
	const size_t n = strcspn(by, " ");
	const bool up = strcmp(by + n, " up") == 0;
	OWNED_STR name = STR_INIT;
	int column;

	if (exchange_processes(options->exchange) > 1)
		return err_set(err, STATUS_USAGE, "several processes cannot sort rows: no --sort");
	str_add_n(&name, by, n);
	column = table_column(table, name.text);
	if (column < 0 || (by[n] && !up))
		return err_set(
			err, STATUS_USAGE,
			"there is no column '%s' to sort by (the first line of the export as "
			"CSV has them)",
			by);
	if (table->ops->sort && table->sorted_by == (unsigned)column && table->descending == !up)
		return true;
	if (options->sorted)
		*options->sorted = true;
	return (table->ops->sort && table->ops->sort(table, (unsigned)column, !up)) ||
	       err_set(err, STATUS_USAGE, "the table cannot be sorted by %s", name.text);
}

static struct table *make_table(table_maker *make, const struct query *query,
				const struct export_options *options, struct err *err)
{
	struct table *table = make(query, err);

	if (!table || !options->sort || sort_table(table, options, err))
		return table;
	table_free(table);
	return NULL;
}

static bool write_table(table_maker *make, const struct query *query,
			const struct export_options *options, FILE *out, struct err *err)
{
	struct query for_page = *query;
	struct table *table;
	bool ok;

	for_page.width = options->width;
	table = make_table(make, &for_page, options, err);
	ok = table && export_table(table, options, out, err);
	table_free(table);
	return ok;
}

static bool may_have_rows(const struct view_info *view, const struct trace *trace, struct err *err)
{
	OWNED_STR path = STR_INIT;

	if (!view->unrecorded || !trace_records_alone(trace))
		return true;
	str_add_clean_text(&path, trace_path(trace));
	return err_set(err, STATUS_NO,
		       "%s has statistics only, not %s (record it without --statistics); use: "
		       "tview export %s %s",
		       path.text, view->unrecorded, view->instead, path.text);
}

struct table *export_rows_of(const struct view_info *view, const struct query *query,
			     const struct export_options *options, struct err *err)
{
	return may_have_rows(view, query->trace, err) ? make_table(view->table, query, options, err)
						      : NULL;
}

bool export_view(const struct view_info *view, const struct query *query,
		 const struct export_options *options, FILE *out, struct err *err)
{
	const bool for_people =
		options->format == EXPORT_TEXT || options->format == EXPORT_MARKDOWN;

	if (!may_have_rows(view, query->trace, err))
		return false;
	if (options->format == EXPORT_CUBE)
		return view->cube ? view->cube(query, out, err)
				  : err_set(err, STATUS_USAGE,
					    "only patterns can be written as cube (tview export "
					    "patterns -f cube)");
	if (view->text && options->format == EXPORT_TEXT)
		return write_text(view, query, options, out, err);
	if (!view->table)
		return err_set(err, STATUS_USAGE,
			       "%s is a picture: its only format is text; 'export %s' has its data",
			       view->name, view->data);
	return write_table(for_people && view->summary ? view->summary : view->table, query,
			   options, out, err);
}
