#define _GNU_SOURCE /* memfd_create */
#include "ui/terminal/screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "base/mem.h"
#include "base/vec.h"
#include "ui/terminal/ink.h"
#include "ui/terminal/sgr.h"
#include "ui/terminal/shift.h"

/* Below this many changed cells a frame is too small to be seen half drawn. */
enum { SYNC_CELLS = 256, COPY_BYTES = 74000, NO_BREAK_SPACE = 0xa0 };

/* What two roles are to this terminal. */
struct pen {
	bool known;
	int fg, bg, pair, other; /* as in struct ink */
	unsigned attr;
};

struct colours {
	int fg, bg;
};

struct screen {
	SCREEN *curses;
	FILE *in; /* /dev/tty where stdin is no terminal, else NULL */
	int fd;
	struct signals *signals;
	const struct theme *theme;
	enum colour_depth depth;
	bool ascii, sync;
	bool moves;           /* the terminal moves parts of rows sideways */
	bool default_colours; /* -1 means the terminal's own */
	bool cursor_shown;
	int cursor_x, cursor_y;
	int rest_x, rest_y;  /* where the last frame left the cursor, shown or not */
	struct canvas shown; /* what the terminal shows */
	bool forgotten;
	VEC(struct colours) pairs; /* of pair i + 1 */
	struct pen pens[ROLE_COUNT][ROLE_COUNT];
	int frame; /* a file in memory that takes what curses writes, -1 where there is none */
	struct ink *sent;         /* [h][w] how `shown` is drawn */
	cchar_t *row;             /* one row on its way out */
	struct cell *line;        /* the same as cells, anchored */
	struct ink *inks, *ahead; /* and as inks */
	bool *changed;
};

/* ---- opening and closing ---- */

static const struct theme *guess_theme(void)
{
	const char *no_color = getenv("NO_COLOR");
	if (no_color && *no_color)
		return theme_find("mono");
	/* "foreground;background" of rxvt and its kin: 7 and 15 are light grounds. */
	const char *ground = getenv("COLORFGBG");
	ground = ground ? strrchr(ground, ';') : NULL;
	const bool light = ground && (strcmp(ground, ";7") == 0 || strcmp(ground, ";15") == 0);
	return theme_find(light ? "light" : "dark");
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The terminal's type: TERM, or its better twin where the terminal says that it can do more. */
static const char *terminal_type(void)
{
	const char *term = getenv("TERM");
	const char *more = getenv("COLORTERM");
	if (term && more && strcmp(term, "xterm") == 0 &&
	    (strcmp(more, "truecolor") == 0 || strcmp(more, "24bit") == 0))
		return "xterm-256color";
	return term;
}

/* Is there a description of the terminal, and can it place its cursor? Asked first because curses'
 * own answer is a line on the terminal. */
static bool check_terminal(const char *term, struct err *err)
{
	if (!isatty(STDOUT_FILENO))
		return err_set(err, STATUS_IO,
			       "the screen needs a terminal and stdout is none; for text, "
			       "CSV or JSON use: tview export VIEW TRACE");
	int result;
	if (!term || !*term)
		return err_set(err, STATUS_IO,
			       "TERM is not set, so how to drive this terminal is not known; try: "
			       "TERM=xterm-256color tview ...");
	if (setupterm(term, STDOUT_FILENO, &result) != OK)
		return err_set(err, STATUS_IO,
			       "the terminal type TERM=%s is not known on this machine; try: "
			       "TERM=xterm-256color tview ...",
			       term);
	const bool places = tigetstr("cup") != NULL;
	del_curterm(cur_term);
	if (!places)
		return err_set(err, STATUS_IO,
			       "a terminal of type TERM=%s cannot place its cursor; for text use: "
			       "tview export VIEW TRACE",
			       term);
	return true;
}

/* Appends a capability without its padding (`$<5>`), which only tputs() can obey. */
static void add_capability(struct str *out, const char *name)
{
	const char *text = tigetstr(name);
	if (!text || text == (const char *)-1)
		return;
	for (; *text; text++) {
		if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
			text = strchr(text, '>');
		else
			str_add_char(out, *text);
	}
}

static void leave_last_will(struct screen *screen, const struct termios *modes, bool mouse)
{
	struct str bytes = STR_INIT;
	if (mouse)
		str_add(&bytes, "\033[?1006;1000l");
	add_capability(&bytes, "sgr0");
	add_capability(&bytes, "cnorm");
	add_capability(&bytes, "rmkx");
	add_capability(&bytes, "rmcup");
	signals_last_will(screen->fd, modes, bytes.text, bytes.n);
	str_fini(&bytes);
}

static void open_colours(struct screen *screen)
{
	screen->depth = DEPTH_MONO;
	start_color();
	/* vt100 and dumb say OK to start_color(), and crash at the first pair. */
	if (!has_colors() || COLORS < 8)
		return;
	screen->default_colours = use_default_colors() == OK;
	if (COLORS > 256 && tigetflag("RGB") > 0)
		screen->depth = DEPTH_RGB;
	else
		screen->depth = COLORS >= 256 ? DEPTH_256 : DEPTH_8;
}

static bool knows_sync(const char *term)
{
	static const char *const kinds[] = { "xterm",   "tmux", "foot",    "kitty",   "alacritty",
					     "wezterm", "vte",  "contour", "ghostty", NULL };
	for (int i = 0; kinds[i]; i++)
		if (begins(term, kinds[i]))
			return true;
	return false;
}

/* Can the terminal delete and insert characters? Not where it must be given time for it. */
static bool knows_moves(void)
{
	static const char *const needed[] = { "dch", "ich", "cup", NULL };
	for (int i = 0; needed[i]; i++) {
		const char *text = tigetstr(needed[i]);
		if (!text || text == (const char *)-1 || strstr(text, "$<"))
			return false;
	}
	return true;
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
	if (mouse) {
		mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED | BUTTON_CTRL, NULL);
		mouseinterval(0);
	}
	screen->cursor_shown = false;
}

