#include "capture/cc/instrument/macro_lines.h"

#include <stdio.h>
#include <string.h>

static bool is_macro_line(const char *line, size_t n)
{
	return (n > 8 && !memcmp(line, "#define ", 8)) || (n > 7 && !memcmp(line, "#undef ", 7));
}

/* Length of the line at p, without its line break. */
static size_t line_length(const char *p, size_t left)
{
	const char *end = memchr(p, '\n', left);

	return end ? (size_t)(end - p) : left;
}

void macro_lines_hide(struct macro_lines *lines, const char *text, size_t size, struct str *out)
{
	size_t kept = 0;

	for (size_t at = 0, n; at < size; at += n + 1) {
		n = line_length(text + at, size - at);
		if (text[at] != '#' || !is_macro_line(text + at, n))
			continue;
		str_add_n(out, text + kept, at - kept);
		str_add_fmt(out, "/*tview %zu*/", lines->list.n);
		vec_push(&lines->list, ((struct macro_line){ at, n }));
		kept = at + n;
	}
	str_add_n(out, text + kept, size - kept);
}

void macro_lines_show(const struct macro_lines *lines, const char *original, const char *text,
		      size_t size, struct str *out)
{
	size_t kept = 0, next = 0;
	char mark[40];

	for (size_t at = 0, n; at < size && next < lines->list.n; at += n + 1) {
		const struct macro_line *line = &lines->list.data[next];
		n = line_length(text + at, size - at);
		if (text[at] != '/')
			continue;
		snprintf(mark, sizeof mark, "/*tview %zu*/", next);
		if (strlen(mark) != n || memcmp(mark, text + at, n) != 0)
			continue;
		str_add_n(out, text + kept, at - kept);
		str_add_n(out, original + line->from, line->n);
		kept = at + n;
		next++;
	}
	str_add_n(out, text + kept, size - kept);
}
