/* Frames in few bytes: each is played into libvterm, and compared cell by cell. */
#include "harness/test.h"
#include "ui/terminal/writer.h"

#include <stdlib.h>
#include <string.h>

#include <vterm.h>

#include "harness/random.h"
#include "ui/terminal/shift.h"

enum { ROWS = 12, COLUMNS = 40, CELLS = ROWS * COLUMNS, RGB = 0x1000000, WIDE = 0x4e00 };

static const struct ink blank = { ' ', -1, -1, 0 };

static void place(struct str *out, int x, int y)
{
	str_add_fmt(out, "\033[%d;%df", y + 1, x + 1);
}

static void look(struct str *out, unsigned attrs)
{
	str_add_fmt(out, "\033[m%s%s", attrs & ATTR_BOLD ? "\033[1m" : "",
		    attrs & ATTR_REVERSE ? "\033[7m" : "");
}

static void clear(struct str *out)
{
	str_add(out, "\033[2J");
}

/* libvterm scrolls as xterm does: after the last column a character waits for the next one. */
static const struct writer_terminal all = { .ansi = true,
					    .clears = true,
					    .erases = true,
					    .moves = true,
					    .scrolls = true,
					    .takes_back = true,
					    .own_ground = true,
					    .attrs = 15,
					    .attrs_in_colour = 15 };
static const struct writer_terminal erasing = { .ansi = true,
						.clears = true,
						.erases = true,
						.own_ground = true,
						.attrs = 15,
						.attrs_in_colour = 15 };
static const struct writer_terminal places = { .ansi = true, .attrs = 15, .attrs_in_colour = 15 };
static const struct writer_terminal strange = { .wraps = true,
						.attrs = ATTR_BOLD | ATTR_REVERSE,
						.place = place,
						.look = look,
						.clear = clear };

/* A terminal, and what is to be seen on it. */
struct played {
	const struct writer_terminal *is;
	VTerm *vt;
	struct ink cells[CELLS];
	int x, y;
	size_t bytes;
	bool exactly;
};

static void begin(struct played *p, const struct writer_terminal *is)
{
	*p = (struct played){ .is = is, .vt = vterm_new(ROWS, COLUMNS) };
	vterm_set_utf8(p->vt, 1);
	vterm_screen_reset(vterm_obtain_screen(p->vt), 1);
	for (int i = 0; i < CELLS; i++)
		p->cells[i] = blank;
}

static void assert_colour(VTermColor is, int colour, bool ground)
{
	if (colour < 0) {
		assert_true(ground ? VTERM_COLOR_IS_DEFAULT_BG(&is)
				   : VTERM_COLOR_IS_DEFAULT_FG(&is));
	} else if (colour & RGB) {
		assert_true(VTERM_COLOR_IS_RGB(&is));
		assert_int_equal(is.rgb.red << 16 | is.rgb.green << 8 | is.rgb.blue,
				 colour & 0xffffff);
	} else {
		assert_true(VTERM_COLOR_IS_INDEXED(&is));
		assert_int_equal(is.indexed.idx, colour);
	}
}

/* The last cell of a row that is seen, a blank: erased ones are lost in copies. */
static bool ends_row(const struct ink *row, int x)
{
	if (row[x].ch != ' ' || row[x].bg < 0)
		return false;
	while (++x < COLUMNS)
		if (row[x].ch != ' ' || row[x].bg >= 0 ||
		    (row[x].attr & (ATTR_UNDERLINE | ATTR_REVERSE)))
			return false;
	return true;
}

/* A blank that is seen by its ground alone may be in reverse; what is drawn, in exchanged colours, too:
 * as it would be without. */
static void turn_back(VTermScreenCell *is, const struct ink *want, unsigned lines)
{
	const bool reverse = want->attr & lines & ATTR_REVERSE;
	const bool drawn =
		want->ch >= 0x2580 && want->ch < 0x2900 && want->fg >= 0 && want->bg >= 0;
	const bool ground = want->ch == ' ' && !(want->attr & lines) && want->bg >= 0;
	const VTermColor fg = is->fg;

	if (is->attrs.reverse == reverse || (!drawn && !ground))
		return;
	is->fg = is->bg;
	is->bg = fg;
	is->attrs.reverse = reverse;
}

