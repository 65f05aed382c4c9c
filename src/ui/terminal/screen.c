#include "ui/terminal/screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ui/terminal/frame.h"
#include "ui/terminal/ink.h"
#include "ui/terminal/screen_pens.h"
#include "ui/terminal/screen_picture.h"
#include "ui/terminal/screen_replies.h"
#include "ui/terminal/screen_terminfo.h"
#include "ui/terminal/shift.h"
#include "ui/terminal/terminal_type.h"

/* Below this many changed cells a frame is too small to be seen half drawn. */
enum { SYNC_CELLS = 256 };

struct screen {
	SCREEN *curses;
	FILE *in; /* /dev/tty if stdin is not a terminal, else NULL */
	int fd;
	struct signals *signals;
	struct termios modes; /* as they were */
	bool has_modes;
	const struct theme *theme;
	bool ascii, ascii_alone, sync, has_mouse;
	bool wants_drags, has_drags; /* of the mouse, and whether the terminal was asked for them */
	bool moves;                  /* the terminal moves parts of rows sideways */
	bool marks_pastes, pastes;   /* the terminal was asked to say what is pasted; it is so */
	struct replies answers;      /* of the terminal */
	bool own_theme;              /* the user chose it */
	bool cursor_shown;
	int cursor_x, cursor_y;
	int rest_x, rest_y;  /* where the last frame left the cursor, shown or not */
	struct canvas shown; /* what the terminal shows */
	bool forgotten;
	struct pens *pens;
	struct screen_picture picture;
	struct frame frame;       /* takes what curses writes */
	struct ink *sent;         /* [h][w] how `shown` is drawn */
	cchar_t *row;             /* one row on its way out */
	struct cell *line;        /* the same as cells, anchored */
	struct ink *inks, *ahead; /* and as inks */
	bool *changed;
};

/* ---- opening and closing ---- */

static void set_mode(bool *is, bool on, const char *number)
{
	if (on == *is)
		return;
	*is = on;
	printf("\033[?%s%c", number, on ? 'h' : 'l');
	fflush(stdout);
}

/* Curses asks for clicks alone. It must have done so before: the last request holds. */
static void set_drags(struct screen *screen, bool on)
{
	set_mode(&screen->has_drags, on, "1002");
}

/* Those that have a mouse have a clipboard, too. */
static void set_pastes(struct screen *screen, bool on)
{
	set_mode(&screen->marks_pastes, on && key_mouse && screen->has_mouse, PASTE_MODE);
}

static void leave_last_will(const struct screen *screen)
{
	OWNED_STR bytes = STR_INIT;
	if (!screen->has_modes)
		return;
	if (screen->marks_pastes)
		str_add(&bytes, "\033[?" PASTE_MODE "l");
	if (screen->picture.kind == PICTURES_KITTY)
		str_add(&bytes, KITTY_DELETE);
	if (screen->has_mouse)
		str_add(&bytes, "\033[?1006l\033[?1002l\033[?1000l");
	screen_add_leaving(&bytes);
	signals_last_will(screen->fd, &screen->modes, bytes.text, bytes.n);
}

static void show_picture(struct screen *screen, const struct pixels *pixels)
{
	screen_picture_show(&screen->picture, pixels, screen->theme, screen->rest_x,
			    screen->rest_y);
}

void screen_cell(const struct screen *screen, int *w, int *h)
{
	if (!screen_picture_cell(&screen->picture, w, h) || screen_mono(screen) || screen->ascii)
		*w = *h = 0;
}

static void set_modes(struct screen *screen, bool mouse)
{
	raw();
	noecho();
	nonl();
	set_escdelay(25);
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	idlok(stdscr, TRUE);
	typeahead(-1);
	curs_set(0);
	mouseinterval(0);
	define_key(PASTE_BEGIN, CODE_PASTE_BEGIN);
	define_key(PASTE_END, CODE_PASTE_END);
	set_pastes(screen, true);
	screen_set_mouse(screen, mouse);
	screen->cursor_shown = false;
}

static void send_questions(struct screen *screen, unsigned what, const char *questions)
{
	replies_ask(&screen->answers, what, clock_ms());
	fputs(questions, stdout);
	fflush(stdout);
}

