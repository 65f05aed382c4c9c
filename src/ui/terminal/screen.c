#include "ui/terminal/screen.h"

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
#include "ui/terminal/ink.h"
#include "ui/terminal/screen_pens.h"
#include "ui/terminal/screen_picture.h"
#include "ui/terminal/screen_replies.h"
#include "ui/terminal/screen_terminfo.h"
#include "ui/terminal/scroll.h"
#include "ui/terminal/shift.h"
#include "ui/terminal/terminal_type.h"
#include "ui/terminal/writer.h"

/* Below this many changed cells a frame is too small to be seen half drawn. */
enum { SYNC_CELLS = 256 };
#define SYNC_BEGIN "\033[?2026h"
#define SYNC_END   "\033[?2026l"

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
	bool marks_pastes, pastes;   /* the terminal was asked to say what is pasted; it is so */
	struct replies answers;      /* of the terminal */
	bool own_theme;              /* the user chose it */
	bool cursor_shown;
	int rest_x, rest_y; /* where the last frame left the cursor, shown or not */
	bool forgotten;
	struct pens *pens;
	struct screen_picture picture;
	struct writer_terminal terminal;
	struct canvas shown;            /* what the terminal shows */
	struct ink *sent;               /* [h][w] how `shown` is drawn */
	struct ink *row, *inks, *ahead; /* a row on its way out */
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
	if (!screen_check_terminal(&term, err))
		return NULL;
	struct screen *screen = xcalloc(1, sizeof *screen);
	screen->signals = signals;
	screen->theme = options->theme ? options->theme : terminal_theme();
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
	screen->terminal = screen_describe();
	screen->pens = pens_new(term, screen->terminal.ansi);
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
	screen_picture_fini(&screen->picture);
	theme_free(screen->theme);
	canvas_fini(&screen->shown);
	pens_free(screen->pens);
	free_all(screen->row, screen->inks, screen->ahead, screen->changed, screen->sent, screen);
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
		screen_set_theme(screen, theme_find(answer == ANSWER_LIGHT ? "light" : "dark"));
	screen->own_theme = own;
	return true;
}

const struct theme *screen_theme(const struct screen *screen)
{
	return screen->theme;
}

