/* screen: the terminal. The only file that knows curses: it carries canvases out and keys in.
 *
 * Only what changed since the last screen_show() goes to the terminal. The terminal is given back
 * as it was by screen_close(), by screen_suspend(), and by the handlers of ui/terminal/signals.h
 * when the program crashes. One screen at a time; the thread that opened it.
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
#include "ui/canvas/theme.h"
#include "ui/terminal/input.h"
#include "ui/terminal/signals.h"

struct screen;

struct screen_options {
	const char *theme; /* name, NULL: by NO_COLOR and COLORFGBG */
	bool ascii;        /* only ASCII, also where the terminal has more */
	bool no_mouse;
	bool no_sync; /* no synchronized output (DEC mode 2026) */
};

/* NULL with err if stdout is not a terminal, or one that cannot place its cursor. Keys come from
 * stdin, or from /dev/tty where stdin is something else. */
struct screen *screen_open(const struct screen_options *options, struct signals *signals,
			   struct err *err);
void screen_close(struct screen *screen);

void screen_size(const struct screen *screen, int *w, int *h);
bool screen_ascii(const struct screen *screen);
bool screen_mono(const struct screen *screen);
bool screen_set_theme(struct screen *screen, const char *name); /* false: no such theme */

/* Shows the canvas; the cursor at (x, y), or hidden where x < 0. */
void screen_show(struct screen *screen, const struct canvas *canvas, int x, int y);
/* Forgets what the terminal shows: the next screen_show() sends everything. */
void screen_forget(struct screen *screen);
/* Takes the terminal's new size. */
void screen_resize(struct screen *screen);
/* Gives the terminal to another program, and takes it again with the size that it has then. */
void screen_leave(struct screen *screen);
void screen_return(struct screen *screen);
/* Gives the terminal back, stops the process, and returns when it is continued. */
void screen_suspend(struct screen *screen);

/* Where keys come from, for poll(). */
int screen_fd(const struct screen *screen);
/* The next input; false when there is none now. */
bool screen_read(struct screen *screen, struct input *input);
/* The terminal is readable although no key came: it has hung up. */
bool screen_at_end(const struct screen *screen);

/* Puts text into the clipboard of the terminal (OSC 52). False where it has no such thing, or the
 * text is too long for it. */
bool screen_copy(struct screen *screen, const char *text);
