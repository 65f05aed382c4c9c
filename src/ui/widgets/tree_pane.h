/* tree_pane: any tree with values on the screen: a row each for what is open, with expand mark,
 * value and title; a cursor row, paging, opening and closing, sorting, sideways scrolling, search.
 *
 * A part of a panel, not a panel, as table_pane is. Values are inclusive; a row that is closed
 * shows its own, one that is open what its children do not hold. Several values a row (the same
 * thing in several time bases) are subtracted each by itself. What is drawn costs O(rows on the
 * screen); what changes rows or values costs O(items), sorting O(items log items). No recursion: a
 * branch may be of any depth.
 *
 *	const uint32_t root = tree_pane_add(&tree, TREE_NONE, id);
 *	tree_pane_add(&tree, root, id);		... parents before their children
 *	tree_pane_settle(&tree);
 *	tree.items.data[i].value[0] = ...;	... then, as often as they change:
 *	tree_pane_values(&tree); */
#pragma once

#include "base/vec.h"
#include "ui/canvas/canvas.h"
#include "ui/options/action.h"
#include "ui/widgets/matcher.h"

#define TREE_NONE UINT32_MAX
enum { TREE_SETS = 4 };

struct tree_item {
	uint32_t parent;         /* an item before this one; TREE_NONE: a root */
	uint32_t first, next;    /* child, sibling; in the order of adding */
	uint32_t id;             /* the owner's */
	uint32_t depth;          /* roots 0 */
	uint32_t row;            /* TREE_NONE: below a closed item, or gone */
	bool open;               /* its children are shown; never of one that has none */
	bool gone;               /* not shown, with all that is below it; set by the owner */
	bool leaf;               /* no child that is not gone */
	bool aside;              /* not on the hottest path; set by the owner */
	double value[TREE_SETS]; /* inclusive; set by the owner */
	double own[TREE_SETS];   /* without its children */
};

enum tree_order { TREE_PROGRAM, TREE_BY_VALUE, TREE_BY_NAME, TREE_ORDERS };

/* What the owner knows of items. Texts are clean. */
struct tree_ops {
	void (*title)(const void *context, const struct tree_item *item, struct str *out);
	/* After the title, muted: "sweep.c:112"; NULL: none. */
	void (*note)(const void *context, const struct tree_item *item, struct str *out);
	/* `shown` are its values as tree_pane_shown() gives them. */
	void (*value)(const void *context, const struct tree_item *item, const double *shown,
		      struct str *out);
	/* The value that has the strongest colour; 0: none has one. */
	double (*full)(const void *context, const struct tree_item *item);
	bool proportional; /* colours by the share of that, not by its root */
	bool names;        /* titles are names of functions: they are cut in the middle */
};

struct tree_pane {
	const struct tree_ops *ops; /* borrowed, as the context */
	const void *context;
	VEC(struct tree_item) items;
	VEC(uint32_t) order; /* all items that are not gone, each before its children */
	VEC(uint32_t) rows;  /* those of them that are shown */
	enum tree_order sorted;
	uint32_t cursor;   /* item; TREE_NONE without rows */
	uint32_t top;      /* row */
	int shift;         /* columns that titles are scrolled to the left */
	int value_width;   /* columns */
	const char *empty; /* what to say without rows; static */
	struct matcher *matcher;
	uint32_t origin; /* item where the search began */
};

/* What tree_pane_act() knows; for the lists of panels. */
#define TREE_PANE_ACTIONS                                                                    \
	ACTION_TOGGLE, ACTION_HOTTEST, ACTION_OPEN_ALL, ACTION_SORT, ACTION_DOWN, ACTION_UP, \
		ACTION_PAGE_DOWN, ACTION_PAGE_UP, ACTION_FIRST, ACTION_LAST, ACTION_LEFT,    \
		ACTION_RIGHT

uint32_t tree_pane_add(struct tree_pane *tree, uint32_t parent, uint32_t id);
/* After adding, and when `gone` or `open` of items changed: makes the rows. The cursor stays on its
 * item, or goes to what is left of it. */
void tree_pane_settle(struct tree_pane *tree);
void tree_pane_fini(struct tree_pane *tree);

/* Makes inclusive values of exclusive ones, in all sets. */
void tree_pane_include(struct tree_pane *tree);
/* After a change of values: what items hold themselves, and the order where values give it. */
void tree_pane_values(struct tree_pane *tree);
/* What a row shows: inclusive of a closed item, own of an open one. */
const double *tree_pane_shown(const struct tree_item *item);

/* Opens what is above the item and puts the cursor on it. */
void tree_pane_go(struct tree_pane *tree, uint32_t item);
/* Opens from `item` (TREE_NONE: the largest root) down to where the largest part of the value is,
 * and puts the cursor there. */
void tree_pane_hottest(struct tree_pane *tree, uint32_t item);
const struct tree_item *tree_pane_item(const struct tree_pane *tree); /* of the cursor; NULL */

/* `active`: keys go here. */
void tree_pane_draw(const struct tree_pane *tree, struct canvas *canvas, struct rect area,
		    bool active);
/* Reactions; REACT_IGNORED when the action is none of TREE_PANE_ACTIONS. */
unsigned tree_pane_act(struct tree_pane *tree, enum action action, int count, struct rect area);
/* Puts the cursor on the row under the mouse; on its mark opens or closes it. */
unsigned tree_pane_click(struct tree_pane *tree, int x, int y, struct rect area);
/* As panel_ops.search; looks into closed branches, too, and opens them. */
bool tree_pane_search(struct tree_pane *tree, const char *pattern, int direction, struct err *err);
/* Where it has been, as numbers after a blank; and back there, in a tree of the same items: what
 * follows them, NULL: they are not its own. */
void tree_pane_add_place(const struct tree_pane *tree, struct str *out);
const char *tree_pane_take_place(struct tree_pane *tree, const char *numbers);
/* "row 3/17  by value". */
void tree_pane_status(const struct tree_pane *tree, struct str *out);
/* The step of the heat scale for a share of the whole; the square root makes small shares
 * distinguishable. -1: nothing. */
int tree_pane_heat(double value, double full, bool proportional);
