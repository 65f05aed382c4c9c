#include "model/chrome/json_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NUMBER_MOST = 64, REPLACEMENT = 0xfffd };

void json_scan_init(struct json_scan *s, struct source *source)
{
	*s = (struct json_scan){ .source = source, .buffer = xmalloc(JSON_BUFFER) };
	str_init(&s->rest);
}

void json_scan_fini(struct json_scan *s)
{
	free(s->buffer);
	str_fini(&s->rest);
	s->buffer = NULL;
}

static bool fail(struct json_scan *s, const char *wrong)
{
	if (!s->wrong)
		s->wrong = wrong;
	return false;
}

static bool fail_at_end(struct json_scan *s)
{
	s->ended = true;
	return fail(s, "the text ends here, in the middle of a value");
}

static bool fill(struct json_scan *s)
{
	ssize_t n;

	if (s->wrong)
		return false;
	s->begin += s->n;
	s->at = s->n = 0;
	do
		n = source_read(s->source, s->buffer, JSON_BUFFER);
	while (n < 0 && errno == EAGAIN);
	if (n > 0)
		s->n = (size_t)n;
	return n > 0;
}

/* The next character, which stays; -1 at the end. */
static inline int look(struct json_scan *s)
{
	return s->at < s->n || fill(s) ? s->buffer[s->at] : -1;
}

int json_peek(struct json_scan *s)
{
	int c;

	while ((c = look(s)) == ' ' || c == '\n' || c == '\r' || c == '\t')
		s->at++;
	return c;
}

enum json_kind json_next(struct json_scan *s)
{
	const int c = json_peek(s);

	if (s->wrong || c < 0)
		return JSON_NONE;
	if (c == '"')
		return JSON_STRING;
	if (c == '{')
		return JSON_OBJECT;
	if (c == '[')
		return JSON_ARRAY;
	if (c == '-' || (c >= '0' && c <= '9'))
		return JSON_NUMBER;
	if (c >= 'a' && c <= 'z')
		return JSON_WORD;
	fail(s, "a value is expected here");
	return JSON_NONE;
}

bool json_enter(struct json_scan *s, char bracket)
{
	if (json_peek(s) != bracket)
		return json_peek(s) < 0 ? fail_at_end(s)
					: fail(s, "another kind of value is expected");
	s->at++;
	return true;
}

/* ---- strings ---- */

static void add_code(struct str *text, uint32_t code)
{
	char b[4];
	size_t n = 0;

	if (code < 0x80) {
		b[n++] = (char)code;
	} else if (code < 0x800) {
		b[n++] = (char)(0xc0 | code >> 6);
		b[n++] = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		b[n++] = (char)(0xe0 | code >> 12);
		b[n++] = (char)(0x80 | (code >> 6 & 0x3f));
		b[n++] = (char)(0x80 | (code & 0x3f));
	} else {
		b[n++] = (char)(0xf0 | code >> 18);
		b[n++] = (char)(0x80 | (code >> 12 & 0x3f));
		b[n++] = (char)(0x80 | (code >> 6 & 0x3f));
		b[n++] = (char)(0x80 | (code & 0x3f));
	}
	str_add_n(text, b, n);
}

static bool four_digits(struct json_scan *s, uint32_t *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++, s->at++) {
		const int c = look(s);
		const int digit = c >= '0' && c <= '9'   ? c - '0'
				  : c >= 'a' && c <= 'f' ? c - 'a' + 10
				  : c >= 'A' && c <= 'F' ? c - 'A' + 10
							 : -1;
		if (c < 0)
			return fail_at_end(s);
		if (digit < 0)
			return fail(s, "four hexadecimal digits are expected after \\u");
		*code = *code << 4 | (uint32_t)digit;
	}
	return true;
}

/* After \u. A first half of a pair waits for the second one; NUL is not text. */
static bool take_code(struct json_scan *s, struct str *text, uint32_t *half)
{
	uint32_t code;

	if (!four_digits(s, &code))
		return false;
	if (*half && code >= 0xdc00 && code < 0xe000) {
		add_code(text, 0x10000 + ((*half - 0xd800) << 10) + (code - 0xdc00));
		*half = 0;
		return true;
	}
	if (*half)
		add_code(text, REPLACEMENT);
	*half = code >= 0xd800 && code < 0xdc00 ? code : 0;
	if (!*half)
		add_code(text, code == 0 || (code >= 0xdc00 && code < 0xe000) ? REPLACEMENT : code);
	return true;
}

