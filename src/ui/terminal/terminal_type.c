#include "ui/terminal/terminal_type.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

const struct theme *terminal_theme(void)
{
	const char *no_color = getenv("NO_COLOR");
	if (no_color && *no_color)
		return theme_find("mono");
	/* "foreground;background" of rxvt and its kin: 7 and 15 are light grounds. */
	const char *ground = getenv("COLORFGBG");
	ground = ground ? strrchr(ground, ';') : NULL;
	const bool light = ground && (strcmp(ground, ";7") == 0 || strcmp(ground, ";15") == 0);
	return theme_find(light ? "light" : "dark");
}

static bool says_exact_colours(void)
{
	const char *more = getenv("COLORTERM");
	return more && (strcmp(more, "truecolor") == 0 || strcmp(more, "24bit") == 0);
}

const char *terminal_type(void)
{
	const char *term = getenv("TERM");
	return term && strcmp(term, "xterm") == 0 && says_exact_colours() ? "xterm-256color" : term;
}

bool terminal_is_tmux(void)
{
	const char *tmux = getenv("TMUX");
	return tmux && *tmux;
}

static bool is_gnu_screen(const char *term)
{
	return begins(term, "screen") && !terminal_is_tmux();
}

bool terminal_has_exact_colours(const char *term)
{
	/* GNU screen inherits the variable, and does not know the colours; tmux does. */
	return says_exact_colours() && !is_gnu_screen(term);
}

bool terminal_may_show_pictures(const char *term)
{
	return !is_gnu_screen(term);
}

/* Of a table that ends with NULL. */
static bool begins_one_of(const char *term, const char *const *kinds)
{
	while (*kinds && !begins(term, *kinds))
		kinds++;
	return *kinds != NULL;
}

const char *terminal_kin(const char *term)
{
	static const char *const as_xterm[] = { "xterm-",  "kitty", "wezterm", "foot",
						"ghostty", "iterm", "iTerm",   "ms-terminal",
						"vte",     "gnome", "konsole", "alacritty",
						"contour", "rio",   "mintty",  "putty-",
						"st-",     "mosh",  NULL };
	static const char *const as_screen[] = { "screen.", "screen-", "tmux", NULL };

	if (strcmp(term, "xterm-256color") == 0)
		return "xterm";
	if (strcmp(term, "screen-256color") == 0)
		return "screen";
	if (begins_one_of(term, as_screen))
		return "screen-256color";
	return begins_one_of(term, as_xterm) ? "xterm-256color" : NULL;
}

bool terminal_syncs(const char *term)
{
	static const char *const kinds[] = { "xterm",   "tmux", "foot",    "kitty",   "alacritty",
					     "wezterm", "vte",  "contour", "ghostty", NULL };
	return begins_one_of(term, kinds);
}

bool terminal_is_ascii(const char *type)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0 || begins(type, "vt") ||
	       strcmp(type, "linux") == 0;
}
