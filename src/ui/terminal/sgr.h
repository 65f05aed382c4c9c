/* sgr: makes a terminal's byte stream shorter where it only sets colours and attributes, or moves
 * the cursor twice.
 *
 * Curses sets foreground and background again at every change of a pair, and gives them up in a
 * sequence of their own; it chooses the character set each time, and goes to a place by way of
 * another one. Here all of that is kept until a character, or a sequence of another sort, needs it,
 * and then sent as one sequence with what has really changed. Blanks need their ground alone.
 * Everything else passes unchanged. Understands ECMA-48 ("ESC [ ... m" with 16, 256 and RGB
 * colours); after a look that it does not understand all passes as it is. Pure.
 *
 *	struct str out = STR_INIT;
 *	sgr_shorten(bytes, n, &out);	// a frame: begins and ends with nothing set */
#pragma once

#include <stddef.h>

#include "base/str.h"

/* Appends the shorter stream. Whatever is set in front of it, it sets what it needs; after it is
 * set what the last sequence says. */
void sgr_shorten(const char *bytes, size_t n, struct str *out);
