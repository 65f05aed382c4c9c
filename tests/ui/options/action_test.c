/* The action table: one key has one meaning, and every row is complete. */
#include "harness/test.h"
#include "ui/options/action.h"

#include <stdio.h>
#include <string.h>

TEST(test_one_key_one_meaning)
{
	for (unsigned a = 1; a < ACTION_COUNT; a++) {
		char keys[64];
		snprintf(keys, sizeof keys, "%s", action_info((enum action)a)->keys);
		for (char *key = strtok(keys, " "); key; key = strtok(NULL, " "))
			assert_int_equal(action_of_key(key), a);
	}
	assert_int_equal(action_of_key("Ctrl-r"), ACTION_REDO);
	assert_int_equal(action_of_key("I"), ACTION_NONE);
	assert_int_equal(action_of_key("Ctrl"), ACTION_NONE);
	assert_int_equal(action_of_key(""), ACTION_NONE);
}

TEST(test_rows_are_complete)
{
	for (unsigned a = 1; a < ACTION_COUNT; a++) {
		const struct action_info *info = action_info((enum action)a);
		assert_true(info->keys[0] && info->help[0] && info->command[0]);
		assert_true(strlen(info->help) <= 60);
		assert_int_equal(action_of_command(info->command), a);
		assert_true(action_group_name(info->group)[0]);
	}
	assert_int_equal(action_of_command("nonesuch"), ACTION_NONE);
}
