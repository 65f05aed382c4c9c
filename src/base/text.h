/* text: the width of clean text on a terminal (utf8proc), and the word that a mistyped one may
 * mean. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct str;

/* Columns that the text takes (characters of no width are not drawn). */
int text_width(const char *text);
/* Appends so many blanks; nothing where that is below 1. */
void text_add_blanks(struct str *out, int blanks);
/* Bytes of text that fit into `width` columns. */
size_t text_fit(const char *text, int width);
/* The next character that takes a column: its code point and width; 0 at the end. Moves *text past
 * it. */
uint32_t text_next(const char **text, int *width);

/* The word of a NULL-terminated list that is nearest to a mistyped one, NULL when none is near. */
const char *nearest_word(const char *typed, const char *const *words);
