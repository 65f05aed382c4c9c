/* A crash, whatever its kind, leaves the terminal as it was. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/terminal.h"
#include "harness/test.h"

static void crash(int number)
{
	const struct terminal_options options = { .path_prefix = TEST_BUILD };
	char home[] = "/tmp/tview-crash-XXXXXX";
	int status = 0;
	assert_non_null(mkdtemp(home));
	struct terminal *t =
		terminal_open(TEST_BUILD "/tview traces/picl-1992-table20.trc", &options, home);
	assert_non_null(t);
	if (!terminal_wait_text(t, "1 Over", 8000))
		fail_msg("the screen shows: %s", terminal_text(t));
	terminal_signal(t, number);
	assert_true(terminal_wait_end(t, &status, 8000));
	/* Under the sanitizer its own handler has the last word, and another status. */
	assert_int_not_equal(status, 0);
	const char *left = terminal_left_over(t);
	if (left)
		fail_msg("after signal %d: %s", number, left);
	terminal_close(t);
	char command[64] = "rm -rf ";
	strcat(command, home);
	assert_int_equal(system(command), 0);
}

TEST(test_segv)
{
	crash(SIGSEGV);
}

TEST(test_abort)
{
	crash(SIGABRT);
}

/* Under a sanitizer nothing is bounded. The names do not fit into 65 MB: 12 bytes and a row each. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(test_no_memory)
{
	enum { NAMES = 700000 };
	const struct terminal_options options = { .path_prefix = TEST_BUILD };
	char home[] = "/tmp/tview-crash-XXXXXX", path[64], command[128];
	int status = 0, row, col;
	assert_non_null(mkdtemp(home));
	snprintf(path, sizeof path, "%s/names.trc", home);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("-7 -1 -0.000000001 -1 -1 16 \"%c\" tview:format=1.1\n-3 1 0.5 0 0 0\n", file);
	for (int i = 0; i < NAMES; i++)
		fprintf(file, "-5 %d -0.000000001 -1 -1 12 \"%%c\" name%08d\n", i, i);
	assert_int_equal(fclose(file), 0);
	snprintf(command, sizeof command, TEST_BUILD "/tview %s --no-cache --max-mem 1M", path);
	struct terminal *t = terminal_open(command, &options, home);
	assert_non_null(t);
	assert_true(terminal_wait_end(t, &status, 60000));
	assert_int_equal(status, 3);
	const char *left = terminal_left_over(t);
	if (left)
		fail_msg("without memory: %s", left);
	if (!terminal_find(t, "1 MB that --max-mem", &row, &col))
		fail_msg("the screen shows: %s", terminal_text(t));
	terminal_close(t);
	snprintf(command, sizeof command, "rm -rf %s", home);
	assert_int_equal(system(command), 0);
}
#endif
