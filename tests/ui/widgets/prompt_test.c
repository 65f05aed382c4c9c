/* The prompt: editing whole characters, words, history. */
#include "harness/test.h"
#include "ui/widgets/prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void type(struct prompt *p, const char *text)
{
	for (; *text; text++)
		prompt_key(p, "", (unsigned char)*text);
}

TEST(test_edits)
{
	ENDED_BY(history_fini) struct history history = { 0 };
	struct prompt p;
	prompt_begin(&p, "/", &history, "");
	type(&p, "rank in");
	assert_string_equal(p.text, "rank in");
	assert_true(prompt_key(&p, "Ctrl-w", 0));
	assert_string_equal(p.text, "rank ");
	assert_true(prompt_key(&p, "Backspace", 0));
	assert_false(prompt_key(&p, "Home", 0));
	assert_false(prompt_key(&p, "Backspace", 0));
	assert_true(prompt_key(&p, "Delete", 0));
	assert_string_equal(p.text, "ank");
	prompt_key(&p, "", 0xe9);
	assert_string_equal(p.text, "\xc3\xa9"
				    "ank");
	prompt_key(&p, "Right", 0);
	prompt_key(&p, "Left", 0);
	prompt_key(&p, "Left", 0);
	assert_int_equal(p.cursor, 0);
	assert_true(prompt_key(&p, "Delete", 0)); /* both bytes of it */
	assert_string_equal(p.text, "ank");
	prompt_key(&p, "End", 0);
	assert_true(prompt_key(&p, "Ctrl-u", 0));
	assert_string_equal(p.text, "");
	assert_false(prompt_key(&p, "F5", 0));
}

TEST(test_history)
{
	ENDED_BY(history_fini) struct history history = { 0 };
	history_add(&history, "one");
	history_add(&history, "two");
	history_add(&history, "");
	history_add(&history, "one"); /* moves to the end */
	assert_int_equal(history.lines.n, 2);
	struct prompt p;
	prompt_begin(&p, ":", &history, "");
	type(&p, "own");
	assert_true(prompt_key(&p, "Up", 0));
	assert_string_equal(p.text, "one");
	assert_true(prompt_key(&p, "Up", 0));
	assert_string_equal(p.text, "two");
	assert_false(prompt_key(&p, "Up", 0));
	prompt_key(&p, "Down", 0);
	prompt_key(&p, "Down", 0);
	assert_string_equal(p.text, "own");
	assert_false(prompt_key(&p, "Down", 0));
	for (int i = 0; i < 250; i++) {
		char line[32];
		snprintf(line, sizeof line, "line %d", i);
		history_add(&history, line);
	}
	assert_int_equal(history.lines.n, 100);
	assert_string_equal(history.lines.data[99], "line 249");
}

/* Whatever is typed: the text stays whole UTF-8 of bounded length, the cursor on a character. */
TEST(test_random_keys)
{
	static const char *const keys[] = { "Left",   "Right",  "Home", "End",    "Backspace",
					    "Delete", "Ctrl-w", "Up",   "Ctrl-k", "Down" };
	ENDED_BY(history_fini) struct history history = { 0 };
	history_add(&history, "\xe6\xbc\xa2 x");
	struct prompt p;
	prompt_begin(&p, ":", &history, "");
	srand(11);
	struct canvas c;
	canvas_init(&c, 10, 1, false);
	for (int i = 0; i < 20000; i++) {
		static const uint32_t chars[] = { 'a', ' ', 0xe9, 0x6f22, 0x1f600 };
		if (rand() % 3)
			prompt_key(&p, "", chars[(unsigned)rand() % 5]);
		else
			prompt_key(&p, keys[(unsigned)rand() % 10], 0);
		assert_true(p.n < sizeof p.text && p.cursor <= p.n);
		assert_int_equal(p.text[p.n], 0);
		assert_true(((unsigned char)p.text[p.cursor] & 0xc0) != 0x80);
		if (i % 50 == 0) {
			const int x = prompt_draw(&p, &c, (struct rect){ 0, 0, 10, 1 });
			assert_true(x >= 1 && x < 10);
		}
	}
	canvas_fini(&c);
}