/* Sends questions about pictures, and what else is there. */
static void ask(struct screen *screen, unsigned what, const char *graphics)
{
	OWNED_STR questions = STR_INIT;

	if (what & ASKED_GROUND)
		str_add(&questions, REPLIES_GROUND);
	screen_picture_ask(&screen->picture, graphics, &questions);
	what |= screen->picture.wanted ? ASKED_PICTURES : 0;
	if (what)
		send_questions(screen, what, questions.text);
}

/* Where colours are wanted, and the terminal is one of those that know the questions. */
static void ask_first(struct screen *screen, const char *term, const char *graphics)
{
	const char *no_color = getenv("NO_COLOR");
	const bool colours = !screen_mono(screen);

	ask(screen,
	    colours && !screen->own_theme && !(no_color && *no_color) && terminal_syncs(term)
		    ? ASKED_GROUND
		    : 0,
	    colours && !screen->ascii && terminal_may_show_pictures(term) ? graphics : NULL);
}

struct screen *screen_open(const struct screen_options *options, struct signals *signals,
			   struct err *err)
{
	setlocale(LC_CTYPE, "");
	const char *term = terminal_type();
	if (!screen_check_terminal(term, err))
		return NULL;
	struct screen *screen = xcalloc(1, sizeof *screen);
	screen->signals = signals;
	screen->theme = options->theme ? theme_find(options->theme) : terminal_theme();
	screen->own_theme = options->theme != NULL;
	screen->ascii_alone = terminal_is_ascii(term);
	screen->ascii = options->ascii || screen->ascii_alone;
	screen->sync = !options->no_sync && terminal_syncs(term);
	if (!isatty(STDIN_FILENO) && !(screen->in = fopen("/dev/tty", "r+"))) {
		err_errno(err, STATUS_IO,
			  "cannot read keys: stdin is not a terminal, and /dev/tty");
		free(screen);
		return NULL;
	}
	screen->fd = screen->in ? fileno(screen->in) : STDIN_FILENO;
	screen->has_modes = tcgetattr(screen->fd, &screen->modes) == 0;
	screen->curses = newterm(term, stdout, screen->in ? screen->in : stdin);
	if (!screen->curses) {
		err_set(err, STATUS_IO, "cannot open a terminal of type TERM=%s", term);
		if (screen->in)
			fclose(screen->in);
		free(screen);
		return NULL;
	}
	screen->pens = pens_new(term);
	screen->moves = screen_knows_moves();
	frame_open(&screen->frame);
	/* The console's mouse is a daemon's, whose library curses would load: not worth it. */
	screen->has_mouse = strcmp(term, "linux") != 0;
	set_modes(screen, !options->no_mouse);
	leave_last_will(screen);
	ask_first(screen, term, options->graphics);
	signals_catch(signals);
	canvas_init(&screen->shown, 0, 0, screen->ascii);
	screen_resize(screen);
	return screen;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	show_picture(screen, NULL);
	set_drags(screen, false);
	set_pastes(screen, false);
	endwin();
	signals_last_will(-1, NULL, NULL, 0);
	delscreen(screen->curses);
	if (screen->in)
		fclose(screen->in);
	frame_close(&screen->frame);
	screen_picture_fini(&screen->picture);
	canvas_fini(&screen->shown);
	pens_free(screen->pens);
	free_all(screen->row, screen->line, screen->inks, screen->ahead, screen->changed,
		 screen->sent, screen);
}

void screen_size(const struct screen *screen, int *w, int *h)
{
	*w = screen->shown.w;
	*h = screen->shown.h;
}

bool screen_ascii(const struct screen *screen)
{
	return screen->ascii;
}

bool screen_mono(const struct screen *screen)
{
	return pens_depth(screen->pens) == DEPTH_MONO ||
	       theme_background(screen->theme, ROLE_CURSOR, pens_depth(screen->pens)).colour < 0;
}

void screen_set_ascii(struct screen *screen, bool ascii)
{
	screen->ascii = ascii || screen->ascii_alone;
	screen->shown.ascii = screen->ascii;
	screen_forget(screen);
}

void screen_set_mouse(struct screen *screen, bool on)
{
	const mmask_t all = BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON3_PRESSED | BUTTON4_PRESSED |
			    BUTTON5_PRESSED | BUTTON_CTRL | REPORT_MOUSE_POSITION;

	if (screen->has_mouse)
		mousemask(on ? all : 0, NULL);
	screen->wants_drags = on && screen->has_mouse && key_mouse != NULL;
	if (!screen->wants_drags)
		set_drags(screen, false);
}

