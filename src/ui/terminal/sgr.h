/* sgr: shortens a terminal's byte stream by joining changes of colours and attributes, and moves of
 * the cursor.
 *
 * Curses sets foreground and background again at every change of a pair, and resets them in
 * separate sequences; it selects the character set each time, and moves the cursor in two steps.
 * Here these changes are held back until a character, or a sequence of another kind, needs them,
 * and then sent as one sequence with the real changes. Blanks need only their background.
 * Everything else passes unchanged. Understands ECMA-48 ("ESC [ ... m" with 16, 256 and RGB
 * colours); after attributes that it does not understand all bytes pass unchanged. Pure.
 *
 *	struct str out = STR_INIT;
 *	sgr_shorten(bytes, n, NULL, &out);	// a frame: begins and ends with nothing set */
#pragma once

#include <stddef.h>

#include "base/str.h"

/* Appends the shorter stream. It does not depend on attributes set before it, and leaves those of
 * the original stream. exact[256]: the colour (rgb) that one of the palette is for, -1: itself;
 * NULL: all are themselves. */
void sgr_shorten(const char *bytes, size_t n, const int *exact, struct str *out);
