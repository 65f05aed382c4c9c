/* theme_file: themes that users write. Lines "NAME = COLOUR", or "NAME = COLOUR on COLOUR" of text
 * on a fill; "base = light" first where the rest is to be as there. Colours are #rrggbb, a
 * number of the 256 palette, or `default`, the terminal's own. Names: tview-keys(7), THEMES.
 *
 * Terminals of 256 colours get the nearest ones; those of 8 or 16 what the base has. */
#pragma once

#include "base/str.h"
#include "ui/canvas/theme.h"

/* Never NULL; theme_free(). Appends a line "NAME:LINE: sentence" to `wrong` for each line that is
 * not taken, and to `poor` for each whose text has too little contrast (WCAG 2.1: 4.5, marks 3; on
 * black, or on the white of a light base). */
const struct theme *theme_parse(const char *name, const char *text, size_t n, struct str *wrong,
				struct str *poor);
/* Of theme_find() or theme_parse(), NULL. */
void theme_free(const struct theme *theme);

/* Appends the names of all roles, and blanks between. */
void theme_add_roles(struct str *out);
