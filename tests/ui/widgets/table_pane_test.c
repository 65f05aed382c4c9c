/* The table on the screen: rows, columns, moving, searching; with a table of numbers made up
 * here. */
#include "harness/test.h"
#include "ui/widgets/table_pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/widgets/panel.h"

/* Row i holds i and the word "odd" or "even". */
struct fake {
	struct table table;
	char text[16];
};

static const struct column columns[] = {
	{ "n", "n", COLUMN_INT, 8, true, true },
	{ "word", "word", COLUMN_TEXT, 8, true, true },
	{ "secret", "secret", COLUMN_INT, 8, true, false },
};

static void fake_free(struct table *t)
{
	free(t);
}

static uint64_t fake_first(struct table *t)
{
	return t->rows ? 0 : ROW_NONE;
}

static uint64_t fake_last(struct table *t)
{
	return t->rows - 1;
}

static uint64_t fake_next(struct table *t, uint64_t row)
{
	return row + 1 < t->rows ? row + 1 : ROW_NONE;
}

static uint64_t fake_prev(struct table *t, uint64_t row)
{
	(void)t;
	return row ? row - 1 : ROW_NONE;
}

static void fake_cells(struct table *t, uint64_t row, struct value *values)
{
	struct fake *f = (struct fake *)t;
	const uint64_t n = t->descending ? t->rows - 1 - row : row;
	snprintf(f->text, sizeof f->text, "%s", n % 2 ? "odd" : "even");
	values[0] = (struct value){ .known = true, .integer = (int64_t)n };
	values[1] = (struct value){ .known = true, .text = f->text };
	values[2] = (struct value){ .known = true, .integer = 7777 };
}

static bool fake_sort(struct table *t, unsigned column, bool descending)
{
	t->sorted_by = column;
	t->descending = descending;
	return true;
}

static struct table *fake_new(uint64_t rows)
{
	static const struct table_ops ops = {
		.free = fake_free,
		.first = fake_first,
		.last = fake_last,
		.next = fake_next,
		.prev = fake_prev,
		.cells = fake_cells,
		.sort = fake_sort,
	};
	struct fake *f = xcalloc(1, sizeof *f);
	f->table = (struct table){ .ops = &ops,
				   .columns = columns,
				   .n_columns = 3,
				   .scale = &units_nanoseconds,
				   .rows = rows };
	return &f->table;
}

static const struct rect area = { 0, 0, 24, 6 };

static void expect(const struct table_pane *pane, const char *want)
{
	struct canvas c;
	OWNED_STR s = STR_INIT;
	canvas_init(&c, area.w, area.h, true);
	table_pane_draw(pane, &c, area);
	canvas_to_text(&c, &s);
	assert_string_equal(s.text, want);
	canvas_fini(&c);
}

TEST(test_rows_and_columns)
{
	ENDED_BY(table_pane_fini) struct table_pane pane = { 0 };
	table_pane_take(&pane, fake_new(3));
	expect(&pane, " n+  word\n"
		      "  0  even\n"
		      "  1  odd\n"
		      "  2  even\n\n\n");
	table_pane_take(&pane, fake_new(0));
	table_pane_say(&pane, "nothing here");
	expect(&pane, "\n nothing here\n\n\n\n\n");
}

/* Whatever is pressed: the cursor row is on the screen, and neighbours are neighbours. */
TEST(test_random_moves)
{
	static const enum action moves[] = { ACTION_DOWN,    ACTION_UP,    ACTION_PAGE_DOWN,
					     ACTION_PAGE_UP, ACTION_FIRST, ACTION_LAST };
	ENDED_BY(table_pane_fini) struct table_pane pane = { 0 };
	table_pane_take(&pane, fake_new(40));
	srand(3);
	for (int i = 0; i < 3000; i++) {
		struct rect r = { 0, 0, 24, 2 + rand() % 9 };
		int marked = 0;
		struct canvas c;
		table_pane_act(&pane, moves[(unsigned)rand() % 6], 1 + rand() % 3, r);
		if (rand() % 8 == 0)
			table_pane_go(&pane, (uint64_t)rand() % 40, r);
		assert_true(pane.cursor < 40);
		r.h = 2 + rand() % 9; /* the window may have another size by now */
		canvas_init(&c, r.w, r.h, true);
		table_pane_draw(&pane, &c, r);
		for (int y = 1; y < r.h; y++)
			marked += c.cells[y * r.w].bg == ROLE_CURSOR;
		assert_int_equal(marked, 1);
		canvas_fini(&c);
	}
}

TEST(test_sort_by_the_next_column)
{
	ENDED_BY(table_pane_fini) struct table_pane pane = { 0 };
	table_pane_take(&pane, fake_new(9));
	table_pane_act(&pane, ACTION_SORT, 1, area); /* word: text ascends */
	assert_int_equal(pane.table->sorted_by, 1);
	assert_false(pane.table->descending);
	table_pane_act(&pane, ACTION_SORT, 1, area); /* n again, the large ones first */
	assert_int_equal(pane.table->sorted_by, 0);
	assert_true(pane.table->descending);
	table_pane_click(&pane, 1, 0, area); /* its header turns the order round */
	assert_false(pane.table->descending);
	table_pane_act(&pane, ACTION_SORT, 1, area);
	table_pane_act(&pane, ACTION_SORT, 1, area);
	table_pane_take(&pane, fake_new(9)); /* computed anew: the order stays */
	assert_true(pane.table->descending);
}

static void finish(struct table_pane *pane)
{
	unsigned reactions = 0;
	while (table_pane_work(pane, NULL, &reactions))
		;
}

TEST(test_search)
{
	ENDED_BY(table_pane_fini) struct table_pane pane = { 0 };
	struct err err = ERR_INIT;
	table_pane_take(&pane, fake_new(30));
	assert_true(table_pane_search(&pane, "odd", 0, &err));
	finish(&pane);
	assert_int_equal(pane.cursor, 1);
	assert_int_equal(pane.search.hits, 15);
	assert_int_equal(pane.search.ordinal, 1);
	assert_true(table_pane_search(&pane, "odd", 1, &err));
	assert_int_equal(pane.cursor, 3);
	assert_int_equal(pane.search.ordinal, 2);
	assert_true(table_pane_search(&pane, "odd", -1, &err));
	assert_true(table_pane_search(&pane, "odd", -1, &err)); /* round the beginning */
	assert_int_equal(pane.cursor, 29);
	assert_int_equal(pane.search.ordinal, 15);
	struct str status = STR_INIT;
	table_pane_status(&pane, &status);
	assert_string_equal(status.text, "hit 15/15  row 30/30");
	str_fini(&status);
	/* Columns that are not shown are not searched. */
	assert_false(table_pane_search(&pane, "7777", 1, &err));
	assert_non_null(strstr(err.text, "no row matches"));
	struct err wrong = ERR_INIT;
	assert_false(table_pane_search(&pane, "a(b", 1, &wrong));
	assert_int_equal(wrong.status, STATUS_USAGE);
	table_pane_search(&pane, "", 1, NULL);
	assert_null(pane.search.matcher);
}
