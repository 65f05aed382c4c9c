#include "ui/terminal/screen_pens.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

#include "base/mem.h"
#include "ui/terminal/terminal_type.h"

struct pens {
	enum colour_depth depth;
	struct pen {
		bool known;
		struct ink ink;
	} pens[ROLE_COUNT][ROLE_COUNT];
};

struct pens *pens_new(const char *type, bool colours)
{
	struct pens *pens = xcalloc(1, sizeof *pens);
	const int n = colours ? tigetnum("colors") : 0;
	pens->depth = n >= 256 ? DEPTH_256 : n >= 16 ? DEPTH_16 : n >= 8 ? DEPTH_8 : DEPTH_MONO;
	if (n >= 256 && (terminal_has_exact_colours(type) || (n > 256 && tigetflag("RGB") > 0)))
		pens->depth = DEPTH_RGB;
	return pens;
}

void pens_free(struct pens *pens)
{
	free(pens);
}

enum colour_depth pens_depth(const struct pens *pens)
{
	return pens->depth;
}

void pens_forget(struct pens *pens)
{
	memset(pens->pens, 0, sizeof pens->pens);
}

/* How this terminal draws two roles. */
static struct ink pen_of(const struct pens *pens, const struct theme *theme, enum role fg_role,
			 enum role bg_role)
{
	const struct cell_look look = theme_cell(theme, fg_role, bg_role, pens->depth);
	const bool colours = pens->depth != DEPTH_MONO;
	return (struct ink){ .fg = colours ? look.fg : -1,
			     .bg = colours ? look.bg : -1,
			     .attr = look.attr };
}

struct ink pens_ink(struct pens *pens, const struct theme *theme, enum role fg, enum role bg)
{
	struct pen *pen = &pens->pens[fg][bg];

	if (!pen->known)
		*pen = (struct pen){ true, pen_of(pens, theme, fg, bg) };
	return pen->ink;
}