struct screen *screen_open(const struct screen_options *options, struct signals *signals,
			   struct err *err)
{
	setlocale(LC_CTYPE, "");
	const char *term = terminal_type();
	if (!check_terminal(term, err))
		return NULL;
	struct screen *screen = xcalloc(1, sizeof *screen);
	screen->signals = signals;
	screen->theme = options->theme ? theme_find(options->theme) : guess_theme();
	screen->ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0 ||
			begins(term, "vt") || strcmp(term, "linux") == 0;
	screen->sync = !options->no_sync && knows_sync(term);
	if (!isatty(STDIN_FILENO) && !(screen->in = fopen("/dev/tty", "r+"))) {
		err_errno(err, STATUS_IO,
			  "keys cannot be read: stdin is no terminal, and /dev/tty");
		free(screen);
		return NULL;
	}
	screen->fd = screen->in ? fileno(screen->in) : STDIN_FILENO;
	struct termios modes;
	const bool has_modes = tcgetattr(screen->fd, &modes) == 0;
	screen->curses = newterm(term, stdout, screen->in ? screen->in : stdin);
	if (!screen->curses) {
		err_set(err, STATUS_IO, "the terminal of type TERM=%s cannot be opened", term);
		if (screen->in)
			fclose(screen->in);
		free(screen);
		return NULL;
	}
	open_colours(screen);
	screen->moves = knows_moves();
	screen->frame = memfd_create("frame", MFD_CLOEXEC);
	/* The console's mouse is a daemon's, whose library curses would load: not worth it. */
	const bool mouse = !options->no_mouse && strcmp(term, "linux") != 0;
	set_modes(screen, mouse);
	if (has_modes)
		leave_last_will(screen, &modes, mouse);
	signals_catch(signals);
	canvas_init(&screen->shown, 0, 0, screen->ascii);
	screen_resize(screen);
	return screen;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	endwin();
	signals_last_will(-1, NULL, NULL, 0);
	delscreen(screen->curses);
	if (screen->in)
		fclose(screen->in);
	if (screen->frame >= 0)
		close(screen->frame);
	canvas_fini(&screen->shown);
	vec_fini(&screen->pairs);
	free(screen->row);
	free(screen->line);
	free(screen->inks);
	free(screen->ahead);
	free(screen->changed);
	free(screen->sent);
	free(screen);
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
	return screen->depth == DEPTH_MONO ||
	       theme_background(screen->theme, ROLE_CURSOR, screen->depth).colour < 0;
}

bool screen_set_theme(struct screen *screen, const char *name)
{
	const struct theme *theme = theme_find(name);
	if (!theme)
		return false;
	screen->theme = theme;
	memset(screen->pens, 0, sizeof screen->pens);
	screen_forget(screen);
	return true;
}

void screen_forget(struct screen *screen)
{
	screen->forgotten = true;
}

void screen_resize(struct screen *screen)
{
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
}

void screen_leave(struct screen *screen)
{
	(void)screen;
	endwin();
	fflush(stdout);
}