void screen_set_sync(struct screen *screen, bool on)
{
	screen->sync = on && terminal_syncs(terminal_type());
}

bool *screen_pastes(struct screen *screen)
{
	return &screen->pastes;
}

void screen_set_graphics(struct screen *screen, const char *graphics)
{
	show_picture(screen, NULL);
	screen_forget(screen);
	ask(screen, 0,
	    screen_mono(screen) || !terminal_may_show_pictures(terminal_type()) ? NULL : graphics);
}

struct replies *screen_replies(struct screen *screen)
{
	return &screen->answers;
}

static bool take_picture(struct screen *screen, enum answer answer)
{
	if (!screen_picture_take(&screen->picture, answer, &screen->answers))
		return false;
	leave_last_will(screen);
	screen_forget(screen);
	return true;
}

bool screen_take_answer(struct screen *screen, enum answer answer)
{
	const bool own = screen->own_theme;

	if (answer != ANSWER_LIGHT && answer != ANSWER_DARK)
		return take_picture(screen, answer);
	if (!own)
		screen_set_theme(screen, answer == ANSWER_LIGHT ? "light" : "dark");
	screen->own_theme = own;
	return true;
}

const struct theme *screen_theme(const struct screen *screen)
{
	return screen->theme;
}

bool screen_set_theme(struct screen *screen, const char *name)
{
	const struct theme *theme = theme_find(name);
	if (!theme)
		return false;
	screen->theme = theme;
	pens_forget(screen->pens);
	screen_forget(screen);
	return true;
}

void screen_forget(struct screen *screen)
{
	screen->forgotten = true;
}

void screen_resize(struct screen *screen)
{
	show_picture(screen, NULL);
	struct winsize size;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
	    (size.ws_row != LINES || size.ws_col != COLS))
		resizeterm(size.ws_row, size.ws_col);
	canvas_resize(&screen->shown, COLS, LINES);
	screen->row = xrealloc(screen->row, ((size_t)COLS + 1) * sizeof *screen->row);
	screen->line = xrealloc(screen->line, ((size_t)COLS + 1) * sizeof *screen->line);
	screen->inks = xrealloc(screen->inks, ((size_t)COLS + 1) * sizeof *screen->inks);
	screen->ahead = xrealloc(screen->ahead, ((size_t)COLS + 1) * sizeof *screen->ahead);
	screen->changed = xrealloc(screen->changed, ((size_t)COLS + 1) * sizeof *screen->changed);
	screen->sent =
		xrealloc(screen->sent, ((size_t)COLS * (size_t)LINES + 1) * sizeof *screen->sent);
	screen_forget(screen);
	if (screen->picture.kind == PICTURES_SIXEL) /* its font may have another size */
		send_questions(screen, ASKED_PICTURES, REPLIES_CELL REPLIES_END);
}

void screen_leave(struct screen *screen)
{
	show_picture(screen, NULL);
	set_drags(screen, false);
	set_pastes(screen, false);
	endwin();
	fflush(stdout);
}

void screen_return(struct screen *screen)
{
	screen_resize(screen);
	set_pastes(screen, true);
	refresh();
}

/* ---- out ---- */

static struct ink ink_of(struct screen *screen, const struct cell *cell)
{
	struct ink ink = pens_ink(screen->pens, screen->theme, cell->fg, cell->bg);
	ink.ch = screen->ascii && cell->ch > 126 ? '?' : cell->ch;
	ink.attr |= cell->attr;
	return ink;
}

static attr_t attributes(unsigned attr)
{
	return (attr & ATTR_BOLD ? A_BOLD : 0) | (attr & ATTR_DIM ? A_DIM : 0) |
	       (attr & ATTR_UNDERLINE ? A_UNDERLINE : 0) | (attr & ATTR_REVERSE ? A_REVERSE : 0);
}

/* Puts cells [from, to) of a row, as they were chosen, into curses' window. */
static void put_inks(struct screen *screen, const struct ink *sent, int y, int from, int to)
{
	int n = 0;
	for (int x = from; x < to; x++) {
		if (sent[x].ch == 0)
			continue; /* belongs to the wide character before it */
		const wchar_t text[2] = { (wchar_t)sent[x].ch, 0 };
		int pair = sent[x].pair;
		setcchar(&screen->row[n++], text, attributes(sent[x].attr), 0, &pair);
	}
	mvwadd_wchnstr(stdscr, y, from, screen->row, n);
}

