#include "ui/terminal/screen_terminfo.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "base/path.h"
#include "ui/terminal/clipboard.h"
#include "ui/terminal/screen.h"
#include "ui/terminal/terminal_type.h"

static bool set_up(const char *term)
{
	int result;

	return setupterm(term, STDOUT_FILENO, &result) == OK;
}

/* Entries that were installed with this program, for machines that have few: searched last. */
static bool set_up_carried(const char *term)
{
	const char *others = getenv("TERMINFO_DIRS");
	OWNED_STR carried = STR_INIT, folders = STR_INIT;

	if (!path_of_library(&carried, "terminfo"))
		return false;
	str_add_fmt(&folders, "%s:%s", others ? others : "", carried.text);
	return setenv("TERMINFO_DIRS", folders.text, 1) == 0 && set_up(term);
}

bool screen_check_terminal(const char **term, struct err *err)
{
	static const char as_text[] = "as text: tview export VIEW TRACE";
	static const char try[] = "try: TERM=xterm-256color tview ...";
	if (!isatty(STDOUT_FILENO))
		return err_set(err, STATUS_IO, "stdout is not a terminal (%s)", as_text);
	if (!*term || !**term)
		return err_set(err, STATUS_IO, "TERM is not set (%s)", try);
	const char *const name = *term;
	while (!set_up(*term) && !set_up_carried(*term)) {
		*term = terminal_kin(*term);
		if (!*term)
			return err_set(err, STATUS_IO, "unknown terminal type TERM=%s (%s)", name,
				       try);
	}
	const bool places = tigetstr("cup") != NULL;
	del_curterm(cur_term);
	if (!places)
		return err_set(err, STATUS_IO,
			       "a terminal of type TERM=%s cannot place its cursor (%s)", *term,
			       as_text);
	return true;
}

/* Without its padding (`$<5>`), which only tputs() can obey. */
static void add_unpadded(struct str *out, const char *text)
{
	if (!text || text == (const char *)-1)
		return;
	for (; *text; text++) {
		if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
			text = strchr(text, '>');
		else
			str_add_char(out, *text);
	}
}

static void add_capability(struct str *out, const char *name)
{
	add_unpadded(out, tigetstr(name));
}

void screen_add_leaving(struct str *out)
{
	add_capability(out, "sgr0");
	add_capability(out, "cnorm");
	add_capability(out, "rmkx");
	add_capability(out, "rmcup");
}

static bool begins(const char *name, const char *with)
{
	const char *text = tigetstr(name);
	return text && text != (const char *)-1 && strncmp(text, with, strlen(with)) == 0;
}

static bool has(const char *name)
{
	return begins(name, "");
}

/* Not one that must be waited for. */
static bool has_quick(const char *name)
{
	return begins(name, "\033[") && !strstr(tigetstr(name), "$<");
}

static void add_place(struct str *out, int x, int y)
{
	add_unpadded(out, tiparm(cursor_address, y, x));
}

static const struct {
	unsigned attr;
	int refused; /* the bit of no_color_video */
	const char *name;
} attributes[] = { { ATTR_BOLD, 32, "bold" },
		   { ATTR_DIM, 16, "dim" },
		   { ATTR_UNDERLINE, 2, "smul" },
		   { ATTR_REVERSE, 4, "rev" } };

enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

static void add_look(struct str *out, unsigned attrs)
{
	add_capability(out, "sgr0");
	for (int i = 0; i < ATTRIBUTES; i++)
		if (attrs & attributes[i].attr)
			add_capability(out, attributes[i].name);
}

static void add_clear(struct str *out)
{
	add_capability(out, "clear");
}

struct writer_terminal screen_describe(void)
{
	const int refused = tigetnum("ncv");
	struct writer_terminal t = { .place = add_place, .look = add_look, .clear = add_clear };
	t.ansi = begins("cup", "\033[%i%p1%d;%p2%dH") && has("sgr0") &&
		 strstr(tigetstr("sgr0"), "\033[") && begins("clear", "\033[") &&
		 (!has("setaf") || begins("setaf", "\033["));
	t.clears = t.ansi && begins("el", "\033[K");
	t.erases = t.ansi && has_quick("ech");
	t.moves = t.ansi && has_quick("dch") && has_quick("ich");
	t.scrolls = t.ansi && begins("csr", "\033[%i%p1%d;%p2%dr") && begins("ind", "\n") &&
		    begins("ri", "\033M");
	t.takes_back = t.ansi && begins("rmul", "\033[24m");
	t.own_ground = tigetflag("bce") > 0;
	t.wraps = tigetflag("am") > 0 && tigetflag("xenl") <= 0;
	for (int i = 0; i < ATTRIBUTES && tigetnum("xmc") <= 0; i++)
		t.attrs |= has(attributes[i].name) ? attributes[i].attr : 0;
	t.attrs_in_colour = t.attrs;
	for (int i = 0; i < ATTRIBUTES && refused > 0; i++)
		if (refused & attributes[i].refused)
			t.attrs_in_colour &= ~attributes[i].attr;
	return t;
}

bool screen_copy(struct screen *screen, const char *text)
{
	(void)screen;
	const char *capability = tigetstr("Ms");
	OWNED_STR out = STR_INIT;
	if (!capability || capability == (const char *)-1 || !clipboard_sequence(&out, text))
		return false;
	fwrite(out.text, 1, out.n, stdout);
	fflush(stdout);
	return true;
}