void screen_return(struct screen *screen)
{
	screen_resize(screen);
	refresh();
}

void screen_suspend(struct screen *screen)
{
	struct sigaction stop = { .sa_handler = SIG_DFL }, ours;
	screen_leave(screen);
	sigaction(SIGTSTP, &stop, &ours);
	raise(SIGTSTP);
	/* Here somebody has sent SIGCONT. */
	sigaction(SIGTSTP, &ours, NULL);
	screen_return(screen);
}

/* ---- colours ---- */

static int pair_of(struct screen *screen, int fg, int bg)
{
	if (fg < 0 && !screen->default_colours)
		fg = COLOR_WHITE;
	if (bg < 0 && !screen->default_colours)
		bg = COLOR_BLACK;
	if (fg < 0 && bg < 0)
		return 0;
	for (size_t i = 0; i < screen->pairs.n; i++)
		if (screen->pairs.data[i].fg == fg && screen->pairs.data[i].bg == bg)
			return (int)i + 1;
	const int pair = (int)screen->pairs.n + 1;
	/* Where there are few pairs (Linux: 64) the last combinations lose their background. */
	if (pair >= COLOR_PAIRS || init_extended_pair(pair, fg, bg) != OK)
		return 0;
	const struct colours colours = { fg, bg };
	vec_push(&screen->pairs, colours);
	return pair;
}

static int palette(int colour)
{
	return colour >= 0x1000000 ? colour & 0xffffff : colour;
}

static attr_t attributes(unsigned attr)
{
	attr_t a = 0;
	if (attr & ATTR_BOLD)
		a |= A_BOLD;
	if (attr & ATTR_DIM)
		a |= A_DIM;
	if (attr & ATTR_UNDERLINE)
		a |= A_UNDERLINE;
	if (attr & ATTR_REVERSE)
		a |= A_REVERSE;
	return a;
}

static const struct pen *pen_of(struct screen *screen, const struct cell *cell)
{
	struct pen *pen = &screen->pens[cell->fg][cell->bg];
	if (!pen->known) {
		const struct cell_look look =
			theme_cell(screen->theme, cell->fg, cell->bg, screen->depth);
		const bool coloured = screen->depth != DEPTH_MONO && (look.fg >= 0 || look.bg >= 0);
		const int fg = palette(look.fg), bg = palette(look.bg);
		*pen = (struct pen){ .known = true, .fg = -1, .bg = -1, .other = -1 };
		if (coloured) {
			pen->fg = look.fg;
			pen->bg = look.bg;
			pen->pair = pair_of(screen, fg, bg);
		}
		/* Where there are few pairs, exchanged ones are not worth one. */
		if (coloured && fg >= 0 && bg >= 0 && COLOR_PAIRS > 256)
			pen->other = pair_of(screen, bg, fg);
		pen->attr = look.attr;
	}
	return pen;
}

/* ---- out ---- */

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->fg == b->fg && a->bg == b->bg && a->attr == b->attr;
}

