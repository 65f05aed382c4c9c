/* Mutations of what fuzzers read: within bounds, repeatable, and of whole lines and records. */
#include <string.h>

#include "harness/mutate.h"
#include "harness/test.h"

/* libFuzzer's own, which is not here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	assert_true(size <= most);
	if (size)
		data[size - 1] ^= 1;
	return size;
}

enum { MOST = 100, SEEDS = 5000 };

static size_t mutate(uint8_t *out, const char *text, size_t most, unsigned seed)
{
	memset(out, '#', MOST + 1);
	memcpy(out, text, strlen(text));
	return mutate_lines(out, strlen(text), most, seed);
}

TEST(lines_stay_in_bounds_and_repeat)
{
	static const char *const texts[] = { "", "\n", "a", "-3 1 0.0 0 0 0\n-4 1 1.0 0 0 0\n",
					     "-5 1 0 -1 -1 4 \"%c\" wo rk\n\n \n\"" };
	uint8_t once[MOST + 1], twice[MOST + 1];

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (unsigned seed = 0; seed < SEEDS; seed++) {
			const size_t most = strlen(texts[i]) + seed % 60;
			const size_t n = mutate(once, texts[i], most, seed);
			assert_in_range(n, 0, most);
			assert_int_equal(once[most], '#');
			assert_int_equal(mutate(twice, texts[i], most, seed), n);
			assert_memory_equal(once, twice, n);
		}
}

static const char *const some_words[] = { "where", "==", "\"X\"", NULL };

/* By words and by values of JSON, of sound and broken texts. */
TEST(words_and_values_stay_in_bounds_and_repeat)
{
	static const char *const texts[] = { "",     " ",     "a b", "{\"a\":[1,{\"b\":\"\\\"\"}]}",
					     "[[\"", "}}],\n" };
	uint8_t once[MOST + 1], twice[MOST + 1];

	for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++)
		for (unsigned seed = 0; seed < SEEDS; seed++) {
			const char *text = texts[i / 2];
			const size_t size = strlen(text), most = size + seed % 60;
			size_t (*const mutation)(uint8_t *, size_t, size_t, unsigned,
						 const char *const *) =
				i % 2 ? mutate_json : mutate_words;
			size_t n;
			memset(once, '#', sizeof once);
			memcpy(once, text, size);
			memcpy(twice, text, size);
			n = mutation(once, size, most, seed, some_words);
			assert_in_range(n, 0, most);
			assert_int_equal(once[most], '#');
			assert_int_equal(mutation(twice, size, most, seed, some_words), n);
			assert_memory_equal(once, twice, n);
		}
}

/* Members go, come twice and change places with their keys; a value becomes another, or a word. */
TEST(values_move_whole)
{
	static const char *const wanted[] = { "{\"b\":[2,3]}", "{\"b\":[2,3]\"a\":{\"c\":1},}",
					      "{\"a\":[2,3],\"b\":[2,3]}",
					      "{\"a\":\"X\",\"b\":[2,3]}" };
	bool found[sizeof wanted / sizeof *wanted] = { false };
	uint8_t out[MOST];

	for (unsigned seed = 0; seed < 20 * SEEDS; seed++) {
		static const char text[] = "{\"a\":{\"c\":1},\"b\":[2,3]}";
		size_t n;
		memcpy(out, text, sizeof text);
		n = mutate_json(out, sizeof text - 1, MOST, seed, some_words);
		for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
			found[i] |= n == strlen(wanted[i]) && memcmp(out, wanted[i], n) == 0;
	}
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (!found[i])
			fail_msg("no seed makes %s", wanted[i]);
}

/* Of three lines each can go, come twice and be the last; a field can become another one. */
TEST(lines_and_fields_move)
{
	static const char *const wanted[] = { "a 1\nc 3\n",      "a 1\na 1\nb 2\nc 3\n",
					      "a 1\nc 3\nb 2\n", "a 1\nb 3\nc 3\n",
					      "a 1\n2 b\nc 3\n", "a 1\nb 2147483647\nc 3\n" };
	bool found[sizeof wanted / sizeof *wanted] = { false };
	uint8_t out[MOST + 1];

	for (unsigned seed = 0; seed < 20 * SEEDS; seed++) {
		const size_t n = mutate(out, "a 1\nb 2\nc 3\n", MOST, seed);
		for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
			found[i] |= n == strlen(wanted[i]) && memcmp(out, wanted[i], n) == 0;
	}
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (!found[i])
			fail_msg("no seed makes %s", wanted[i]);
}

/* The head stays; records stay whole. */
TEST(records_stay_whole)
{
	for (unsigned seed = 0; seed < SEEDS; seed++) {
		uint8_t data[MOST + 1] = "Haaaabbbbcccc";
		const size_t n = mutate_records(data, 13, MOST, seed, 1, 4);
		assert_in_range(n, 1, MOST);
		assert_int_equal(n % 4, 1);
		assert_int_equal(data[0], 'H');
	}
}
