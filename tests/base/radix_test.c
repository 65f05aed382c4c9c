/* Sorting numbers against qsort(), with keys of few and of many values, and the order of equal
 * ones. */
#include <stdlib.h>

#include "base/order.h"
#include "base/radix.h"
#include "harness/random.h"
#include "harness/test.h"

enum { MOST = 3000, ROUNDS = 200 };

ORDERING_OF_NUMBERS(by_value, uint64_t)

TEST(as_qsort)
{
	uint64_t keys[MOST], expected[MOST];
	uint64_t seed = 7;

	for (int round = 0; round < ROUNDS; round++) {
		const size_t n = next_random(&seed) % (round % 2 ? MOST : 100);
		const unsigned bits = 1 + (unsigned)(next_random(&seed) % 64);
		for (size_t i = 0; i < n; i++)
			keys[i] = expected[i] =
				(next_random(&seed) << 33 ^ next_random(&seed) << 2) >> (64 - bits);
		radix_sort(keys, n, 0);
		SORT(expected, n, by_value);
		for (size_t i = 0; i < n; i++)
			assert_true(keys[i] == expected[i]);
	}
}

TEST(equal_ones_keep_their_order)
{
	uint64_t keys[6] = { 3ull << 32 | 0, 1ull << 32 | 9, 3ull << 32 | 2,
			     1ull << 32 | 4, 2ull << 32 | 7, 1ull << 32 | 1 };
	const uint64_t expected[6] = { 1ull << 32 | 9, 1ull << 32 | 4, 1ull << 32 | 1,
				       2ull << 32 | 7, 3ull << 32 | 0, 3ull << 32 | 2 };

	radix_sort(keys, 6, 32);
	for (int i = 0; i < 6; i++)
		assert_true(keys[i] == expected[i]);
	radix_sort(keys, 0, 0);
}

TEST(rows_keep_their_order)
{
	uint64_t seed = 8;

	for (size_t n = 0; n < 300; n++) {
		uint64_t keys[300];
		for (size_t i = 0; i < n; i++)
			keys[i] = next_random(&seed) % 40 << 32 | i;
		radix_sort(keys, n, 32);
		for (size_t i = 1; i < n; i++)
			assert_true(keys[i - 1] < keys[i]);
	}
}
