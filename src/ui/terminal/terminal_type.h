/* terminal_type: properties of the terminal from the environment, before curses starts. */
#pragma once

#include <stdbool.h>

#include "ui/canvas/theme.h"

/* The theme for the terminal's background (COLORFGBG), or for NO_COLOR. */
const struct theme *terminal_theme(void);
/* TERM, or the type with more colours of the same terminal if COLORTERM allows it; NULL: not
 * set. */
const char *terminal_type(void);
/* A type with fewer capabilities that terminals of this type understand, for machines whose
 * terminfo lacks it: kitty, wezterm and most others answer as xterm does. NULL: there is none. */
const char *terminal_kin(const char *type);
/* True if COLORTERM says that the terminal shows any colour ("ESC [ 38;2;R;G;B m"), whatever its
 * type says. */
bool terminal_has_exact_colours(const char *type);
/* True if terminals of the type support synchronized output (DEC mode 2026). */
bool terminal_syncs(const char *type);
/* True if the locale or the type has only ASCII characters. The locale must be set. */
bool terminal_is_ascii(const char *type);
/* True if a terminal of the type may be asked for pictures: not GNU screen, which takes the
 * question for a text to show. */
bool terminal_may_show_pictures(const char *type);
/* True within tmux. */
bool terminal_is_tmux(void);