/* The ink of a blank is not seen, but where a line is drawn in it or the two are exchanged. */
static void assert_shown(const struct played *p)
{
	const unsigned lines = p->is->attrs & (ATTR_UNDERLINE | ATTR_REVERSE);

	for (VTermPos at = { 0, 0 }; at.row < ROWS; at.row++)
		for (at.col = 0; at.col < COLUMNS; at.col++) {
			const struct ink *want = &p->cells[at.row * COLUMNS + at.col];
			const bool is_blank = want->ch == ' ';
			VTermScreenCell is;

			if (want->ch == 0 ||
			    (p->is->wraps && at.row * COLUMNS + at.col == CELLS - 1))
				continue;
			vterm_screen_get_cell(vterm_obtain_screen(p->vt), at, &is);
			turn_back(&is, want, lines);
			assert_int_equal(is.chars[0] ? is.chars[0] : ' ', want->ch);
			if (!p->is->moves && ends_row(want - at.col, at.col))
				assert_int_equal(is.chars[0], ' ');
			assert_colour(is.bg, want->bg, true);
			assert_int_equal(is.attrs.reverse, !!(want->attr & lines & ATTR_REVERSE));
			assert_int_equal(is.attrs.underline,
					 !!(want->attr & lines & ATTR_UNDERLINE));
			if (is_blank && !(want->attr & lines))
				continue;
			assert_colour(is.fg, want->fg, false);
			assert_int_equal(is.attrs.bold, !!(want->attr & ATTR_BOLD));
		}
}

static void play(struct played *p, struct writer *w)
{
	VTermPos at;

	writer_end(w, p->x, p->y);
	vterm_input_write(p->vt, w->out.text, w->out.n);
	p->bytes += w->out.n;
	vterm_state_get_cursorpos(vterm_obtain_state(p->vt), &at);
	if (w->out.n > 0) {
		assert_int_equal(at.row, p->y);
		assert_int_equal(at.col, p->x);
	}
	writer_fini(w);
}

static int any_colour(struct rng *r)
{
	static const int colours[] = { -1, -1, 1, 7, 12, 30, 255, RGB | 0x0a141e };

	return colours[rng_below(r, sizeof colours / sizeof *colours)];
}

/* Changes a stretch of a row: one look, blanks or characters. */
static void change(struct rng *r, const struct played *p, struct ink *row)
{
	static const uint32_t chars[] = { ' ', ' ', ' ', 0xa0, 'a', 'b', 0x258c, 0x2584, WIDE };
	const int from = (int)rng_below(r, COLUMNS);
	const int n = 1 + (int)rng_below(r, rng_below(r, 3) ? 6 : COLUMNS);
	const bool colours = p->is->ansi;
	struct ink ink = { chars[rng_below(r, sizeof chars / sizeof *chars)],
			   colours ? any_colour(r) : -1, colours ? any_colour(r) : -1,
			   rng_below(r, 4) ? 0 : rng_below(r, 16) & p->is->attrs };

	for (int x = from; x < from + n && x < COLUMNS; x++) {
		const bool wide = ink.ch == WIDE && x + 1 < from + n && x + 1 < COLUMNS;

		/* The other half of what is written over. */
		if (row[x].ch == 0)
			row[x - 1].ch = 'c';
		if (x + 1 + wide < COLUMNS && row[x + 1 + wide].ch == 0)
			row[x + 1 + wide].ch = 'd';
		row[x] = ink;
		if (ink.ch == WIDE && !wide)
			row[x].ch = 'e';
		if (!wide)
			continue;
		row[++x] = ink;
		row[x].ch = 0;
	}
}

static bool has_wide(const struct ink *cells, int n)
{
	for (int i = 0; i < n; i++)
		if (cells[i].ch == 0)
			return true;
	return false;
}

/* Lets the terminal move something, as screen.c does. */
static void move_something(struct rng *r, struct played *p, struct writer *w)
{
	const int y = (int)rng_below(r, ROWS - 1), x = (int)rng_below(r, COLUMNS - 1);
	const int bottom = y + 2 + (int)rng_below(r, (uint32_t)(ROWS - y - 1));
	const int way = rng_below(r, 2) ? 1 : -1;
	struct ink *row = &p->cells[y * COLUMNS];
	int by;

	if (p->is->scrolls && rng_below(r, 4) == 0) {
		by = way * (1 + (int)rng_below(r, (uint32_t)(bottom - y)));
		writer_move_rows(w, y, bottom, by);
		shift_row(row, sizeof blank, (bottom - y) * COLUMNS, 0, by * COLUMNS, &blank);
	}
	if (p->is->moves && rng_below(r, 4) == 0 && !has_wide(row, COLUMNS)) {
		by = way * (1 + (int)rng_below(r, (uint32_t)(COLUMNS - x)));
		writer_move_row(w, y, x, by);
		shift_row(row, sizeof blank, COLUMNS, x, by, &blank);
	}
}

