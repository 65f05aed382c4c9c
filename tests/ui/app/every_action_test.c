/* Every view and every action, by the tables of both, at three sizes of the screen, on terminals
 * with 256 colours, with eight, and without. Each action is tried in each view, on one of the nine.
 * After each key
 *
 * - the program runs on;
 * - the screen is as when all of it is drawn anew: nothing of an earlier view is left;
 * - colours are those that the terminal has;
 * - where there is room, the first line names the trace, the tab of the view stands out, and the
 *   last line has hints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/files.h"
#include "harness/terminal.h"
#include "harness/test.h"
#include "ui/app/views.h"
#include "ui/options/action.h"

enum { LIMIT_MS = 20000, WIDE = 80, HIGH = 24, TRIES = 3, SCREENS = 9 };

static const char run[] = "tview --no-cache traces/stencil.trc traces/stencil.trc";

struct shown {
	struct terminal *t;
	int rows, cols, colours;
	int quiet_ms;
	char what[96]; /* view and key, for a failure */
	struct str wrong;
};

/* ---- what holds ---- */

static bool is_of(const char *colour, int colours)
{
	return strcmp(colour, "default") == 0 || (colour[0] != '#' && atoi(colour) < colours);
}

static bool has_its_colours(const struct shown *s)
{
	for (int row = 0; row < s->rows; row++)
		for (int col = 0; col < s->cols; col++) {
			const struct terminal_look look = terminal_look(s->t, row, col);

			if (!is_of(look.fg, s->colours) || !is_of(look.bg, s->colours))
				return false;
		}
	return true;
}

/* A row of a text, from 0, of *n bytes. */
static const char *row_of(const char *text, int row, size_t *n)
{
	for (; row > 0 && *text; row--) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	*n = strcspn(text, "\n");
	return text;
}

/* Right and upper half blocks become left and lower ones: which of two is drawn, with its colours
 * exchanged, depends on what was there. */
static void exchange_halves(char *text)
{
	static const char halves[][2][4] = { { "\u2590", "\u258c" }, { "\u2580", "\u2584" } };

	for (int i = 0; i < 2; i++)
		for (char *at = text; (at = strstr(at, halves[i][0])); at += 3)
			memcpy(at, halves[i][1], 3);
}

/* All rows but that of notices, which the next key takes away: the last but one, or the last where
 * there is no room for hints. */
static bool are_same(const struct shown *s, char *a, char *b)
{
	const int notices = s->rows - (s->rows < HIGH ? 1 : 2);

	exchange_halves(a);
	exchange_halves(b);
	for (int row = 0; row < s->rows; row++) {
		size_t na, nb;
		const char *ra = row_of(a, row, &na), *rb = row_of(b, row, &nb);

		if (row != notices && (na != nb || memcmp(ra, rb, na) != 0))
			return false;
	}
	return true;
}

static bool fails(struct shown *s, const char *text, const char *before)
{
	char *now = terminal_text(s->t);

	str_clear(&s->wrong);
	str_add_fmt(&s->wrong, "%dx%d, %d colours, %s: %s\n%s\n%s\n", s->cols, s->rows, s->colours,
		    s->what, text, before ? before : "", now);
	free(now);
	return false;
}

static void settle(struct shown *s)
{
	terminal_settle(s->t, s->quiet_ms, LIMIT_MS);
}

static void press(struct shown *s, const char *key)
{
	if (!terminal_key(s->t, key))
		abort();
	settle(s);
}

static bool holds(struct shown *s)
{
	char *before = terminal_text(s->t), *after;
	size_t n;
	bool ok;
	int status;

	if (terminal_ended(s->t, &status))
		ok = fails(s, "the program has ended", before);
	else if (!has_its_colours(s))
		ok = fails(s, "colours that the terminal does not have", NULL);
	else if (s->cols >= WIDE && !strstr(row_of(before, 0, &n), "stencil.trc"))
		ok = fails(s, "no trace in the first line", NULL);
	else if (s->rows >= HIGH && (row_of(before, s->rows - 1, &n), n == 0))
		ok = fails(s, "no hints", NULL);
	else {
		press(s, "C-l");
		after = terminal_text(s->t);
		ok = are_same(s, before, after) ||
		     fails(s, "not as drawn anew; first as it was:", before);
		free(after);
	}
	free(before);
	return ok;
}

/* The tab of the view in front; its title is short where there is little room. */
static bool is_in_front(struct shown *s, const struct view_info *view)
{
	const char *names[] = { view->title, view->brief };

	for (size_t i = 0; i < 2; i++) {
		OWNED_STR tab = STR_INIT;
		int row, col;

		str_add_fmt(&tab, "%s %s", view->key, names[i]);
		if (terminal_find(s->t, tab.text, &row, &col) && row == 1) {
			const struct terminal_look look = terminal_look(s->t, row, col);
			return look.bold || look.reverse;
		}
	}
	return false;
}

/* ---- keys ---- */

