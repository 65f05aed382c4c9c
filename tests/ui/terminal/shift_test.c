/* Rows that the terminal moves: what is guessed and done to a row against a plain loop, and the
 * program's screen, panned in every way, against the same screen drawn anew. */
#include "harness/test.h"
#include "ui/terminal/shift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "harness/random.h"
#include "harness/terminal.h"

enum { W = 90, H = 5, QUIET_MS = 60, LIMIT_MS = 60000, ROWS = 36, COLS = 140 };

/* ---- the arithmetic ---- */

static struct cell any_cell(struct rng *r)
{
	return (struct cell){ .ch = 'a' + rng_below(r, 4), .fg = (uint8_t)rng_below(r, 3) };
}

/* Labels stand, a picture behind them has moved by `by`, what comes in is new. */
static void moved_picture(struct rng *r, int by, struct cell *new, struct cell *old)
{
	for (int i = 0; i < W * H; i++)
		new[i] = old[i] = any_cell(r);
	for (int y = 0; y < H; y++)
		for (int x = 10; x < W; x++)
			new[y * W + x] =
				x + by >= 10 && x + by < W ? old[y * W + x + by] : any_cell(r);
}

TEST(a_moved_picture_is_found)
{
	struct cell new[W * H], old[W * H];
	struct rng r = { 7 };

	for (int by = -50; by <= 50; by++) {
		moved_picture(&r, by, new, old);
		assert_int_equal(shift_guess(new, old, W, H), by);
		for (int y = 0; by && y < H; y++) {
			const int from = shift_from(&new[y * W], &old[y * W], W, by);

			/* The first new cells may be the old ones by chance. */
			assert_in_range(from, 10, 20);
		}
	}
	for (int i = 0; i < W * H; i++)
		new[i] = any_cell(&r);
	for (int y = 0; y < H; y++)
		assert_int_equal(shift_from(&new[y * W], &new[y * W], W, 5), -1);
	/* Second halves of wide characters stay. */
	moved_picture(&r, 20, new, old);
	old[50].ch = 0;
	assert_int_equal(shift_from(new, old, W, 20), -1);
	assert_true(shift_from(&new[W], &old[W], W, 20) >= 10);
}

TEST(rows_move_as_in_a_loop)
{
	const char blank = '.';
	struct rng r = { 8 };

	for (int turn = 0; turn < 2000; turn++) {
		const int w = 1 + (int)rng_below(&r, 12), from = (int)rng_below(&r, (uint32_t)w);
		const int by = (int)rng_below(&r, 31) - 15;
		char row[16], want[16];

		for (int x = 0; x < w; x++)
			row[x] = want[x] = (char)('a' + x);
		for (int x = from; by && x < w; x++)
			want[x] = x + by >= from && x + by < w ? (char)('a' + x + by) : blank;
		if (by)
			shift_row(row, 1, w, from, by, &blank);
		assert_memory_equal(row, want, (size_t)w);
	}
}

/* ---- the screen ---- */

/* Characters as their bytes in UTF-8. */
enum {
	NO_BREAK_SPACE = 0xc2a0,
	HALF_UP = 0xe29680,
	HALF_DOWN = 0xe29684,
	HALF_LEFT = 0xe2968c,
	HALF_RIGHT = 0xe29690
};

struct seen {
	uint32_t ch;
	struct terminal_look look;
};

static void exchange_colours(struct terminal_look *look)
{
	char fg[sizeof look->fg];

	strcpy(fg, look->fg);
	strcpy(look->fg, look->bg);
	strcpy(look->bg, fg);
}

/* What is to be seen: the ink of a blank is not, and a half block is the other one with its colours
 * exchanged, as reverse does where both are named. */
