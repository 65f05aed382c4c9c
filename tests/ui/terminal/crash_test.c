/* A crash, whatever its kind, leaves the terminal as it was. */
#include <signal.h>
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
