/* What terminals answer, late, in parts, broken, or not at all. */
#include "harness/test.h"
#include "ui/terminal/replies.h"

#include <string.h>

enum { ALL = ASKED_GROUND | ASKED_PICTURES };

/* What is said at the end of a text that begins with an Escape; ANSWER_NONE: a part of it is keys. */
static enum answer take_at(struct replies *a, const char *text, int64_t now)
{
	enum answer said = ANSWER_MORE;

	assert_int_equal(*text++, 27);
	replies_escaped(a, now);
	for (; *text && said == ANSWER_MORE; text++)
		said = replies_take(a, (unsigned char)*text, now);
	return *text ? ANSWER_NONE : said;
}

static enum answer take(const char *text)
{
	struct replies a = { 0 };
	enum answer said;

	replies_ask(&a, ALL, 0);
	said = take_at(&a, text, 0);
	assert_true(said == ANSWER_MORE || a.intro == 0);
	return said;
}

TEST(grounds)
{
	static const struct {
		const char *answer;
		enum answer said;
	} all[] = {
		{ "\033]11;rgb:0000/0000/0000\007", ANSWER_DARK }, /* xterm */
		{ "\033]11;rgb:ffff/ffff/ffff\007", ANSWER_LIGHT },
		{ "\033]11;rgb:fdfd/f6f6/e3e3\033\\", ANSWER_LIGHT },     /* solarized light, ST */
		{ "\033]11;rgb:00/2b/36\033\\", ANSWER_DARK },            /* two digits */
		{ "\033]11;rgba:ffff/ffff/ffff/ffff\007", ANSWER_LIGHT }, /* with alpha */
		{ "\033]11;rgb:0/0/0\007", ANSWER_DARK },
		/* blue is dark, green is light: by their brightness */
		{ "\033]11;rgb:0000/0000/ffff\007", ANSWER_DARK },
		{ "\033]11;rgb:0000/ffff/0000\007", ANSWER_LIGHT },
		{ "\033]11;\007", ANSWER_OTHER },
		{ "\033]11;rgb:\007", ANSWER_OTHER },
		{ "\033]11;rgb:ffff/ffff\007", ANSWER_OTHER },
		{ "\033]10;rgb:ffff/ffff/ffff\007", ANSWER_OTHER },
		{ "\033]11;rgb:fffff/ffff/ffff\007", ANSWER_OTHER },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_int_equal(take(all[i].answer), all[i].said);
}

TEST(pictures)
{
	static const struct {
		const char *answer;
		enum answer said;
	} all[] = {
		{ "\033_Gi=31;OK\033\\", ANSWER_KITTY },
		{ "\033_Gi=31;ENOTSUPPORTED:it is \\ a \"long\" text about what is not there, \
of more characters than are kept\033\\",
		  ANSWER_OTHER },
		{ "\033[6;20;10t", ANSWER_CELL },
		{ "\033[4;480;640t", ANSWER_NONE },
		{ "\033[?1;0;256S", ANSWER_LIMIT },
		{ "\033[?2;0;1000;800S", ANSWER_LIMIT },
		{ "\033[?1;3;0S", ANSWER_OTHER }, /* it failed */
		{ "\033[?62;4;22c", ANSWER_END },
		{ "\033[?1;2c", ANSWER_END },
		{ "\033[?1;2h", ANSWER_OTHER },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_int_equal(take(all[i].answer), all[i].said);
}

TEST(numbers_of_answers)
{
	struct replies a = { 0 };
	int n[4];

	replies_ask(&a, ALL, 0);
	assert_int_equal(take_at(&a, "\033[6;20;10t", 0), ANSWER_CELL);
	assert_int_equal(replies_numbers(&a, n, 4), 3);
	assert_int_equal(n[1], 20);
	assert_int_equal(n[2], 10);
	/* More than there is room for, and what no terminal has. */
	assert_int_equal(take_at(&a, "\033[?1;2;3;4;5c", 0), ANSWER_END);
	assert_int_equal(replies_numbers(&a, n, 4), 4);
	replies_ask(&a, ALL, 0);
	assert_int_equal(take_at(&a, "\033[6;99999999999999999999;7t", 0), ANSWER_CELL);
	assert_int_equal(replies_numbers(&a, n, 4), 3);
	assert_int_equal(n[1], 1 << 20);
}

/* A key after an Escape, and an answer that breaks off, are no answers: nothing waits. */
TEST(garbage_ends_at_once)
{
	struct replies a = { 0 };

	replies_ask(&a, ALL, 0);
	assert_int_equal(take_at(&a, "\033j", 0), ANSWER_NONE);
	assert_int_equal(take_at(&a, "\033]1", 0), ANSWER_MORE);
	assert_int_equal(replies_take(&a, 'q', 0), ANSWER_NONE); /* the key q */
	assert_false(replies_is_short(&a));
	assert_int_equal(replies_take(&a, 'q', 0), ANSWER_NONE);
	/* What only begins like an answer was two keys. */
	assert_int_equal(take_at(&a, "\033[", 0), ANSWER_MORE);
	assert_int_equal(replies_take(&a, 'q', 0), ANSWER_NONE);
	assert_true(replies_is_short(&a));
	/* Too long for one. */
	assert_int_equal(take_at(&a, "\033]1", 0), ANSWER_MORE);
	for (int i = 0; i < 255; i++)
		assert_int_equal(replies_take(&a, '1', 0), ANSWER_MORE);
	assert_int_equal(replies_take(&a, '1', 0), ANSWER_NONE);
	assert_int_equal(replies_take(&a, 0xe4, 0), ANSWER_NONE);
}

/* Keys that look like the begin of an answer are keys again after one Escape, or after a moment. */
TEST(escapes_and_pauses_end_an_answer)
{
	struct replies a = { 0 };

	replies_ask(&a, ALL, 0);
	assert_int_equal(take_at(&a, "\033]11;\033", 0), ANSWER_MORE);
	assert_int_equal(replies_take(&a, 27, 0), ANSWER_NONE);
	assert_int_equal(take_at(&a, "\033]11;\033", 0), ANSWER_MORE);
	assert_int_equal(replies_take(&a, '4', 0), ANSWER_NONE);
	assert_int_equal(take_at(&a, "\033_Gi", 0), ANSWER_MORE);
	assert_int_equal(replies_take(&a, '=', 1000), ANSWER_NONE);
	/* An Escape in an answer without an end begins the next one. */
	assert_int_equal(take_at(&a, "\033_Gi=31;OK\033[?62;4c", 0), ANSWER_END);
	/* An Escape long ago begins none. */
	replies_escaped(&a, 2000);
	assert_int_equal(replies_take(&a, ']', 2300), ANSWER_NONE);
}

/* They are no keys, but say nothing. What was not asked, or was answered, is keys. */
TEST(late_answers)
{
	struct replies a = { 0 };

	assert_int_equal(take_at(&a, "\033]11;rgb:0/0/0\007", 1), ANSWER_NONE);
	replies_ask(&a, ASKED_GROUND, 1000);
	assert_int_equal(take_at(&a, "\033[?62;4c", 1000), ANSWER_NONE);
	assert_int_equal(take_at(&a, "\033]11;rgb:0/0/0\007", 3999), ANSWER_DARK);
	assert_int_equal(take_at(&a, "\033]11;rgb:0/0/0\007", 3999), ANSWER_NONE);
	replies_ask(&a, ALL, 1000);
	assert_int_equal(take_at(&a, "\033]11;rgb:0/0/0\007", 4000), ANSWER_OTHER);
	assert_int_equal(take_at(&a, "\033_Gi=31;OK\033\\", 60000), ANSWER_OTHER);
	assert_int_equal(take_at(&a, "\033[?62;4c", 60000), ANSWER_OTHER);
	assert_int_equal(take_at(&a, "\033[?62;4c", 60000), ANSWER_NONE);
}
