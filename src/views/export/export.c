#include "views/export/export.h"

#include <string.h>

#include "base/exchange.h"
#include "base/output.h"
#include "model/trace/program.h"
#include "views/export/export_choose.h"
#include "views/export/export_json.h"
#include "views/export/export_page.h"
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
	const size_t begin = line->n;

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
	/* Readers pass over a blank line, which a column alone would be. */
	if (line->n == begin)
		str_add(line, "\"\"");
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
	if (!options->columns || export_has_sums(options))
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
	bool ok;

	if (!export_columns_of(table, options, &columns, err))
		return false;
	switch (options->format) {
	case EXPORT_CSV: ok = export_csv(table, options, &columns, out, err); break;
	case EXPORT_JSON: ok = export_json(table, options, &columns, out, err); break;
	case EXPORT_MARKDOWN:
		ok = export_markdown(table, options->exchange, &columns, out, err);
		break;
	default: ok = export_text(table, options, &columns, out, err);
	}
	if (options->left)
		export_left_find(options->left, table, options);
	return ok;
}

/* ---- views ---- */

static bool write_text(const struct view_info *view, const struct query *query,
		       const struct export_options *options, FILE *out, struct err *err)
{
	OWNED_STR text = STR_INIT;
	bool ok;

	if ((options->sort && !view->text_sorts) || (options->columns && !view->text_has_columns) ||
	    options->limit || options->page || options->where)
		return err_set(err, STATUS_USAGE, "the text of %s has no rows to %s%s", view->name,
			       options->sort      ? "sort"
			       : options->columns ? "choose columns of"
						  : "count",
			       view->table ? "; its csv has" : "");
	ok = view->text(query, options, &text, err);
	if (ok)
		fwrite(text.text, 1, text.n, out);
	return ok && output_check(out, err);
}

static bool write_table(const struct view_info *view, table_maker *make, const struct query *query,
			const struct export_options *options, FILE *out, struct err *err)
{
	struct query for_page = *query;
	struct export_options how = *options;
	struct table *table;
	bool ok;

	for_page.width = options->width;
	how.about = (struct export_about){ view_export_name(view), trace_path(query->trace),
					   time_base_name(query->base) };
	table = export_choose(make, &for_page, options, err);
	ok = table && export_table(table, &how, out, err);
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
	return may_have_rows(view, query->trace, err)
		       ? export_choose(view->table, query, options, err)
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
	if (view->text && options->format == EXPORT_TEXT && !(options->rows && view->table))
		return write_text(view, query, options, out, err);
	if (!view->table)
		return err_set(err, STATUS_USAGE,
			       "%s is a picture: its only format is text; 'export %s' has its data",
			       view->name, view->data);
	return write_table(view, for_people && view->summary ? view->summary : view->table, query,
			   options, out, err);
}
