/* canvas: a grid of character cells in memory. Views and panels draw on it; only screen.c sends it
 * to a terminal; tests and exports print it as text.
 *
 * A cell is one Unicode character of width 1 (a wide one occupies two cells, the second with ch 0),
 * a foreground and a background role (ui/canvas/theme.h) and attributes. Drawing outside is
 * clipped, never an error. Strings must be clean (base/str.h); their width is taken from
 * utf8proc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "ui/canvas/theme.h"

enum cell_attr { ATTR_BOLD = 1, ATTR_DIM = 2, ATTR_UNDERLINE = 4, ATTR_REVERSE = 8 };

struct cell {
	uint32_t ch; /* code point; 0: second half of a wide character */
	uint8_t fg;  /* enum role */
	uint8_t bg;  /* enum role */
	uint8_t attr;
};

struct rect {
	int x, y, w, h;
};

struct pixels; /* ui/canvas/pixels.h */

struct canvas {
	int w, h;
	struct cell *cells;    /* [h][w] */
	bool ascii;            /* only ASCII may be drawn: theme_glyph() gives the twin */
	bool mono;             /* no colours: what differs by colour must differ by glyph as well */
	int cell_w, cell_h;    /* pixels, where the terminal shows pictures, else 0 */
	struct pixels *pixels; /* a picture below the text of some cells; owned; NULL */
};

void canvas_init(struct canvas *canvas, int w, int h, bool ascii);
void canvas_resize(struct canvas *canvas, int w, int h);
void canvas_fini(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);
/* Takes the picture away. */
void canvas_drop_pixels(struct canvas *canvas);

void canvas_put(struct canvas *canvas, int x, int y, uint32_t ch, enum role fg, enum role bg,
		unsigned attr);
/* A glyph on the terminal's own background. */
void canvas_glyph(struct canvas *canvas, int x, int y, enum glyph glyph, enum role role);
void canvas_fill(struct canvas *canvas, struct rect r, uint32_t ch, enum role fg, enum role bg);
/* Fills with a step of the heat scale (0 .. HEAT_STEPS - 1); without colours with a shade. */
enum { HEAT_STEPS = ROLE_HEAT_LAST - ROLE_HEAT_FIRST + 1 };
void canvas_heat(struct canvas *canvas, struct rect r, int step);
/* A horizontal line. */
void canvas_rule(struct canvas *canvas, int x, int y, int w);
/* Writes clean UTF-8 text into at most `width` columns, cut with an ellipsis; returns the columns
 * used. */
int canvas_text(struct canvas *canvas, int x, int y, int width, const char *text, enum role fg,
		enum role bg, unsigned attr);
/* The same on the terminal's own background, without attributes. */
int canvas_write(struct canvas *canvas, int x, int y, int width, const char *text, enum role role);
/* The same without the last parts of a text, three blanks between them, that have no room: a figure
 * that is cut is worse than none. */
int canvas_write_parts(struct canvas *canvas, int x, int y, int width, const char *text,
		       enum role role);
/* Makes the name of a function or call path fit (base/name_text.h), before it is written. */
void canvas_fit_name(const struct canvas *canvas, struct str *name, int width);
/* The same of a title, which may differ from the next one at its end. */
void canvas_fit_title(const struct canvas *canvas, struct str *title, int width);
int canvas_text_fmt(struct canvas *canvas, int x, int y, int width, enum role fg, const char *fmt,
		    ...) __attribute__((format(printf, 6, 7)));
/* The same, ending at column x + width. */
int canvas_text_right(struct canvas *canvas, int x, int y, int width, const char *text,
		      enum role fg, enum role bg);
/* Bytes of a text that fit into a row of `width` columns: whole words, or a part of a long one; not
 * 0. */
size_t canvas_row_of(const char *text, int width);
/* Changes colours and attributes only; role ROLE_KEEP keeps. */
void canvas_paint(struct canvas *canvas, struct rect r, enum role fg, enum role bg, unsigned attr);

bool cell_same(const struct cell *a, const struct cell *b);
/* Sets changed[x] for the cells of a row that differ (`all`: for every one); returns how many. If
 * half of a wide character changes, old or new, both halves do. */
int canvas_row_changes(const struct cell *new, const struct cell *old, int w, bool all,
		       bool *changed);

/* The canvas as lines of UTF-8 without trailing blanks. */
void canvas_to_text(const struct canvas *canvas, struct str *out);
