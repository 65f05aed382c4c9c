#include "base/radix.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	DIGITS = 256,
	BYTES = 8,
	FEW = 48, /* below which counting digits costs more than moving keys */
};

static unsigned digit_of(uint64_t key, unsigned byte)
{
	return key >> 8 * byte & (DIGITS - 1);
}

/* Sets places[] to where the keys of each digit begin; false: all have the same. */
static bool find_places(const uint64_t *keys, size_t n, unsigned byte, size_t places[DIGITS])
{
	size_t sum = 0;

	memset(places, 0, DIGITS * sizeof *places);
	for (size_t i = 0; i < n; i++)
		places[digit_of(keys[i], byte)]++;
	if (places[digit_of(keys[0], byte)] == n)
		return false;
	for (unsigned d = 0; d < DIGITS; d++) {
		const size_t of_digit = places[d];
		places[d] = sum;
		sum += of_digit;
	}
	return true;
}

static void insert_each(uint64_t *keys, size_t n, unsigned bit)
{
	for (size_t i = 1; i < n; i++) {
		const uint64_t key = keys[i];
		size_t at = i;
		for (; at > 0 && keys[at - 1] >> bit > key >> bit; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

void radix_sort(uint64_t *keys, size_t n, unsigned bit)
{
	uint64_t *own, *from = keys, *to;
	size_t places[DIGITS];

	if (n < FEW) {
		insert_each(keys, n, bit);
		return;
	}
	own = to = xmalloc(n * sizeof *own);
	for (unsigned byte = bit / 8; byte < BYTES; byte++) {
		if (!find_places(from, n, byte, places))
			continue;
		for (size_t i = 0; i < n; i++)
			to[places[digit_of(from[i], byte)]++] = from[i];
		to = from;
		from = from == keys ? own : keys;
	}
	if (from != keys)
		memcpy(keys, from, n * sizeof *keys);
	free(own);
}
