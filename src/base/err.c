#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* The first error wins. */
static void __attribute__((format(printf, 4, 0)))
fill(struct err *err, int status, int saved_errno, const char *fmt, va_list args)
{
	char raw[sizeof err->text];

	if (!err || err->status)
		return;
	/* Leaves room for the system's reason after a text of any length. */
	vsnprintf(raw, sizeof raw - (saved_errno ? 80 : 0), fmt, args);
	if (saved_errno) {
		const size_t n = strlen(raw);
		snprintf(raw + n, sizeof raw - n, ": %s", strerror(saved_errno));
	}
	err->status = status;
	str_clean(err->text, sizeof err->text, raw, strlen(raw));
}

bool err_set(struct err *err, int status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(err, status, 0, fmt, args);
	va_end(args);
	return false;
}

bool err_errno(struct err *err, int status, const char *fmt, ...)
{
	const int saved = errno;
	va_list args;

	va_start(args, fmt);
	fill(err, status, saved, fmt, args);
	va_end(args);
	return false;
}

/* Characters begin at bytes that do not continue one. Broken UTF-8 may count as fewer characters,
 * which is good enough for a column. */
static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static unsigned column_of(const char *text, size_t offset)
{
	unsigned column = 1;

	for (size_t i = 0; i < offset && text[i]; i++)
		column += begins_character(text[i + 1]);
	return column;
}

bool err_set_at(struct err *err, const char *what, const char *text, size_t offset, const char *fmt,
		...)
{
	enum { AROUND = 60 };
	const size_t length = strlen(text);
	size_t from = 0, to = length, caret, n;
	char excerpt[4 * AROUND], sentence[sizeof err->text];
	va_list args;

	if (!err || err->status)
		return false;
	va_start(args, fmt);
	vsnprintf(sentence, sizeof sentence, fmt, args);
	va_end(args);
	err_set(err, STATUS_USAGE, "%s, column %u: %s", what, column_of(text, offset), sentence);
	if (offset > length)
		offset = length;
	if (offset > AROUND)
		for (from = offset - AROUND; from < offset && !begins_character(text[from]);)
			from++;
	if (to > offset + AROUND)
		for (to = offset + AROUND; to > offset && !begins_character(text[to]);)
			to--;
	str_clean(excerpt, sizeof excerpt, text + from, to - from);
	caret = column_of(text + from, offset - from) - 1 + (from ? 4 : 0);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof err->text - n, "\n  %s%s%s\n  %*s^", from ? "... " : "",
		 excerpt, to < length ? " ..." : "", (int)caret, "");
	return false;
}
