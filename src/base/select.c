/* The numbers that may still be the one are those whose upper bytes are its upper bytes. */
#include "base/select.h"

#include "base/mem.h"

enum { BYTES = 256 };

/* Keys in the order of the numbers. */
static const uint64_t sign = (uint64_t)1 << 63;

/* The numbers that are left of a selection; k is the place among them in all processes. */
struct left {
	uint64_t *keys;
	size_t n;
	uint64_t k, key;
};

static void count_bytes(const struct left *left, unsigned shift, int128 *counts)
{
	for (size_t i = 0; i < left->n; i++)
		counts[left->keys[i] >> shift & (BYTES - 1)]++;
}

/* Keeps those with the byte that the one has there. */
static void keep_byte(struct left *left, unsigned shift, const int128 *counts)
{
	uint64_t byte = 0;
	size_t kept = 0;

	while (byte + 1 < BYTES && (int128)left->k >= counts[byte])
		left->k -= (uint64_t)counts[byte++];
	for (size_t i = 0; i < left->n; i++)
		if ((left->keys[i] >> shift & (BYTES - 1)) == byte)
			left->keys[kept++] = left->keys[i];
	left->n = kept;
	left->key |= byte << shift;
}

static struct left all_of(const struct selection *of)
{
	struct left left = { .keys = xmalloc((of->n + 1) * sizeof *left.keys),
			     .n = of->n,
			     .k = of->k };

	for (size_t i = 0; i < of->n; i++)
		left.keys[i] = (uint64_t)of->numbers[i] ^ sign;
	return left;
}

void select_all(struct exchange *x, struct selection *of, size_t n)
{
	OWNED struct left *left = xmalloc((n + 1) * sizeof *left);
	OWNED int128 *counts = xmalloc((n + 1) * BYTES * sizeof *counts);

	for (size_t i = 0; i < n; i++)
		left[i] = all_of(&of[i]);
	for (unsigned shift = 64; shift > 0;) {
		shift -= 8;
		memset(counts, 0, n * BYTES * sizeof *counts);
		for (size_t i = 0; i < n; i++)
			count_bytes(&left[i], shift, counts + i * BYTES);
		exchange_sum(x, counts, n * BYTES);
		for (size_t i = 0; i < n; i++)
			keep_byte(&left[i], shift, counts + i * BYTES);
	}
	for (size_t i = 0; i < n; i++) {
		of[i].found = (int64_t)(left[i].key ^ sign);
		free(left[i].keys);
	}
}

int64_t select_nth(struct exchange *x, const int64_t *numbers, size_t n, uint64_t k)
{
	struct selection of = { .numbers = numbers, .n = n, .k = k };

	select_all(x, &of, 1);
	return of.found;
}
