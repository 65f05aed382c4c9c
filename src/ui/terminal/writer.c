#include "ui/terminal/writer.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/mem.h"
#include "ui/terminal/writer_look.h"

enum {
	LINES = ATTR_UNDERLINE | ATTR_REVERSE, /* that are seen on a blank */
	GAP = 4,    /* bytes of cells written again where the cursor would be moved else */
	ERASED = 12 /* blanks that are erased and passed in fewer bytes than they are */
};

static const struct ink nothing = { .ch = ' ', .fg = -1, .bg = -1 };

/* A blank that shows its ground alone. */
static bool is_ground(const struct ink *ink)
{
	return ink->ch == ' ' && !(ink->attr & LINES);
}

bool writer_differs(const struct ink *new, const struct ink *old)
{
	if (new->ch != old->ch || new->bg != old->bg)
		return true;
	return !(is_ground(new) && is_ground(old)) &&
	       (new->fg != old->fg || new->attr != old->attr);
}

/* ---- places ---- */

static void add_sequence(struct writer *w, int number, char command)
{
	str_add(&w->out, "\033[");
	if (number != 1)
		str_add_int(&w->out, number);
	str_add_char(&w->out, command);
}

static unsigned digits(int n)
{
	return n < 10 ? 1 : n < 100 ? 2 : n < 1000 ? 3 : 4;
}

static void add_place(struct writer *w, int x, int y)
{
	str_add(&w->out, "\033[");
	if (y > 0 || x > 0)
		str_add_int(&w->out, y + 1);
	if (x > 0) {
		str_add_char(&w->out, ';');
		str_add_int(&w->out, x + 1);
	}
	str_add_char(&w->out, 'H');
}

static void place(struct writer *w, int x, int y)
{
	const int by = x - w->x;

	if (w->x == x && w->y == y)
		return;
	if (!w->terminal->ansi) {
		/* Some draw a line while they move. */
		writer_set_look(w, &nothing);
		w->terminal->place(&w->out, x, y);
	} else if (w->x >= 0 && w->y == y && by > 0 &&
		   (by == 1 || digits(by) < digits(y + 1) + 1 + digits(x + 1))) {
		add_sequence(w, by, 'C');
	} else {
		add_place(w, x, y);
	}
	w->x = x;
	w->y = y;
}

/* ---- cells ---- */

static void put_char(struct writer *w, uint32_t ch)
{
	utf8proc_uint8_t bytes[4] = { 0 };

	if (ch < 0x80)
		str_add_char(&w->out, (char)ch);
	else
		str_add_n(&w->out, (const char *)bytes,
			  (size_t)utf8proc_encode_char((utf8proc_int32_t)ch, bytes));
}

/* A cell that is not the second half of a wide character. Whether a terminal takes a wide one for
 * that is not known, nor where its cursor is after the last column. */
static void put_cell(struct writer *w, const struct ink *row, int x)
{
	const bool wide = x + 1 < w->w && row[x + 1].ch == 0;

	/* There it would scroll. */
	if (w->terminal->wraps && x == w->w - 1 && w->y == w->h - 1)
		return;
	put_char(w, row[x].ch);
	w->x = wide || x == w->w - 1 ? -1 : x + 1;
}

/* The end of the blanks from x on, of cells that are to be written, on one ground. */
static int blanks_end(const struct ink *row, const bool *write, int x, int n)
{
	const int bg = row[x].bg;

	while (x < n && write[x] && is_ground(&row[x]) && row[x].bg == bg)
		x++;
	return x;
}

/* Blanks. If others in their look follow, or cells of another ground, that is set at once. */
static int put_blanks(struct writer *w, const struct ink *row, const bool *write, int x,
		      int row_end)
{
	const int end = blanks_end(row, write, x, w->w), bg = row[x].bg;
	const bool erased = w->terminal->erases && end - x >= ERASED && !w->exactly &&
			    (bg < 0 || w->terminal->own_ground);
	const int last = erased && end == row_end ? end - 1 : end;
	const bool goes_on = end < w->w && write[end] && row[end].ch != 0;

	if (!erased && !writer_shows_ground(w, bg) && goes_on &&
	    writer_same_look(&row[end], &row[x]))
		writer_set_look(w, &row[end]);
	else
		writer_set_ground(w, bg,
				  erased                            ? GROUND_ERASED
				  : goes_on && is_ground(&row[end]) ? row[end].bg
								    : GROUND_OTHER);
	if (erased) {
		place(w, x, w->y);
		add_sequence(w, last - x, 'X');
		if (last < end)
			place(w, last, w->y);
		x = last;
	}
	for (; x < end; x++)
		put_cell(w, row, x);
	return end;
}

/* From x on nothing but blanks on the terminal's own ground. */
static int cleared_from(const struct writer *w, const struct ink *row)
{
	int x = w->w;

	if (!w->terminal->clears || w->exactly)
		return x;
	while (x > 0 && is_ground(&row[x - 1]) && row[x - 1].bg < 0)
		x--;
	return x;
}

