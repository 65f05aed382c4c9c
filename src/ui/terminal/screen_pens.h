/* screen_pens: how a terminal draws two roles: curses' numbers of colours and of their pairs. Needs
 * curses to be started. A terminal of 256 colours that shows exact ones (terminal_type.h) has
 * numbers for them, which sgr_shorten() replaces. */
#pragma once

#include "ui/canvas/theme.h"
#include "ui/terminal/ink.h"

struct pens;

/* Starts colours on a terminal of a type. */
struct pens *pens_new(const char *type);
void pens_free(struct pens *pens);
enum colour_depth pens_depth(const struct pens *pens);
/* The colours that numbers stand for, as sgr_shorten() takes them; NULL: none does. */
const int *pens_exact(const struct pens *pens);
/* The ink of two roles in a theme, without a character; the theme is that of the last call unless
 * pens_forget() was called. */
struct ink pens_ink(struct pens *pens, const struct theme *theme, enum role fg, enum role bg);
void pens_forget(struct pens *pens);
