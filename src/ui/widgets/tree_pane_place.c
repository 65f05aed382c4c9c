/* Where a tree has been, as numbers: order, cursor, first row, columns to the left, open items. */
#include <stdlib.h>
#include <string.h>

#include "ui/widgets/tree_pane.h"

void tree_pane_add_place(const struct tree_pane *tree, struct str *out)
{
	size_t from = 0;

	str_add_fmt(out, " %d %u %u %d ", (int)tree->sorted, tree->cursor, tree->top, tree->shift);
	/* Ranges of items: those that have no children are open or not. */
	for (size_t i = 0, n = 0; i < tree->items.n; i = from) {
		const struct tree_item *items = tree->items.data;
		size_t last = i;
		from = i + 1;
		if (!items[i].open)
			continue;
		for (; from < tree->items.n && (items[from].open || items[from].leaf); from++)
			last = items[from].open ? from : last;
		str_add_fmt(out, last > i ? "%s%zu-%zu" : "%s%zu", n++ ? "," : "", i, last);
	}
	if (out->text[out->n - 1] == ' ')
		str_add(out, "-");
}

static const char *number(const char *at, uint64_t *n)
{
	char *end;

	*n = strtoull(at, &end, 10);
	return end == at ? NULL : end;
}

static const char *take_open(struct tree_pane *tree, const char *at)
{
	struct tree_item *items = tree->items.data;
	uint64_t from, last;

	for (size_t i = 0; i < tree->items.n; i++)
		items[i].open = false;
	at += strspn(at, " ");
	if (*at == '-')
		return at + 1;
	for (;; at++) {
		at = number(at, &from);
		last = from;
		if (at && *at == '-')
			at = number(at + 1, &last);
		if (!at)
			return NULL;
		for (uint64_t i = from; i <= last && i < tree->items.n; i++)
			items[i].open = items[i].first != TREE_NONE;
		if (*at != ',')
			return at;
	}
}

const char *tree_pane_take_place(struct tree_pane *tree, const char *at)
{
	uint64_t n[4] = { 0 };

	for (int i = 0; i < 4 && at; i++)
		at = number(at, &n[i]);
	if (!at || n[0] >= TREE_ORDERS || n[1] >= tree->items.n || n[2] >= TREE_NONE ||
	    n[3] > INT16_MAX)
		return NULL;
	at = take_open(tree, at);
	tree->sorted = (enum tree_order)n[0];
	tree->cursor = (uint32_t)n[1];
	tree->top = (uint32_t)n[2];
	tree->shift = (int)n[3];
	if (at)
		tree_pane_settle(tree);
	return at;
}
