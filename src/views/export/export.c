#include "views/export/export.h"

#include <string.h>

#include "base/mem.h"
#include "base/output.h"
#include "ui/timeline/drawing/timeline_text.h"
#include "views/export/cube_xml.h"
#include "views/export/export_text.h"
#include "views/query/view_common.h"

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

static void csv_row(const struct table *table, const struct value *values, struct str *text,
		    struct str *line)
{
	bool first = true;

	for (unsigned c = 0; c < table->n_columns; c++) {
		if (!table->columns[c].exported)
			continue;
		if (!first)
			str_add_char(line, ',');
		first = false;
		if (!values[c].known)
			continue;
		if (table->columns[c].type != COLUMN_TEXT) {
			table_write(table, c, &values[c], line);
			continue;
		}
		str_clear(text);
		table_write(table, c, &values[c], text);
		str_add_csv(line, text->text);
	}
	str_add_char(line, '\n');
}

static bool export_csv(struct table *table, FILE *out, struct err *err)
{
	struct value values[TABLE_COLUMNS];
	struct str line = STR_INIT, text = STR_INIT;

	csv_header(table, &line);
	fwrite(line.text, 1, line.n, out);
	for (uint64_t row = table_first(table); row != ROW_NONE && !ferror(out);
	     row = table_next(table, row)) {
		table_cells(table, row, values);
		str_clear(&line);
		csv_row(table, values, &text, &line);
		fwrite(line.text, 1, line.n, out);
	}
	str_fini(&line);
	str_fini(&text);
	return output_check(out, err);
}

/* ---- JSON ---- */

static bool json_is_string(const struct column *column, const struct value *value)
{
	return column->type == COLUMN_TEXT ||
	       (column->type == COLUMN_RANK && value->integer == RANK_HOST);
}

static void json_row(const struct table *table, const struct value *values, struct str *text,
		     struct str *line)
{
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
		if (!values[c].known || (!text->n && column->type != COLUMN_TEXT))
			str_add(line, "null");
		else if (json_is_string(column, &values[c]))
			str_add_json(line, text->text);
		else
			str_add(line, text->text);
	}
	str_add_char(line, '}');
}

static bool export_json(struct table *table, FILE *out, struct err *err)
{
	struct value values[TABLE_COLUMNS];
	struct str line = STR_INIT, text = STR_INIT;
	const char *before = "[\n";

	for (uint64_t row = table_first(table); row != ROW_NONE && !ferror(out);
	     row = table_next(table, row)) {
		table_cells(table, row, values);
		str_clear(&line);
		str_add(&line, before);
		before = ",\n";
		json_row(table, values, &text, &line);
		fwrite(line.text, 1, line.n, out);
	}
	fputs(*before == '[' ? "[]\n" : "\n]\n", out);
	str_fini(&line);
	str_fini(&text);
	return output_check(out, err);
}

bool export_table(struct table *table, const struct export_options *options, FILE *out,
		  struct err *err)
{
	switch (options->format) {
	case EXPORT_CSV: return export_csv(table, out, err);
	case EXPORT_JSON: return export_json(table, out, err);
	case EXPORT_MARKDOWN: return export_markdown(table, out, err);
	default: return export_text(table, options->width, out, err);
	}
}

/* ---- views by name ---- */

enum { TIMELINE_WIDTH = 100 };

static struct table *callpaths(const struct query *query, struct err *err)
{
	return callpaths_table_new(query, UINT32_MAX, err);
}

/* Of two traces, or of two time bases of one. */
static struct table *difference(const struct query *query, struct err *err)
{
	return query->other ? compared_table_new(query, query->compared_by, err)
			    : difference_table_new(query, err);
}

typedef struct table *table_make(const struct query *query, struct err *err);

struct table_view {
	const char *name;
	table_make *make;
};

