/* Themes of users: what a line sets, what it says when it is wrong, and that little contrast is
 * told. Contrasts are those of WCAG 2.1: 0x767676 has 4.54 on white, 0x777777 4.48. */
#include <string.h>

#include "base/err.h"
#include "harness/random.h"
#include "harness/test.h"
#include "ui/canvas/theme_file.h"

struct told {
	struct str wrong, poor;
};

static const struct theme *parse(const char *text, struct told *told)
{
	*told = (struct told){ STR_INIT, STR_INIT };
	return theme_parse("my.theme", text, strlen(text), &told->wrong, &told->poor);
}

static void forget(const struct theme *theme, struct told *told)
{
	theme_free(theme);
	str_fini(&told->wrong);
	str_fini(&told->poor);
}

static const char *text_of(const struct str *s)
{
	return s->n ? s->text : "";
}

TEST(what_is_not_said_is_as_in_the_base)
{
	for (int light = 0; light < 2; light++) {
		const struct theme *base = theme_find(light ? "light" : "dark");
		struct told told;
		const struct theme *theme =
			parse(light ? "base = light\n" : "# nothing\n\n", &told);

		for (enum role a = 0; a < ROLE_COUNT; a++)
			for (int depth = DEPTH_MONO; depth <= DEPTH_RGB; depth++) {
				const enum colour_depth d = (enum colour_depth)depth;
				assert_int_equal(theme_foreground(theme, a, d).colour,
						 theme_foreground(base, a, d).colour);
				assert_int_equal(theme_background(theme, a, d).colour,
						 theme_background(base, a, d).colour);
				assert_int_equal(theme_cell(theme, ROLE_DEFAULT, a, d).fg,
						 theme_cell(base, ROLE_DEFAULT, a, d).fg);
			}
		assert_string_equal(text_of(&told.wrong), "");
		assert_string_equal(text_of(&told.poor), "");
		forget(theme, &told);
	}
}

/* 0x005f87 is number 24 of the palette: 16 + 36 * 0 + 6 * 1 + 2. */
TEST(colours_at_each_depth)
{
	const enum role user = ROLE_CLASS_FIRST + CLASS_USER, wait = ROLE_WAIT;
	struct told told;
	const struct theme *theme = parse("user = #005f86   # nearly number 24\r\n"
					  "wait-sender=226\n"
					  "title = #ffffff on #303030\n"
					  "muted = default\n",
					  &told);

	assert_string_equal(text_of(&told.wrong), "");
	assert_int_equal(theme_background(theme, user, DEPTH_RGB).colour, 0x1005f86);
	assert_int_equal(theme_foreground(theme, user, DEPTH_RGB).colour, 0x1005f86);
	assert_int_equal(theme_background(theme, user, DEPTH_256).colour, 24);
	assert_int_equal(theme_background(theme, user, DEPTH_8).colour,
			 theme_background(theme_find("dark"), user, DEPTH_8).colour);
	assert_int_equal(theme_background(theme, user, DEPTH_MONO).colour, -1);
	assert_int_equal(theme_background(theme, wait, DEPTH_256).colour, 226);
	assert_int_equal(theme_background(theme, wait, DEPTH_RGB).colour, 0x1ffff00);
	/* Text over dark bars is light, over light ones dark. */
	assert_int_equal(theme_cell(theme, ROLE_DEFAULT, user, DEPTH_256).fg, 255);
	assert_int_equal(theme_cell(theme, ROLE_DEFAULT, wait, DEPTH_256).fg, 16);
	assert_int_equal(theme_foreground(theme, ROLE_TITLE, DEPTH_RGB).colour, 0x1ffffff);
	assert_int_equal(theme_background(theme, ROLE_TITLE, DEPTH_RGB).colour, 0x1303030);
	assert_int_equal(theme_background(theme, ROLE_TITLE, DEPTH_256).colour, 236);
	assert_int_equal(theme_foreground(theme, ROLE_MUTED, DEPTH_RGB).colour, -1);
	forget(theme, &told);
}

TEST(wrong_lines)
{
	struct told told;
	const struct theme *theme = parse("usr = 24\n"
					  "user\n"
					  "user = blue\n"
					  "user = #12345\n"
					  "user = 256\n"
					  "base = pink\n"
					  "sync = 187\n"
					  "base = light\n"
					  "cursor = 16 on dark\n"
					  "zebra = 16\n",
					  &told);

	assert_string_equal(
		text_of(&told.wrong),
		"my.theme:1: there is no colour 'usr'; did you mean 'user'?\n"
		"my.theme:2: write NAME = COLOUR, or a comment, which begins with #\n"
		"my.theme:3: 'blue' is not a colour: write #rrggbb, a number from 0 to 255, or "
		"default\n"
		"my.theme:4: '#12345' is not a colour: write #rrggbb, a number from 0 to 255, or "
		"default\n"
		"my.theme:5: '256' is not a colour: write #rrggbb, a number from 0 to 255, or "
		"default\n"
		"my.theme:6: base is dark or light, not 'pink'\n"
		"my.theme:8: base comes before all colours\n"
		"my.theme:9: 'dark' is not a colour: write #rrggbb, a number from 0 to 255, or "
		"default\n"
		"my.theme:10: there is no colour 'zebra'; tview-keys(7) has the names\n");
	/* What is right counts. */
	assert_int_equal(theme_background(theme, ROLE_CLASS_FIRST + CLASS_SYNC, DEPTH_256).colour,
			 187);
	forget(theme, &told);
}

TEST(little_contrast_is_told)
{
	struct told told;
	const struct theme *theme = parse("base = light\n"
					  "label = #767676\n"
					  "muted = #777777\n"
					  "cursor = #777777 on #ffffff\n"
					  "message = #949494\n"
					  "message-selected = #969696\n"
					  "hint = 8\n",
					  &told);

	assert_string_equal(text_of(&told.wrong), "");
	assert_string_equal(
		text_of(&told.poor),
		"my.theme:3: warning: muted has a contrast of 4.48 on white; from 4.5 on "
		"it can be read\n"
		"my.theme:4: warning: cursor has a contrast of 4.48 on its fill; from 4.5 "
		"on it can be read\n"
		"my.theme:6: warning: message-selected has a contrast of 2.96 on white; "
		"from 3 on it can be read\n");
	forget(theme, &told);
}

/* Whatever is in the file: no more lines are told than it has, and all that is told is clean. */
TEST(any_text)
{
	uint64_t seed = 7;

	for (int run = 0; run < 300; run++) {
		char text[400];
		size_t n = draw(&seed, sizeof text);
		struct told told = { STR_INIT, STR_INIT };

		for (size_t i = 0; i < n; i++)
			text[i] = draw(&seed, 3) ? "user = #on12\n "[draw(&seed, 14)]
						 : (char)draw(&seed, 256);
		const struct theme *theme = theme_parse("x", text, n, &told.wrong, &told.poor);
		assert_non_null(theme);
		for (const char *p = text_of(&told.wrong); *p; p++)
			assert_true((unsigned char)*p >= ' ' || *p == '\n');
		forget(theme, &told);
	}
}
