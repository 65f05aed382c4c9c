/* The screen and cache files: the first start leaves one, the second opens from it, and damage that
 * is met while it is looked at is told in a line while the trace itself is shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "harness/cache_aid.h"
#include "harness/terminal.h"
#include "harness/test.h"

GROUP_FIXTURE(cache_aid_setup, cache_aid_teardown)

enum { EVENTS = 400000, LIMIT_MS = 20000 };

static const char *const env[] = { "TVIEW_CACHE_MIN=0", NULL };

static bool is_written(struct terminal *t, void *context)
{
	(void)t;
	return aid_exists(context);
}

static bool shows(const struct terminal *t, const char *text)
{
	int row, col;

	return terminal_find(t, text, &row, &col);
}

static void wait_for(struct terminal *t, const char *text)
{
	if (!terminal_wait_text(t, text, LIMIT_MS))
		fail_msg("no '%s' in: %s", text, terminal_text(t));
}

/* One key at a time: the next would take the text away that the one before brought. */
static void press_until(struct terminal *t, const char *keys, const char *text)
{
	for (; *keys && !shows(t, text); keys++) {
		terminal_key(t, (char[]){ *keys, '\0' });
		terminal_wait_text(t, text, LIMIT_MS / 5);
	}
	wait_for(t, text);
}

static struct terminal *start(const char *path, const char *home)
{
	const struct terminal_options options = { .rows = 30, .cols = 100, .env = env };
	struct str command = STR_INIT;
	struct terminal *t;

	str_add_fmt(&command, TEST_BUILD "/tview %s", path);
	t = terminal_open(command.text, &options, home);
	assert_non_null(t);
	str_fini(&command);
	return t;
}

static void quit(struct terminal *t)
{
	int status = -1;

	terminal_key(t, "Q");
	assert_true(terminal_wait_end(t, &status, LIMIT_MS));
	assert_int_equal(status, 0);
	assert_null(terminal_left_over(t));
	terminal_close(t);
}

/* Breaks all chunks of the columns: they are checked when they are read, not at the start. */
static void damage(const char *cache)
{
	OWNED char *bytes = NULL;
	size_t n;

	bytes = aid_slurp(cache, &n);
	assert_non_null(bytes);
	assert_true(n > 4 << 20);
	for (size_t at = n / 2; at < n; at += 30011)
		bytes[at] ^= 64;
	file_write(cache, bytes, n);
}

/* Of two traces beside each other the cache file of one is damaged: both are there after it. */
TEST(test_damage_beside)
{
	OWNED char *path = aid_large("beside.trc", EVENTS), *cache = aid_cache(path);
	OWNED char *home = aid_path(""), *other = aid_path("stencil.trc"), *small = NULL;
	struct terminal *t;
	size_t n;

	t = start(path, home);
	wait_for(t, "8 ranks");
	assert_true(terminal_wait(t, is_written, cache, LIMIT_MS));
	quit(t);
	damage(cache);
	small = aid_slurp("traces/stencil.trc", &n);
	file_write(other, small, n);
	t = start(other, home);
	wait_for(t, "Where the time went");
	terminal_key(t, ":");
	terminal_input(t, "open ");
	terminal_input(t, path);
	terminal_key(t, "Enter");
	wait_for(t, "8 ranks");
	press_until(t, "23G", "the cache file was damaged and discarded");
	wait_for(t, "8 ranks");
	/* Its name and that of the other trace stand in the first line. */
	wait_for(t, "stencil.trc");
	wait_for(t, "beside.trc");
	terminal_key(t, "C-n");
	wait_for(t, "2,656 events");
	quit(t);
	unlink(path);
	unlink(cache);
}

TEST(test_damage)
{
	char first[] = "8 ranks", damaged[] = "the cache file was damaged and discarded";
	OWNED char *path = aid_large("screen.trc", EVENTS), *cache = aid_cache(path);
	OWNED char *home = aid_path("");
	struct terminal *t;

	t = start(path, home);
	wait_for(t, first);
	assert_true(terminal_wait(t, is_written, cache, LIMIT_MS));
	assert_false(shows(t, damaged));
	quit(t);

	damage(cache);
	t = start(path, home);
	wait_for(t, first);
	press_until(t, "23G", damaged);
	assert_true(terminal_wait(t, is_written, cache, LIMIT_MS));
	quit(t);

	t = start(path, home);
	wait_for(t, first);
	terminal_key(t, "2");
	assert_true(terminal_settle(t, 100, LIMIT_MS));
	assert_false(shows(t, damaged));
	quit(t);
	unlink(path);
	unlink(cache);
}