static const struct table_view table_views[] = {
	{ "overview", overview_table_new },
	{ "events", events_table_new },
	{ "messages", messages_table_new },
	{ "collectives", collectives_table_new },
	{ "profile", profile_table_new },
	{ "callpaths", callpaths },
	{ "graph", graph_table_new },
	{ "lines", lines_table_new },
	{ "matrix", matrix_table_new },
	{ "findings", findings_table_new },
	{ "definitions", definitions_table_new },
	{ "histograms", histograms_table_new },
	{ "difference", difference },
	{ "patterns", patterns_table_new },
	{ "statistics", statistics_table_new },
	{ "rollcall", rollcall_table_new },
	{ "topology", topology_table_new },
	{ "waits", waits_table_new },
	{ "explain", explain_table_new },
	{ "critical-path", critical_path_table_new },
	{ "corrections", corrections_table_new },
	{ "corrections-classes", corrections_classes_new },
	{ "corrections-pairs", corrections_pairs_new },
	{ "corrections-clocks", corrections_clocks_new },
	{ "corrections-moves", corrections_moves_new },
	{ "corrections-overhead", corrections_overhead_new },
	{ "corrections-regions", corrections_regions_new },
};

const char *const *export_views(void)
{
	static const char *const names[] = { "overview",
					     "timeline",
					     "events",
					     "messages",
					     "collectives",
					     "profile",
					     "graph",
					     "callpaths",
					     "topology",
					     "matrix",
					     "histograms",
					     "corrections",
					     "corrections-classes",
					     "corrections-pairs",
					     "corrections-clocks",
					     "corrections-moves",
					     "corrections-overhead",
					     "corrections-regions",
					     "findings",
					     "definitions",
					     "difference",
					     "patterns",
					     "statistics",
					     "rollcall",
					     "waits",
					     "explain",
					     "critical-path",
					     "lines",
					     NULL };

	return names;
}

bool export_wants_corrections(const char *view)
{
	return strncmp(view, "corrections", strlen("corrections")) == 0 ||
	       strcmp(view, "overview") == 0;
}

/* The timeline is a picture, which only text can hold. */
static bool export_timeline(const struct query *query, const struct export_options *options,
			    FILE *out, struct err *err)
{
	struct str text = STR_INIT;
	bool ok;

	if (options->format != EXPORT_TEXT)
		return err_set(err, STATUS_USAGE,
			       "the timeline is exported as text only; 'export events' has what it "
			       "is made of");
	ok = timeline_text(query, options->width ? options->width : TIMELINE_WIDTH, options->height,
			   options->ascii, &text, err);
	if (ok)
		fwrite(text.text, 1, text.n, out);
	str_fini(&text);
	return ok && output_check(out, err);
}

/* People get the picture, programs the places. */
static bool export_topology(const struct query *query, const struct export_options *options,
			    FILE *out, struct err *err)
{
	struct str text = STR_INIT;
	const bool ok =
		topology_text(query, options->width, options->height, options->ascii, &text, err);

	if (ok)
		fwrite(text.text, 1, text.n, out);
	str_fini(&text);
	return ok && output_check(out, err);
}

/* People get what the screen shows: keys are for programs. */
static table_make *make_of(const struct table_view *view, enum export_format format)
{
	const bool people = format == EXPORT_TEXT || format == EXPORT_MARKDOWN;

	return people && view->make == corrections_table_new ? corrections_summary_new : view->make;
}

bool export_view(const char *name, const struct query *query, const struct export_options *options,
		 FILE *out, struct err *err)
{
	if (options->format == EXPORT_CUBE && strcmp(name, "patterns") == 0)
		return cube_xml_write(query, out, err);
	if (options->format == EXPORT_CUBE)
		return err_set(
			err, STATUS_USAGE,
			"the format cube is one of patterns (tview export patterns -f cube)");
	if (strcmp(name, "overview") == 0 && options->format == EXPORT_TEXT)
		return export_overview(query, out, err);
	if (strcmp(name, "timeline") == 0)
		return export_timeline(query, options, out, err);
	if (strcmp(name, "topology") == 0 && options->format == EXPORT_TEXT)
		return export_topology(query, options, out, err);
	for (size_t i = 0; i < ARRAY_SIZE(table_views); i++) {
		struct table *table;
		bool ok;
		if (strcmp(table_views[i].name, name) != 0)
			continue;
		table = make_of(&table_views[i], options->format)(query, err);
		ok = table && export_table(table, options, out, err);
		table_free(table);
		return ok;
	}
	return err_set(err, STATUS_USAGE, "there is no view '%s' (tview help export names them)",
		       name);
}
