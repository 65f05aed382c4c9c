/* screen_pens: how a terminal draws two roles: the colours of a theme at its depth. Needs curses to
 * be started. */
#pragma once

#include "ui/canvas/theme.h"
#include "ui/terminal/ink.h"

struct pens;

/* Of a terminal of a type; without colours whatever it has. */
struct pens *pens_new(const char *type, bool colours);
void pens_free(struct pens *pens);
enum colour_depth pens_depth(const struct pens *pens);
/* The ink of two roles in a theme, without a character; the theme is that of the last call unless
 * pens_forget() was called. */
struct ink pens_ink(struct pens *pens, const struct theme *theme, enum role fg, enum role bg);
void pens_forget(struct pens *pens);
