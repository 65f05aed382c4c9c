#include "correct/clocks/lmin_pairs.h"

#include <string.h>

void location_pairs_init(struct location_pairs *pairs, size_t most)
{
	*pairs = (struct location_pairs){ .most = most, .bound = 1ull << 32 };
}

void location_pairs_fini(struct location_pairs *pairs)
{
	keymap_fini(&pairs->map);
	vec_fini(&pairs->list);
}

/* Halves the bound till there is room. */
static void make_room(struct location_pairs *pairs)
{
	while (pairs->list.n > pairs->most && pairs->bound > 1) {
		uint32_t kept = 0;
		pairs->bound /= 2;
		keymap_fini(&pairs->map);
		for (size_t i = 0; i < pairs->list.n; i++) {
			const struct location_pair pair = pairs->list.data[i];
			const struct key key = KEY_OF(pair.low, pair.high);
			if (key_hash(key) >= pairs->bound)
				continue;
			*keymap_add(&pairs->map, key) = kept;
			pairs->list.data[kept++] = pair;
		}
		pairs->list.n = kept;
	}
}

/* The row of a pair; NULL: it is not kept. */
static struct location_pair *pair_of(struct location_pairs *pairs, uint32_t low, uint32_t high)
{
	const struct key key = KEY_OF(low, high);
	uint32_t at;

	if (key_hash(key) >= pairs->bound)
		return NULL;
	if (!keymap_new(&pairs->map, key, pairs->list.n, &at))
		return &pairs->list.data[at];
	vec_push(&pairs->list, ((struct location_pair){ .low = low, .high = high }));
	return vec_last(&pairs->list);
}

static void join(struct location_pair *pair, int way, uint32_t n, int64_t fastest)
{
	if (pair->n[way] == 0 || fastest < pair->fastest[way])
		pair->fastest[way] = fastest;
	pair->n[way] += n;
}

void location_pairs_see(struct location_pairs *pairs, uint32_t from, uint32_t to, int64_t took)
{
	const int way = from > to;
	struct location_pair *pair = pair_of(pairs, way ? to : from, way ? from : to);

	if (!pair)
		return;
	join(pair, way, 1, took);
	make_room(pairs);
}

/* No process left out a pair below the least of their bounds. */
void location_pairs_share(struct location_pairs *pairs, struct exchange *x)
{
	OWNED_VEC(uint64_t) bounds = VEC_INIT;
	OWNED_VEC(struct location_pair) all = VEC_INIT;
	const struct location_pair *pair;
	const uint64_t *bound;

	if (!x)
		return;
	vec_push(&bounds, pairs->bound);
	exchange_rows(x, &bounds);
	memcpy(&all, &pairs->list, sizeof all);
	memset(&pairs->list, 0, sizeof pairs->list);
	keymap_fini(&pairs->map);
	exchange_rows(x, &all);
	vec_each (bound, &bounds)
		pairs->bound = *bound < pairs->bound ? *bound : pairs->bound;
	vec_each (pair, &all) {
		struct location_pair *mine = pair_of(pairs, pair->low, pair->high);
		for (int way = 0; mine && way < 2; way++)
			if (pair->n[way])
				join(mine, way, pair->n[way], pair->fastest[way]);
		make_room(pairs);
	}
}
