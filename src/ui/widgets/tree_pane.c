#include "ui/widgets/tree_pane.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/units.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/tree_pane_state.h"

/* Columns of a step aside. */
enum { TREE_SHIFT = 4 };

/* Differences of sums up to this share are only rounding. */
static const double ROUNDING = 1e-9;

/* ---- items ---- */

uint32_t tree_pane_add(struct tree_pane *tree, uint32_t parent, uint32_t id)
{
	const struct tree_item item = {
		.parent = parent,
		.first = TREE_NONE,
		.next = TREE_NONE,
		.id = id,
		.depth = parent == TREE_NONE ? 0 : tree->items.data[parent].depth + 1,
	};

	vec_push(&tree->items, item);
	return (uint32_t)(tree->items.n - 1);
}

/* Children in lists, in the order of adding. */
static void link_children(struct tree_pane *tree)
{
	struct tree_item *items = tree->items.data;

	for (size_t i = 0; i < tree->items.n; i++)
		items[i].first = items[i].next = TREE_NONE;
	for (size_t i = tree->items.n; i-- > 0;) {
		struct tree_item *item = &items[i];
		if (item->parent == TREE_NONE)
			continue;
		item->next = items[item->parent].first;
		items[item->parent].first = (uint32_t)i;
	}
	for (size_t i = 0; i < tree->items.n; i++) {
		struct tree_item *item = &items[i];
		if (item->parent != TREE_NONE && items[item->parent].gone)
			item->gone = true;
		item->leaf = true;
		for (uint32_t c = item->first; c != TREE_NONE && item->leaf; c = items[c].next)
			item->leaf = items[c].gone;
		item->open = item->open && !item->leaf;
	}
}

/* ---- order ---- */

struct sibling {
	uint32_t item;
	double value;
	char *name; /* by name; owned */
};

static int by_value(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;

	ORDER_BY(y->value, x->value);
	return ORDER(x->item, y->item);
}

static int by_name(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;
	const int names = strcmp(x->name, y->name);

	return names ? names : x->item < y->item ? -1 : x->item > y->item;
}

static void add_sibling(const struct tree_pane *tree, uint32_t item, struct sibling *sibling,
			struct str *text)
{
	*sibling = (struct sibling){ item, tree->items.data[item].value[0], NULL };
	if (tree->sorted != TREE_BY_NAME)
		return;
	str_clear(text);
	tree->ops->title(tree->context, &tree->items.data[item], text);
	sibling->name = xstrdup(text->text);
}

/* The children of an item (TREE_NONE: the roots), the last one first, for a stack. */
static void push_children(const struct tree_pane *tree, uint32_t parent, void *stack,
			  struct str *text)
{
	VEC(uint32_t) *to = stack;
	OWNED_VEC(struct sibling) siblings = VEC_INIT;
	const struct tree_item *items = tree->items.data;
	struct sibling s;

	if (parent == TREE_NONE) {
		for (uint32_t i = 0; i < tree->items.n; i++)
			if (items[i].parent == TREE_NONE && !items[i].gone) {
				add_sibling(tree, i, &s, text);
				vec_push(&siblings, s);
			}
	} else {
		for (uint32_t c = items[parent].first; c != TREE_NONE; c = items[c].next)
			if (!items[c].gone) {
				add_sibling(tree, c, &s, text);
				vec_push(&siblings, s);
			}
	}
	if (siblings.n && tree->sorted != TREE_PROGRAM)
		qsort(siblings.data, siblings.n, sizeof *siblings.data,
		      tree->sorted == TREE_BY_NAME ? by_name : by_value);
	for (size_t i = siblings.n; i-- > 0;) {
		vec_push(to, siblings.data[i].item);
		free(siblings.data[i].name);
	}
}

static void make_order(struct tree_pane *tree)
{
	OWNED_VEC(uint32_t) stack = VEC_INIT;
	OWNED_STR text = STR_INIT;

	tree->order.n = 0;
	push_children(tree, TREE_NONE, &stack, &text);
	while (stack.n) {
		const uint32_t item = vec_pop(&stack);
		vec_push(&tree->order, item);
		if (!tree->items.data[item].leaf)
			push_children(tree, item, &stack, &text);
	}
}

