/* panel: one view on the screen: state of its own, drawn purely, moved by actions.
 *
 * The application owns the panels and the session (what is shared: trace, base, window, cursor,
 * filter, hidden rows). A panel draws from (its state, the session) into a rectangle of the canvas
 * and answers actions with what must happen; it never draws from a handler and never reads keys.
 * Slots may be NULL where the comment says so. Size of the private state is `size`; it is zeroed
 * before open. */
#ifndef TVIEW_UI_PANEL_H
#define TVIEW_UI_PANEL_H

#include "ui/action.h"
#include "ui/canvas.h"
#include "ui/session.h"

enum reaction {
	REACT_NONE = 0,
	REACT_REDRAW = 1 << 0,
	REACT_REQUERY = 1 << 1, /* window, base, filter or rows changed: all panels compute anew */
	REACT_IGNORED = 1 << 2, /* not mine */
	REACT_QUIT = 1 << 3,
	REACT_POP = 1 << 4, /* go up one level */
};

struct panel;

struct panel_ops {
	const char *name;  /* "timeline": the name in :view, export and hints */
	const char *title; /* "Timeline" */
	size_t size;
	bool (*open)(struct panel *panel, struct session *session, struct err *err);
	void (*close)(struct panel *panel);
	void (*requery)(
		struct panel *panel); /* the session changed; NULL: draws from the session alone */
	void (*draw)(const struct panel *panel, struct canvas *canvas, struct rect area);
	unsigned (*act)(struct panel *panel, enum action action, int count); /* reactions */
	bool (*search)(struct panel *panel, const char *pattern, int direction,
		       struct err *err); /* moves to the next hit; NULL: cannot search */
	void (*status)(const struct panel *panel,
		       struct str *out); /* right part of the status line: "row 3/477"; NULL */
	unsigned (*click)(struct panel *panel, int x, int y, struct rect area); /* NULL */
};

struct panel {
	const struct panel_ops *ops;
	struct session *session;
	struct rect area; /* where it was drawn last; set by the application before draw and act */
			  /* private state follows */
};

struct panel *panel_new(const struct panel_ops *ops, struct session *session, struct err *err);
void panel_free(struct panel *panel);

extern const struct panel_ops overview_panel_ops;
extern const struct panel_ops timeline_panel_ops;
extern const struct panel_ops events_panel_ops;
extern const struct panel_ops profile_panel_ops;
extern const struct panel_ops messages_panel_ops;
extern const struct panel_ops help_panel_ops;

#endif
