/* The program on terminals that show pictures, or not, and say so, late, wrongly or never. */
#include "harness/graphic_terminal.h"
#include "harness/pictures.h"
#include "harness/test.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#define KITTY    "\033_Gi=31;OK\033\\"
#define NO_KITTY "\033_Gi=31;ENOTSUPPORTED:no\033\\"
#define CELL     "\033[6;15;8t"
#define LIMITS   "\033[?1;0;256S\033[?2;0;4096;4096S"
#define SIXELS   "\033[?62;4;22c"
#define PLAIN    "\033[?1;2c"

static struct graphic_terminal *run(const char *graphics, struct graphic_answers answers)
{
	static const char tview[] = TEST_BUILD "/tview";
	const char *const argv[] = { tview,        "--graphics", graphics,
				     "--no-cache", "--view",     "timeline",
				     "--theme",    "dark",       "traces/stencil.trc",
				     NULL };
	struct graphic_terminal *t = graphic_terminal_open(argv, &answers);

	graphic_terminal_settle(t);
	return t;
}

static void type(struct graphic_terminal *t, const char *keys)
{
	graphic_terminal_type(t, keys);
	graphic_terminal_settle(t);
}

static void quit(struct graphic_terminal *t)
{
	type(t, "Q");
	assert_true(t->ended);
	assert_int_equal(t->status, 0);
	graphic_terminal_close(t);
}

/* What is on the screen is what a screen drawn anew has: text, and pixels. */
static void check_redrawn(struct graphic_terminal *t, const char *after)
{
	static uint32_t text[GRAPHIC_ROWS][GRAPHIC_COLS];
	static uint32_t pixels[GRAPHIC_ROWS * GRAPHIC_H][GRAPHIC_COLS * GRAPHIC_W];

	memcpy(text, t->text, sizeof text);
	memcpy(pixels, t->pixels, sizeof pixels);
	type(t, "\014");
	/* A key takes what was said in the last row but one away. */
	assert_memory_equal(text, t->text, (GRAPHIC_ROWS - 2) * sizeof *text);
	for (int y = 0; y < GRAPHIC_ROWS * GRAPHIC_H; y++)
		for (int x = 0; x < GRAPHIC_COLS * GRAPHIC_W; x++)
			if (pixels[y][x] != t->pixels[y][x])
				fail_msg("after %s: pixel %d,%d (cell %d,%d) was %x, is %x", after,
					 x, y, x / GRAPHIC_W, y / GRAPHIC_H, pixels[y][x],
					 t->pixels[y][x]);
}

/* Zooms, pans, steps of the cursor, names, selections, other views and overlays. */
TEST(sixels_stay_complete)
{
	static const char *const keys[] = { "w", "w", "l", "l",    "h", "j", "j", "d", "]", "[",
					    "v", "l", "l", "\033", "s", "k", "a", "w", "w", "w",
					    ")", "j", "G", "g",    "n", "?", "q", "3", "2", "c",
					    "V", "V", "0", "S",    "S", "x", "B", "w", "t", "q" };
	struct graphic_terminal *t =
		run("auto", (struct graphic_answers){ .cell = CELL, .device = SIXELS });

	assert_true(graphic_terminal_drawn(t) > 40 * 12 * GRAPHIC_W * GRAPHIC_H / 4);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		type(t, keys[i]);
		if (t->ended)
			fail_msg("ended by %s", keys[i]);
		check_redrawn(t, keys[i]);
	}
	quit(t);
}

/* A step of the cursor sends what it touches alone. */
TEST(small_changes_are_small)
{
	struct graphic_terminal *t =
		run("sixel", (struct graphic_answers){ .cell = CELL, .device = SIXELS });
	size_t whole;

	type(t, "\014");
	whole = t->sent.n;
	type(t, "l");
	assert_true(t->sent.n < whole / 2);
	type(t, "l");
	assert_true(t->sent.n > 0 && t->sent.n < whole / 2);
	quit(t);
}

