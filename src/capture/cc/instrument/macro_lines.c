#include "capture/cc/instrument/macro_lines.h"

#include <stdio.h>
#include <string.h>

static bool begins(const char *line, size_t n, const char *with)
{
	const size_t length = strlen(with);

	return n > length && memcmp(line, with, length) == 0;
}

/* Comments of the text that look like marks are hidden, too: what is shown again is known by its
 * number alone. */
static bool is_hidden(const char *line, size_t n)
{
	size_t digits = 8;

	if (*line == '#')
		return begins(line, n, "#define ") || begins(line, n, "#undef ");
	if (!begins(line, n, "/*tview "))
		return false;
	while (digits < n && line[digits] >= '0' && line[digits] <= '9')
		digits++;
	return n == digits + 2 && memcmp(line + digits, "*/", 2) == 0;
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
		if ((text[at] != '#' && text[at] != '/') || !is_hidden(text + at, n))
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
