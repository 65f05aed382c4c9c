#include "views/export/export.h"

#include <string.h>

#include "base/exchange.h"
#include "base/output.h"
#include "model/trace/program.h"
#include "views/export/export_rows.h"
#include "views/export/export_text.h"

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

typedef void add_field(struct str *line, const char *text);

static void csv_header(const struct table *table, struct str *line)
{
	for (unsigned c = 0; c < table->n_columns; c++)
		if (table->columns[c].exported) {
			if (line->n)
				str_add_char(line, ',');
			str_add_csv(line, table->columns[c].name);
		}
	str_add_char(line, '\n');
}

static void csv_row(const struct row_writer *writer, const struct value *values, struct str *text,
		    struct str *line)
{
	const struct table *table = writer->table;
	const struct export_options *options = writer->context;
	add_field *const add = options->csv_safe ? str_add_csv_safe : str_add_csv;
	bool first = true;

	for (unsigned c = 0; c < table->n_columns; c++) {
		if (!table->columns[c].exported)
			continue;
		if (!first)
			str_add_char(line, ',');
		first = false;
		if (!values[c].known)
			continue;
		if (!column_is_text(&table->columns[c])) {
			table_write(table, c, &values[c], line);
			continue;
		}
		str_clear(text);
		table_write(table, c, &values[c], text);
		add(line, text->text);
	}
	str_add_char(line, '\n');
}

static bool export_csv(struct table *table, const struct export_options *options, FILE *out,
		       struct err *err)
{
	const struct row_writer writer = { table, options->exchange, "", "", csv_row, options };
	OWNED_STR line = STR_INIT;

	csv_header(table, &line);
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
	const struct table *table = writer->table;
	bool first = true;

	for (unsigned c = 0; c < table->n_columns; c++) {
		const struct column *column = &table->columns[c];
		if (!column->exported)
			continue;
		str_add_char(line, first ? '{' : ',');
		first = false;
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

static bool export_json(struct table *table, struct exchange *x, FILE *out, struct err *err)
{
	const struct row_writer writer = { table, x, "[\n", ",\n", json_row, NULL };

	fputs(export_rows(&writer, out) ? "\n]\n" : "[]\n", out);
	return output_check(out, err);
}

bool export_table(struct table *table, const struct export_options *options, FILE *out,
		  struct err *err)
{
	switch (options->format) {
	case EXPORT_CSV: return export_csv(table, options, out, err);
	case EXPORT_JSON: return export_json(table, options->exchange, out, err);
	case EXPORT_MARKDOWN: return export_markdown(table, options->exchange, out, err);
	default: return export_text(table, options, out, err);
	}
}

/* ---- views ---- */

static bool write_text(const struct view_info *view, const struct query *query,
		       const struct export_options *options, FILE *out, struct err *err)
{
	OWNED_STR text = STR_INIT;
	const bool ok = view->text(query, options, &text, err);

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
	return (table->ops->sort && table->ops->sort(table, (unsigned)column, !up)) ||
	       err_set(err, STATUS_USAGE, "the table cannot be sorted by %s", name.text);
}

static bool write_table(table_maker *make, const struct query *query,
			const struct export_options *options, FILE *out, struct err *err)
{
	struct query for_page = *query;
	struct table *table;

	for_page.width = options->width;
	table = make(&for_page, err);
	const bool ok = table && (!options->sort || sort_table(table, options, err)) &&
			export_table(table, options, out, err);

	table_free(table);
	return ok;
}

static bool refuse_records(const struct view_info *view, const struct trace *trace, struct err *err)
{
	OWNED_STR path = STR_INIT;

	str_add_clean_text(&path, trace_path(trace));
	return err_set(err, STATUS_NO,
		       "%s has statistics only, not %s (record it without --statistics); use: "
		       "tview export %s %s",
		       path.text, view->unrecorded, view->instead, path.text);
}

bool export_view(const struct view_info *view, const struct query *query,
		 const struct export_options *options, FILE *out, struct err *err)
{
	const bool for_people =
		options->format == EXPORT_TEXT || options->format == EXPORT_MARKDOWN;

	if (view->unrecorded && trace_records_alone(query->trace))
		return refuse_records(view, query->trace, err);
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
