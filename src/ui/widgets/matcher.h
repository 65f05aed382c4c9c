/* matcher: a search pattern (PCRE2, UTF-8, JIT), bounded so that no pattern can hang the program.
 * A pattern without capitals matches letters of either case. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "ui/canvas/canvas.h"

struct matcher;

/* NULL with err, which says where the pattern is wrong. */
struct matcher *matcher_new(const char *pattern, struct err *err);
void matcher_free(struct matcher *matcher);
/* Puts one for `pattern` in its place, NULL for an empty one. False with err where the pattern is
 * wrong: the old one is kept. */
bool matcher_change(struct matcher **matcher, const char *pattern, struct err *err);
/* Finds the first match from byte `from`; [*begin, *end) may be empty. A text on which the
 * pattern takes too long does not match. */
bool matcher_find(const struct matcher *matcher, const char *text, size_t n, size_t from,
		  size_t *begin, size_t *end);
/* The same where only whether it matches is asked. */
bool matcher_hits(const struct matcher *matcher, const char *text, size_t n);
/* Paints the first match from byte `at` of a text that begins at column x, as far as the row shows
 * it; the byte after it, 0: there is none, or no matcher. */
size_t matcher_paint(const struct matcher *matcher, struct canvas *canvas, struct rect row, int x,
		     const struct str *text, size_t at);
const char *matcher_pattern(const struct matcher *matcher);