static void play_frame(struct rng *r, struct played *p)
{
	struct ink new[CELLS];
	struct writer w;

	writer_begin(&w, p->is, COLUMNS, ROWS, p->x, p->y);
	w.exactly = p->exactly;
	if (rng_below(r, 50) == 0) {
		writer_clear(&w);
		for (int i = 0; i < CELLS; i++)
			p->cells[i] = blank;
	}
	move_something(r, p, &w);
	memcpy(new, p->cells, sizeof new);
	for (uint32_t n = rng_below(r, 20); n > 0; n--)
		change(r, p, &new[rng_below(r, ROWS) * COLUMNS]);
	for (int y = 0; y < ROWS; y++)
		writer_row(&w, y, &new[y * COLUMNS], &p->cells[y * COLUMNS], NULL);
	memcpy(p->cells, new, sizeof new);
	p->x = (int)rng_below(r, COLUMNS);
	p->y = (int)rng_below(r, ROWS);
	play(p, &w);
	assert_shown(p);
}

static size_t play_frames(const struct writer_terminal *is, bool exactly)
{
	struct rng r = { 11 };
	struct played p;

	begin(&p, is);
	p.exactly = exactly;
	for (int i = 0; i < 2000; i++)
		play_frame(&r, &p);
	vterm_free(p.vt);
	return p.bytes;
}

TEST(frames_show_their_cells)
{
	const size_t bytes = play_frames(&all, false);

	/* The same frames, but nothing beside the cells that differ. */
	assert_true(bytes < play_frames(&all, true));
	play_frames(&erasing, false);
	play_frames(&places, false);
	play_frames(&strange, false);
}

/* Rows of the cells "abc...", in a colour of their own each: what is sent from the one to the other,
 * from the cursor's place before the row on. */
static void sends(const char *old, const char *old_colours, const char *new, const char *colours,
		  const char *bytes)
{
	const int n = (int)strlen(new);
	struct ink from[COLUMNS], to[COLUMNS];
	struct writer w;

	for (int x = 0; x < n; x++) {
		/* '.': the terminal's own; a digit: the ground; a capital: the ink of it, too. */
		const char o = old_colours[x], c = colours[x];

		from[x] = (struct ink){ (uint32_t)old[x], -1, o == '.' ? -1 : o - '0', 0 };
		to[x] = (struct ink){ (uint32_t) new[x], -1, c == '.' ? -1 : c - '0', 0 };
		if (c >= 'v')
			to[x].bg = 200 + c - 'v';
		else if (c >= 'A')
			to[x] = (struct ink){ (uint32_t) new[x], 2, c - 'A', 0 };
	}
	writer_begin(&w, &all, n, 1, 0, 0);
	writer_row(&w, 0, to, from, NULL);
	writer_end(&w, 0, 0);
	assert_string_equal(w.out.text ? w.out.text : "", bytes);
	writer_fini(&w);
}

TEST(few_bytes_are_sent)
{
	sends("abc", "...", "abc", "...", "");
	sends("abc", "...", "axc", "...", "ax\033[H");
	/* What is between two changes is shorter than a move; a colour is not. */
	sends("abcdefgh", "........", "xbcdxfgh", "........", "xbcdx\033[H");
	sends("abcdefgh", ".1......", "xbcdxfgh", ".1......", "x\033[3Cx\033[H");
	/* Blanks need their ground alone, and what is set for characters stays. */
	sends("        ", "........", "a  b    ", "B.0BBBBB",
	      "\033[32;41ma\033[C\033[40m \033[41mb    \033[m\033[H");
	/* Blanks before characters of the same look have theirs at once. */
	sends("      ", "......", "  x   ", "BBBBBB", "\033[32;41m  x   \033[m\033[H");
	/* Two grounds by turns are two colours, and the reverse of them. */
	sends("      ", "......", "      ", "112233", "\033[41m  \033[42m  \033[43m  \033[m\033[H");
	sends("      ", "......", "      ", "112211", "\033[41m  \033[42m  \033[41m  \033[m\033[H");
	sends("      ", "......", "      ", "vvwwvv",
	      "\033[48;5;200m  \033[7;38;5;201m  \033[27m  \033[m\033[H");
	sends("      ", "......", "ab    ", "BB1212",
	      "\033[32;41mab \033[7m \033[27m \033[7m \033[m\033[H");
	/* The end of a row is cleared, on the terminal's own ground alone; many blanks are erased. */
	sends("abcdefgh", "........", "a       ", "........", "\033[C\033[K\033[H");
	sends("abcdefgh", "........", "a       ", ".1111111", "a\033[41m       \033[m\033[H");
	sends("abcdefghijklmnopq", ".................", "a               q", ".11111111111111..",
	      "a\033[41m\033[14X\033[14C\033[m \033[H");
}
