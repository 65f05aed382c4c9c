/* What the terminal sends, by curses: keys and the mouse. */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <stdio.h>

#include "base/clock.h"
#include "ui/terminal/screen_replies.h"

/* Names of function keys, as the action table writes them. */
static const struct {
	int code;
	const char *name;
} key_names[] = {
	{ KEY_UP, "Up" },          { KEY_DOWN, "Down" },        { KEY_LEFT, "Left" },
	{ KEY_RIGHT, "Right" },    { KEY_HOME, "Home" },        { KEY_END, "End" },
	{ KEY_NPAGE, "PageDown" }, { KEY_PPAGE, "PageUp" },     { KEY_BACKSPACE, "Backspace" },
	{ KEY_DC, "Delete" },      { KEY_IC, "Insert" },        { KEY_BTAB, "Shift-Tab" },
	{ KEY_ENTER, "Enter" },    { KEY_SLEFT, "Shift-Left" }, { KEY_SRIGHT, "Shift-Right" },
};

static bool name_code(wint_t code, struct input *input)
{
	for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++) {
		if ((wint_t)key_names[i].code == code) {
			snprintf(input->key, sizeof input->key, "%s", key_names[i].name);
			return true;
		}
	}
	if (code > KEY_F0 && code <= KEY_F0 + 24) {
		snprintf(input->key, sizeof input->key, "F%d", (int)(code - KEY_F0));
		return true;
	}
	return false;
}

/* The oldest event. Curses has collected those that came together and gives the newest first: the
 * others go back to it. */
static bool take_event(MEVENT *event)
{
	enum { MOST = 8 };
	MEVENT events[MOST];
	int n = 0;

	while (n < MOST && getmouse(&events[n]) == OK)
		n++;
	for (int i = 0; i + 1 < n; i++)
		ungetmouse(&events[i]);
	if (n)
		*event = events[n - 1];
	return n > 0;
}

static int within(int at, int n)
{
	return at < 0 ? 0 : at < n ? at : n - 1;
}

/* What is not on the screen, as before a new size is known, is none; a drag goes on at the edge. A
 * terminal's numbers may be anything: curses makes places before the first one of some. */
static bool take_mouse(struct input *input)
{
	MEVENT event;

	if (!take_event(&event))
		return false;
	input->x = within(event.x, COLS);
	input->y = within(event.y, LINES);
	input->ctrl = event.bstate & BUTTON_CTRL;
	/* A button is let go where it was dragged to. */
	input->kind = event.bstate & BUTTON4_PRESSED   ? INPUT_WHEEL_UP
		      : event.bstate & BUTTON5_PRESSED ? INPUT_WHEEL_DOWN
		      : event.bstate & BUTTON3_PRESSED ? INPUT_RIGHT
		      : event.bstate & BUTTON1_PRESSED ? INPUT_CLICK
						       : INPUT_DRAG;
	input->released = event.bstate & BUTTON1_RELEASED;
	return input->kind == INPUT_DRAG || (input->x == event.x && input->y == event.y);
}

/* An Escape: the begin of an answer if what belongs to one follows, now or after it was read as a
 * key. False: it is a key. */
static bool begin_answer(struct replies *answers)
{
	wint_t next;
	const int kind = wget_wch(stdscr, &next);

	replies_escaped(answers, clock_ms());
	if (kind == KEY_CODE_YES)
		ungetch((int)next);
	if (kind != OK)
		return false;
	if (replies_take(answers, next, clock_ms()) == ANSWER_MORE)
		return true;
	unget_wch((wchar_t)next);
	return false;
}

/* Takes the characters of the terminal's answers. False: `code` is a key, which may be one before
 * it that looked like the begin of an answer. */
static bool take_answer(struct screen *screen, wint_t *code, struct input *input)
{
	struct replies *answers = screen_replies(screen);
	const uint32_t intro = answers->intro;
	enum answer answer;

	if (!answers->asked)
		return false;
	if (*code == 27 && !intro)
		return begin_answer(answers);
	answer = replies_take(answers, *code, clock_ms());
	if (answer == ANSWER_NONE && intro && replies_is_short(answers)) {
		unget_wch((wchar_t)*code);
		*code = intro;
	}
	if (answer > ANSWER_OTHER && screen_take_answer(screen, answer))
		input->kind = INPUT_REDRAW;
	return answer != ANSWER_NONE;
}

/* Takes the bounds of a pasted text, and keys within it other than characters. The end may be lost;
 * then Escape or Ctrl-C ends it. */
static bool take_paste(struct screen *screen, int kind, wint_t code, struct input *input)
{
	enum { CTRL_C = 3, ESCAPE = 27 };
	bool *pastes = screen_pastes(screen);
	const bool named = kind == KEY_CODE_YES;

	if (named && code == CODE_PASTE_BEGIN) {
		*pastes = true;
		return true;
	}
	if (named ? code == CODE_PASTE_END : *pastes && (code == CTRL_C || code == ESCAPE)) {
		*pastes = false;
		return true;
	}
	input->pasted = *pastes;
	return *pastes && named;
}

bool screen_read(struct screen *screen, struct input *input)
{
	for (;;) {
		wint_t code;
		const int kind = wget_wch(stdscr, &code);
		*input = (struct input){ .kind = INPUT_KEY };
		if (kind == ERR)
			return false;
		if (take_paste(screen, kind, code, input))
			continue;
		if (kind == OK && !input->pasted && take_answer(screen, &code, input)) {
			if (input->kind == INPUT_REDRAW)
				return true;
			continue;
		}
		if (kind == OK ? input_char(input, code)
			       : (code == KEY_MOUSE ? take_mouse(input) : name_code(code, input)))
			return true;
	}
}
