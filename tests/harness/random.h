/* random: a small seeded generator, so that property tests repeat. */
#pragma once

#include <stdint.h>

struct rng {
	uint64_t state; /* not 0 */
};

static inline uint64_t rng_next(struct rng *rng)
{
	rng->state ^= rng->state << 13;
	rng->state ^= rng->state >> 7;
	rng->state ^= rng->state << 17;
	return rng->state * 0x2545f4914f6cdd1du >> 16;
}

/* 0 .. n - 1 */
static inline uint32_t rng_below(struct rng *rng, uint32_t n)
{
	return (uint32_t)(rng_next(rng) % n);
}

/* 0 .. n - 1 of a bare state, which is not 0. */
static inline uint64_t xorshift_below(uint64_t *state, uint64_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state * 0x2545f4914f6cdd1du >> 11) % n;
}

/* The same of a bare seed, which may be 0: linear congruences. */
static inline uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static inline uint32_t draw(uint64_t *seed, uint32_t below)
{
	return (uint32_t)next_random(seed) % below;
}