static struct ink ink_of(struct screen *screen, const struct cell *cell)
{
	const struct pen *pen = pen_of(screen, cell);
	return (struct ink){
		.ch = screen->ascii && cell->ch > 126 ? '?' : cell->ch,
		.fg = pen->fg,
		.bg = pen->bg,
		.pair = pen->pair,
		.other = pen->other,
		.attr = pen->attr | cell->attr,
	};
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

/* Where a row ends in coloured blanks, the last of them becomes a no-break space. Curses makes coloured blanks by erasing, and
 * multiplexers and copies of a screen forget what was erased behind a row's last character. */
static const struct cell *anchored(struct screen *screen, const struct cell *cells, int w)
{
	int last = w - 1;
	if (screen->ascii || screen->depth == DEPTH_MONO)
		return cells;
	while (last >= 0 && cells[last].ch == ' ' &&
	       theme_cell(screen->theme, cells[last].fg, cells[last].bg, screen->depth).bg < 0)
		last--;
	if (last < 0 || cells[last].ch != ' ')
		return cells;
	memcpy(screen->line, cells, (size_t)w * sizeof *cells);
	screen->line[last].ch = NO_BREAK_SPACE;
	return screen->line;
}

/* Which cells of the row differ. What changes in half a wide character, old or new, changes in both. */
static int compare_row(struct screen *screen, const struct cell *new, const struct cell *old, int w)
{
	bool *changed = screen->changed;
	int n = 0;
	for (int x = 0; x < w; x++)
		changed[x] = screen->forgotten || !same_cell(&new[x], &old[x]);
	for (int x = 1; x < w; x++)
		changed[x] |= changed[x - 1] && (new[x].ch == 0 || old[x].ch == 0);
	for (int x = w - 1; x > 0; x--)
		changed[x - 1] |= changed[x] && (new[x].ch == 0 || old[x].ch == 0);
	for (int x = 0; x < w; x++)
		n += changed[x];
	return n;
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

/* Lets the terminal move a part of a row, where that spares sending it; all that knows what the terminal
 * shows moves along. Appends what must be sent before curses' own; false where the row stays. */
static bool move_row(struct screen *screen, const struct canvas *canvas, int y, int by,
		     struct str *out)
{
	const int w = canvas->w;
	const size_t at = (size_t)y * (size_t)w;
	const struct cell blank = { .ch = ' ' };
	const struct ink blank_ink = ink_of(screen, &blank);
	const int from = shift_from(anchored(screen, &canvas->cells[at], w),
				    &screen->shown.cells[at], w, by);
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
	const struct cell *new = anchored(screen, &canvas->cells[at], w);
	struct cell *old = &screen->shown.cells[at];
	struct ink *sent = &screen->sent[at];
	const bool *changed = screen->changed;
	const int n = compare_row(screen, new, old, w);
	if (n == 0)
		return 0;
	/* Mostly new: drawn by what stands in it alone, so that rows that move are the same rows. */
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
	}
	memcpy(old, new, (size_t)w * sizeof *old);
	return n;
}

/* Around curses' own buffer: what stands in stdio's must be out before it, or comes after it. */
static void bracket(struct screen *screen, const char *sequence)
{
	if (!screen->sync)
		return;
	fputs(sequence, stdout);
	fflush(stdout);
}

/* Curses' frame goes into a file in memory, and from there, shorter, to the terminal. Where that
 * cannot be, as it is. */
static void refresh_shorter(struct screen *screen)
{
	struct str out = STR_INIT;
	const int terminal = screen->frame < 0 ? -1 : dup(STDOUT_FILENO);
	if (terminal < 0 || ftruncate(screen->frame, 0) != 0 ||
	    lseek(screen->frame, 0, SEEK_SET) != 0 || dup2(screen->frame, STDOUT_FILENO) < 0) {
		if (terminal >= 0)
			close(terminal);
		refresh();
		return;
	}
	refresh();
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
	const off_t n = lseek(screen->frame, 0, SEEK_END);
	char *bytes = n > 0 ? xmalloc((size_t)n) : NULL;
	if (bytes && pread(screen->frame, bytes, (size_t)n, 0) == n)
		sgr_shorten(bytes, (size_t)n, &out);
	else if (n > 0)
		screen_forget(screen);
	fwrite(out.text, 1, out.n, stdout);
	fflush(stdout);
	free(bytes);
	str_fini(&out);
}

/* Puts what differs into curses' window, and what is to be moved before it into `moves`; how many
 * cells differ. */
static int put_canvas(struct screen *screen, const struct canvas *canvas, struct str *moves)
{
	const bool may_move = screen->moves && !screen->forgotten;
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

/* Curses does not see it, so the cursor goes back to where the last frame left it. Not by saving and
 * restoring it: some terminals have one place for that, which the other screen needs. Between frames
 * no colour is set. */
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
		return; /* drawn for a size that is gone; the next one comes */
	if (screen->forgotten)
		clearok(curscr, TRUE);
	struct str moves = STR_INIT;
	const int changed = put_canvas(screen, canvas, &moves);
	const bool shown = x >= 0;
	const bool moved = shown && (x != screen->cursor_x || y != screen->cursor_y);
	if (changed == 0 && shown == screen->cursor_shown && !moved && moves.n == 0)
		return;
	if (shown != screen->cursor_shown)
		curs_set(shown);
	screen->cursor_shown = shown;
	screen->cursor_x = x;
	screen->cursor_y = y;
	/* A hidden cursor rests at a known place, too: see send_moves(). */
	wmove(stdscr, shown ? y : 0, shown ? x : 0);
	if (changed >= SYNC_CELLS)
		bracket(screen, "\033[?2026h");
	send_moves(screen, &moves);
	refresh_shorter(screen);
	getyx(stdscr, screen->rest_y, screen->rest_x);
	if (changed >= SYNC_CELLS)
		bracket(screen, "\033[?2026l");
	str_fini(&moves);
}

static void add_base64(struct str *out, const char *text, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < n; i += 3) {
		const size_t left = n - i;
		uint32_t bits = (uint32_t)(unsigned char)text[i] << 16;
		bits |= left > 1 ? (uint32_t)(unsigned char)text[i + 1] << 8 : 0;
		bits |= left > 2 ? (uint32_t)(unsigned char)text[i + 2] : 0;
		str_add_char(out, digits[bits >> 18]);
		str_add_char(out, digits[bits >> 12 & 63]);
		str_add_char(out, left > 1 ? digits[bits >> 6 & 63] : '=');
		str_add_char(out, left > 2 ? digits[bits & 63] : '=');
	}
}

