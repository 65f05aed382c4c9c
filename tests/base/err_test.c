/* Errors: the first one wins, the text is whole and harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"

static void first_error_wins(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
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

static void without_err_there_is_only_the_fact(void **state)
{
	(void)state;
	assert_false(err_set(NULL, STATUS_IO, "nobody hears this"));
	assert_false(err_errno(NULL, STATUS_IO, "nor this"));
	assert_false(err_is_set(NULL));
}

static void errno_gives_the_reason(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	errno = ENOENT;
	err_errno(&err, STATUS_IO, "cannot open %s", "x.trc");
	assert_string_equal(err.text, "cannot open x.trc: No such file or directory");
}

static void reason_stands_behind_any_length(void **state)
{
	struct err err = ERR_INIT;
	char name[3000];

	(void)state;
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	errno = ENOENT;
	err_errno(&err, STATUS_IO, "cannot open %s", name);
	assert_true(strlen(err.text) < sizeof err.text);
	assert_non_null(strstr(err.text, ": No such file or directory"));
}

static void control_characters_do_not_get_through(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err_set(&err, STATUS_IO, "label '%s' is too long", "\033[2J\a\302\233x");
	assert_string_equal(err.text, "label '?[2J??x' is too long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_error_wins),
		cmocka_unit_test(without_err_there_is_only_the_fact),
		cmocka_unit_test(errno_gives_the_reason),
		cmocka_unit_test(reason_stands_behind_any_length),
		cmocka_unit_test(control_characters_do_not_get_through),
	};

	return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