void screen_set_theme(struct screen *screen, const struct theme *theme)
{
	theme_free(screen->theme);
	screen->theme = theme;
	pens_forget(screen->pens);
	screen_forget(screen);
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
	untouchwin(stdscr); /* reading a key would show it, which is empty */
	canvas_resize(&screen->shown, COLS, LINES);
	screen->row = xrealloc(screen->row, ((size_t)COLS + 1) * sizeof *screen->row);
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

static const struct cell blank = { .ch = ' ' };

/* The terminal shows nothing. */
static void clear_all(struct screen *screen, struct writer *writer)
{
	const struct ink ink = ink_of(screen, &blank);
	const size_t n = (size_t)screen->shown.w * (size_t)screen->shown.h;
	writer_clear(writer);
	for (size_t i = 0; i < n; i++) {
		screen->shown.cells[i] = blank;
		screen->sent[i] = ink;
	}
	screen->forgotten = false;
}

/* Lets the terminal move rows up or down, where that spares sending them. */
static void move_rows(struct screen *screen, const struct canvas *canvas, struct writer *writer)
{
	const int w = canvas->w;
	const struct ink ink = ink_of(screen, &blank);
	const struct scroll s = scroll_find(canvas->cells, screen->shown.cells, w, canvas->h);
	const int gap = abs(s.by) * w, n = (s.bottom - s.top) * w, at = s.top * w;
	if (s.by == 0)
		return;
	writer_move_rows(writer, s.top, s.bottom, s.by);
	shift_row(&screen->shown.cells[at], sizeof blank, n, 0, s.by > 0 ? gap : -gap, &blank);
	shift_row(&screen->sent[at], sizeof ink, n, 0, s.by > 0 ? gap : -gap, &ink);
}

/* Lets the terminal move a part of a row, where that spares sending it. */
static void move_row(struct screen *screen, const struct canvas *canvas, int y, int by,
		     struct writer *writer)
{
	const int w = canvas->w;
	const size_t at = (size_t)y * (size_t)w;
	const struct ink ink = ink_of(screen, &blank);
	const int from = shift_from(&canvas->cells[at], &screen->shown.cells[at], w, by);
	if (from < 0)
		return;
	writer_move_row(writer, y, from, by);
	shift_row(&screen->shown.cells[at], sizeof blank, w, from, by, &blank);
	shift_row(&screen->sent[at], sizeof ink, w, from, by, &ink);
}

/* Draws what differs in a row; how many cells those are. Pixels that change need their cells
 * written. */
static int changed_row(struct screen *screen, const struct canvas *canvas, int y,
		       struct writer *writer)
{
	const int w = canvas->w;
	const size_t at = (size_t)y * (size_t)w;
	const struct cell *new = &canvas->cells[at];
	struct ink *sent = &screen->sent[at], *row = screen->row;
	bool *changed = screen->changed;
	int x0 = 0, x1 = 0,
	    n = canvas_row_changes(new, &screen->shown.cells[at], w, false, changed);
	const bool pixels = screen_sixel_span(&screen->picture.sixel, y, &x0, &x1);
	if (n == 0 && !pixels)
		return 0;
	for (int x = 0; x < w; x++)
		screen->inks[x] = changed[x] ? ink_of(screen, &new[x]) : sent[x];
	ink_ahead(screen->inks, w, screen->ahead);
	for (int x = 0; x < w; x++)
		row[x] = changed[x] ? ink_choose(&screen->inks[x], x ? &row[x - 1] : NULL,
						 x + 1 < w ? &screen->ahead[x + 1] : NULL)
				    : sent[x];
	for (int x = 0; x < w; x++)
		changed[x] = x >= x0 && x < x1;
	writer_row(writer, y, row, sent, pixels ? changed : NULL);
	for (int x = 0; x < w && screen->picture.kind == PICTURES_SIXEL; x++)
		if (changed[x] || writer_differs(&row[x], &sent[x]))
			screen_sixel_wrote(&screen->picture.sixel, y, x, x + 1);
	memcpy(&screen->shown.cells[at], new, (size_t)w * sizeof *new);
	memcpy(sent, row, (size_t)w * sizeof *row);
	return n + pixels;
}

/* Written around what curses would have in its buffer: stdio's must be flushed before. */
static void send_bytes(const char *bytes, size_t n)
{
	fwrite(bytes, 1, n, stdout);
	fflush(stdout);
}

/* Writes what differs; how many cells. */
static int put_canvas(struct screen *screen, const struct canvas *canvas, struct writer *writer)
{
	const bool may_move = !screen->forgotten && !screen->picture.sixel.shown;
	int changed = 0, by;
	if (screen->forgotten)
		clear_all(screen, writer);
	if (may_move && screen->terminal.scrolls && !canvas->pixels && !screen->picture.shown)
		move_rows(screen, canvas, writer);
	by = may_move && screen->terminal.moves
		     ? shift_guess(canvas->cells, screen->shown.cells, canvas->w, canvas->h)
		     : 0;
	for (int y = 0; y < canvas->h; y++) {
		if (by)
			move_row(screen, canvas, y, by, writer);
		changed += changed_row(screen, canvas, y, writer);
	}
	return changed;
}

/* Sends a frame; a large one so that it is not seen half drawn. */
static void send_frame(struct screen *screen, const struct canvas *canvas, struct writer *writer,
		       int changed)
{
	const bool large = screen->sync && changed >= SYNC_CELLS;
	if (large)
		fputs(SYNC_BEGIN, stdout);
	send_bytes(writer->out.text, writer->out.n);
	show_picture(screen, canvas->pixels);
	if (large)
		send_bytes(SYNC_END, strlen(SYNC_END));
}

void screen_show(struct screen *screen, const struct canvas *canvas, int x, int y)
{
	const bool shown = x >= 0;
	struct writer writer;
	int changed;

	if (canvas->w != screen->shown.w || canvas->h != screen->shown.h)
		return; /* drawn for an old size */
	if (screen->picture.kind == PICTURES_SIXEL &&
	    screen_sixel_begin(&screen->picture.sixel, canvas, screen->forgotten))
		screen_forget(screen);
	if (screen->forgotten)
		show_picture(screen, NULL);
	writer_begin(&writer, &screen->terminal, canvas->w, canvas->h,
		     screen->forgotten ? -1 : screen->rest_x, screen->rest_y);
	writer.exactly = screen->picture.kind == PICTURES_SIXEL;
	changed = put_canvas(screen, canvas, &writer);
	if (shown != screen->cursor_shown)
		curs_set(shown);
	screen->cursor_shown = shown;
	/* A hidden cursor rests at a known place, too. */
	screen->rest_x = shown ? x : writer.x < 0 ? 0 : writer.x;
	screen->rest_y = shown ? y : writer.x < 0 ? 0 : writer.y;
	writer_end(&writer, screen->rest_x, screen->rest_y);
	if (writer.out.n > 0)
		send_frame(screen, canvas, &writer, changed);
	else
		show_picture(screen, canvas->pixels);
	writer_fini(&writer);
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
