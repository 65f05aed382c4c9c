/* Keys that the user has bound: names of keys, conflicts, and what must stay reachable. */
#include "harness/random.h"
#include "harness/test.h"
#include "ui/app/views.h"
#include "ui/options/bindings.h"

#include <string.h>

#include "base/str.h"

static bool bind(struct bindings *b, const char *line)
{
	struct err err = ERR_INIT;
	const bool ok = bindings_bind(b, line, &err);

	assert_true(ok != err_is_set(&err));
	return ok;
}

static void refused(struct bindings *b, const char *line, const char *why)
{
	struct err err = ERR_INIT;

	assert_false(bindings_bind(b, line, &err));
	assert_string_equal(err.text, why);
}

TEST(test_names_of_keys)
{
	static const struct {
		const char *typed, *name;
	} all[] = { { "x", "x" },           { "X", "X" },
		    { "ctrl-R", "Ctrl-r" }, { "pagedown", "PageDown" },
		    { "F5", "F5" },         { "f12", "F12" },
		    { "Ctrl-i", "Tab" },    { "Ctrl-m", "Enter" },
		    { "Ctrl-[", "Escape" }, { "\xc3\xa4", "\xc3\xa4" },
		    { ":", ":" },           { "shift-tab", "Shift-Tab" } };
	static const char *const none[] = { "",     "xy",   "F25",   "F0", "Ctrl-", "Ctrl-1",
					    "\x01", "\xff", "Alt-x", " ",  "F123" };
	char name[KEY_BYTES];

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		assert_true(key_name(name, all[i].typed, strlen(all[i].typed), NULL));
		assert_string_equal(name, all[i].name);
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_false(key_name(name, none[i], strlen(none[i]), NULL));
}

TEST(test_a_key_does_what_it_was_bound_to_last)
{
	struct bindings *b = bindings_new(&all_views);

	assert_int_equal(bindings_find(b, "w").action, ACTION_ZOOM_IN);
	assert_string_equal(bindings_find(b, "4").view->name, "profile");
	assert_true(bind(b, "F5 zoom-in"));
	assert_string_equal(bindings_keys(b, ACTION_ZOOM_IN), "F5 w +");
	assert_true(bind(b, "w profile"));
	assert_string_equal(bindings_find(b, "w").view->name, "profile");
	assert_int_equal(bindings_find(b, "w").action, ACTION_NONE);
	assert_string_equal(bindings_keys(b, ACTION_ZOOM_IN), "F5 +");
	assert_string_equal(bindings_view_keys(b, view_of_name(&all_views, "profile")), "w 4");
	assert_true(bind(b, "w zoom 1ms 2ms"));
	assert_string_equal(bindings_find(b, "w").command, "zoom 1ms 2ms");
	assert_string_equal(bindings_view_keys(b, view_of_name(&all_views, "profile")), "4");
	assert_true(bind(b, "w none"));
	assert_null(bindings_find(b, "w").command);
	assert_int_equal(bindings_find(b, "w").action, ACTION_NONE);
	assert_true(bind(b, "w default"));
	assert_int_equal(bindings_find(b, "w").action, ACTION_ZOOM_IN);
	assert_true(bind(b, "';' :command"));
	assert_int_equal(bindings_find(b, ";").action, ACTION_COMMAND);
	assert_string_equal(bindings_keys(b, ACTION_JUMP_FORTH), "");
	bindings_free(b);
}

TEST(test_what_is_wrong_is_said)
{
	struct bindings *b = bindings_new(&all_views);

	refused(b, "F5 zom-in", "there is no command 'zom-in'; did you mean 'zoom-in'?");
	refused(b, "F5 zoom", "zoom needs two times such as 10ms 12ms");
	refused(b, "F5", "bind needs a key and a command, such as F5 zoom-in");
	refused(b, "PageDwn zoom-in", "there is no key 'PageDwn'; did you mean PageDown?");
	/* Without these nothing could be mended. */
	refused(b, ": zoom-in",
		": is the only key of command (type a command), which needs one: bind another key to "
		"it first");
	assert_true(bind(b, "Ctrl-c zoom-in"));
	refused(b, "Q zoom-in",
		"Q is the only key of quit (quit), which needs one: bind another key to it first");
	assert_int_equal(bindings_find(b, "Q").action, ACTION_QUIT_ALL);
	assert_true(bind(b, "F10 quit"));
	assert_true(bind(b, "Q zoom-in"));
	refused(b, "F10 default",
		"F10 is the only key of quit (quit), which needs one: bind another key to it first");
	assert_int_equal(bindings_find(b, "F10").action, ACTION_QUIT_ALL);
	bindings_free(b);
}

/* Whatever is bound: a key is listed by what it does and by nothing else, and the three actions
 * that mend everything have a key. */
TEST(test_lists_and_meanings_agree)
{
	static const char *const keys[] = {
		"w", "Q", ":", "Escape", "Ctrl-c", "4", "F5", "x", "i"
	};
	static const char *const commands[] = { "zoom-in", "quit",    "command",
						"cancel",  "profile", "none",
						"default", "source",  "goto 1ms" };
	struct bindings *b = bindings_new(&all_views);
	uint64_t seed = 18;

	for (int round = 0; round < 3000; round++) {
		OWNED_STR line = STR_INIT;
		str_add_fmt(&line, "%s %s", keys[xorshift_below(&seed, 9)],
			    commands[xorshift_below(&seed, 9)]);
		bindings_bind(b, line.text, NULL);
		assert_true(*bindings_keys(b, ACTION_COMMAND) && *bindings_keys(b, ACTION_CANCEL) &&
			    *bindings_keys(b, ACTION_QUIT_ALL));
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
			const enum action does = bindings_find(b, keys[k]).action;
			for (unsigned a = 1; a < ACTION_COUNT; a++) {
				OWNED_STR all = STR_INIT, one = STR_INIT;
				str_add_fmt(&all, " %s ", bindings_keys(b, (enum action)a));
				str_add_fmt(&one, " %s ", keys[k]);
				assert_int_equal(strstr(all.text, one.text) != NULL, does == a);
			}
		}
	}
	bindings_free(b);
}

/* For sentences: the first key, the user's own before that of the table; without one the command. */
TEST(test_key_of_a_sentence)
{
	struct bindings *b = bindings_new(&all_views);

	assert_string_equal(bindings_key(b, ACTION_UNDO).text, "u");
	assert_string_equal(bindings_key(NULL, ACTION_ZOOM_IN).text, "w");
	assert_true(bind(b, "F5 undo"));
	assert_string_equal(bindings_key(b, ACTION_UNDO).text, "F5");
	assert_true(bind(b, "F5 none"));
	assert_true(bind(b, "u none"));
	assert_string_equal(bindings_key(b, ACTION_UNDO).text, ":undo");
	assert_true(bind(b, "u default"));
	assert_string_equal(bindings_key(b, ACTION_UNDO).text, "u");
	bindings_free(b);
}
