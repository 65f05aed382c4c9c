/* rounds: how often a test of random input tries. */
#pragma once

#include <stdint.h>

/* All in an ordinary build. With sanitizers, which take several times as long and look for something else than numbers,
 * every eighth, at least one. */
static inline uint64_t rounds(uint64_t n)
{
#ifdef __SANITIZE_ADDRESS__
	return (n + 7) / 8;
#else
	return n;
#endif
}
