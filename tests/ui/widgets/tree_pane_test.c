/* Trees on the screen: what rows show when branches open and close, by hand and for random trees;
 * moving, order, search, depth. */
#include "harness/test.h"
#include "ui/widgets/tree_pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/widgets/panel.h"

/* An item's title is its number in words of a letter: 0 "a", 1 "b", 27 "bb". */
static void title(const void *context, const struct tree_item *item, struct str *out)
{
	(void)context;
	if (item->id >= 26)
		str_add_char(out, (char)('a' + item->id / 26 % 26));
	str_add_char(out, (char)('a' + item->id % 26));
}

static void value(const void *context, const struct tree_item *item, const double *shown,
		  struct str *out)
{
	(void)context;
	(void)item;
	str_add_fmt(out, "%g", shown[0]);
}

static double full(const void *context, const struct tree_item *item)
{
	(void)context;
	(void)item;
	return 100;
}

static const struct tree_ops ops = { title, NULL, value, full, false, false };
static const struct rect area = { 0, 0, 40, 10 };

/* a 100: b 30 (c 10, d 15), e 50; f 7. */
static struct tree_pane small(void)
{
	static const struct {
		uint32_t parent;
		double value;
	} items[] = { { TREE_NONE, 100 }, { 0, 30 }, { 1, 10 },
		      { 1, 15 },          { 0, 50 }, { TREE_NONE, 7 } };
	struct tree_pane tree = { .ops = &ops, .cursor = TREE_NONE, .value_width = 6 };

	for (uint32_t i = 0; i < 6; i++) {
		tree_pane_add(&tree, items[i].parent, i);
		tree.items.data[i].value[0] = items[i].value;
	}
	tree_pane_settle(&tree);
	tree_pane_values(&tree);
	return tree;
}

static void shows(const struct tree_pane *tree, const char *expected)
{
	OWNED_STR s = STR_INIT;

	for (size_t row = 0; row < tree->rows.n; row++) {
		const struct tree_item *item = &tree->items.data[tree->rows.data[row]];
		str_add_fmt(&s, "%s%c %g", row ? ", " : "", (char)('a' + item->id),
			    tree_pane_shown(item)[0]);
	}
	assert_string_equal(s.text, expected);
}

TEST(test_closed_rows_are_inclusive)
{
	ENDED_BY(tree_pane_fini) struct tree_pane tree = small();

	shows(&tree, "a 100, f 7");
	tree_pane_act(&tree, ACTION_TOGGLE, 1, area);
	shows(&tree, "a 20, b 30, e 50, f 7");
	tree_pane_act(&tree, ACTION_DOWN, 1, area);
	tree_pane_act(&tree, ACTION_TOGGLE, 1, area);
	shows(&tree, "a 20, b 5, c 10, d 15, e 50, f 7");
	/* A child that is gone takes nothing away from the rows. */
	tree.items.data[2].gone = true;
	tree_pane_settle(&tree);
	tree_pane_values(&tree);
	shows(&tree, "a 20, b 15, d 15, e 50, f 7");
	tree.items.data[3].gone = true;
	tree_pane_settle(&tree);
	tree_pane_values(&tree);
	/* Without children it is not open. */
	shows(&tree, "a 20, b 30, e 50, f 7");
}

TEST(test_exclusive_becomes_inclusive)
{
	ENDED_BY(tree_pane_fini) struct tree_pane tree = small();

	/* The same tree from what each holds itself. */
	static const double own[] = { 20, 5, 10, 15, 50, 7 };
	for (int i = 0; i < 6; i++)
		tree.items.data[i].value[0] = own[i];
	tree_pane_include(&tree);
	tree_pane_values(&tree);
	static const double all[] = { 100, 30, 10, 15, 50, 7 };
	for (int i = 0; i < 6; i++) {
		assert_true(tree.items.data[i].value[0] == all[i]);
		assert_true(tree.items.data[i].own[0] == own[i]);
	}
}

