/* panels: the panels of all views (ui/app/views.c) and those that open over a view. */
#pragma once

#include "ui/options/bindings.h"
#include "ui/widgets/panel.h"
#include "views/export/view_registry.h"

extern const struct panel_ops overview_panel_ops;
extern const struct panel_ops timeline_panel_ops;
extern const struct panel_ops events_panel_ops;
extern const struct panel_ops calls_panel_ops;
extern const struct panel_ops sequences_panel_ops;
extern const struct panel_ops profile_panel_ops;
extern const struct panel_ops graph_panel_ops;
extern const struct panel_ops source_panel_ops;     /* shows session.asked.source */
extern const struct panel_ops difference_panel_ops; /* for two traces: needs session->other */
extern const struct panel_ops patterns_panel_ops;
extern const struct panel_ops topology_panel_ops;
extern const struct panel_ops messages_panel_ops;
extern const struct panel_ops utilisation_panel_ops;
extern const struct panel_ops corrections_panel_ops;
extern const struct panel_ops iterations_panel_ops;

extern const struct panel_ops waiting_panel_ops;   /* patterns of statistics alone */
extern const struct panel_ops no_events_panel_ops; /* instead of views that need events */
extern const struct panel_ops help_panel_ops;      /* over another panel: help_panel_about() */
extern const struct panel_ops list_panel_ops;      /* the same for other lists: help_panel_line() */
extern const struct panel_ops legend_panel_ops;    /* over another panel */
extern const struct panel_ops marks_panel_ops;     /* below another panel */
extern const struct panel_ops explain_panel_ops;   /* below another panel; shows
						      session.asked.explain */

/* The mark under the cursor, 0 to MARKS - 1; one is set. */
unsigned marks_panel_chosen(const struct panel *panel);

/* The subject of the help: the keys of the panel in front, those that work everywhere, the
 * views. */
struct help_subject {
	const char *title; /* of the view in front */
	const struct panel *panel;
	bool (*works_everywhere)(enum action action);
	const struct bindings *bindings;   /* NULL: keys as in the tables */
	const struct view_registry *views; /* NULL: none can be opened */
	bool two_traces;                   /* views of two traces can be opened */
};
void help_panel_about(struct panel *help, const struct help_subject *subject);
/* Add a headline, a text, and a line with what it is about, a text, and what comes last; copied. */
void help_panel_headline(struct panel *help, const char *text);
void help_panel_text(struct panel *help, const char *text);
void help_panel_line(struct panel *help, const char *keys, const char *text, const char *last);
