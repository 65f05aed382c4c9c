/* screen_sixel: a picture of sixels in place of blank cells, and which parts of it must be sent.
 *
 * A terminal takes the pixels of a cell away when the cell is written, and what is there shines
 * through clear pixels. So cells are written first, those whose pixels change too, then all pixels
 * of written cells. Pixels of cells with text are clear. */
#pragma once

#include "ui/terminal/sixel.h"

struct screen_sixel {
	bool shown;            /* the terminal has `had` */
	bool whole;            /* a picture is lost whole where one cell is written, as in tmux */
	int most_w, most_h;    /* pixels of a picture; 0: any */
	struct pixels had;     /* what the terminal shows */
	struct pixels next;    /* what it will show; its rectangle is empty without a picture */
	struct sixel_span *at; /* [next.at.h] */
	struct sixel_palette palette;
};

/* Columns of cells from next.at.x on, half-open, that were written or have other pixels. */
struct sixel_span {
	int from, to;
};

/* Before a canvas is written. True: what the terminal shows must be cleared first. `all`: it will
 * be, whatever is answered. */
bool screen_sixel_begin(struct screen_sixel *s, const struct canvas *canvas, bool all);
/* Columns of the canvas, half-open, that must be written because pixels change; false: none. */
bool screen_sixel_span(const struct screen_sixel *s, int y, int *x0, int *x1);
/* Such columns are written. */
void screen_sixel_wrote(struct screen_sixel *s, int y, int x0, int x1);
/* Appends the pixels of cells that were written or have others. */
void screen_sixel_add(struct screen_sixel *s, struct str *out);
void screen_sixel_fini(struct screen_sixel *s);
