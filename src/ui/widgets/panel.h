/* panel: one view on the screen: state of its own, drawn purely, moved by actions.
 *
 * The application owns the panels and the session (what is shared: trace, base, window, cursor,
 * filter, hidden rows). A panel draws from (its state, the session) into a rectangle of the canvas
 * and answers actions with what must happen; it never draws from a handler and never reads keys.
 * Slots may be NULL where the comment says so. Size of the private state is `size`; it is zeroed
 * before open. */
#pragma once

#include "ui/canvas/canvas.h"
#include "ui/options/action.h"
#include "ui/session/session.h"

enum reaction {
	REACT_NONE = 0,
	REACT_REDRAW = 1 << 0,
	REACT_REQUERY = 1 << 1, /* window, base, filter or rows changed: all panels requery */
	REACT_IGNORED = 1 << 2, /* not mine */
	REACT_POP = 1 << 3,     /* go up one level */
};

struct panel;
struct table_pane;
struct table_tabs_info;

/* Begun, without anything. */
struct panel_choice {
	struct str filter; /* of events, beside the session's */
	struct str where;  /* of rows */
	unsigned depth;    /* nesting levels */
};

struct panel_ops {
	const enum action
		*actions;       /* what act() knows, the most useful first, ends with ACTION_NONE:
				       the hint bar and the help come from it */
	const char *wait_hint;  /* what { and } go to, where it is not a wait; NULL */
	const char *enter_hint; /* what Enter does here, for the hint bar: "partner"; NULL */
	const char *next_hint;  /* what n and N go to, where it is not a match; NULL */
	/* draw() has nothing to show between a change and the requery() that follows it. */
	bool draws_current_only;
	size_t size;
	void (*open)(struct panel *panel); /* NULL */
	void (*close)(struct panel *panel);
	/* Asked of the panel in front after the session (generation, cursor) or the area changed.
	 * NULL: it draws from the session alone. */
	void (*requery)(struct panel *panel);
	/* The session shows another look at the same job: requery() follows, and after it nothing
	 * made from the previous trace is left. NULL: a new panel is made. */
	void (*renew)(struct panel *panel);
	/* Of a panel over another one: its lines at the bottom of the body; the panel below has the
	 * rest. NULL: it covers the body. */
	int (*height)(const struct panel *panel, struct rect body);
	bool covers_part; /* without height: the panel below is seen beside it, and goes on */
	void (*draw)(const struct panel *panel, struct canvas *canvas, struct rect area);
	unsigned (*act)(struct panel *panel, enum action action, int count); /* reactions */
	/* Moves to the next (1) or previous (-1) hit, or (0) to the first from the place where the
	 * search began while the pattern is typed. False with err: no hit, or the pattern
	 * is wrong; an empty pattern ends the search (0: back where it began). NULL: cannot
	 * search. */
	bool (*search)(struct panel *panel, const char *pattern, int direction, struct err *err);
	/* What is under the cursor as one line to copy, and as the word to search for (clean);
	 * NULL. */
	void (*describe)(const struct panel *panel, struct str *out);
	void (*word)(const struct panel *panel, struct str *out);
	/* Adds what is under the cursor to an empty selection, as far as the panel knows it: the
	 * rest follows (selection_complete()). NULL: nothing that is elsewhere, too. */
	void (*chosen)(const struct panel *panel, struct selection *selection);
	/* Puts the cursor on what was selected elsewhere, if it is not there; the panel is up to
	 * date. False: what it needs is not there yet, ask again after the next requery(). NULL: it
	 * follows the session's cursor alone. */
	bool (*land)(struct panel *panel, const struct selection *selection);
	/* Appends commands, a line each, that bring a new panel to what this one shows beyond the
	 * session and its table. NULL: there is nothing. */
	void (*commands)(const struct panel *panel, struct str *out);
	/* Takes what it wrote after `state ` among its commands, when it is up to date. False:
	 * that is not its own. NULL with commands that do not write it. */
	bool (*restore)(struct panel *panel, const char *numbers);
	/* A slice of long work, at most 10 ms: true while there is more. Adds reactions. NULL. */
	bool (*work)(struct panel *panel, unsigned *reactions);
	void (*status)(const struct panel *panel,
		       struct str *out); /* right part of the status line: "row 3/477"; NULL */
	unsigned (*click)(struct panel *panel, int x, int y, struct rect area); /* NULL */
	/* The mouse has come there with its button held since the last click; NULL. */
	unsigned (*drag)(struct panel *panel, int x, int y, struct rect area);
	/* The time under the mouse, for drags and the wheel; x may be right of the picture. False:
	 * there are no times at row y. NULL: nowhere. */
	bool (*time_at)(const struct panel *panel, int x, int y, int64_t *t);
	/* The export that is what is in front (export.h); NULL: that of the panel's name. */
	const char *(*exported)(const struct panel *panel);
	/* What it shows beyond the session, for its export. NULL: nothing. */
	void (*exported_of)(const struct panel *panel, struct panel_choice *choice);
	/* The table in front, of panels of tables (table_panel.h); NULL. */
	struct table_pane *(*pane)(const struct panel *panel);
	/* Of panels of tables: keys, mouse or search may have moved the cursor of the table in
	 * front; NULL. */
	void (*moved)(struct panel *panel);
	/* The tabs of a panel with several tables (table_tabs.h); NULL. */
	const struct table_tabs_info *tabs;
};

struct panel {
	const struct panel_ops *ops;
	struct session *session;
	struct rect area; /* where it was drawn last; set by the application before draw and act */
			  /* private state follows */
};

struct panel *panel_new(const struct panel_ops *ops, struct session *session);
void panel_free(struct panel *panel);
bool panel_knows(const struct panel *panel, enum action action);
/* Reactions; REACT_IGNORED where the action is none of the panel's. */
unsigned panel_act(struct panel *panel, enum action action, int count);
