/* The numbers that may still be the one are those whose upper bytes are its upper bytes. */
#include "base/select.h"

#include "base/mem.h"

enum { BYTES = 256 };

/* Keys in the order of the numbers. */
static const uint64_t sign = (uint64_t)1 << 63;

/* The byte that the one has there; *k becomes its place among those that have it. */
static uint64_t byte_of(struct exchange *x, const uint64_t *left, size_t n, unsigned shift,
			uint64_t *k)
{
	int128 counts[BYTES] = { 0 };
	uint64_t byte = 0;

	for (size_t i = 0; i < n; i++)
		counts[left[i] >> shift & (BYTES - 1)]++;
	exchange_sum(x, counts, BYTES);
	while (byte + 1 < BYTES && (int128)*k >= counts[byte])
		*k -= (uint64_t)counts[byte++];
	return byte;
}

int64_t select_nth(struct exchange *x, const int64_t *numbers, size_t n, uint64_t k)
{
	OWNED uint64_t *left = xmalloc((n + 1) * sizeof *left);
	uint64_t key = 0;

	for (size_t i = 0; i < n; i++)
		left[i] = (uint64_t)numbers[i] ^ sign;
	for (unsigned shift = 64; shift > 0;) {
		const uint64_t byte = byte_of(x, left, n, shift -= 8, &k);
		size_t kept = 0;
		for (size_t i = 0; i < n; i++)
			if ((left[i] >> shift & (BYTES - 1)) == byte)
				left[kept++] = left[i];
		n = kept;
		key |= byte << shift;
	}
	return (int64_t)(key ^ sign);
}