/* Bytes of the cells [from, to) if they can be written again as they are; more than GAP if not. */
static int gap_bytes(const struct writer *w, const struct ink *row, int from, int to)
{
	int bytes = 0;

	for (int x = from; x < to && bytes <= GAP; x++) {
		const struct ink look = writer_look_of(w, &row[x]);
		const bool fits = is_ground(&row[x]) ? writer_shows_ground(w, row[x].bg)
						     : writer_same_look(&look, &w->set);

		if (!fits || row[x].ch == 0 || (x + 1 < w->w && row[x + 1].ch == 0))
			return GAP + 1;
		bytes += row[x].ch < 0x80 ? 1 : row[x].ch < 0x800 ? 2 : 3;
	}
	return bytes;
}

/* Takes the cursor to column x, by cells that are between where that is shorter. */
static void go_to(struct writer *w, const struct ink *row, int x, int y)
{
	const int by = x - w->x;

	if (w->x >= 0 && w->y == y && by > 0 && by <= GAP && !w->exactly &&
	    gap_bytes(w, row, w->x, x) <= (by == 1 ? 3 : 4)) {
		for (int i = w->x; i < x; i++)
			put_char(w, row[i].ch);
		w->x = x;
		return;
	}
	place(w, x, y);
}

/* Marks the cells to be written; whether there is any. Halves of wide characters go together. */
static bool choose_cells(int n, const struct ink *new, const struct ink *old, const bool *forced,
			 bool *write)
{
	bool any = false;

	for (int x = 0; x < n; x++) {
		write[x] = (forced && forced[x]) || writer_differs(&new[x], &old[x]);
		any |= write[x];
	}
	for (int x = 1; x < n && any; x++)
		write[x] |= write[x - 1] && (new[x].ch == 0 || old[x].ch == 0);
	for (int x = n - 1; x > 0 && any; x--)
		write[x - 1] |= write[x] && (new[x].ch == 0 || old[x].ch == 0);
	return any;
}

/* The cell after the last one that is not the terminal's own ground, if that one is a blank. */
static int last_blank(const struct ink *row, int n)
{
	while (n > 0 && is_ground(&row[n - 1]) && row[n - 1].bg < 0)
		n--;
	return n > 0 && is_ground(&row[n - 1]) ? n : 0;
}

/* The last blank that is seen in a row is written: erased cells there are lost in copies, and by
 * multiplexers. (Moved rows may end in an erased one.) */
static void write_last(const struct ink *new, const struct ink *old, int n, bool *write)
{
	const int last = last_blank(new, n);

	if (last > 0 && last != last_blank(old, n))
		write[last - 1] = true;
}

static void clear_end(struct writer *w, const bool *write, int y, int from)
{
	int wanted = 0, first = w->w;

	for (int x = w->w - 1; x >= from; x--)
		if (write[x]) {
			wanted++;
			first = x;
		}
	if (wanted == 0)
		return;
	place(w, first, y);
	writer_set_ground(w, -1, GROUND_ERASED);
	str_add(&w->out, "\033[K");
}

bool writer_row(struct writer *w, int y, const struct ink *new, const struct ink *old,
		const bool *forced)
{
	OWNED bool *write = xmalloc(((size_t)w->w + 1) * sizeof *write);
	int end;

	if (!choose_cells(w->w, new, old, forced, write))
		return false;
	if (w->terminal->erases)
		write_last(new, old, w->w, write);
	end = cleared_from(w, new);
	for (int x = 0; x < end;) {
		if (!write[x] || new[x].ch == 0) {
			x++;
			continue;
		}
		go_to(w, new, x, y);
		if (is_ground(&new[x])) {
			x = put_blanks(w, new, write, x, end);
		} else {
			writer_set_look(w, &new[x]);
			put_cell(w, new, x++);
		}
	}
	clear_end(w, write, y, end);
	return true;
}

/* ---- frames ---- */

void writer_begin(struct writer *w, const struct writer_terminal *terminal, int width, int height,
		  int x, int y)
{
	*w = (struct writer){ .terminal = terminal,
			      .out = STR_INIT,
			      .w = width,
			      .h = height,
			      .x = x,
			      .y = y,
			      .set = nothing };
}

void writer_clear(struct writer *w)
{
	writer_set_ground(w, -1, GROUND_ERASED);
	if (w->terminal->ansi)
		str_add(&w->out, "\033[H\033[2J");
	else
		w->terminal->clear(&w->out);
	w->x = -1;
}

void writer_move_row(struct writer *w, int y, int x, int by)
{
	place(w, x, y);
	writer_set_ground(w, -1, GROUND_ERASED);
	add_sequence(w, abs(by), by > 0 ? 'P' : '@');
}

void writer_move_rows(struct writer *w, int top, int bottom, int by)
{
	writer_set_ground(w, -1, GROUND_ERASED);
	str_add_fmt(&w->out, "\033[%d;%dr", top + 1, bottom);
	add_place(w, 0, by > 0 ? bottom - 1 : top);
	for (int i = 0; i < abs(by); i++)
		str_add(&w->out, by > 0 ? "\n" : "\033M");
	str_add(&w->out, "\033[r");
	w->x = -1; /* setting them moves the cursor */
}

void writer_end(struct writer *w, int x, int y)
{
	writer_set_look(w, &nothing);
	place(w, x, y);
}

void writer_fini(struct writer *w)
{
	str_fini(&w->out);
}
