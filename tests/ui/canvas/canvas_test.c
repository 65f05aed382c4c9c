/* The canvas: clipping, cutting with an ellipsis, wide characters, text out. */
#include "base/text.h"
#include "harness/test.h"
#include "ui/canvas/canvas.h"

#include <stdlib.h>
#include <string.h>

static void expect(const struct canvas *canvas, const char *want)
{
	OWNED_STR s = STR_INIT;
	canvas_to_text(canvas, &s);
	assert_string_equal(s.text, want);
}

TEST(test_text_is_cut_with_an_ellipsis)
{
	struct canvas c;
	canvas_init(&c, 8, 2, false);
	assert_int_equal(canvas_text(&c, 0, 0, 8, "exactly8", ROLE_DEFAULT, ROLE_DEFAULT, 0), 8);
	assert_int_equal(canvas_text(&c, 0, 1, 5, "sixsix", ROLE_DEFAULT, ROLE_DEFAULT, 0), 5);
	expect(&c, "exactly8\nsixs…\n");
	canvas_fini(&c);
	canvas_init(&c, 8, 1, true);
	canvas_text(&c, 0, 0, 5, "sixsix", ROLE_DEFAULT, ROLE_DEFAULT, 0);
	expect(&c, "sixs~\n");
	canvas_clear(&c);
	canvas_text(&c, 0, 0, 8, "a\xc3\xa9z", ROLE_DEFAULT, ROLE_DEFAULT, 0);
	expect(&c, "a?z\n");
	canvas_fini(&c);
}

TEST(test_parts_are_not_cut)
{
	ENDED_BY(canvas_fini) struct canvas c;
	canvas_init(&c, 20, 3, false);
	assert_int_equal(canvas_write_parts(&c, 0, 0, 16, "mean 2   sum 10 s", ROLE_DEFAULT), 6);
	assert_int_equal(canvas_write_parts(&c, 0, 1, 17, "mean 2   sum 10 s", ROLE_DEFAULT), 17);
	assert_int_equal(canvas_write_parts(&c, 0, 2, 5, "mean 2   sum 10 s", ROLE_DEFAULT), 5);
	expect(&c, "mean 2\nmean 2   sum 10 s\nmean…\n");
}

TEST(test_wide_characters_take_two_columns)
{
	ENDED_BY(canvas_fini) struct canvas c;
	canvas_init(&c, 4, 1, false);
	assert_int_equal(text_width("\xe6\xbc\xa2x"), 3);
	assert_int_equal(text_width("e\xcc\x81"), 1); /* a combining accent takes none */
	assert_int_equal(text_fit("\xe6\xbc\xa2x", 1), 0);
	assert_int_equal(text_fit("\xe6\xbc\xa2x", 2), 3);
	canvas_text(&c, 0, 0, 4, "\xe6\xbc\xa2\xe6\xbc\xa2", ROLE_DEFAULT, ROLE_DEFAULT, 0);
	assert_int_equal(c.cells[0].ch, 0x6f22);
	assert_int_equal(c.cells[1].ch, 0);
	/* Overwriting one half takes the other away. */
	canvas_put(&c, 1, 0, 'x', ROLE_DEFAULT, ROLE_DEFAULT, 0);
	assert_int_equal(c.cells[0].ch, ' ');
	canvas_put(&c, 2, 0, 'y', ROLE_DEFAULT, ROLE_DEFAULT, 0);
	expect(&c, " xy\n");
	/* At the right edge there is no room for the second half. */
	canvas_clear(&c);
	canvas_text(&c, 3, 0, 4, "\xe6\xbc\xa2", ROLE_DEFAULT, ROLE_DEFAULT, 0);
	expect(&c, "\n");
}

TEST(test_drawing_outside_is_clipped)
{
	ENDED_BY(canvas_fini) struct canvas c;
	canvas_init(&c, 3, 2, false);
	canvas_put(&c, -1, 0, 'a', ROLE_DEFAULT, ROLE_DEFAULT, 0);
	canvas_put(&c, 3, 0, 'a', ROLE_DEFAULT, ROLE_DEFAULT, 0);
	canvas_put(&c, 0, 2, 'a', ROLE_DEFAULT, ROLE_DEFAULT, 0);
	canvas_text(&c, -1, 0, 9, "abcde", ROLE_DEFAULT, ROLE_DEFAULT, 0);
	canvas_fill(&c, (struct rect){ -5, 1, 100, 100 }, '.', ROLE_DEFAULT, ROLE_DEFAULT);
	canvas_paint(&c, (struct rect){ 2, 1, 9, 9 }, ROLE_KEEP, ROLE_CURSOR, ATTR_BOLD);
	expect(&c, "bcd\n...\n");
	assert_int_equal(c.cells[5].bg, ROLE_CURSOR);
	assert_int_equal(c.cells[5].attr, ATTR_BOLD);
	assert_int_equal(c.cells[4].bg, ROLE_DEFAULT);
}

TEST(test_right_aligned)
{
	ENDED_BY(canvas_fini) struct canvas c;
	canvas_init(&c, 6, 2, false);
	canvas_text_right(&c, 0, 0, 6, "42", ROLE_DEFAULT, ROLE_DEFAULT);
	canvas_text_right(&c, 0, 1, 3, "12345", ROLE_DEFAULT, ROLE_DEFAULT);
	expect(&c, "    42\n12…\n");
}

/* Whatever is written where: text_fit() never splits a character and never exceeds the width. */
TEST(test_fit_never_splits)
{
	static const char *const parts[] = {
		"a", "\xc3\xa9", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80", "\xcc\x81", " "
	};
	srand(7);
	for (int round = 0; round < 2000; round++) {
		char text[64] = "";
		for (int i = rand() % 10; i > 0; i--)
			strcat(text, parts[(unsigned)rand() % 6]);
		const int width = rand() % 12;
		const size_t n = text_fit(text, width);
		assert_true(n <= strlen(text));
		assert_true(((unsigned char)text[n] & 0xc0) != 0x80);
		char head[64];
		memcpy(head, text, n);
		head[n] = '\0';
		assert_true(text_width(head) <= width);
		struct canvas c;
		canvas_init(&c, 12, 1, rand() % 2);
		assert_true(canvas_text(&c, rand() % 14 - 1, 0, width, text, ROLE_DEFAULT,
					ROLE_DEFAULT, 0) <= width);
		canvas_fini(&c);
	}
}
