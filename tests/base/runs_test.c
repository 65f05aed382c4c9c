/* Merging sorted stretches against qsort(), for few and many of them, and the order of equal
 * elements. */
#include <stdlib.h>

#include "base/order.h"
#include "base/runs.h"
#include "harness/random.h"
#include "harness/test.h"

enum { MOST = 500, ROUNDS = 400 };

struct item {
	uint32_t key, number;
	char rest[4]; /* an odd size */
};

ORDERING(by_key, struct item, key)
ORDERING(by_key_and_number, struct item, key, number)

static void check(struct item *items, size_t n)
{
	struct item expected[MOST];

	for (size_t i = 0; i < n; i++)
		expected[i] = items[i];
	SORT(expected, n, by_key_and_number);
	runs_merge(items, n, sizeof *items, by_key);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(items[i].key, expected[i].key);
		assert_int_equal(items[i].number, expected[i].number);
	}
}

TEST(merged_as_sorted)
{
	struct item items[MOST] = { { 0 } };
	uint64_t seed = 3;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		const uint32_t n = (uint32_t)(next_random(&seed) % MOST);
		const uint64_t turn = 2 + next_random(&seed) % (round % 2 ? 8 : MOST);
		uint32_t key = 0;
		for (uint32_t i = 0; i < n; i++) {
			key = next_random(&seed) % turn == 0
				      ? 0
				      : key + (uint32_t)(next_random(&seed) % 3);
			items[i] = (struct item){ .key = key, .number = i };
		}
		check(items, n);
	}
}

TEST(in_the_reverse_order)
{
	struct item items[MOST] = { { 0 } };

	for (uint32_t n = 0; n < 70; n++) {
		for (uint32_t i = 0; i < n; i++)
			items[i] = (struct item){ .key = n - i, .number = i };
		check(items, n);
	}
	runs_merge(NULL, 0, sizeof *items, by_key);
}
