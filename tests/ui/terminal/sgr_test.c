/* Shorter streams show the same: both are played into libvterm, cell by cell. */
#include "harness/test.h"
#include "ui/terminal/sgr.h"

#include <stdlib.h>
#include <string.h>

#include <vterm.h>

#include "harness/random.h"

enum { ROWS = 12, COLUMNS = 40 };

static VTerm *play(const char *bytes, size_t n)
{
	VTerm *vt = vterm_new(ROWS, COLUMNS);

	vterm_set_utf8(vt, 1);
	vterm_screen_reset(vterm_obtain_screen(vt), 1);
	vterm_input_write(vt, bytes, n);
	return vt;
}

static void assert_same_screen(VTerm *a, VTerm *b)
{
	for (VTermPos at = { 0, 0 }; at.row < ROWS; at.row++) {
		for (at.col = 0; at.col < COLUMNS; at.col++) {
			VTermScreenCell x, y;
			vterm_screen_get_cell(vterm_obtain_screen(a), at, &x);
			vterm_screen_get_cell(vterm_obtain_screen(b), at, &y);
			assert_int_equal(x.chars[0], y.chars[0]);
			assert_int_equal(x.attrs.underline, y.attrs.underline);
			assert_int_equal(x.attrs.reverse, y.attrs.reverse);
			assert_int_equal(x.attrs.italic, y.attrs.italic);
			assert_true(vterm_color_is_equal(&x.bg, &y.bg));
			/* The ink of a blank is not seen, but where a line is drawn in it or the
			 * two are exchanged. */
			if ((x.chars[0] == 0 || x.chars[0] == ' ' || x.chars[0] == 0xa0) &&
			    !x.attrs.underline && !x.attrs.reverse)
				continue;
			assert_int_equal(x.attrs.bold, y.attrs.bold);
			assert_true(vterm_color_is_equal(&x.fg, &y.fg));
		}
	}
}

/* Shortens, and shows that it looks the same; how many bytes it came to. */
static size_t check(const char *bytes, size_t n)
{
	struct str shorter = STR_INIT;
	VTerm *a = play(bytes, n), *b;
	size_t length;

	sgr_shorten(bytes, n, NULL, &shorter);
	length = shorter.n;
	b = play(shorter.text, length);
	assert_same_screen(a, b);
	vterm_free(a);
	vterm_free(b);
	str_fini(&shorter);
	return length;
}

static void shortened(const char *from, const char *to)
{
	struct str out = STR_INIT;

	sgr_shorten(from, strlen(from), NULL, &out);
	assert_string_equal(out.text, to);
	str_fini(&out);
	check(from, strlen(from));
}

/* Columns of a bar: the ink of the blanks is not sent, and that of the others stays. */
TEST(blanks_change_the_ground_alone)
{
	shortened("\033[38;5;24;48;5;109m#\033[38;5;255;48;5;24m  \033[38;5;24;48;5;109m#",
		  "\033[0;38;5;24;48;5;109m#\033[48;5;24m  \033[48;5;109m#");
	shortened("\033[38;5;24;48;5;109m#\033[38;5;255;48;5;24m\u00a0\033[m",
		  "\033[0;38;5;24;48;5;109m#\033[48;5;24m\u00a0\033[m");
	/* A line is drawn in the ink; text after them needs both. */
	shortened("\033[38;5;24;48;5;109m#\033[4;38;5;255;48;5;24m ",
		  "\033[0;38;5;24;48;5;109m#\033[4;38;5;255;48;5;24m ");
	shortened("\033[38;5;24;48;5;109m#\033[38;5;255;48;5;24m  x",
		  "\033[0;38;5;24;48;5;109m#\033[38;5;255;48;5;24m  x");
}

