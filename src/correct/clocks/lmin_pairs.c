#include "correct/clocks/lmin_pairs.h"

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

void location_pairs_see(struct location_pairs *pairs, uint32_t from, uint32_t to, int64_t took)
{
	const int way = from > to;
	const struct key key = KEY_OF(way ? to : from, way ? from : to);
	struct location_pair *pair;
	uint32_t at;
	bool fresh;

	if (key_hash(key) >= pairs->bound)
		return;
	fresh = keymap_new(&pairs->map, key, pairs->list.n, &at);
	if (fresh)
		vec_push(&pairs->list,
			 ((struct location_pair){ .low = key.part[0], .high = key.part[1] }));
	pair = &pairs->list.data[at];
	if (pair->n[way] == 0 || took < pair->fastest[way])
		pair->fastest[way] = took;
	pair->n[way]++;
	if (fresh)
		make_room(pairs);
}
