/* terminal_type: what the environment says of the terminal, before curses is asked. */
#pragma once

#include <stdbool.h>

#include "ui/canvas/theme.h"

/* The theme for the terminal's ground (COLORFGBG), or for NO_COLOR. */
const struct theme *terminal_theme(void);
/* TERM, or its better twin if the terminal can do more (COLORTERM); NULL: not set. */
const char *terminal_type(void);
/* Whether terminals of the type draw a frame at once between DEC 2026's marks. */
bool terminal_syncs(const char *type);
/* Whether the locale or the type has no characters but ASCII. The locale must be set. */
bool terminal_is_ascii(const char *type);
