/* chance: numbers that follow from what they are for, so that two simulations of one program draw
 * the same ones whatever order things happen in. */
#pragma once

#include <math.h>
#include <stdint.h>

/* What numbers are drawn for; a further 64 bits tell them apart. */
enum chance {
	CHANCE_WORK = 1,
	CHANCE_NETWORK,
	CHANCE_COLLECTIVE,
	CHANCE_PAIR,
	CHANCE_CLOCK,
	CHANCE_SLEW,
	CHANCE_READ,
	CHANCE_OFFSET,
	CHANCE_SEGMENT,
	CHANCE_REGION,
	CHANCE_DELAY,
	CHANCE_CALL,
	CHANCE_NAP,
	CHANCE_RECEIVE,
	CHANCE_TAIL,
	CHANCE_WALK,
};

/* splitmix64's mixing: every bit of the result depends on every bit of the argument. */
static inline uint64_t chance_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static inline uint64_t chance_bits(uint64_t seed, enum chance what, uint64_t who, uint64_t nth)
{
	return chance_mix(seed ^ chance_mix((uint64_t)what ^ chance_mix(who ^ chance_mix(nth))));
}

/* In (0, 1). */
static inline double chance_share(uint64_t seed, enum chance what, uint64_t who, uint64_t nth)
{
	return ((double)(chance_bits(seed, what, who, nth) >> 11) + 0.5) * 0x1p-53;
}

/* Exponential with mean 1. */
static inline double chance_delay(uint64_t seed, enum chance what, uint64_t who, uint64_t nth)
{
	return -log(chance_share(seed, what, who, nth));
}
