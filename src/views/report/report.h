/* report: the report of a trace, or of two, in a form that suits every output: sections, each with
 * sentences, values with stable keys, and a table. Text, Markdown, JSON and the overview are made
 * from it.
 *
 *	struct report report;
 *	report_init(&report);
 *	struct report_section *s = report_section(&report, "waits", "What waits, and why");
 *	report_say(s, TEXT_WAIT, "patterns", "Late Sender: %s", ...);
 *	report_put_real(s, "mpi_latesender", REPORT_SECONDS, seconds);
 *	report_columns(s, columns, ARRAY_SIZE(columns));
 *	report_row(s);
 *	report_cell_text(s, name);
 *	report_cell_real(s, value);
 *	report_write(&report, EXPORT_TEXT, 80, stream, &err);
 *	report_fini(&report);
 *
 * JSON: one object: "title", then one object a section by its key, with its values by theirs,
 * "lines" (the sentences) and, where it has columns, "rows" (an object a row, by the columns'
 * keys). Times are seconds, shares are of 1. Keys are stable: doc/patterns.md lists them.
 *
 * Ownership: texts are copied, and cleaned; keys, columns and views are borrowed and static. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/vec.h"
#include "patterns/severity/cube_metric.h"
#include "views/export/export.h"

enum report_kind {
	REPORT_TEXT,
	REPORT_COUNT,   /* whole number, shown with separators */
	REPORT_RANK,    /* whole number, shown without */
	REPORT_SECONDS, /* shown with a unit that fits */
	REPORT_SHARE,   /* 0..1, shown in per cent */
	REPORT_REAL,    /* shown with three decimals */
	REPORT_FLAG,    /* yes or no */
};

struct report_value {
	const char *key; /* of a section's value; NULL in a row */
	enum report_kind kind;
	bool known; /* false: "-", null */
	double real;
	char *text; /* REPORT_TEXT */
};

struct report_column {
	const char *key;   /* in JSON; stable */
	const char *title; /* for people; NULL: in JSON alone */
	enum report_kind kind;
};

struct report_line {
	char *text;
	enum text_role role;
	const char *view; /* name of the view it points to, NULL none */
	double share;     /* 0..1 drawn as a bar; negative: none */
	double severity;  /* share of total time that it explains or wastes; 0: of none */
	bool page_only;   /* not on the overview, which is one screen */
	struct line_subject about;
};

struct report_section {
	const char *key;
	char *title; /* "": without a heading */
	VEC(struct report_line) lines;
	VEC(struct report_value) values;
	const struct report_column *columns;
	unsigned n_columns;
	VEC(struct report_value) cells; /* row by row */
};

struct report {
	char *title;
	VEC(struct report_section *) sections;
	bool searching; /* for wait states: there will be more */
	bool sizes;     /* to be set: with the sizes of events and records, for programs */
	bool brief;     /* to be set: without what takes long and is not on the overview */
};

void report_init(struct report *report);
void report_fini(struct report *report);
void report_title(struct report *report, const char *text);

/* A new section after the others; its address stays until report_fini(). */
struct report_section *report_section(struct report *report, const char *key, const char *title);

/* Add a sentence: formatted, as it is, or with a bar. The line may be changed until the next one is
 * added. */
struct report_line *report_say(struct report_section *section, enum text_role role,
			       const char *view, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
struct report_line *report_line(struct report_section *section, enum text_role role,
				const char *view, const char *text);
struct report_line *report_bar(struct report_section *section, enum text_role role,
			       const char *view, double share, const char *text);

/* Says what a sentence is about. */
void report_about(struct report_line *line, enum cube_metric metric, uint32_t region,
		  uint32_t callpath, uint32_t location);

/* Add a value for programs. A real that is not finite is unknown. */
void report_put_real(struct report_section *section, const char *key, enum report_kind kind,
		     double value);
void report_put_text(struct report_section *section, const char *key, const char *text);

/* The table: its columns, once; then rows, cell by cell in the order of the columns. */
void report_columns(struct report_section *section, const struct report_column *columns,
		    unsigned n);
void report_cell_real(struct report_section *section, double value);
void report_cell_text(struct report_section *section, const char *text); /* NULL, "": unknown */
unsigned report_rows(const struct report_section *section);

/* False with err (status 2) for formats that a report does not have: csv and cube. */
bool report_can(enum export_format format, struct err *err);
/* Writes it as text (of at most `width` columns, 0: 80), Markdown or JSON. False with err: the
 * stream failed, or not report_can(). */
bool report_write(const struct report *report, enum export_format format, int width, FILE *out,
		  struct err *err);

/* Appends a value as people read it. */
void report_show(const struct report_value *value, struct str *out);
/* Bytes of the text's first line when it is broken at blanks, but not between a number and its
 * unit. */
size_t report_break(const char *text, int width);
