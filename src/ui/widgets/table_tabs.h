/* table_tabs: several tables in one panel, one of them in front, their names in the first line.
 *
 * The panel's private state begins with struct table_tabs, its panel_ops.tabs declare the tabs. A
 * table is made again after the session changed: when it is shown or, if its rows are counted in
 * the line of names, at once. */
#pragma once

#include "ui/widgets/table_panel.h"

enum { TABLE_TABS = 7 }; /* the most that a panel has */

struct table_tab {
	const char *name;
	const char *word;     /* export name of the column with the word to search for */
	const char *exported; /* name of the export with its content, NULL: the view's */
	bool counted;         /* its name is followed by the number of its rows */
	bool fixed;           /* cannot be sorted */
	bool breaks;          /* has sentences, broken for the panel's width */
	const char *by;       /* its --by, NULL none */
};

struct table_tabs_info {
	struct table_tab tabs[TABLE_TABS];
	unsigned n;
	unsigned (*shown)(const struct panel *panel); /* the first of them; NULL: all */
	bool whole_run; /* does not depend on the window or the filter: made once */
	struct table *(*make)(struct panel *panel, unsigned tab, struct query *query,
			      struct err *err);
	/* Appends why there are no rows (session_none()). */
	void (*empty)(const struct panel *panel, unsigned tab, struct str *out);
	/* The part of the panel's area that the table in front gets. */
	struct rect (*area)(const struct panel *panel, struct rect area);
};

struct table_tabs {
	struct panel panel;
	struct table_pane panes[TABLE_TABS];
	uint64_t made[TABLE_TABS];    /* generation of the session that the table is of, 0: none */
	int width[TABLE_TABS];        /* of the panel when it was made */
	const char *note[TABLE_TABS]; /* follows the name, NULL: none */
	unsigned front;
};

void table_tabs_requery(struct panel *panel);
void table_tabs_renew(struct panel *panel); /* as panel_ops.renew, where all state is the tabs' */
void table_tabs_close(struct panel *panel);
/* Brings a tab to the front; the table is made again if `again` or if it is out of date. */
unsigned table_tabs_show(struct panel *panel, unsigned tab, bool again);
/* Draws names and table; returns the first column after the names. */
int table_tabs_draw(const struct panel *panel, struct canvas *canvas, struct rect area);
/* As panel_ops.act, .word, .click and .pane. */
unsigned table_tabs_act(struct panel *panel, enum action action, int count);
void table_tabs_word(const struct panel *panel, struct str *out);
/* As panel_ops.land, in the table in front. */
bool table_tabs_land(struct panel *panel, const struct selection *selection);
unsigned table_tabs_click(struct panel *panel, int x, int y, struct rect area);
struct table_pane *table_tabs_front(const struct panel *panel);

#define TABLE_TABS_SLOTS                                                              \
	.word = table_tabs_word, .click = table_tabs_click, .pane = table_tabs_front, \
	TABLE_PANEL_SLOTS
