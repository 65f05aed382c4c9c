#include "capture/cc/fortran/fortran_include.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files in files; one that includes itself ends there. */
enum { DEEPEST = 20 };

/* ---- marks ---- */

bool fortran_mark(const char *line, size_t n, uint32_t *number, struct str *file)
{
	size_t at = 1;
	uint32_t value = 0;

	if (!n || line[0] != '#')
		return false;
	while (at < n && line[at] == ' ')
		at++;
	if (at == n || !isdigit((unsigned char)line[at]))
		return false;
	for (; at < n && isdigit((unsigned char)line[at]); at++)
		value = value * 10 + (uint32_t)(line[at] - '0');
	*number = value;
	while (at < n && line[at] == ' ')
		at++;
	if (at < n && line[at] == '"') {
		for (at++; at < n && line[at] != '"'; at++) {
			at += line[at] == '\\' && at + 1 < n;
			str_add_char(file, line[at]);
		}
	}
	return true;
}

void fortran_mark_write(uint32_t number, const char *file, int flag, struct str *out)
{
	str_add_fmt(out, "# %u \"", number);
	for (; *file; file++) {
		if (*file == '"' || *file == '\\')
			str_add_char(out, '\\');
		str_add_char(out, *file);
	}
	str_add(out, flag == 1 ? "\" 1\n" : flag == 2 ? "\" 2\n" : "\"\n");
}

/* ---- INCLUDE ---- */

/* INCLUDE has a line to itself. */
static bool is_include(const char *p, const char *end, struct str *name)
{
	static const char word[] = "include";
	char quote;

	while (p < end && isblank((unsigned char)*p))
		p++;
	if (end - p < (ptrdiff_t)sizeof word || strncasecmp(p, word, sizeof word - 1) != 0)
		return false;
	p += sizeof word - 1;
	while (p < end && isblank((unsigned char)*p))
		p++;
	if (p == end || (*p != '\'' && *p != '"'))
		return false;
	for (quote = *p++; p < end && *p != quote; p++)
		str_add_char(name, *p);
	if (p == end)
		return false;
	for (p++; p < end && *p != '!'; p++) {
		if (!isspace((unsigned char)*p))
			return false;
	}
	return name->n > 0;
}

static bool read_file(const char *path, struct str *text)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char bytes[16384];
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		while ((n = read(fd, bytes, sizeof bytes)) > 0)
			str_add_n(text, bytes, (size_t)n);
	}
	close(fd);
	return n == 0;
}

static bool find_file(const char *name, const char *const *places, struct str *path,
		      struct str *text)
{
	if (name[0] == '/') {
		str_add(path, name);
		return read_file(name, text);
	}
	for (; *places; places++) {
		str_clear(path);
		if (strcmp(*places, ".") != 0)
			str_add_fmt(path, "%s/", *places);
		str_add(path, name);
		if (read_file(path->text, text))
			return true;
	}
	return false;
}

static void expand(const char *text, size_t n, const char *main_file, const char *const *places,
		   unsigned depth, struct str *out)
{
	OWNED_STR file = STR_INIT;
	uint32_t number = 0;

	str_add(&file, main_file);
	for (const char *p = text, *stop = text + n, *end; p < stop; p = end + 1) {
		OWNED_STR name = STR_INIT, path = STR_INIT, inner = STR_INIT;
		uint32_t mark;
		end = memchr(p, '\n', (size_t)(stop - p));
		end = end ? end : stop;
		number++;
		if (fortran_mark(p, (size_t)(end - p), &mark, &name)) {
			number = mark - 1;
			if (name.n) {
				str_clear(&file);
				str_add(&file, name.text);
			}
		} else if (depth < DEEPEST && is_include(p, end, &name) &&
			   find_file(name.text, places, &path, &inner)) {
			fortran_mark_write(1, path.text, 1, out);
			expand(inner.text, inner.n, path.text, places, depth + 1, out);
			fortran_mark_write(number + 1, file.text, 2, out);
			continue;
		}
		str_add_n(out, p, (size_t)(end - p));
		str_add_char(out, '\n');
	}
}

void fortran_include(const char *text, size_t n, const char *file, const char *const *places,
		     struct str *out)
{
	expand(text, n, file, places, 0, out);
}
