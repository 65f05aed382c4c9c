/* What terminals answer to the question for their background, late, in parts, or not at all. */
#include "harness/test.h"
#include "ui/terminal/ground.h"

#include <string.h>

static enum ground_step take(struct ground *g, const char *text)
{
	enum ground_step step = GROUND_MORE;

	for (; *text && step == GROUND_MORE; text++)
		step = ground_take(g, (unsigned char)*text);
	return *text ? GROUND_OTHER : step;
}

TEST(test_answers_of_terminals)
{
	static const struct {
		const char *answer;
		enum ground_step step;
	} all[] = {
		{ "]11;rgb:0000/0000/0000\007", GROUND_DARK }, /* xterm */
		{ "]11;rgb:ffff/ffff/ffff\007", GROUND_LIGHT },
		{ "]11;rgb:fdfd/f6f6/e3e3\033\\", GROUND_LIGHT },     /* solarized light, ST */
		{ "]11;rgb:00/2b/36\033\\", GROUND_DARK },            /* two digits */
		{ "]11;rgba:ffff/ffff/ffff/ffff\007", GROUND_LIGHT }, /* with alpha */
		{ "]11;rgb:0/0/0\007", GROUND_DARK },
		/* blue is dark, green is light: by their brightness */
		{ "]11;rgb:0000/0000/ffff\007", GROUND_DARK },
		{ "]11;rgb:0000/ffff/0000\007", GROUND_LIGHT },
		{ "]11;\007", GROUND_UNKNOWN },
		{ "]11;rgb:\007", GROUND_UNKNOWN },
		{ "]11;rgb:ffff/ffff\007", GROUND_UNKNOWN },
		{ "]10;rgb:ffff/ffff/ffff\007", GROUND_UNKNOWN },
		{ "]11;rgb:fffff/ffff/ffff\007", GROUND_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct ground g;
		ground_ask(&g, 0);
		assert_int_equal(take(&g, all[i].answer), all[i].step);
		assert_false(g.within);
	}
}

/* A key after an Escape, and an answer that breaks off, are no answers: nothing waits. */
/* Keys that look like the begin of an answer are keys again after one Escape. */
TEST(escapes_end_an_answer)
{
	struct ground g;

	ground_ask(&g, 0);
	assert_int_equal(take(&g, "]11;\033"), GROUND_MORE);
	assert_int_equal(ground_take(&g, 27), GROUND_OTHER);
	ground_ask(&g, 0);
	assert_int_equal(take(&g, "]11;\033"), GROUND_MORE);
	assert_int_equal(ground_take(&g, '4'), GROUND_OTHER);
}

TEST(test_garbage_ends_at_once)
{
	struct ground g;

	ground_ask(&g, 0);
	assert_int_equal(ground_take(&g, 'j'), GROUND_OTHER);
	assert_int_equal(ground_take(&g, ']'), GROUND_MORE);
	assert_int_equal(ground_take(&g, '1'), GROUND_MORE);
	assert_int_equal(ground_take(&g, 'q'), GROUND_OTHER); /* the key q */
	assert_int_equal(ground_take(&g, 'q'), GROUND_OTHER);
	ground_take(&g, ']');
	for (int i = 0; i < 47; i++)
		assert_int_equal(ground_take(&g, '1'), GROUND_MORE);
	assert_int_equal(ground_take(&g, '1'), GROUND_OTHER); /* too long for an answer */
	assert_int_equal(ground_take(&g, 0xe4), GROUND_OTHER);
}

TEST(test_answers_that_come_too_late_are_keys)
{
	struct ground g = { 0 };

	assert_false(ground_is_open(&g, 1)); /* not asked */
	ground_ask(&g, 1000);
	assert_true(ground_is_open(&g, 1001));
	assert_true(ground_is_open(&g, 3999));
	assert_false(ground_is_open(&g, 4000));
	assert_int_equal(take(&g, "]11;rgb:0/0/0\007"), GROUND_DARK);
	assert_false(ground_is_open(&g, 1001)); /* one answer */
}