TEST(only_what_changes_is_sent)
{
	shortened("\033[38;5;175m\033[48;5;25mab\033[38;5;255m\033[48;5;25mc\033(B\033[m",
		  "\033[0;38;5;175;48;5;25mab\033[38;5;255mc\033(B\033[m");
	/* Set and set back before anything is drawn: nothing. */
	shortened("\033[1mx\033[m\033[1my\033[m", "\033[0;1mxy\033[m");
	/* What is gone must be taken back. */
	shortened("\033[1;31mx\033[m\033[31my\033[m", "\033[0;1;31mx\033[0;31my\033[m");
	shortened("\033[38;5;25m\033[48;5;7mx\033[39;49m\033[38;5;25my\033[m",
		  "\033[0;38;5;25;48;5;7mx\033[49my\033[m");
	/* Places do not need colours, what is cleared does. */
	shortened("\033[44m\033[3;4H\033[Kx\033[m", "\033[3;4H\033[0;44m\033[Kx\033[m");
	shortened("plain", "\033[mplain");
	/* Ink is no matter to blanks and what leaves them, ground and lines are. */
	shortened("\033[35mx\033[m \033[3P\033[35my\033[m", "\033[0;35mx \033[3Py\033[m");
	shortened("\033[35mx\033[41m \033[m", "\033[0;35mx\033[41m \033[m");
	shortened("\033[4mx\033[m y", "\033[0;4mx\033[m y");
	shortened("\033[1mx\033[7m y\033[m", "\033[0;1mx\033[7m y\033[m");
	/* Only the last place counts, and one choice of a character set. */
	shortened("\033[3;4H\r\033[5;6Hx\033(B\b\033[2dy\033(Bz\033[7;7H",
		  "\033[5;6H\033[mx\033(B\b\033[2dyz\033[7;7H");
	shortened("", "\033[m");
}

/* Numbers of the palette that stand for exact colours; the eight classic ones, and others, do not. */
TEST(exact_colours_replace_their_numbers)
{
	static const char from[] = "\033[38;5;30m\033[44mx\033[38;5;31my\033[38;5;32mz\033[m";
	struct str out = STR_INIT;
	int exact[256];

	memset(exact, -1, sizeof exact);
	exact[30] = 0x2a5470;
	exact[31] = 0xff6a1a;
	sgr_shorten(from, strlen(from), exact, &out);
	assert_string_equal(out.text, "\033[0;38;2;42;84;112;44mx\033[38;2;255;106;26my"
				      "\033[38;5;32mz\033[m");
	str_fini(&out);
}

TEST(what_is_not_understood_passes)
{
	shortened("\033[31mx\033[38:2::1:2:3my\033[31mz\033[31mz\033[m",
		  "\033[0;31mx\033[38:2::1:2:3my\033[31mz\033[31mz\033[m");
	shortened("\033[38;2;1;2;3mx\033[m", "\033[0;38;2;1;2;3mx\033[m");
	/* Cut off in the middle of a sequence. */
	shortened("x\033[3", "\033[mx\033[3");
	shortened("x\033", "\033[mx\033");
}

/* Random frames of what curses writes. */
TEST(random_frames_look_the_same)
{
	static const char *const pieces[] = {
		"\033[38;5;%um",
		"\033[48;5;%um",
		"\033[3%um",
		"\033[4%um",
		"\033[9%um",
		"\033[10%um",
		"\033[39;49m",
		"\033[m",
		"\033[1m",
		"\033[7m",
		"\033[4m",
		"\033[0;1m",
		"\033[%uX",
		"\033[K",
		"\033[%u;%uH",
		"\033[%uC",
		"\033[22m",
		"\033[27;24m",
		"\r\n",
		"\033[J",
		"\033[38;5;%u;1m",
		"\b",
		"\r",
		"\033(B",
		"\033[%ud",
		"\033[%uG",
	};
	struct rng r = { 11 };
	size_t all = 0, after = 0;

	for (int frame = 0; frame < 300; frame++) {
		OWNED_STR s = STR_INIT;
		for (int i = 0; i < 120; i++) {
			const unsigned n = rng_below(&r, sizeof pieces / sizeof *pieces);
			if (rng_below(&r, 2)) {
				str_add_fmt(&s, "%c", (char)('a' + rng_below(&r, 26)));
				continue;
			}
			/* Numbers of one digit but for places and 256 colours. */
			const unsigned most =
				strstr(pieces[n], "38;") || strstr(pieces[n], "48;") ? 256 : 8;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			str_add_fmt(&s, pieces[n], rng_below(&r, most), 1 + rng_below(&r, 8));
#pragma GCC diagnostic pop
		}
		str_add(&s, "\033[m");
		all += s.n;
		after += check(s.text, s.n);
	}
	assert_true(after < all);
}