TEST(test_moving)
{
	ENDED_BY(tree_pane_fini) struct tree_pane tree = small();

	assert_int_equal(tree.cursor, 0);
	tree_pane_act(&tree, ACTION_OPEN_ALL, 1, area);
	assert_int_equal(tree.rows.n, 6);
	tree_pane_act(&tree, ACTION_LAST, 1, area);
	assert_int_equal(tree.cursor, 5);
	tree_pane_go(&tree, 3);
	/* To the left: to what is above; an open one closes; closing takes the cursor along. */
	tree_pane_act(&tree, ACTION_LEFT, 1, area);
	assert_int_equal(tree.cursor, 1);
	tree_pane_act(&tree, ACTION_LEFT, 1, area);
	shows(&tree, "a 20, b 30, e 50, f 7");
	tree_pane_act(&tree, ACTION_RIGHT, 1, area);
	assert_int_equal(tree.rows.n, 6);
	tree_pane_go(&tree, 2);
	tree.items.data[0].open = false;
	tree_pane_settle(&tree);
	assert_int_equal(tree.cursor, 0);
	/* All is closed where all was open. */
	tree_pane_act(&tree, ACTION_OPEN_ALL, 1, area);
	tree_pane_act(&tree, ACTION_OPEN_ALL, 1, area);
	shows(&tree, "a 100, f 7");
	assert_true(tree_pane_act(&tree, ACTION_ZOOM_IN, 1, area) & REACT_IGNORED);
}

TEST(test_hottest)
{
	ENDED_BY(tree_pane_fini) struct tree_pane tree = small();

	/* 50 of e are more than the 20 that a has itself. */
	tree_pane_hottest(&tree, TREE_NONE);
	assert_int_equal(tree.cursor, 4);
	/* b: its largest child has 15, itself 5. */
	tree_pane_hottest(&tree, 1);
	assert_int_equal(tree.cursor, 3);
	/* Where most is in the item itself, the way ends there. */
	tree.items.data[1].value[0] = 60;
	tree_pane_values(&tree);
	tree_pane_hottest(&tree, 1);
	assert_int_equal(tree.cursor, 1);
}

TEST(test_orders)
{
	ENDED_BY(tree_pane_fini) struct tree_pane tree = small();

	tree_pane_act(&tree, ACTION_OPEN_ALL, 1, area);
	tree_pane_act(&tree, ACTION_SORT, 1, area);
	shows(&tree, "a 20, e 50, b 5, d 15, c 10, f 7");
	tree.items.data[5].value[0] = 1000;
	tree_pane_values(&tree);
	shows(&tree, "f 1000, a 20, e 50, b 5, d 15, c 10");
	tree_pane_act(&tree, ACTION_SORT, 1, area);
	shows(&tree, "a 20, b 5, c 10, d 15, e 50, f 1000");
}

TEST(test_search_opens_branches)
{
	ENDED_BY(tree_pane_fini) struct tree_pane tree = small();
	struct err err = ERR_INIT;

	assert_true(tree_pane_search(&tree, "d", 0, &err));
	assert_int_equal(tree.cursor, 3);
	shows(&tree, "a 20, b 5, c 10, d 15, e 50, f 7");
	assert_true(tree_pane_search(&tree, "[ce]", 1, &err));
	assert_int_equal(tree.cursor, 4);
	assert_true(tree_pane_search(&tree, "[ce]", 1, &err));
	assert_int_equal(tree.cursor, 2); /* round the end */
	assert_true(tree_pane_search(&tree, "[ce]", -1, &err));
	assert_int_equal(tree.cursor, 4);
	assert_false(tree_pane_search(&tree, "z", 1, &err));
}

/* ---- random trees ---- */

/* Whatever is open: what the rows show adds up to what the roots hold. Several sets at once. */
TEST(test_rows_add_up)
{
	uint64_t seed = 88172645463325252u;

	for (int round = 0; round < 200; round++) {
		struct tree_pane tree = { .ops = &ops, .cursor = TREE_NONE };
		double whole[2] = { 0, 0 }, sum[2] = { 0, 0 };
		for (uint32_t i = 0; i < 60; i++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			const uint32_t parent =
				seed % 7 == 0 || i == 0 ? TREE_NONE : (uint32_t)(seed >> 20) % i;
			tree_pane_add(&tree, parent, i);
			tree.items.data[i].open = seed >> 40 & 1;
			for (int s = 0; s < 2; s++) {
				tree.items.data[i].value[s] = (double)(seed >> (8 + 8 * s) & 0xff);
				whole[s] += tree.items.data[i].value[s];
			}
		}
		tree_pane_include(&tree);
		tree_pane_settle(&tree);
		tree_pane_values(&tree);
		for (size_t row = 0; row < tree.rows.n; row++)
			for (int s = 0; s < 2; s++)
				sum[s] += tree_pane_shown(&tree.items.data[tree.rows.data[row]])[s];
		assert_true(sum[0] == whole[0] && sum[1] == whole[1]);
		tree_pane_fini(&tree);
	}
}

