#include "ui/terminal/screen_pens.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

#include "base/mem.h"
#include "base/vec.h"
#include "ui/terminal/terminal_type.h"

struct colours {
	int fg, bg;
};

struct pens {
	enum colour_depth depth;
	bool default_colours;      /* -1 means the terminal's own */
	VEC(struct colours) pairs; /* of pair i + 1 */
	int *exact;                /* [256]: rgb that a number is for, -1: itself; or NULL */
	struct pen {
		bool known;
		struct ink ink;
	} pens[ROLE_COUNT][ROLE_COUNT];
};

struct pens *pens_new(const char *type)
{
	struct pens *pens = xcalloc(1, sizeof *pens);
	pens->depth = DEPTH_MONO;
	start_color();
	/* vt100 and dumb accept start_color(), and crash at the first pair. */
	if (!has_colors() || COLORS < 8)
		return pens;
	pens->default_colours = use_default_colors() == OK;
	if (COLORS > 256 && tigetflag("RGB") > 0)
		pens->depth = DEPTH_RGB;
	else
		pens->depth = COLORS >= 256 ? DEPTH_256 : COLORS >= 16 ? DEPTH_16 : DEPTH_8;
	if (pens->depth == DEPTH_256 && terminal_has_exact_colours(type)) {
		pens->depth = DEPTH_RGB;
		pens->exact = xmalloc(256 * sizeof *pens->exact);
		memset(pens->exact, -1, 256 * sizeof *pens->exact);
	}
	return pens;
}

void pens_free(struct pens *pens)
{
	if (!pens)
		return;
	vec_fini(&pens->pairs);
	free_all(pens->exact, pens);
}

enum colour_depth pens_depth(const struct pens *pens)
{
	return pens->depth;
}

const int *pens_exact(const struct pens *pens)
{
	return pens->exact;
}

void pens_forget(struct pens *pens)
{
	memset(pens->pens, 0, sizeof pens->pens);
}

static int pair_of(struct pens *pens, int fg, int bg)
{
	if (fg < 0 && !pens->default_colours)
		fg = COLOR_WHITE;
	if (bg < 0 && !pens->default_colours)
		bg = COLOR_BLACK;
	if (fg < 0 && bg < 0)
		return 0;
	for (size_t i = 0; i < pens->pairs.n; i++)
		if (pens->pairs.data[i].fg == fg && pens->pairs.data[i].bg == bg)
			return (int)i + 1;
	const int pair = (int)pens->pairs.n + 1;
	/* Where there are few pairs (Linux: 64) the last combinations lose their background. */
	if (pair >= COLOR_PAIRS || init_extended_pair(pair, fg, bg) != OK)
		return 0;
	const struct colours colours = { fg, bg };
	vec_push(&pens->pairs, colours);
	return pair;
}

/* The number in curses for a colour of a theme. A terminal of 256 colours that knows exact ones has
 * a number stand for each: the one that looks like it, if that is free. */
static int palette(struct pens *pens, int colour, int like)
{
	enum { FIRST = 16, NUMBERS = 256 - FIRST };
	const int rgb = colour & 0xffffff;
	if (colour < 0x1000000)
		return colour;
	if (!pens->exact)
		return rgb;
	for (int i = 0; like >= FIRST && i < NUMBERS; i++) {
		int *exact = &pens->exact[FIRST + (like - FIRST + i) % NUMBERS];
		if (*exact >= 0 && *exact != rgb)
			continue;
		*exact = rgb;
		return (int)(exact - pens->exact);
	}
	return like;
}

/* How this terminal draws two roles. */
static struct ink pen_of(struct pens *pens, const struct theme *theme, enum role fg_role,
			 enum role bg_role)
{
	const struct cell_look look = theme_cell(theme, fg_role, bg_role, pens->depth);
	const struct cell_look like = theme_cell(theme, fg_role, bg_role, DEPTH_256);
	const int fg = palette(pens, look.fg, like.fg), bg = palette(pens, look.bg, like.bg);
	struct ink pen = { .fg = -1, .bg = -1, .other = -1, .attr = look.attr };
	if (pens->depth == DEPTH_MONO || (look.fg < 0 && look.bg < 0))
		return pen;
	pen.fg = look.fg;
	pen.bg = look.bg;
	pen.pair = pair_of(pens, fg, bg);
	/* Where there are few pairs, exchanged ones are not worth one. */
	if (fg >= 0 && bg >= 0 && COLOR_PAIRS > 256)
		pen.other = pair_of(pens, bg, fg);
	return pen;
}

struct ink pens_ink(struct pens *pens, const struct theme *theme, enum role fg, enum role bg)
{
	struct pen *pen = &pens->pens[fg][bg];

	if (!pen->known)
		*pen = (struct pen){ true, pen_of(pens, theme, fg, bg) };
	return pen->ink;
}
