/* screen: the terminal. The only file that uses curses: it shows canvases and reads keys.
 *
 * Only changes since the last screen_show() are sent. The terminal is restored by screen_close(),
 * by screen_suspend(), and by the handlers of ui/terminal/signals.h when the program crashes. One
 * screen at a time, used by the thread that opened it.
 *
 *	struct screen *screen = screen_open(&options, &err);
 *	screen_show(screen, &canvas, -1, -1);
 *	while (screen_read(screen, &input))
 *		use(&input);
 *	screen_close(screen);
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ui/canvas/canvas.h"
#include "ui/canvas/theme_file.h"
#include "ui/terminal/input.h"
#include "ui/terminal/signals.h"

struct screen;

struct screen_options {
	const struct theme *theme; /* taken (theme_file.h); NULL: by NO_COLOR and COLORFGBG */
	bool ascii;                /* only ASCII, even if the terminal has more */
	bool no_mouse;
	bool no_sync;         /* no synchronized output (DEC mode 2026) */
	const char *graphics; /* "auto", "kitty", "sixel": ask whether the terminal shows them */
};

/* NULL with err if stdout is not a terminal, or cannot place its cursor. Keys come from stdin, or
 * from /dev/tty if stdin is not a terminal. */
struct screen *screen_open(const struct screen_options *options, struct signals *signals,
			   struct err *err);
void screen_close(struct screen *screen);

void screen_size(const struct screen *screen, int *w, int *h);
bool screen_ascii(const struct screen *screen);
bool screen_mono(const struct screen *screen);
/* Only ASCII from now on, or all the terminal has; the mouse; synchronized output. */
void screen_set_ascii(struct screen *screen, bool ascii);
void screen_set_mouse(struct screen *screen, bool on);
void screen_set_sync(struct screen *screen, bool on);
void screen_set_theme(struct screen *screen, const struct theme *theme /* taken */);
const struct theme *screen_theme(const struct screen *screen);
/* Asks the terminal again for pictures; until it answers there are none. */
void screen_set_graphics(struct screen *screen, const char *graphics);

/* Pixels of a cell; 0 where the terminal shows no pictures, was not asked, or has not answered. */
void screen_cell(const struct screen *screen, int *w, int *h);

/* Shows the canvas, with the cursor at (x, y), hidden if x < 0. */
void screen_show(struct screen *screen, const struct canvas *canvas, int x, int y);
/* Forgets what the terminal shows: the next screen_show() sends everything. */
void screen_forget(struct screen *screen);
/* Takes the terminal's new size. */
void screen_resize(struct screen *screen);
/* Give the terminal to another program, and take it back with its new size. */
void screen_leave(struct screen *screen);
void screen_return(struct screen *screen);
/* Restores the terminal, stops the process, and returns when it is continued. */
static inline void screen_suspend(struct screen *screen)
{
	screen_leave(screen);
	signals_stop();
	screen_return(screen);
}

/* The descriptor of keys, for poll(). */
int screen_fd(const struct screen *screen);
/* The next input; false when there is none now. */
bool screen_read(struct screen *screen, struct input *input);
/* True if the terminal is readable without a key: it has hung up. */
bool screen_at_end(const struct screen *screen);

/* Puts text into the clipboard of the terminal (OSC 52). False if it has none, or the text is too
 * long for it. */
bool screen_copy(struct screen *screen, const char *text);