static struct seen normal(uint32_t ch, struct terminal_look look)
{
	if (ch == NO_BREAK_SPACE)
		ch = ' ';
	if (look.reverse && strcmp(look.fg, "default") != 0 && strcmp(look.bg, "default") != 0) {
		exchange_colours(&look);
		look.reverse = false;
	}
	if (ch == ' ' && !look.reverse && !look.underline) {
		strcpy(look.fg, "any");
		look.bold = false;
	}
	if (ch == HALF_RIGHT || ch == HALF_UP) {
		exchange_colours(&look);
		ch = ch == HALF_RIGHT ? HALF_LEFT : HALF_DOWN;
	}
	return (struct seen){ ch, look };
}

static void see(const struct terminal *t, struct seen seen[ROWS][COLS])
{
	OWNED char *text = terminal_text(t);
	const char *in = text;

	for (int y = 0; y < ROWS; y++) {
		for (int x = 0; x < COLS; x++) {
			uint32_t ch = ' ';

			if (*in && *in != '\n') {
				const char *end = in + str_utf8_length(in, strlen(in));

				for (ch = 0; in < end; in++)
					ch = ch << 8 | (unsigned char)*in;
			}
			seen[y][x] = normal(ch, terminal_look(t, y, x));
		}
		in += *in == '\n';
	}
}

static void assert_same_screen(struct seen a[ROWS][COLS], struct seen b[ROWS][COLS],
			       const char *after)
{
	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < COLS; x++) {
			const struct seen *p = &a[y][x], *q = &b[y][x];

			if (p->ch != q->ch || strcmp(p->look.fg, q->look.fg) != 0 ||
			    strcmp(p->look.bg, q->look.bg) != 0 || p->look.bold != q->look.bold ||
			    p->look.reverse != q->look.reverse)
				fail_msg("after %s, row %d, column %d: %x %s on %s, drawn anew "
					 "%x %s on %s",
					 after, y + 1, x + 1, p->ch, p->look.fg, p->look.bg, q->ch,
					 q->look.fg, q->look.bg);
		}
}

/* What pans brought, and what drawing the same anew did. */
struct bytes {
	uint64_t panned, anew;
};

/* Something finer may come a moment later. */
static bool rests(struct terminal *t)
{
	return terminal_rest(t, LIMIT_MS) && terminal_settle(t, QUIET_MS, LIMIT_MS);
}

static struct bytes pan_about(const char *term)
{
	static const char *const keys[] = { "d", "a", "d", "d", "a", "j",
					    "l", "w", "d", "s", "k", "h" };
	static struct seen panned[ROWS][COLS], anew[ROWS][COLS];
	const struct terminal_options options = { .rows = ROWS, .cols = COLS, .term = term };
	char home[] = "/tmp/tview-shift-XXXXXX", command[64];
	struct rng r = { 5 };
	struct terminal *t;
	struct bytes bytes = { 0, 0 };

	assert_non_null(mkdtemp(home));
	t = terminal_open(TEST_BUILD "/tview --no-cache --view timeline traces/otf2/mg.S-4",
			  &options, home);
	assert_non_null(t);
	assert_true(rests(t));
	for (int i = 0; i < 2; i++)
		terminal_key(t, "w");
	assert_true(rests(t));
	for (int turn = 0; turn < 16; turn++) {
		const char *key = keys[turn < 12 ? turn : (int)rng_below(&r, 12)];
		const bool pans = *key == 'a' || *key == 'd';
		uint64_t before = terminal_bytes(t);

		terminal_key(t, key);
		assert_true(rests(t));
		bytes.panned += pans ? terminal_bytes(t) - before : 0;
		see(t, panned);
		before = terminal_bytes(t);
		terminal_key(t, "C-l");
		assert_true(rests(t));
		bytes.anew += pans ? terminal_bytes(t) - before : 0;
		see(t, anew);
		assert_same_screen(panned, anew, key);
	}
	terminal_close(t);
	snprintf(command, sizeof command, "rm -r %s", home);
	assert_int_equal(system(command), 0);
	return bytes;
}

TEST(a_panned_screen_is_as_drawn_anew)
{
	const struct bytes moved = pan_about("xterm-256color");

	assert_true(moved.panned > 0);
	assert_true(moved.panned < moved.anew / 2);
	pan_about("screen"); /* 8 colours */
	pan_about("vt100");  /* moves nothing */
}
