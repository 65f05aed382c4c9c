/* The user's file. inih parses each line by itself, so that the number of each wrong one is
 * known. */
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/options/settings.h"
#include "ui/options/settings_take.h"

/* inih's limit, without the end of the line; more wrong lines than that are only counted. */
enum { LINE_MOST = INI_MAX_LINE - 3, FILE_MOST = 1 << 20, WRONG_MOST = 20 };

bool settings_path(struct str *out)
{
	const char *named = getenv("TVIEWRC"), *config = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");

	if (named)
		str_add(out, named);
	else if (config && config[0] == '/')
		str_add_fmt(out, "%s/tview/config", config);
	else if (home && home[0] == '/')
		str_add_fmt(out, "%s/.config/tview/config", home);
	return named && *named;
}

struct reading {
	struct settings *settings;
	struct err *err;
};

static int take(void *context, const char *section, const char *name, const char *value)
{
	struct reading *r = context;

	(void)section;
	return settings_take(r->settings, name, value, r->err);
}

static bool parse_line(struct settings *s, const char *line, size_t n, struct err *err)
{
	struct reading reading = { s, err };
	char text[LINE_MOST + 1];

	if (memchr(line, '\0', n))
		return err_set(err, STATUS_USAGE, "is not text (a zero byte)");
	if (n > LINE_MOST)
		return err_set(err, STATUS_USAGE, "longer than %d bytes", LINE_MOST);
	memcpy(text, line, n);
	text[n] = '\0';
	if (text[strspn(text, " \t")] == '[')
		return err_set(err, STATUS_USAGE,
			       "there are no sections: write NAME = VALUE, or bind = KEY COMMAND");
	if (ini_parse_string(text, take, &reading) != 0 && !err_is_set(err))
		return err_set(err, STATUS_USAGE,
			       "neither NAME = VALUE nor a comment, which begins with #");
	return !err_is_set(err);
}

bool settings_parse(struct settings *s, const char *name, const char *text, size_t n,
		    struct str *wrong)
{
	unsigned line = 1, bad = 0;

	for (size_t at = 0; at < n; line++) {
		const char *end = memchr(text + at, '\n', n - at);
		const size_t length = end ? (size_t)(end - text) - at : n - at;
		struct err err = ERR_INIT;
		if (!parse_line(s, text + at, length - (length && text[at + length - 1] == '\r'),
				&err) &&
		    ++bad <= WRONG_MOST) {
			str_add_clean_text(wrong, name);
			str_add_fmt(wrong, ":%u: %s\n", line, err.text);
		}
		at += length + 1;
	}
	if (bad > WRONG_MOST)
		str_add_fmt(wrong, "%u more lines are wrong\n", bad - WRONG_MOST);
	return bad == 0;
}

bool settings_read(struct settings *s, const char *path, struct str *wrong)
{
	OWNED char *text = NULL;
	FILE *file = fopen(path, "r");
	struct stat is;
	size_t n = 0;
	int failure = file ? 0 : errno;

	if (file && fstat(fileno(file), &is) == 0 && S_ISDIR(is.st_mode))
		failure = EISDIR;
	if (!failure) {
		text = xmalloc(FILE_MOST + 1);
		n = fread(text, 1, FILE_MOST + 1, file);
		failure = ferror(file) ? errno : n > FILE_MOST ? EFBIG : 0;
	}
	if (file)
		fclose(file);
	if (!failure)
		return settings_parse(s, path, text, n, wrong);
	str_add_clean_text(wrong, path);
	str_add_fmt(wrong, ": %s\n", strerror(failure));
	return false;
}

bool settings_read_user(struct settings *s, struct str *wrong)
{
	OWNED_STR path = STR_INIT;
	const bool must_exist = settings_path(&path);

	return !path.n || (!must_exist && access(path.text, F_OK) != 0) ||
	       settings_read(s, path.text, wrong);
}
