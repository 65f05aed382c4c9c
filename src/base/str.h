/* str: text that is built up, and text from outside made harmless.
 *
 * A `struct str` grows as it is appended to and is always NUL-terminated. Text that came from a
 * trace passes through str_clean() (or str_add_clean()) before it reaches a terminal, a message
 * or a cell: control characters, escape sequences and broken UTF-8 cannot get through. Nothing
 * else in the program cleans text. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* Freed where its scope ends; str_take() before that hands the text on. */
#define OWNED_STR ENDED_BY(str_fini) struct str

struct str {
	char *text; /* NUL-terminated; "" (not owned) while nothing was added */
	size_t n;   /* bytes without the NUL */
	size_t cap;
};

extern const char str_nothing[1];

#define STR_INIT                                     \
	{                                            \
		(char *)(uintptr_t)str_nothing, 0, 0 \
	}

void str_init(struct str *s);
void str_fini(struct str *s);
void str_clear(struct str *s); /* length 0, memory kept */

/* Room for so many bytes more, and the NUL. */
void str_grow(struct str *s, size_t more);

/* Traces are written with these two: millions of short pieces. */
static inline void str_add_n(struct str *s, const char *bytes, size_t n)
{
	if (s->n + n >= s->cap)
		str_grow(s, n);
	if (n)
		memcpy(s->text + s->n, bytes, n);
	s->n += n;
	s->text[s->n] = '\0';
}

static inline void str_add_char(struct str *s, char c)
{
	if (s->n + 1 >= s->cap)
		str_grow(s, 1);
	s->text[s->n++] = c;
	s->text[s->n] = '\0';
}

/* Where at most so many bytes more may be written; str_end() says where they end. */
static inline char *str_room(struct str *s, size_t most)
{
	if (s->n + most >= s->cap)
		str_grow(s, most);
	return s->text + s->n;
}

static inline void str_end(struct str *s, char *end)
{
	*end = '\0';
	s->n = (size_t)(end - s->text);
}

void str_add(struct str *s, const char *text);
void str_add_fmt(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_add_fmt_v(struct str *s, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
void str_add_int(struct str *s, int64_t value);

/* Write a number at p, at most STR_INT bytes, and return where it ends; str_put_fixed() one below
 * 10^n as n digits. */
enum { STR_DIGITS = 20, STR_INT };
char *str_put_uint(char *p, uint64_t value);
char *str_put_fixed(char *p, uint64_t value, int n);

/* Numbers below 100, two digits each. */
extern const char str_pairs[2 * 100 + 1];

/* One below 10^8 as eight digits. */
static inline char *str_put_eight(char *p, uint32_t value)
{
	const uint32_t high = value / 10000, low = value % 10000;

	memcpy(p, str_pairs + 2 * (high / 100), 2);
	memcpy(p + 2, str_pairs + 2 * (high % 100), 2);
	memcpy(p + 4, str_pairs + 2 * (low / 100), 2);
	memcpy(p + 6, str_pairs + 2 * (low % 100), 2);
	return p + 8;
}

static inline char *str_put_int(char *p, int64_t value)
{
	uint64_t size = (uint64_t)value;

	if (value < 0) {
		*p++ = '-';
		size = 0 - size;
	}
	if (size < 10) {
		*p = (char)('0' + size);
		return p + 1;
	}
	return str_put_uint(p, size);
}
void str_add_clean(struct str *s, const char *bytes, size_t n);
void str_add_clean_text(struct str *s, const char *text);

/* Whether a text that is longer than `end` ends with it. */
bool str_ends_with(const char *text, const char *end);

/* Hands the text to the caller, who frees it; s is empty afterwards. */
char *str_take(struct str *s);

/* Copies n bytes to `out` (`size` bytes large, NUL-terminated, cut at a character's start) with
 * every C0 and C1 control character and every byte that is not part of well-formed UTF-8 replaced
 * by '?' (a tab or a line break by a blank). Returns the length. */
size_t str_clean(char *out, size_t size, const char *bytes, size_t n);

/* Length in bytes (1-4) of the UTF-8 character at p, where n bytes are left; 0 if it is not
 * well-formed. */
size_t str_utf8_length(const char *p, size_t n);

/* Appends text broken at blanks into lines of `width` columns (a byte is one), and a line break.
 * The cursor is at column `indent` already; further lines are indented to it. */
void str_add_wrapped(struct str *s, const char *text, int indent, int width);

/* RFC 4180: appends a CSV field, quoted when it holds a comma, a quote or a line break. */
void str_add_csv(struct str *s, const char *text);
/* The same for spreadsheets: what they would take for a formula begins with an apostrophe. */
void str_add_csv_safe(struct str *s, const char *text);
/* Appends text with a backslash before every special character. */
void str_add_escaped(struct str *s, const char *text, const char *special);
/* Appends text with Markdown's special characters escaped: for headings, lists and cells of
 * tables. */
void str_add_markdown(struct str *s, const char *text);
/* RFC 8259: appends a JSON string with its quotes. What str_clean() would replace is escaped;
 * bytes that are not UTF-8 become U+FFFD, so that the result is well-formed whatever came in. */
void str_add_json(struct str *s, const char *text);