static void make_rows(struct tree_pane *tree)
{
	struct tree_item *items = tree->items.data;
	uint32_t closed = TREE_NONE; /* depth of the closed item whose children are skipped */

	for (size_t i = 0; i < tree->items.n; i++)
		items[i].row = TREE_NONE;
	tree->rows.n = 0;
	for (size_t i = 0; i < tree->order.n; i++) {
		struct tree_item *item = &items[tree->order.data[i]];
		if (closed != TREE_NONE && item->depth > closed)
			continue;
		closed = item->open ? TREE_NONE : item->depth;
		item->row = (uint32_t)tree->rows.n;
		vec_push(&tree->rows, tree->order.data[i]);
	}
}

/* The row of an item, TREE_NONE if it is not shown. */
static uint32_t row_of(const struct tree_pane *tree, uint32_t item)
{
	return item < tree->items.n ? tree->items.data[item].row : TREE_NONE;
}

/* If the cursor's item is gone or below a closed item, moves the cursor to a parent that is
 * shown. */
static void keep_cursor(struct tree_pane *tree)
{
	uint32_t at = tree->cursor < tree->items.n ? tree->cursor : TREE_NONE;

	while (at != TREE_NONE && row_of(tree, at) == TREE_NONE)
		at = tree->items.data[at].parent;
	if (at == TREE_NONE && tree->rows.n)
		at = tree->rows.data[0];
	tree->cursor = at;
}

void tree_pane_settle(struct tree_pane *tree)
{
	link_children(tree);
	make_order(tree);
	make_rows(tree);
	keep_cursor(tree);
}

void tree_pane_fini(struct tree_pane *tree)
{
	vec_fini(&tree->items);
	vec_fini(&tree->order);
	vec_fini(&tree->rows);
	matcher_free(tree->matcher);
	*tree = (struct tree_pane){ 0 };
}

/* ---- values ---- */

void tree_pane_include(struct tree_pane *tree)
{
	struct tree_item *items = tree->items.data;

	for (size_t i = tree->items.n; i-- > 0;)
		for (int s = 0; s < TREE_SETS && items[i].parent != TREE_NONE; s++)
			items[items[i].parent].value[s] += items[i].value[s];
}

void tree_pane_values(struct tree_pane *tree)
{
	struct tree_item *items = tree->items.data;

	for (size_t i = 0; i < tree->items.n; i++)
		memcpy(items[i].own, items[i].value, sizeof items[i].own);
	for (size_t i = 0; i < tree->items.n; i++)
		for (int s = 0; s < TREE_SETS && items[i].parent != TREE_NONE && !items[i].gone;
		     s++)
			items[items[i].parent].own[s] -= items[i].value[s];
	for (size_t i = 0; i < tree->items.n; i++)
		for (int s = 0; s < TREE_SETS; s++)
			if (fabs(items[i].own[s]) <= ROUNDING * fabs(items[i].value[s]))
				items[i].own[s] = 0;
	if (tree->sorted == TREE_BY_VALUE) {
		make_order(tree);
		make_rows(tree);
	}
}

const double *tree_pane_shown(const struct tree_item *item)
{
	return item->open ? item->own : item->value;
}

const struct tree_item *tree_pane_item(const struct tree_pane *tree)
{
	return tree->cursor < tree->items.n ? &tree->items.data[tree->cursor] : NULL;
}

/* ---- moving ---- */

void tree_pane_go(struct tree_pane *tree, uint32_t item)
{
	struct tree_item *items = tree->items.data;

	if (item >= tree->items.n)
		return;
	for (uint32_t at = items[item].parent; at != TREE_NONE; at = items[at].parent)
		items[at].open = true;
	make_rows(tree);
	tree->cursor = item;
	keep_cursor(tree);
}

static uint32_t largest_root(const struct tree_pane *tree)
{
	const struct tree_item *items = tree->items.data;
	uint32_t best = TREE_NONE;

	for (uint32_t i = 0; i < tree->items.n; i++)
		if (items[i].parent == TREE_NONE && !items[i].gone &&
		    (best == TREE_NONE || items[i].value[0] > items[best].value[0]))
			best = i;
	return best;
}

