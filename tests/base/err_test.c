/* Errors: the first one wins, the text is whole and harmless. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "harness/test.h"

TEST(first_error_wins)
{
	struct err err = ERR_INIT;

	assert_false(err_is_set(&err));
	assert_false(err_set(&err, STATUS_IO, "%s:%d: unknown event code %d", "run.trc", 1523, 77));
	assert_true(err_is_set(&err));
	assert_int_equal(err.status, STATUS_IO);
	assert_string_equal(err.text, "run.trc:1523: unknown event code 77");
	assert_false(err_set(&err, STATUS_USAGE, "cleanup failed, too"));
	errno = ENOSPC;
	assert_false(err_errno(&err, STATUS_USAGE, "and this"));
	assert_int_equal(err.status, STATUS_IO);
	assert_string_equal(err.text, "run.trc:1523: unknown event code 77");
}

TEST(without_err_there_is_only_the_fact)
{
	assert_false(err_set(NULL, STATUS_IO, "nobody hears this"));
	assert_false(err_errno(NULL, STATUS_IO, "nor this"));
	assert_false(err_is_set(NULL));
}

TEST(errno_gives_the_reason)
{
	struct err err = ERR_INIT;

	errno = ENOENT;
	err_errno(&err, STATUS_IO, "cannot open %s", "x.trc");
	assert_string_equal(err.text, "cannot open x.trc: No such file or directory");
}

TEST(reason_stands_behind_any_length)
{
	struct err err = ERR_INIT;
	char name[3000];

	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	errno = ENOENT;
	err_errno(&err, STATUS_IO, "cannot open %s", name);
	assert_true(strlen(err.text) < sizeof err.text);
	assert_non_null(strstr(err.text, ": No such file or directory"));
}

TEST(control_characters_do_not_get_through)
{
	struct err err = ERR_INIT;

	err_set(&err, STATUS_IO, "label '%s' is too long", "\033[2J\a\302\233x");
	assert_string_equal(err.text, "label '?[2J??x' is too long");
}
