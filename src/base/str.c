#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char str_nothing[1] = "";

void str_init(struct str *s)
{
	*s = (struct str)STR_INIT;
}

void str_fini(struct str *s)
{
	if (s->cap)
		free(s->text);
	str_init(s);
}

void str_clear(struct str *s)
{
	s->n = 0;
	if (s->cap)
		s->text[0] = '\0';
}

void str_grow(struct str *s, size_t more)
{
	size_t want = s->cap * 2 + 32;

	if (want < s->n + more + 1)
		want = s->n + more + 1;
	s->text = xrealloc(s->cap ? s->text : NULL, want);
	s->cap = want;
	s->text[s->n] = '\0';
}

static void reserve(struct str *s, size_t more)
{
	if (s->n + more >= s->cap)
		str_grow(s, more);
}

void str_add(struct str *s, const char *text)
{
	str_add_n(s, text, strlen(text));
}

void str_add_fmt_v(struct str *s, const char *fmt, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	reserve(s, 64);
	n = vsnprintf(s->text + s->n, s->cap - s->n, fmt, args);
	if (n >= 0 && (size_t)n >= s->cap - s->n) {
		reserve(s, (size_t)n);
		n = vsnprintf(s->text + s->n, s->cap - s->n, fmt, again);
	}
	va_end(again);
	if (n > 0)
		s->n += (size_t)n;
}

void str_add_fmt(struct str *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	str_add_fmt_v(s, fmt, args);
	va_end(args);
}

const char str_pairs[2 * 100 + 1] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";

char *str_put_fixed(char *p, uint64_t value, int n)
{
	char *end = p + n;

	/* Four at a time: the divisions depend on each other. */
	for (; n >= 4; n -= 4, value /= 10000) {
		const uint32_t four = (uint32_t)(value % 10000);
		memcpy(p + n - 4, str_pairs + 2 * (four / 100), 2);
		memcpy(p + n - 2, str_pairs + 2 * (four % 100), 2);
	}
	for (; n >= 2; n -= 2, value /= 100)
		memcpy(p + n - 2, str_pairs + 2 * (value % 100), 2);
	if (n)
		*p = (char)('0' + value);
	return end;
}

char *str_put_uint(char *p, uint64_t value)
{
	uint64_t above = 100;
	int n = 2;

	if (value < 10) {
		*p = (char)('0' + value);
		return p + 1;
	}
	for (; value >= above && n < STR_DIGITS - 1; above *= 10)
		n++;
	n += value >= above;
	return str_put_fixed(p, value, n);
}

void str_add_int(struct str *s, int64_t value)
{
	str_end(s, str_put_int(str_room(s, STR_INT), value));
}

bool str_ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

char *str_take(struct str *s)
{
	char *text = s->cap ? s->text : xstrdup("");

	str_init(s);
	return text;
}

size_t str_utf8_length(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t length;
	uint32_t code;

	if (n == 0)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] >= 0xc2 && u[0] <= 0xdf)
		length = 2, code = u[0] & 0x1fu;
	else if ((u[0] & 0xf0) == 0xe0)
		length = 3, code = u[0] & 0x0fu;
	else if (u[0] >= 0xf0 && u[0] <= 0xf4)
		length = 4, code = u[0] & 0x07u;
	else
		return 0;
	if (length > n)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (u[i] & 0x3fu);
	}
	if (length == 3 && (code < 0x800 || (code >= 0xd800 && code <= 0xdfff)))
		return 0;
	if (length == 4 && (code < 0x10000 || code > 0x10ffff))
		return 0;
	return length;
}

/* Bidirectional overrides and other invisible format characters can make a terminal show something
 * other than the text; they are treated like control characters. */
static bool is_harmful(const char *p, size_t length)
{
	const unsigned char *u = (const unsigned char *)p;

	if (length == 1)
		return u[0] < 0x20 || u[0] == 0x7f;
	if (length == 2)
		return u[0] == 0xc2 && u[1] < 0xa0; /* C1 */
	if (length == 3 && u[0] == 0xe2 && u[1] == 0x80)
		return (u[2] >= 0x8b && u[2] <= 0x8f) || (u[2] >= 0xa8 && u[2] <= 0xae);
	if (length == 3 && u[0] == 0xe2 && u[1] == 0x81)
		return u[2] >= 0xa0 && u[2] <= 0xaf;
	return length == 3 && u[0] == 0xef && u[1] == 0xbb && u[2] == 0xbf;
}

