#include "ui/canvas/theme_choose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { FILE_MOST = 1 << 16 };

static void path_of(const char *name, struct str *out)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (strncmp(name, "~/", 2) == 0 && home)
		str_add_fmt(out, "%s%s", home, name + 1);
	else if (strchr(name, '/'))
		str_add(out, name);
	else if (config && config[0] == '/')
		str_add_fmt(out, "%s/tview/themes/%s", config, name);
	else if (home && home[0] == '/')
		str_add_fmt(out, "%s/.config/tview/themes/%s", home, name);
}

const struct theme *theme_choose(const char *name, struct str *wrong, struct str *poor,
				 struct err *err)
{
	const struct theme *theme = theme_find(name);
	OWNED_STR path = STR_INIT, clean = STR_INIT, clean_name = STR_INIT;
	OWNED char *text = NULL;
	FILE *file;
	size_t n;
	bool failed;

	if (theme)
		return theme;
	path_of(name, &path);
	str_add_clean_text(&clean_name, name);
	str_add_clean_text(&clean, path.n ? path.text : name);
	file = path.n ? fopen(path.text, "r") : NULL;
	if (!file) {
		const int failure = path.n ? errno : ENOENT;
		const char *near = nearest_word(name, theme_names());
		if (failure != ENOENT || strchr(name, '/'))
			err_set(err, STATUS_USAGE, "%s: %s", clean.text, strerror(failure));
		else if (near)
			err_set(err, STATUS_USAGE, "there is no theme '%s'; did you mean '%s'?",
				clean_name.text, near);
		else
			err_set(err, STATUS_USAGE,
				"there is no theme '%s': dark, light, mono, or a file in "
				"~/.config/tview/themes",
				clean_name.text);
		return NULL;
	}
	text = xmalloc(FILE_MOST + 1);
	n = fread(text, 1, FILE_MOST + 1, file);
	failed = ferror(file) != 0;
	fclose(file);
	if (failed || n > FILE_MOST) {
		err_set(err, STATUS_IO, "%s: %s", clean.text,
			failed ? "cannot be read" : "is too long for a theme (64 KiB)");
		return NULL;
	}
	return theme_parse(clean.text, text, n, wrong, poor);
}

bool theme_at_start(const char *name, bool given, const struct theme **theme, struct str *wrong,
		    struct err *err)
{
	OWNED_STR poor = STR_INIT;
	struct err mine = ERR_INIT;

	*theme = name ? theme_choose(name, wrong, &poor, &mine) : NULL;
	str_add(wrong, poor.n ? poor.text : "");
	if (*theme || !name)
		return true;
	if (given)
		return err_set(err, mine.status, "%s", mine.text);
	str_add_fmt(wrong, "theme: %s\n", mine.text);
	return true;
}