bool screen_copy(struct screen *screen, const char *text)
{
	(void)screen;
	const char *capability = tigetstr("Ms");
	const size_t n = strlen(text);
	if (!capability || capability == (const char *)-1 || n > COPY_BYTES)
		return false;
	struct str out = STR_INIT;
	str_add(&out, "\033]52;c;");
	add_base64(&out, text, n);
	str_add(&out, "\007");
	fwrite(out.text, 1, out.n, stdout);
	fflush(stdout);
	str_fini(&out);
	return true;
}

/* ---- in ---- */

int screen_fd(const struct screen *screen)
{
	return screen->fd;
}

bool screen_at_end(const struct screen *screen)
{
	int waiting = 0;
	return ioctl(screen->fd, FIONREAD, &waiting) != 0 || waiting == 0;
}

/* Names of function keys, as the action table writes them. */
static const struct {
	int code;
	const char *name;
} key_names[] = {
	{ KEY_UP, "Up" },          { KEY_DOWN, "Down" },        { KEY_LEFT, "Left" },
	{ KEY_RIGHT, "Right" },    { KEY_HOME, "Home" },        { KEY_END, "End" },
	{ KEY_NPAGE, "PageDown" }, { KEY_PPAGE, "PageUp" },     { KEY_BACKSPACE, "Backspace" },
	{ KEY_DC, "Delete" },      { KEY_IC, "Insert" },        { KEY_BTAB, "Shift-Tab" },
	{ KEY_ENTER, "Enter" },    { KEY_SLEFT, "Shift-Left" }, { KEY_SRIGHT, "Shift-Right" },
};

static bool name_code(wint_t code, struct input *input)
{
	for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++) {
		if ((wint_t)key_names[i].code == code) {
			snprintf(input->key, sizeof input->key, "%s", key_names[i].name);
			return true;
		}
	}
	if (code > KEY_F0 && code <= KEY_F0 + 24) {
		snprintf(input->key, sizeof input->key, "F%d", (int)(code - KEY_F0));
		return true;
	}
	return false;
}

static bool name_char(wint_t ch, struct input *input)
{
	static const struct {
		wint_t ch;
		const char *name;
	} specials[] = { { 9, "Tab" },     { 10, "Enter" },      { 13, "Enter" },
			 { 27, "Escape" }, { 127, "Backspace" }, { 8, "Backspace" } };
	for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
		if (specials[i].ch == ch) {
			snprintf(input->key, sizeof input->key, "%s", specials[i].name);
			return true;
		}
	}
	if (ch < 32) {
		snprintf(input->key, sizeof input->key, "Ctrl-%c",
			 ch == 0 ? ' ' : (char)(ch + (ch < 27 ? 'a' - 1 : '@')));
		return true;
	}
	input->ch = (uint32_t)ch;
	if (ch == ' ')
		snprintf(input->key, sizeof input->key, "Space");
	else
		snprintf(input->key, sizeof input->key, "%lc", ch);
	return iswprint(ch);
}

static bool take_mouse(struct input *input)
{
	MEVENT event;
	if (getmouse(&event) != OK)
		return false;
	input->x = event.x;
	input->y = event.y;
	input->ctrl = event.bstate & BUTTON_CTRL;
	if (event.bstate & BUTTON4_PRESSED)
		input->kind = INPUT_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		input->kind = INPUT_WHEEL_DOWN;
	else if (event.bstate & BUTTON1_PRESSED)
		input->kind = INPUT_CLICK;
	else
		return false;
	return true;
}

bool screen_read(struct screen *screen, struct input *input)
{
	(void)screen;
	for (;;) {
		wint_t code;
		const int kind = wget_wch(stdscr, &code);
		*input = (struct input){ .kind = INPUT_KEY };
		if (kind == ERR)
			return false;
		if (kind == OK ? name_char(code, input)
			       : (code == KEY_MOUSE ? take_mouse(input) : name_code(code, input)))
			return true;
	}
}
