/* macro_lines: hides definitions of macros in preprocessed text (-g3 leaves them in) from parsers
 * that would expand them again.
 *
 *	text = macro_lines_hide(text, &size);		#define and #undef become comments
 *	...						change the text, but not its lines
 *	text = macro_lines_show(text, &size, hidden);	they are directives again
 */
#pragma once

#include <stddef.h>

#include "base/str.h"
#include "base/vec.h"

struct macro_line {
	size_t from, n; /* in the original text, without its line break */
};

struct macro_lines {
	VEC(struct macro_line) list;
};

/* Appends the text to `out` with those lines hidden. Without any, `lines` is empty and `out` the
 * text. */
void macro_lines_hide(struct macro_lines *lines, const char *text, size_t size, struct str *out);
/* Appends a changed text to `out` with the lines of the original text put back. */
void macro_lines_show(const struct macro_lines *lines, const char *original, const char *text,
		      size_t size, struct str *out);