/* The first key of an action, as terminal_key() names it. */
static const char *key_of(enum action action, char out[32])
{
	static const char *const other[][2] = { { "PageDown", "PgDn" },
						{ "PageUp", "PgUp" },
						{ "Escape", "Esc" },
						{ "Shift-Tab", "S-Tab" } };
	const char *keys = action_info(action)->keys;

	snprintf(out, 32, "%.*s", (int)strcspn(keys, " "), keys);
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (strcmp(out, other[i][0]) == 0)
			return other[i][1];
	if (strncmp(out, "Ctrl-", 5) == 0)
		snprintf(out, 32, "C-%c", action_info(action)->keys[5]);
	return out;
}

static bool ends_it(enum action action)
{
	return action == ACTION_QUIT || action == ACTION_QUIT_ALL || action == ACTION_SUSPEND;
}

/* From wherever the last key led. */
static bool open_view(struct shown *s, const struct view_info *view)
{
	terminal_input(s->t, "\033");
	settle(s);
	snprintf(s->what, sizeof s->what, "%s", view->name);
	/* Not all that is selected has a source; main() has. */
	if (strcmp(view->name, "source") == 0) {
		press(s, "4");
		terminal_input(s->t, "/main\r");
		settle(s);
	}
	press(s, view->key);
	if (s->cols >= WIDE && !is_in_front(s, view))
		return fails(s, "its tab does not stand out", NULL);
	return true;
}

static bool try_view(struct shown *s, const struct view_info *view)
{
	return open_view(s, view) && holds(s);
}

static bool try_action(struct shown *s, const struct view_info *view, enum action action)
{
	char name[32];

	if (!open_view(s, view))
		return false;
	snprintf(s->what, sizeof s->what, "%s, %s", view->name, action_info(action)->command);
	press(s, key_of(action, name));
	if (!holds(s))
		return false;
	/* Its trace is another one, without one to compare it with. */
	if (action == ACTION_TUTOR)
		press(s, key_of(ACTION_TUTOR_END, name));
	return true;
}

/* Silence is a sign that all is drawn, on a busy machine after some time only. */
static bool with_patience(struct shown *s, const struct view_info *view, enum action action)
{
	static const int quiet[TRIES] = { 12, 80, 400 };
	bool ok = false;

	for (int i = 0; i < TRIES && !ok; i++) {
		s->quiet_ms = quiet[i];
		ok = action ? try_action(s, view, action) : try_view(s, view);
	}
	if (!ok)
		fprintf(stderr, "%s\n", s->wrong.text);
	return ok;
}

static unsigned try_all(struct shown *s, unsigned screen)
{
	unsigned wrong = 0, number = 0;

	for (unsigned v = 0; v < all_views.n; v++) {
		const struct view_info *view = &all_views.views[v];

		if (!view->panel || !view->key)
			continue;
		wrong += !with_patience(s, view, ACTION_NONE);
		for (unsigned a = 1; a < ACTION_COUNT; a++)
			if (!ends_it((enum action)a) && number++ % SCREENS == screen)
				wrong += !with_patience(s, view, (enum action)a);
	}
	return wrong;
}

static unsigned on_screen(unsigned screen, const int size[2], const char *term, int colours)
{
	static const char *const env[] = { "VISUAL=true", NULL };
	const struct terminal_options options = { .rows = size[0],
						  .cols = size[1],
						  .term = term,
						  .path_prefix = TEST_BUILD,
						  .env = env };
	struct shown s = {
		.rows = size[0], .cols = size[1], .colours = colours, .wrong = STR_INIT
	};
	char home[FOLDER_NAME];
	unsigned wrong;

	folder_make(home, "every-action");
	s.t = terminal_open(run, &options, home);
	if (!s.t)
		abort();
	/* Analyses that end change a screen, too. */
	terminal_settle(s.t, 500, LIMIT_MS);
	wrong = try_all(&s, screen);
	terminal_close(s.t);
	folder_remove(home);
	str_fini(&s.wrong);
	return wrong;
}

/* The three sizes at once: nearly all of the time is waited for silence. A child must not leave by
 * an assertion of the parent's. */
static void on_terminal(unsigned first, const char *term, int colours)
{
	static const int sizes[3][2] = { { 5, 20 }, { 24, 80 }, { 60, 200 } };
	pid_t child[3];

	for (unsigned i = 0; i < 3; i++) {
		child[i] = fork();
		if (child[i] == 0)
			_exit(on_screen(first + i, sizes[i], term, colours) > 0);
		assert_true(child[i] > 0);
	}
	for (unsigned i = 0; i < 3; i++) {
		int status = -1;

		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		assert_int_equal(status, 0);
	}
}

TEST(every_action_with_256_colours)
{
	on_terminal(0, "xterm-256color", 256);
}

TEST(every_action_with_8_colours)
{
	on_terminal(3, "xterm", 8);
}

TEST(every_action_without_colours)
{
	on_terminal(6, "vt100", 0);
}