/* How many of the first n bytes are printable ASCII: of most texts all. */
static size_t plain_length(const char *bytes, size_t n)
{
	size_t i = 0;

	while (i < n && bytes[i] >= 0x20 && bytes[i] < 0x7f)
		i++;
	return i;
}

size_t str_clean(char *out, size_t size, const char *bytes, size_t n)
{
	size_t used;

	if (size == 0)
		return 0;
	used = plain_length(bytes, n < size ? n : size - 1);
	memcpy(out, bytes, used);
	for (size_t i = used; i < n;) {
		const size_t length = str_utf8_length(bytes + i, n - i);
		const bool bad = length == 0 || is_harmful(bytes + i, length);
		const size_t needs = bad ? 1 : length;

		if (used + needs >= size)
			break;
		if (bad)
			out[used] = memchr("\t\n\r", bytes[i], 3) ? ' ' : '?';
		else
			memcpy(out + used, bytes + i, length);
		used += needs;
		i += length ? length : 1;
	}
	out[used] = '\0';
	return used;
}

void str_add_clean(struct str *s, const char *bytes, size_t n)
{
	reserve(s, n);
	s->n += str_clean(s->text + s->n, n + 1, bytes, n);
}

void str_add_clean_text(struct str *s, const char *text)
{
	str_add_clean(s, text, strlen(text));
}

void str_add_wrapped(struct str *s, const char *text, int indent, int width)
{
	int column = indent;

	for (const char *p = text; *p;) {
		const int blanks = (int)strspn(p, " "), n = (int)strcspn(p + blanks, " ");
		if (column + blanks + n > width && column > indent) {
			str_add_fmt(s, "\n%*s", indent, "");
			column = indent;
		} else if (n) {
			str_add_n(s, p, (size_t)blanks);
			column += blanks;
		}
		str_add_n(s, p + blanks, (size_t)n);
		column += n;
		p += blanks + n;
	}
	str_add_char(s, '\n');
}

void str_add_csv(struct str *s, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		str_add(s, text);
		return;
	}
	str_add_char(s, '"');
	for (; *text; text++) {
		if (*text == '"')
			str_add_char(s, '"');
		str_add_char(s, *text);
	}
	str_add_char(s, '"');
}

void str_add_csv_safe(struct str *s, const char *text)
{
	OWNED_STR safe = STR_INIT;

	if (!*text || !strchr("=+-@\t\r", *text)) {
		str_add_csv(s, text);
		return;
	}
	str_add_char(&safe, '\'');
	str_add(&safe, text);
	str_add_csv(s, safe.text);
}

/* Harmful characters are in the basic plane, so one \u holds each. */
static void add_json_escape(struct str *s, const char *p, size_t length)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	unsigned code = (unsigned char)p[0] & first[length];

	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)p[i] & 0x3fu);
	str_add_fmt(s, "\\u%04x", code);
}

void str_add_escaped(struct str *s, const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			str_add_char(s, '\\');
		str_add_char(s, *text);
	}
}

void str_add_markdown(struct str *s, const char *text)
{
	str_add_escaped(s, text, "|\\`*_<>[]#");
}

void str_add_json(struct str *s, const char *text)
{
	const size_t n = strlen(text);

	str_add_char(s, '"');
	for (size_t i = 0, length; i < n; i += length ? length : 1) {
		length = str_utf8_length(text + i, n - i);
		if (length == 0)
			str_add(s, "\\ufffd");
		else if (is_harmful(text + i, length))
			add_json_escape(s, text + i, length);
		else if (text[i] == '"' || text[i] == '\\')
			str_add_fmt(s, "\\%c", text[i]);
		else
			str_add_n(s, text + i, length);
	}
	str_add_char(s, '"');
}