/* A million levels: opened, drawn with the cursor's title in sight, closed. */
TEST(test_depth)
{
	enum { LEVELS = 1000000 };
	ENDED_BY(tree_pane_fini)
	struct tree_pane tree = { .ops = &ops, .cursor = TREE_NONE, .value_width = 6 };
	ENDED_BY(canvas_fini) struct canvas canvas = { 0 };
	OWNED_STR text = STR_INIT;

	for (uint32_t i = 0; i < LEVELS; i++) {
		tree_pane_add(&tree, i ? i - 1 : TREE_NONE, i);
		tree.items.data[i].value[0] = 1;
	}
	tree_pane_include(&tree);
	tree_pane_settle(&tree);
	tree_pane_values(&tree);
	tree_pane_act(&tree, ACTION_OPEN_ALL, 1, area);
	assert_int_equal(tree.rows.n, LEVELS);
	tree_pane_act(&tree, ACTION_LAST, 1, area);
	canvas_init(&canvas, 40, 10, true);
	tree_pane_draw(&tree, &canvas, area, true);
	canvas_to_text(&canvas, &text);
	title(NULL, &tree.items.data[LEVELS - 1], &text);
	assert_non_null(strstr(text.text, "  1"));
	assert_int_equal(tree_pane_item(&tree)->id, LEVELS - 1);
	tree_pane_act(&tree, ACTION_FIRST, 1, area);
	tree_pane_act(&tree, ACTION_OPEN_ALL, 1, area);
	assert_int_equal(tree.rows.n, 1);
}

TEST(test_drawing)
{
	ENDED_BY(tree_pane_fini) struct tree_pane tree = small();
	ENDED_BY(canvas_fini) struct canvas canvas = { 0 };
	OWNED_STR text = STR_INIT;

	canvas_init(&canvas, 24, 4, true);
	canvas.mono = true;
	tree_pane_act(&tree, ACTION_TOGGLE, 1, area);
	tree_pane_draw(&tree, &canvas, (struct rect){ 0, 0, 24, 4 }, true);
	canvas_to_text(&canvas, &text);
	/* Shares of 100: 20, 30, 50, 7: steps 3, 4, 5, 2 of 8 by their roots. */
	assert_string_equal(text.text, " --     20 - a\n"
				       " ==     30  + b\n"
				       " ==     50    e\n"
				       " --      7   f\n");
	/* Its mark opens a branch, another place only puts the cursor there. */
	tree_pane_click(&tree, 13, 1, (struct rect){ 0, 0, 24, 4 });
	shows(&tree, "a 20, b 5, c 10, d 15, e 50, f 7");
	tree_pane_click(&tree, 2, 3, (struct rect){ 0, 0, 24, 4 });
	assert_int_equal(tree.cursor, 3);
}

TEST(test_heat)
{
	assert_int_equal(tree_pane_heat(0, 10, false), -1);
	assert_int_equal(tree_pane_heat(-1, 10, false), -1);
	assert_int_equal(tree_pane_heat(5, 0, false), -1);
	assert_int_equal(tree_pane_heat(1, 1e9, false), 0);
	assert_int_equal(tree_pane_heat(2.5, 10, false), 4); /* root of a quarter: half of 8 */
	assert_int_equal(tree_pane_heat(10, 10, false), 7);
	assert_int_equal(tree_pane_heat(30, 10, false), 7);
	assert_int_equal(tree_pane_heat(2.5, 10, true), 2);
	assert_int_equal(tree_pane_heat(0.1, 10, true), 0);
}
