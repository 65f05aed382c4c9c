#include "ui/options/command_words.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/formats/load.h"

void words_add(struct str *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-./:,=+@%";

	str_add(out, out->n ? " " : "");
	if (*word && strspn(word, plain) == strlen(word)) {
		str_add(out, word);
		return;
	}
	str_add_char(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			str_add(out, "'\\''");
		else
			str_add_char(out, *word);
	str_add_char(out, '\'');
}

void words_option(struct str *out, const char *name, const char *value)
{
	OWNED_STR option = STR_INIT;

	str_add_fmt(&option, "--%s", name);
	words_add(out, option.text);
	if (value && *value)
		words_add(out, value);
}

void words_command(struct str *out, const char *fmt, ...)
{
	OWNED_STR command = STR_INIT;
	va_list args;

	va_start(args, fmt);
	str_add_fmt_v(&command, fmt, args);
	va_end(args);
	words_add(out, "-c");
	words_add(out, command.text);
}

void words_trace(struct str *out, const char *path)
{
	OWNED char *real = load_is_live(path) ? NULL : realpath(path, NULL);

	words_add(out, real ? real : path);
}

void words_time(struct str *out, int64_t t, const struct timescale *scale)
{
	enum { MOST = 12 };
	const size_t start = out->n;
	int64_t back = 0;

	for (int digits = 0; digits <= MOST; digits++) {
		out->n = start;
		units_seconds(out, t, scale, digits);
		if (units_parse_time(out->text + start, NULL, scale, &back, NULL) && back == t)
			break;
	}
	str_add(out, "s");
}

void words_span(struct str *out, struct span span, const char *between,
		const struct timescale *scale)
{
	words_time(out, span.t0, scale);
	str_add(out, between);
	words_time(out, span.t1, scale);
}