/* After a backslash. */
static bool take_escape(struct json_scan *s, struct str *text, uint32_t *half)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const int c = look(s);
	const char *which;

	if (c < 0)
		return fail_at_end(s);
	s->at++;
	if (c == 'u')
		return take_code(s, text, half);
	which = c ? strchr(from, c) : NULL;
	if (!which)
		return fail(s, "a backslash is followed by no escape that JSON has");
	if (*half)
		add_code(text, REPLACEMENT);
	*half = 0;
	str_add_char(text, to[which - from]);
	return true;
}

/* What needs no look at each byte. */
static void take_plain(struct json_scan *s, struct str *text)
{
	const size_t from = s->at;

	while (s->at < s->n && s->buffer[s->at] != '"' && s->buffer[s->at] != '\\' &&
	       s->buffer[s->at] != 0)
		s->at++;
	str_add_n(text, (const char *)s->buffer + from, s->at - from);
}

static bool take_string(struct json_scan *s, struct str *text)
{
	uint32_t half = 0;
	bool cut = false;
	int c;

	str_clear(text);
	s->at++;
	while ((c = look(s)) >= 0 && c != '"') {
		struct str *const to = text->n < JSON_TEXT_MOST ? text : &s->rest;
		if (to != text || text == &s->rest)
			str_clear(to);
		cut = cut || to != text;
		if (c == '\\') {
			s->at++;
			if (!take_escape(s, to, &half))
				return false;
			continue;
		}
		if (half)
			add_code(to, REPLACEMENT);
		half = 0;
		if (c == 0) {
			s->at++;
			add_code(to, REPLACEMENT);
		} else {
			take_plain(s, to);
		}
	}
	if (c < 0)
		return fail_at_end(s);
	s->at++;
	if (half)
		add_code(cut ? &s->rest : text, REPLACEMENT);
	s->cut += cut;
	return true;
}

/* ---- other values ---- */

static void take_word(struct json_scan *s, struct str *text)
{
	int c;

	str_clear(text);
	while ((c = look(s)) >= 0 && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
				      (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+')) {
		if (text->n < NUMBER_MOST)
			str_add_char(text, (char)c);
		s->at++;
	}
}

enum json_kind json_scalar(struct json_scan *s, struct str *text)
{
	const enum json_kind kind = json_next(s);

	switch (kind) {
	case JSON_STRING: return take_string(s, text) ? kind : JSON_NONE;
	case JSON_NUMBER:
	case JSON_WORD: take_word(s, text); return kind;
	case JSON_NONE:
		if (!s->wrong)
			fail_at_end(s);
		return kind;
	default: return kind;
	}
}

/* After commas; false at the bracket, which is taken, and where the text is wrong or ends. */
static bool goes_on(struct json_scan *s, char bracket)
{
	int c = json_peek(s);

	for (; c == ','; c = json_peek(s))
		s->at++;
	if (s->wrong)
		return false;
	if (c < 0)
		return fail_at_end(s);
	if (c != bracket)
		return true;
	s->at++;
	return false;
}

bool json_key(struct json_scan *s, struct str *key)
{
	int c;

	if (!goes_on(s, '}'))
		return false;
	if (json_peek(s) != '"')
		return fail(s, "a key in quotes is expected here");
	if (!take_string(s, key))
		return false;
	c = json_peek(s);
	if (c != ':')
		return c < 0 ? fail_at_end(s) : fail(s, "a colon is expected after a key");
	s->at++;
	return true;
}

bool json_element(struct json_scan *s)
{
	return goes_on(s, ']');
}

/* Brackets are counted, and which they are is kept: no recursion. */
bool json_skip(struct json_scan *s)
{
	char open[JSON_DEPTH] = { 0 };
	size_t depth = 0;

	do {
		enum json_kind kind;
		if (depth && open[depth - 1] == '{' && !json_key(s, &s->rest)) {
			depth--;
			continue;
		}
		if (depth && open[depth - 1] == '[' && !json_element(s)) {
			depth--;
			continue;
		}
		kind = json_scalar(s, &s->rest);
		if (kind != JSON_ARRAY && kind != JSON_OBJECT)
			continue;
		if (depth == JSON_DEPTH)
			return fail(s, "values are nested too deep here");
		open[depth++] = kind == JSON_ARRAY ? '[' : '{';
		s->at++;
	} while (depth > 0 && !s->wrong);
	return !s->wrong;
}
