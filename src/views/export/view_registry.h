/* view_registry: the views, each a row of one table. Keys, tabs, `--view`, `:view`, completion,
 * help, manual and `export` are all made from the rows; nothing else names a view.
 *
 * The program's table is in ui/app/views.c, because a row points to the panel. Everything below
 * knows the panel's type by name alone and gets the registry as an argument.
 *
 *	const struct view_info *view = view_of_export(views, "profile");
 *	if (view && export_view(view, &query, &options, stdout, &err)) ...
 */
#pragma once

#include <stdio.h>

#include "views/query/view.h"

struct panel_ops; /* ui/widgets/panel.h */
struct export_options;

typedef struct table *table_maker(const struct query *query, struct err *err);
/* Appends the text form of a view; widths and heights are those of the options. */
typedef bool view_writer(const struct query *query, const struct export_options *options,
			 struct str *out, struct err *err);

struct view_info {
	const char *name;    /* "graph": for --view, :view and export */
	const char *title;   /* "Graph" */
	const char *brief;   /* "Grph": the title in up to 4 letters, where titles do not fit */
	const char *key;     /* "5"; NULL: no key of its own */
	const char *command; /* name after ':', where an action has the view's name; NULL: the
				view's name */
	const char *help;    /* one line of the help and of the manual */
	const char *manual;  /* further sentences for the manual, NULL none */

	const struct panel_ops *panel; /* shows it; NULL: the view is only exported */
	bool two_traces;               /* shown only where two traces are compared */
	bool one_or_two;               /* its export is of one trace, or compares two */
	bool tab_in_front;             /* named at the top only while it is in front */
	bool without_events;           /* has content for a run without events */
	bool panel_without_events;     /* on the screen alone */
	/* Of one whose export would make up times for a run without events, and is refused: what
	 * was not recorded ("when ranks waited"), and the export that has what was. */
	const char *unrecorded, *instead;
	/* Shows it for a run without events; NULL: `panel` does. */
	const struct panel_ops *records_panel;

	const char *export_name;           /* name for `export`; NULL: the view's name */
	table_maker *table;                /* NULL: the view has only a text form */
	table_maker *summary;              /* rows for people (text, Markdown); NULL: as `table` */
	view_writer *text;                 /* text form; NULL: the aligned table */
	bool text_sorts, text_has_columns; /* it obeys --sort, --columns */
	bool (*cube)(const struct query *query, FILE *out,
		     struct err *err); /* NULL: no Cube file */
	const char *data;       /* where `table` is NULL: the view whose export has the data */
	bool of_sequence;       /* its export is of --sequence */
	bool needs_corrections; /* its export computes every time base that can be made */
	bool says_uncertain;    /* its remarks need to know how wrong clocks may be */
	bool compares_bases;    /* its export of one trace is about the compensated times */
	const char *columns;    /* columns of its CSV and JSON, for the manual; NULL: see the first
				   line of an export */
};

struct view_registry {
	const struct view_info *views; /* in the order of the tabs, then those that are only
					  exported */
	unsigned n;
};

enum { VIEWS_MOST = 64 };

/* Its export has rows of one trace, whatever is asked. */
static inline bool view_has_rows(const struct view_info *view)
{
	return view->table && !view->two_traces && !view->of_sequence;
}

/* The row of a view on the screen by name or key, of an export by its name; NULL: there is none. */
const struct view_info *view_of_name(const struct view_registry *registry, const char *name);
const struct view_info *view_of_key(const struct view_registry *registry, const char *key);
const struct view_info *view_of_export(const struct view_registry *registry, const char *name);
const char *view_command(const struct view_info *view);
/* The view of the screen that a command opens; NULL: none. */
const struct view_info *view_of_command(const struct view_registry *registry, const char *command);
/* The name of its export, NULL: it has none. */
const char *view_export_name(const struct view_info *view);
/* All names of views on the screen, or of exports, ending with NULL. */
void view_names(const struct view_registry *registry, const char *names[VIEWS_MOST + 1]);
void view_export_names(const struct view_registry *registry, const char *names[VIEWS_MOST + 1]);
