/* picl_text: helpers for lines of a PICL file: splitting them for the reader, composing them for
 * the writer. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* ---- splitting ---- */

static inline bool picl_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline const char *picl_skip_blanks(const char *p, const char *end)
{
	while (p < end && picl_is_blank(*p))
		p++;
	return p;
}

static inline const char *picl_skip_word(const char *p, const char *end)
{
	while (p < end && !picl_is_blank(*p))
		p++;
	return p;
}

/* The end of a text without its trailing white space. */
static inline const char *picl_trim(const char *p, const char *end)
{
	while (end > p && picl_is_blank(end[-1]))
		end--;
	return end;
}

/* True for text with control characters, which a line cannot hold. */
bool picl_text_is_odd(const char *text);

/* ---- composing: each appends ---- */

/* "A B ": the type of a record and of its event, or its processor and process. */
void picl_add_pair(struct str *out, int32_t a, int32_t b);
/* The same at p, where PICL_PAIR bytes may be written; returns where it ends. */
enum { PICL_PAIR = 2 * (STR_INT + 1) };
char *picl_put_pair(char *p, int32_t a, int32_t b);
/* " VALUE" */
void picl_add_value(struct str *out, int64_t value);
/* The data of n integers: "0", or "N 2 VALUES". */
void picl_add_values(struct str *out, const int64_t *v, int32_t n);
/* Data that is a text of n bytes, blanks for its control characters: N "%c" TEXT. */
void picl_add_text(struct str *out, const char *text, size_t n);