static const struct cell *anchored(struct screen *screen, const struct canvas *canvas, int y)
{
	const int w = canvas->w;
	const struct cell *cells = &canvas->cells[(size_t)y * (size_t)w];

	if (screen->ascii)
		return cells;
	cells = ink_anchor(cells, w, screen->theme, pens_depth(screen->pens), screen->line);
	return screen_sixel_fence(&screen->picture.sixel, cells, w, y, screen->line);
}

/* Moves in what curses believes to be on the terminal. */
static void move_in_curses(struct screen *screen, int y, int from, int by)
{
	const int w = screen->shown.w, gap = abs(by) < w - from ? abs(by) : w - from;
	const int kept = w - from - gap, none = 0;
	int cursor_y, cursor_x;
	getyx(curscr, cursor_y, cursor_x);
	if (kept > 0) {
		mvwin_wchnstr(curscr, y, from + (by > 0 ? gap : 0), screen->row, kept);
		mvwadd_wchnstr(curscr, y, from + (by > 0 ? 0 : gap), screen->row, kept);
	}
	for (int i = 0; i < gap; i++)
		setcchar(&screen->row[i], L" ", A_NORMAL, 0, &none);
	mvwadd_wchnstr(curscr, y, from + (by > 0 ? kept : 0), screen->row, gap);
	wmove(curscr, cursor_y, cursor_x);
}

/* Lets the terminal move a part of a row, where that spares sending it; all that knows what the
 * terminal shows moves along. Appends what must be sent before curses' own; false where the row
 * stays. */
static bool move_row(struct screen *screen, const struct canvas *canvas, int y, int by,
		     struct str *out)
{
	const int w = canvas->w;
	const size_t at = (size_t)y * (size_t)w;
	const struct cell blank = { .ch = ' ' };
	const struct ink blank_ink = ink_of(screen, &blank);
	const int from = shift_from(anchored(screen, canvas, y), &screen->shown.cells[at], w, by);
	if (from < 0)
		return false;
	str_add(out, tiparm(cursor_address, y, from));
	str_add(out, tiparm(by > 0 ? parm_dch : parm_ich, abs(by)));
	shift_row(&screen->shown.cells[at], sizeof blank, w, from, by, &blank);
	shift_row(&screen->sent[at], sizeof blank_ink, w, from, by, &blank_ink);
	move_in_curses(screen, y, from, by);
	put_inks(screen, &screen->sent[at], y, 0, w);
	return true;
}

/* Draws what differs in a row; how many cells those are. */
static int changed_row(struct screen *screen, const struct canvas *canvas, int y, bool moved)
{
	const int w = canvas->w;
	const size_t at = (size_t)y * (size_t)w;
	const struct cell *new = anchored(screen, canvas, y);
	struct cell *old = &screen->shown.cells[at];
	struct ink *sent = &screen->sent[at];
	const bool *changed = screen->changed;
	const int n = canvas_row_changes(new, old, w, screen->forgotten, screen->changed);
	if (n == 0)
		return 0;
	/* Mostly new: drawn by its own cells only, so that rows that move remain the same. */
	if (n > w / 4 && !moved)
		memset(screen->changed, true, (size_t)w * sizeof *screen->changed);
	for (int x = 0; x < w; x++)
		screen->inks[x] = changed[x] ? ink_of(screen, &new[x]) : sent[x];
	ink_ahead(screen->inks, w, screen->ahead);
	for (int x = 0; x < w; x++)
		if (changed[x])
			sent[x] = ink_choose(&screen->inks[x], x ? &sent[x - 1] : NULL,
					     x + 1 < w ? &screen->ahead[x + 1] : NULL);
	for (int from = 0, to; from < w; from = to) {
		for (to = from; to < w && changed[to] == changed[from]; to++)
			;
		if (changed[from])
			put_inks(screen, sent, y, from, to);
		if (changed[from])
			screen_sixel_wrote(&screen->picture.sixel, y, from, to);
	}
	memcpy(old, new, (size_t)w * sizeof *old);
	return n;
}

/* Written around curses' own buffer: stdio's must be flushed first. */
static void bracket(struct screen *screen, const char *sequence)
{
	if (!screen->sync)
		return;
	fputs(sequence, stdout);
	fflush(stdout);
}

