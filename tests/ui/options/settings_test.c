/* The file of settings: wrong lines are named with their number, the others count. */
#include "harness/test.h"
#include "ui/app/views.h"
#include "ui/options/settings.h"

#include <stdlib.h>
#include <string.h>

struct file {
	struct options options;
	struct bindings *bindings;
	struct settings *settings;
	struct str wrong;
};

static void with(struct file *f, int argc, char **argv)
{
	struct err err = ERR_INIT;

	assert_true(options_parse(&f->options, &all_views, VERB_OPEN, argc, argv, &err));
	f->bindings = bindings_new(&all_views);
	f->settings = settings_new(&f->options, f->bindings);
	str_init(&f->wrong);
}

static void done(struct file *f)
{
	settings_free(f->settings);
	bindings_free(f->bindings);
	str_fini(&f->wrong);
}

static bool read_text(struct file *f, const char *text)
{
	str_clear(&f->wrong);
	return settings_parse(f->settings, "config", text, strlen(text), &f->wrong);
}

TEST(test_what_a_file_sets)
{
	char tview[] = "tview", *argv[] = { tview, NULL };
	struct file f;

	with(&f, 1, argv);
	assert_true(read_text(&f, "# mine\r\n\n  theme = light  ; bright\nno-mouse = yes\n"
				  "ascii: no\nbind = F5 zoom-in\nbind = ';' command\njobs = 3\n"
				  "max-mem = 2G\ndiff ="));
	assert_string_equal(f.options.theme, "light");
	assert_true(f.options.no_mouse && !f.options.ascii && f.options.diff);
	assert_int_equal(f.options.reading.jobs, 3);
	assert_int_equal(f.options.reading.max_mem, 2u << 30);
	assert_int_equal(bindings_find(f.bindings, "F5").action, ACTION_ZOOM_IN);
	assert_int_equal(bindings_find(f.bindings, ";").action, ACTION_COMMAND);
	done(&f);
}

TEST(test_wrong_lines_are_named_and_the_others_count)
{
	char tview[] = "tview", *argv[] = { tview, NULL };
	struct file f;

	with(&f, 1, argv);
	assert_false(
		read_text(&f, "them = dark\ngraphics = kity\n[keys]\njust words\nno-mouse = maybe\n"
			      "bind = F5 zom-in\nbind = F6\nformat = csv\ntheme = mono\n"));
	assert_string_equal(
		f.wrong.text,
		"config:1: there is no setting 'them'; did you mean 'theme'?\n"
		"config:2: --graphics is one of none|auto|kitty|sixel, not 'kity'\n"
		"config:3: there are no sections: write NAME = VALUE, or bind = KEY COMMAND\n"
		"config:4: neither NAME = VALUE nor a comment, which begins with #\n"
		"config:5: no-mouse is yes or no, not 'maybe'\n"
		"config:6: there is no command 'zom-in'; did you mean 'zoom-in'?\n"
		"config:7: bind needs a key and a command, such as F6 zoom-in\n"
		"config:8: there is no setting 'format' (:set lists them)\n");
	assert_string_equal(f.options.theme, "mono");
	done(&f);
}

TEST(test_the_command_line_comes_first)
{
	char tview[] = "tview", theme[] = "--theme", dark[] = "dark";
	char *argv[] = { tview, theme, dark, NULL };
	struct file f;

	with(&f, 3, argv);
	assert_true(read_text(&f, "theme = light\n"));
	assert_string_equal(f.options.theme, "dark");
	assert_true(read_text(&f, "theme = mine\n")); /* a file of the user's, perhaps */
	/* :set comes after both */
	assert_non_null(settings_set(f.settings, "theme light", NULL));
	assert_string_equal(f.options.theme, "light");
	assert_non_null(settings_set(f.settings, "theme=mono", NULL));
	assert_string_equal(f.options.theme, "mono");
	assert_null(settings_set(f.settings, "theme", NULL));
	assert_non_null(settings_set(f.settings, "no-mouse", NULL));
	assert_true(f.options.no_mouse);
	done(&f);
}

TEST(test_long_lines_zeros_and_many_wrong_ones)
{
	char tview[] = "tview", *argv[] = { tview, NULL };
	static const char zero[] = "theme = dark\0\ntheme = mono";
	struct str text = STR_INIT;
	struct file f;

	with(&f, 1, argv);
	assert_false(settings_parse(f.settings, "c", zero, sizeof zero - 1, &f.wrong));
	assert_string_equal(f.wrong.text, "c:1: is not text (a zero byte)\n");
	assert_string_equal(f.options.theme, "mono");
	str_add(&text, "source-path = ");
	for (int i = 0; i < 300; i++)
		str_add_char(&text, 'd');
	str_add(&text, "\ntheme = light\n");
	assert_false(read_text(&f, text.text));
	assert_string_equal(f.wrong.text, "config:1: longer than 197 bytes\n");
	assert_string_equal(f.options.theme, "light");
	str_clear(&text);
	for (int i = 0; i < 100; i++)
		str_add(&text, "x\n");
	assert_false(read_text(&f, text.text));
	assert_non_null(strstr(f.wrong.text, "config:20: "));
	assert_null(strstr(f.wrong.text, "config:21: "));
	assert_non_null(strstr(f.wrong.text, "80 more lines are wrong\n"));
	str_fini(&text);
	done(&f);
}

TEST(test_where_the_file_is)
{
	OWNED_STR path = STR_INIT;

	unsetenv("TVIEWRC");
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", "/home/me", 1);
	assert_false(settings_path(&path));
	assert_string_equal(path.text, "/home/me/.config/tview/config");
	str_clear(&path);
	setenv("XDG_CONFIG_HOME", "/etc/me", 1);
	assert_false(settings_path(&path));
	assert_string_equal(path.text, "/etc/me/tview/config");
	str_clear(&path);
	setenv("TVIEWRC", "my.rc", 1);
	assert_true(settings_path(&path)); /* must be there */
	assert_string_equal(path.text, "my.rc");
	str_clear(&path);
	setenv("TVIEWRC", "", 1);
	assert_false(settings_path(&path));
	assert_string_equal(path.text, "");
	unsetenv("TVIEWRC");
}

/* Folders of the home, as a shell has them. */
TEST(test_source_paths_know_the_home)
{
	char tview[] = "tview", *argv[] = { tview, NULL };
	struct file f;

	setenv("HOME", "/home/me", 1);
	with(&f, 1, argv);
	assert_true(read_text(&f, "source-path = ~/src:/opt/~x:~/lib\n"));
	assert_string_equal(f.options.source_path, "/home/me/src:/opt/~x:/home/me/lib");
	done(&f);
}
