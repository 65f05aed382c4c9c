#include "ui/terminal/screen_terminfo.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "ui/terminal/clipboard.h"
#include "ui/terminal/screen.h"

bool screen_check_terminal(const char *term, struct err *err)
{
	static const char as_text[] = "as text: tview export VIEW TRACE";
	if (!isatty(STDOUT_FILENO))
		return err_set(err, STATUS_IO, "stdout is not a terminal (%s)", as_text);
	if (!term || !*term)
		return err_set(err, STATUS_IO,
			       "TERM is not set (try: TERM=xterm-256color tview ...)");
	int result;
	if (setupterm(term, STDOUT_FILENO, &result) != OK)
		return err_set(err, STATUS_IO,
			       "unknown terminal type TERM=%s (try: TERM=xterm-256color tview ...)",
			       term);
	const bool places = tigetstr("cup") != NULL;
	del_curterm(cur_term);
	if (!places)
		return err_set(err, STATUS_IO,
			       "a terminal of type TERM=%s cannot place its cursor (%s)", term,
			       as_text);
	return true;
}

/* Without its padding (`$<5>`), which only tputs() can obey. */
static void add_capability(struct str *out, const char *name)
{
	const char *text = tigetstr(name);
	if (!text || text == (const char *)-1)
		return;
	for (; *text; text++) {
		if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
			text = strchr(text, '>');
		else
			str_add_char(out, *text);
	}
}

void screen_add_leaving(struct str *out)
{
	add_capability(out, "sgr0");
	add_capability(out, "cnorm");
	add_capability(out, "rmkx");
	add_capability(out, "rmcup");
}

bool screen_knows_moves(void)
{
	static const char *const needed[] = { "dch", "ich", "cup", NULL };
	for (int i = 0; needed[i]; i++) {
		const char *text = tigetstr(needed[i]);
		if (!text || text == (const char *)-1 || strstr(text, "$<"))
			return false;
	}
	return true;
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