/* The child with the largest value, of those that are not aside; TREE_NONE without. */
static uint32_t largest_child(const struct tree_pane *tree, uint32_t item)
{
	const struct tree_item *items = tree->items.data;
	uint32_t best = TREE_NONE;

	for (uint32_t c = items[item].first; c != TREE_NONE; c = items[c].next)
		if (!items[c].gone && !items[c].aside &&
		    (best == TREE_NONE || items[c].value[0] > items[best].value[0]))
			best = c;
	return best;
}

void tree_pane_hottest(struct tree_pane *tree, uint32_t item)
{
	const struct tree_item *items = tree->items.data;

	if (item == TREE_NONE)
		item = largest_root(tree);
	if (item == TREE_NONE)
		return;
	for (uint32_t child; (child = largest_child(tree, item)) != TREE_NONE; item = child)
		if (items[child].value[0] <= items[item].own[0] || items[child].value[0] <= 0)
			break;
	tree_pane_go(tree, item);
}

static int body_height(struct rect area)
{
	return area.h > 0 ? area.h : 0;
}

uint32_t tree_pane_top(const struct tree_pane *tree, int h)
{
	const uint32_t row = row_of(tree, tree->cursor);
	const uint32_t n = (uint32_t)tree->rows.n, height = (uint32_t)(h > 0 ? h : 1);
	uint32_t top = tree->top;

	if (row == TREE_NONE)
		return 0;
	if (row < top)
		top = row;
	if (row >= top + height)
		top = row - height + 1;
	return n > height && top > n - height ? n - height : n <= height ? 0 : top;
}

static unsigned move_to(struct tree_pane *tree, int64_t row)
{
	if (row < 0)
		row = 0;
	if (row >= (int64_t)tree->rows.n)
		row = (int64_t)tree->rows.n - 1;
	tree->cursor = tree->rows.data[row];
	return REACT_REDRAW;
}

static unsigned rows_changed(struct tree_pane *tree)
{
	make_rows(tree);
	keep_cursor(tree);
	return REACT_REDRAW;
}

static unsigned toggle(struct tree_pane *tree)
{
	struct tree_item *item = &tree->items.data[tree->cursor];

	if (item->leaf)
		return REACT_REDRAW;
	item->open = !item->open;
	return rows_changed(tree);
}

/* Opens all items below the cursor, or closes them if they are all open. */
static unsigned open_all(struct tree_pane *tree)
{
	struct tree_item *items = tree->items.data;
	size_t from = 0, to;
	bool open = false;

	while (from < tree->order.n && tree->order.data[from] != tree->cursor)
		from++;
	for (to = from; to < tree->order.n; to++) {
		const struct tree_item *item = &items[tree->order.data[to]];
		if (to > from && item->depth <= items[tree->cursor].depth)
			break;
		open |= !item->leaf && !item->open;
	}
	for (size_t i = from; i < to; i++)
		items[tree->order.data[i]].open = open && !items[tree->order.data[i]].leaf;
	return rows_changed(tree);
}

static unsigned go_right(struct tree_pane *tree)
{
	const struct tree_item *item = &tree->items.data[tree->cursor];

	if (!item->open && !item->leaf)
		return toggle(tree);
	tree->shift += TREE_SHIFT;
	return REACT_REDRAW;
}

static unsigned go_left(struct tree_pane *tree)
{
	const struct tree_item *item = &tree->items.data[tree->cursor];

	if (tree->shift > 0) {
		tree->shift = tree->shift > TREE_SHIFT ? tree->shift - TREE_SHIFT : 0;
		return REACT_REDRAW;
	}
	if (item->open)
		return toggle(tree);
	if (item->parent != TREE_NONE)
		tree->cursor = item->parent;
	return REACT_REDRAW;
}

static unsigned sort_next(struct tree_pane *tree)
{
	tree->sorted = (enum tree_order)((tree->sorted + 1) % TREE_ORDERS);
	make_order(tree);
	return rows_changed(tree);
}

