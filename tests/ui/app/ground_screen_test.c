/* The terminal's answer about its background arrives among the keys: it changes the colours, and does
 * nothing else; garbage and late answers neither hang nor swallow keys. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "harness/terminal.h"
#include "harness/test.h"

enum { QUIET_MS = 150, LIMIT_MS = 20000 };

struct shown {
	struct terminal *t;
	char home[32];
};

static void open_it(struct shown *s, const char *command, const char *const *env)
{
	const struct terminal_options options = { .path_prefix = TEST_BUILD, .env = env };

	strcpy(s->home, "/tmp/tview-ground-XXXXXX");
	assert_non_null(mkdtemp(s->home));
	s->t = terminal_open(command, &options, s->home);
	assert_non_null(s->t);
}

static void done(struct shown *s)
{
	OWNED_STR remove = STR_INIT;

	terminal_close(s->t);
	str_add_fmt(&remove, "rm -rf %s", s->home);
	assert_int_equal(system(remove.text), 0);
}

/* The colour of a key of the last line tells the themes apart. */
static void colour(struct shown *s, char out[16])
{
	int row, col;

	assert_true(terminal_wait_text(s->t, "1 Over", LIMIT_MS));
	terminal_settle(s->t, QUIET_MS, LIMIT_MS);
	assert_true(terminal_find(s->t, "? help", &row, &col));
	strcpy(out, terminal_look(s->t, row, col).fg);
}

static const char run[] = "tview --no-cache traces/chain.trc";

static void colour_of(const char *command, const char *const *env, const char *typed, char out[16])
{
	struct shown s;

	open_it(&s, command, env);
	assert_true(terminal_wait_text(s.t, "1 Over", LIMIT_MS));
	terminal_settle(s.t, QUIET_MS, LIMIT_MS);
	terminal_input(s.t, typed);
	colour(&s, out);
	done(&s);
}

TEST(test_the_answer_chooses_the_theme)
{
	static const char light_ground[] = "\033]11;rgb:fdfd/f6f6/e3e3\033\\",
			  dark_ground[] = "\033]11;rgb:0000/2b2b/3636\007";
	static const char *const fgbg[] = { "COLORFGBG=0;15", NULL };
	char dark[16], light[16], now[16];

	colour_of("tview --theme dark --no-cache traces/chain.trc", NULL, "", dark);
	colour_of("tview --theme light --no-cache traces/chain.trc", NULL, "", light);
	assert_string_not_equal(dark, light);
	colour_of(run, NULL, light_ground, now);
	assert_string_equal(now, light);
	colour_of(run, NULL, dark_ground, now);
	assert_string_equal(now, dark);
	/* Without an answer COLORFGBG says it; the answer knows better. */
	colour_of(run, fgbg, "", now);
	assert_string_equal(now, light);
	colour_of(run, fgbg, dark_ground, now);
	assert_string_equal(now, dark);
	/* What the user has chosen stays. */
	colour_of("tview --theme dark --no-cache traces/chain.trc", NULL, light_ground, now);
	assert_string_equal(now, dark);
}

TEST(test_garbage_and_keys)
{
	struct shown s;
	int status;

	/* An answer that breaks off: the next key works. */
	open_it(&s, run, NULL);
	assert_true(terminal_wait_text(s.t, "1 Over", LIMIT_MS));
	terminal_input(s.t, "\033]11;rg");
	terminal_settle(s.t, QUIET_MS, LIMIT_MS);
	terminal_input(s.t, "?");
	assert_true(terminal_wait_text(s.t, "In this view", LIMIT_MS));
	done(&s);
	/* Two parts, and a key behind them. */
	open_it(&s, run, NULL);
	assert_true(terminal_wait_text(s.t, "1 Over", LIMIT_MS));
	terminal_input(s.t, "\033]11;rgb:ffff/ff");
	terminal_settle(s.t, QUIET_MS, LIMIT_MS);
	terminal_input(s.t, "ff/ffff\007?");
	assert_true(terminal_wait_text(s.t, "In this view", LIMIT_MS));
	/* Escape alone is a key. */
	terminal_input(s.t, "\033");
	terminal_settle(s.t, QUIET_MS, LIMIT_MS);
	assert_false(terminal_ended(s.t, &status));
	assert_true(terminal_wait_text(s.t, "Where the time went", LIMIT_MS));
	terminal_input(s.t, "Q");
	assert_true(terminal_wait_end(s.t, &status, LIMIT_MS));
	assert_int_equal(status, 0);
	assert_null(terminal_left_over(s.t));
	done(&s);
}