/* The cells of another view, and of a help page, have no pixels left. */
TEST(a_picture_goes_with_its_view)
{
	struct graphic_terminal *t =
		run("sixel", (struct graphic_answers){ .cell = CELL, .device = SIXELS });

	assert_true(graphic_terminal_drawn(t) > 0);
	type(t, "3");
	assert_int_equal(graphic_terminal_drawn(t), 0);
	type(t, "2");
	assert_true(graphic_terminal_drawn(t) > 0);
	type(t, "?");
	assert_int_equal(graphic_terminal_drawn(t), 0);
	type(t, "q");
	type(t, ":set graphics none\r");
	assert_int_equal(graphic_terminal_drawn(t), 0);
	t->asked = false;
	type(t, ":set graphics sixel\r");
	assert_true(graphic_terminal_drawn(t) > 0);
	quit(t);
}

/* The last picture by kitty's protocol: its pixels, and where its sequences begin. */
static struct picture kitty_picture(const struct graphic_terminal *t, const char **begin)
{
	OWNED_STR png = STR_INIT;
	const char *end;

	*begin = NULL;
	for (const char *next = t->sent.text; (next = strstr(next, "\033_Ga=T")); next++)
		*begin = next;
	if (!*begin)
		return (struct picture){ 0 };
	for (end = *begin; strncmp(end, "\033_G", 3) == 0; end = strstr(end, "\033\\") + 2)
		;
	kitty_payload(&png, *begin, (size_t)(end - *begin), "a=T,f=100,i=7301,p=1,c=");
	return decode_png(&png);
}

/* Both kinds have the same pixels, but where sixels leave room for text. */
TEST(kitty_and_sixel_are_one_picture)
{
	const struct graphic_answers both = { .kitty = KITTY, .cell = CELL, .device = SIXELS };
	struct graphic_terminal *a = run("auto", both), *b = run("sixel", both);
	const char *at;
	struct picture p = kitty_picture(a, &at);
	int row = 0, col = 0, same = 0;

	assert_non_null(p.pixels);
	assert_int_equal(a->sixels, 0);
	assert_true(b->sixels > 0);
	/* The cursor is put where the picture begins. */
	while (*--at != '\033')
		;
	assert_int_equal(sscanf(at, "\033[%d;%dH", &row, &col), 2);
	for (int y = 0; y < p.h; y++)
		for (int x = 0; x < p.w; x++) {
			const int py = (row - 1) * GRAPHIC_H + y, px = (col - 1) * GRAPHIC_W + x;
			const uint32_t in_a = p.pixels[y * p.w + x], in_b = b->pixels[py][px];
			const uint32_t ch = b->text[py / GRAPHIC_H][px / GRAPHIC_W];

			if (ch != ' ' && ch != 0xa0)
				assert_int_equal(in_b, 0);
			else
				assert_int_equal(in_b,
						 in_a ? PICTURE_DRAWN |
								 picture_percent(in_a & 0xffffff)
						      : 0);
			same += in_b != 0;
		}
	assert_int_equal(same, graphic_terminal_drawn(b));
	free(p.pixels);
	quit(a);
	quit(b);
}

/* A picture that is larger than the terminal takes comes in pieces. */
TEST(large_pictures_in_pieces)
{
	struct graphic_terminal *a =
		run("sixel", (struct graphic_answers){ .cell = CELL,
						       .limits = "\033[?1;0;256S\033[?2;0;100;64S",
						       .device = SIXELS });
	struct graphic_terminal *b =
		run("sixel", (struct graphic_answers){ .cell = CELL, .device = SIXELS });

	assert_true(a->sixels > 20);
	assert_memory_equal(a->pixels, b->pixels, sizeof a->pixels);
	assert_null(strstr(a->sent.text, "\"1;1;104;"));
	quit(a);
	quit(b);
}

/* ---- terminals that cannot, and say it so or so ---- */

