#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

static void __attribute__((format(printf, 4, 0)))
fill(struct err *err, int status, int saved_errno, const char *fmt, va_list args)
{
	char raw[sizeof err->text];

	/* The system's reason stands behind a text of any length. */
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

	if (!err || err->status)
		return false;
	va_start(args, fmt);
	fill(err, status, 0, fmt, args);
	va_end(args);
	return false;
}

bool err_errno(struct err *err, int status, const char *fmt, ...)
{
	const int saved = errno;
	va_list args;

	if (!err || err->status)
		return false;
	va_start(args, fmt);
	fill(err, status, saved, fmt, args);
	va_end(args);
	return false;
}