static unsigned act(struct tree_pane *tree, enum action action, int count, int h)
{
	const int64_t row = row_of(tree, tree->cursor);
	const int page = h > 2 ? h - 1 : 1;

	switch (action) {
	case ACTION_DOWN: return move_to(tree, row + count);
	case ACTION_UP: return move_to(tree, row - count);
	case ACTION_PAGE_DOWN:
		tree->top += (uint32_t)(page * count);
		return move_to(tree, row + page * count);
	case ACTION_PAGE_UP:
		tree->top = tree->top > (uint32_t)(page * count)
				    ? tree->top - (uint32_t)(page * count)
				    : 0;
		return move_to(tree, row - page * count);
	case ACTION_FIRST: return move_to(tree, 0);
	case ACTION_LAST: return move_to(tree, INT64_MAX);
	case ACTION_LEFT: return go_left(tree);
	case ACTION_RIGHT: return go_right(tree);
	case ACTION_TOGGLE: return toggle(tree);
	case ACTION_OPEN_ALL: return open_all(tree);
	case ACTION_HOTTEST: tree_pane_hottest(tree, tree->cursor); return REACT_REDRAW;
	case ACTION_SORT: return sort_next(tree);
	default: return REACT_IGNORED;
	}
}

unsigned tree_pane_act(struct tree_pane *tree, enum action action, int count, struct rect area)
{
	const int h = body_height(area);
	unsigned reactions;

	if (tree->cursor == TREE_NONE)
		return REACT_IGNORED;
	tree->top = tree_pane_top(tree, h);
	reactions = act(tree, action, count, h);
	tree->top = tree_pane_top(tree, h);
	return reactions;
}

unsigned tree_pane_click(struct tree_pane *tree, int x, int y, struct rect area)
{
	const uint32_t row = tree_pane_top(tree, area.h) + (uint32_t)(y - area.y);
	int mark;

	if (y < area.y || row >= tree->rows.n)
		return REACT_NONE;
	tree->top = tree_pane_top(tree, area.h);
	mark = tree_pane_mark(tree, tree->rows.data[row], area);
	tree->cursor = tree->rows.data[row];
	return x >= mark && x < mark + TREE_MARK ? toggle(tree) : REACT_REDRAW;
}

void tree_pane_status(const struct tree_pane *tree, struct str *out)
{
	static const char *const orders[TREE_ORDERS] = { "", "  by value", "  by name" };
	const uint32_t row = row_of(tree, tree->cursor);

	if (row == TREE_NONE)
		return;
	str_add(out, "row ");
	units_count(out, row + 1);
	str_add(out, "/");
	units_count(out, tree->rows.n);
	str_add(out, orders[tree->sorted]);
}

/* ---- search ---- */

static bool hits(const struct tree_pane *tree, uint32_t item, struct str *text)
{
	str_clear(text);
	tree->ops->title(tree->context, &tree->items.data[item], text);
	return matcher_hits(tree->matcher, text->text, text->n);
}

static bool seek(struct tree_pane *tree, uint32_t from, int direction)
{
	const size_t n = tree->order.n;
	const size_t step = direction < 0 ? n - 1 : 1;
	OWNED_STR text = STR_INIT;
	bool found = false;
	size_t at = 0;

	while (at < n && tree->order.data[at] != from)
		at++;
	at = at < n ? at : 0;
	if (direction != 0)
		at = (at + step) % n;
	for (size_t i = 0; i < n && !found; i++, at = (at + step) % n) {
		found = hits(tree, tree->order.data[at], &text);
		if (found)
			tree_pane_go(tree, tree->order.data[at]);
	}
	return found;
}

bool tree_pane_search(struct tree_pane *tree, const char *pattern, int direction, struct err *err)
{
	if (!tree->matcher)
		tree->origin = tree->cursor;
	if (!matcher_change(&tree->matcher, pattern, err))
		return false;
	if (!tree->matcher) {
		if (direction == 0)
			tree_pane_go(tree, tree->origin);
		return true;
	}
	if (tree->order.n == 0 ||
	    !seek(tree, direction == 0 ? tree->origin : tree->cursor, direction))
		return err_set(err, STATUS_NO, "no row matches '%s'", pattern);
	return true;
}