/* Shortened on its way through a file in memory; as it is where that cannot be. */
static void refresh_shorter(struct screen *screen)
{
	const bool caught = frame_begin(&screen->frame);
	refresh();
	if (caught && !frame_send(&screen->frame, pens_exact(screen->pens)))
		screen_forget(screen);
}

/* Puts what differs into curses' window, and what is to be moved before it into `moves`; how many
 * cells differ. */
static int put_canvas(struct screen *screen, const struct canvas *canvas, struct str *moves)
{
	const bool may_move = screen->moves && !screen->forgotten && !screen->picture.sixel.shown;
	const int by =
		may_move ? shift_guess(canvas->cells, screen->shown.cells, canvas->w, canvas->h)
			 : 0;
	int changed = 0;
	for (int y = 0; y < canvas->h; y++) {
		const bool moved = by && move_row(screen, canvas, y, by, moves);
		changed += changed_row(screen, canvas, y, moved);
	}
	screen->forgotten = false;
	return changed;
}

/* Makes curses write cells that are the same, but have other pixels; how many rows. */
static int rewrite_pixels(struct screen *screen, int h)
{
	int rows = 0, cursor_y, cursor_x;

	getyx(curscr, cursor_y, cursor_x);
	for (int y = 0, x0, x1; y < h; y++) {
		const int none = 0;

		if (!screen_sixel_span(&screen->picture.sixel, y, &x0, &x1))
			continue;
		for (int x = x0; x < x1; x++)
			setcchar(&screen->row[x], L"\ufffd", A_NORMAL, 0, &none);
		mvwadd_wchnstr(curscr, y, x0, &screen->row[x0], x1 - x0);
		touchline(stdscr, y, 1);
		rows++;
	}
	wmove(curscr, cursor_y, cursor_x);
	return rows;
}

/* Curses does not see it, so the cursor returns to where the last frame left it. It is not saved
 * and restored: some terminals have one place for that, which the other screen needs. */
static void send_moves(struct screen *screen, const struct str *moves)
{
	if (moves->n == 0)
		return;
	fwrite(moves->text, 1, moves->n, stdout);
	fputs(tiparm(cursor_address, screen->rest_y, screen->rest_x), stdout);
	fflush(stdout);
}

void screen_show(struct screen *screen, const struct canvas *canvas, int x, int y)
{
	if (canvas->w != screen->shown.w || canvas->h != screen->shown.h)
		return; /* drawn for an old size */
	if (screen->picture.kind == PICTURES_SIXEL &&
	    screen_sixel_begin(&screen->picture.sixel, canvas, screen->forgotten))
		screen_forget(screen);
	if (screen->forgotten) {
		show_picture(screen, NULL);
		clearok(curscr, TRUE);
	}
	OWNED_STR moves = STR_INIT;
	const int rewritten = rewrite_pixels(screen, canvas->h);
	const int changed = put_canvas(screen, canvas, &moves);
	const bool shown = x >= 0;
	const bool moved = shown && (x != screen->cursor_x || y != screen->cursor_y);
	if (changed + rewritten == 0 && shown == screen->cursor_shown && !moved && moves.n == 0) {
		show_picture(screen, canvas->pixels);
		return;
	}
	if (shown != screen->cursor_shown)
		curs_set(shown);
	screen->cursor_shown = shown;
	screen->cursor_x = x;
	screen->cursor_y = y;
	/* A hidden cursor rests at a known place, too: see send_moves(). */
	wmove(stdscr, shown ? y : 0, shown ? x : 0);
	const bool large = changed >= SYNC_CELLS || rewritten;
	if (large)
		bracket(screen, "\033[?2026h");
	send_moves(screen, &moves);
	refresh_shorter(screen);
	getyx(stdscr, screen->rest_y, screen->rest_x);
	show_picture(screen, canvas->pixels);
	if (large)
		bracket(screen, "\033[?2026l");
	set_drags(screen, screen->wants_drags);
}

/* ---- in (screen_input.c reads) ---- */

int screen_fd(const struct screen *screen)
{
	return screen->fd;
}

/* A terminal that is gone can be read at once, and has nothing. What was to be read when the caller
 * looked may have been read since, so it is asked again. */
bool screen_at_end(const struct screen *screen)
{
	struct pollfd fd = { .fd = screen->fd, .events = POLLIN };
	int waiting = 0;

	if (poll(&fd, 1, 0) <= 0)
		return false;
	return ioctl(screen->fd, FIONREAD, &waiting) != 0 || waiting == 0;
}
