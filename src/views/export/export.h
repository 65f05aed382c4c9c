/* export: what the views show, as text, CSV (RFC 4180, but with the line ends of Unix), JSON
 * (export_json.h) or Markdown. `tview export` and the key E use it alike.
 *
 * Rows stream: memory does not grow with their number. CSV and JSON hold every exported column,
 * times as seconds with every digit, nothing (CSV) or null (JSON) where a value is unknown; text
 * and Markdown hold what the screen shows. Text of the trace is cleaned everywhere, so no export
 * can carry an escape sequence to a terminal. The same query gives the same bytes. */
#pragma once

#include <stdio.h>

#include "views/export/view_registry.h"

enum export_format {
	EXPORT_TEXT,
	EXPORT_CSV,
	EXPORT_JSON,
	EXPORT_MARKDOWN,
	EXPORT_CUBE,
	EXPORT_FORMATS
};

/* What the rows are of; NULL: not said. */
struct export_about {
	const char *view, *trace, *times;
};

struct export_options {
	enum export_format format;
	bool rows;  /* also as text, where the view has a text form of its own */
	int width;  /* columns of text, 0 no limit */
	int height; /* lines of a picture, 0 all */
	bool ascii;
	bool csv_safe;    /* CSV without formulas, see str_add_csv_safe() */
	const char *sort; /* rows of a table: "COLUMN", the most first, or "COLUMN:asc"; NULL: their
			     own order */
	bool *sorted; /* set: the order of `sort` is not that which the rows had; NULL: not asked */
	const char
		*where;   /* condition on rows and events (model/filter/filter_rows.h); NULL: all */
	uint64_t limit;   /* rows at most; 0: all */
	const char *page; /* from where another export left off (export_page.h); NULL: from the
				first row */
	uint32_t digest;  /* of the trace and the question, for pages */
	const char *command;       /* writes the same rows; NULL: not known */
	struct export_left *left;  /* begun; set to what was left out; NULL: not asked */
	struct export_about about; /* in JSON */
	const char *columns; /* names, see column_names_parse(), or sums, see export_choose.h; NULL:
				those of the format */
	/* Processes that make the same table, and share the work of writing its rows as CSV or
	 * JSON: `out` of the first one gets them all. NULL: each writes all. */
	struct exchange *exchange;
};

/* The columns that are written, in their order. */
struct export_columns {
	unsigned at[TABLE_COLUMNS], n;
};
/* False with err: a table has no such columns. */
bool export_columns_of(const struct table *table, const struct export_options *options,
		       struct export_columns *columns, struct err *err);

/* The format of a name: "text", "csv", "json", "md", "cube"; EXPORT_FORMATS for any other. */
enum export_format export_format_find(const char *name);
/* The format that a file's name asks for, by its ending; EXPORT_TEXT without a known one. */
enum export_format export_format_of_file(const char *path);

/* The rows of a view's data, in the order that the options ask for. NULL with err, too, where the
 * trace has statistics only, which would make them up. */
struct table *export_rows_of(const struct view_info *view, const struct query *query,
			     const struct export_options *options, struct err *err);
/* Writes a view of the query, or a table. False with err: the view has no such format (status 2),
 * or the stream failed. */
bool export_view(const struct view_info *view, const struct query *query,
		 const struct export_options *options, FILE *out, struct err *err);
bool export_table(struct table *table, const struct export_options *options, FILE *out,
		  struct err *err);
