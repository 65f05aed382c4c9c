/* keymap: a hash table from four 32-bit numbers to one, for interning and matching.
 *
 * Open addressing, linear probing, at most half full; entries are never removed. A value is
 * UINT32_MAX until the caller sets it. Pointers to values are good until the next keymap_add().
 *
 *	uint32_t row;
 *	if (keymap_new(&map, KEY_OF(name, cls), rows.n, &row))
 *		vec_push(&rows, fresh);
 *	use(rows.data[row]);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key {
	uint32_t part[4];
};

#define KEY_OF(...) ((struct key){ { __VA_ARGS__ } })

struct keymap_slot {
	struct key key;
	uint32_t value;
	uint32_t hash; /* 0: the slot is empty */
};

struct keymap {
	struct keymap_slot *slots;
	size_t size; /* a power of two, or 0 */
	size_t n;
};

void keymap_fini(struct keymap *map);
void keymap_grow(struct keymap *map);

static inline uint32_t key_hash(struct key k)
{
	const uint64_t a = (uint64_t)k.part[1] << 32 | k.part[0];
	const uint64_t b = (uint64_t)k.part[3] << 32 | k.part[2];
	uint64_t h = (a ^ 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;

	h = (h ^ h >> 32 ^ b) * 0xc4ceb9fe1a85ec53u;
	h ^= h >> 29;
	h *= 0x94d049bb133111ebu;
	return (uint32_t)(h >> 32) | 1u;
}

/* Which of n equal shares it is in: hashes are odd. */
static inline uint32_t key_share(struct key k, uint32_t n)
{
	return (key_hash(k) >> 1) % n;
}

static inline int key_same(const struct key *a, const struct key *b)
{
	return a->part[0] == b->part[0] && a->part[1] == b->part[1] && a->part[2] == b->part[2] &&
	       a->part[3] == b->part[3];
}

/* The value of a key, or NULL where the map has none. */
static inline uint32_t *keymap_find(const struct keymap *map, struct key key)
{
	const uint32_t hash = key_hash(key);

	if (map->size == 0)
		return NULL;
	for (size_t i = hash >> 1;; i++) {
		struct keymap_slot *slot = &map->slots[i & (map->size - 1)];
		if (slot->hash == 0)
			return NULL;
		if (slot->hash == hash && key_same(&slot->key, &key))
			return &slot->value;
	}
}

/* The value of a key, entered with UINT32_MAX where it is new. */
static inline uint32_t *keymap_add(struct keymap *map, struct key key)
{
	const uint32_t hash = key_hash(key);

	if (2 * (map->n + 1) > map->size)
		keymap_grow(map);
	for (size_t i = hash >> 1;; i++) {
		struct keymap_slot *slot = &map->slots[i & (map->size - 1)];
		if (slot->hash == 0) {
			*slot = (struct keymap_slot){ key, UINT32_MAX, hash };
			map->n++;
			return &slot->value;
		}
		if (slot->hash == hash && key_same(&slot->key, &key))
			return &slot->value;
	}
}

/* *value: the value of a key. True if the key is new; its value is then `next`. */
static inline bool keymap_new(struct keymap *map, struct key key, size_t next, uint32_t *value)
{
	uint32_t *known = keymap_add(map, key);
	const bool is_new = *known == UINT32_MAX;

	if (is_new)
		*known = (uint32_t)next;
	*value = *known;
	return is_new;
}
