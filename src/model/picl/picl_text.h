/* picl_text: pieces of the lines of a PICL file, as the reader takes them apart and the writer puts
 * them together. */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* ---- taking apart ---- */

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

/* The end of a text without the white space that it ends with. */
static inline const char *picl_trim(const char *p, const char *end)
{
	while (end > p && picl_is_blank(end[-1]))
		end--;
	return end;
}

/* True for text with control characters, which no line can hold as it is. */
bool picl_text_is_odd(const char *text);

/* ---- putting together ---- */

/* "A B ": the type of a record and of its event, or its processor and process. */
void picl_add_pair(struct str *out, int32_t a, int32_t b);
/* " VALUE" */
void picl_add_value(struct str *out, int64_t value);
/* The data of n integers: "0", or "N 2 VALUES". */
void picl_add_values(struct str *out, const int64_t *v, int32_t n);
/* The data that is a text of n bytes, blanks for its control characters: N "%c" TEXT. */
void picl_add_text(struct str *out, const char *text, size_t n);
