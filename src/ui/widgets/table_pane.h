/* table_pane: any table on the screen: a cursor row, paging, sorting, sideways scrolling, search.
 *
 * A part of a panel, not a panel: the panel owns it and passes on what concerns it. The state is
 * the cursor row and its line on the screen; what is above and below follows from the table, so a
 * table of millions of rows is never counted off. Searching runs in slices (table_pane_work). */
#pragma once

#include "ui/canvas/canvas.h"
#include "ui/options/action.h"
#include "ui/session/session.h"
#include "ui/widgets/matcher.h"
#include "views/query/table.h"

struct table_search {
	struct matcher *matcher; /* owned, NULL: nothing is searched */
	uint64_t origin;         /* row where the search began */
	uint64_t seek;           /* next row to look at, ROW_NONE: not seeking */
	uint64_t seek_end;       /* where the seek began: it ends there after a whole round */
	int direction;
	uint64_t count_at; /* next row to count, ROW_NONE: counted */
	uint64_t hits;
	uint64_t ordinal; /* index of the hit under the cursor, from 1; 0: unknown */
	int64_t shown;    /* ms, monotonic: when the count was last drawn */
};

struct table_pane {
	struct table *table;   /* owned, NULL: there is none */
	uint64_t cursor;       /* row, ROW_NONE without rows */
	int cursor_y;          /* its preferred line of the body */
	unsigned first_column; /* so many columns are scrolled away, beside the first name */
	unsigned chosen[TABLE_COLUMNS]; /* [n_chosen] columns to be shown, in this order */
	unsigned n_chosen;              /* 0: those that the table shows by default */
	int *widest;         /* owned: columns of text in the rows seen so far, drawn ones, too */
	char *empty;         /* owned: what to say without rows, NULL: that */
	bool close;          /* one blank between columns, not two */
	uint8_t cursor_role; /* enum role of the cursor row; 0: ROLE_CURSOR; ROLE_KEEP: none */
	struct table_search search;
};

/* What table_pane_act() knows; for the lists of panels. */
#define TABLE_PANE_ACTIONS                                                                   \
	ACTION_DOWN, ACTION_UP, ACTION_PAGE_DOWN, ACTION_PAGE_UP, ACTION_FIRST, ACTION_LAST, \
		ACTION_LEFT, ACTION_RIGHT, ACTION_REVERSE

/* Replaces the table (taken, may be NULL). The cursor stays on the row of the same thing, else on
 * that with the same number, and the order on the same column. */
void table_pane_take(struct table_pane *pane, struct table *table);
/* What it shows where there are no rows. */
void table_pane_say(struct table_pane *pane, const char *text);
/* How wide the cells are that were seen, as numbers after blanks; and so wide again. */
void table_pane_add_widths(const struct table_pane *pane, struct str *out);
void table_pane_take_widths(struct table_pane *pane, const char *widths);
/* Shows the columns that were chosen for such a table; call it after table_pane_take(). */
void table_pane_choose(struct table_pane *pane, const struct column_choices *choices);
void table_pane_fini(struct table_pane *pane);

void table_pane_draw(const struct table_pane *pane, struct canvas *canvas, struct rect area);
/* Reactions; REACT_IGNORED when the action is none of TABLE_PANE_ACTIONS or ACTION_SORT. */
unsigned table_pane_act(struct table_pane *pane, enum action action, int count, struct rect area);
/* Puts the cursor on a row. */
void table_pane_go(struct table_pane *pane, uint64_t row, struct rect area);
/* Selects the row under the mouse; in the header sorts by the column. */
unsigned table_pane_click(struct table_pane *pane, int x, int y, struct rect area);
/* As panel_ops.search, .work, .status and .describe. */
bool table_pane_search(struct table_pane *pane, const char *pattern, int direction,
		       struct err *err);
bool table_pane_work(struct table_pane *pane, struct session *session, unsigned *reactions);
void table_pane_status(const struct table_pane *pane, struct str *out);
void table_pane_describe(const struct table_pane *pane, struct str *out);
/* What the cursor row is about, THING_NONE without rows; and the row of a thing, ROW_NONE:
 * O(rows). */
struct row_thing table_pane_thing(const struct table_pane *pane);
uint64_t table_pane_find(const struct table_pane *pane, struct row_thing thing);
/* Puts the cursor on the row that shows the selection; false where the table has none. O(rows). */
bool table_pane_land(struct table_pane *pane, const struct selection *selection,
		     const struct trace *trace, struct rect area);
/* The cell of the cursor row in the column of that export name. */
void table_pane_word(const struct table_pane *pane, const char *column, struct str *out);