static void shows_cells(const char *graphics, struct graphic_answers answers)
{
	struct graphic_terminal *usual = run("none", (struct graphic_answers){ 0 });
	struct graphic_terminal *t = run(graphics, answers);
	OWNED_STR expected = STR_INIT, text = STR_INIT;
	const char *at;

	assert_true(t->asked);
	/* Where answers were late, they have come by now. */
	graphic_terminal_text(usual, &expected);
	graphic_terminal_text(t, &text);
	assert_string_equal(text.text, expected.text);
	assert_int_equal(graphic_terminal_drawn(t), 0);
	assert_null(kitty_picture(t, &at).pixels);
	/* A key at once could belong to an answer that broke off. */
	poll(NULL, 0, 300);
	quit(usual);
	quit(t);
}

TEST(terminals_without_pictures)
{
	shows_cells("auto", (struct graphic_answers){ 0 });
	shows_cells("auto", (struct graphic_answers){ .device = PLAIN });
	shows_cells("auto", (struct graphic_answers){ .kitty = NO_KITTY, .device = "\033[?62c" });
	/* The class of a terminal is no attribute of it. */
	shows_cells("sixel", (struct graphic_answers){ .cell = CELL, .device = "\033[?4;1c" });
	shows_cells("sixel", (struct graphic_answers){ .kitty = KITTY, .device = PLAIN });
	shows_cells("kitty", (struct graphic_answers){ .cell = CELL, .device = SIXELS });
}

TEST(terminals_that_lie)
{
	shows_cells("auto",
		    (struct graphic_answers){ .cell = "\033[6;1000;1000t", .device = SIXELS });
	shows_cells("auto", (struct graphic_answers){
				    .cell = "\033[6;0;1t", .device = SIXELS, .no_pixels = true });
	shows_cells("auto", (struct graphic_answers){ .device = SIXELS, .no_pixels = true });
	/* Broken off, or never ended. */
	shows_cells("auto",
		    (struct graphic_answers){ .kitty = "\033_Gi=31;OK", .device = "\033[?62" });
	shows_cells("auto", (struct graphic_answers){ .device = "\033[?62;;;4;4;4;4;" });
}

/* Without pictures, and without a key for what comes after the time limit. */
TEST(answers_after_the_time_limit)
{
	shows_cells("auto", (struct graphic_answers){ .kitty = KITTY,
						      .cell = CELL,
						      .limits = LIMITS,
						      .device = SIXELS,
						      .late_ms = 3300 });
}

/* A terminal that is far away shows pictures a little later. */
TEST(answers_that_come_late_or_in_pieces)
{
	const struct graphic_answers all[] = {
		{ .cell = CELL, .limits = LIMITS, .device = SIXELS, .late_ms = 900 },
		{ .kitty = NO_KITTY,
		  .cell = CELL,
		  .limits = LIMITS,
		  .device = SIXELS,
		  .in_pieces = true },
		{ .limits = LIMITS, .device = SIXELS }, /* the system has the size of cells */
		{ .cell = CELL, .device = SIXELS, .no_pixels = true },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct graphic_terminal *t = run("auto", all[i]);

		assert_true(graphic_terminal_drawn(t) > 0);
		check_redrawn(t, "the start");
		quit(t);
	}
}

/* What is typed before the answers is not lost, and is not mixed up with them. */
TEST(keys_between_questions_and_answers)
{
	const struct graphic_answers usual = { .cell = CELL, .device = SIXELS };
	struct graphic_answers typed = usual;
	struct graphic_terminal *t, *u = run("auto", usual);
	OWNED_STR a = STR_INIT, b = STR_INIT;

	typed.typed = "3";
	typed.late_ms = 900; /* by then it is loaded */
	t = run("auto", typed);
	type(u, "3");
	graphic_terminal_text(t, &a);
	graphic_terminal_text(u, &b);
	assert_string_equal(a.text, b.text);
	type(t, "2");
	type(u, "2");
	assert_memory_equal(t->pixels, u->pixels, sizeof t->pixels);
	quit(t);
	quit(u);
}
