/* far_seal: proves that bytes on the wire (far_wire.h) come from a rank of the job: SipHash-2-4
 * (J.-P. Aumasson, D. J. Bernstein, SipHash: a fast short-input PRF, 2012) by a key that the job's
 * ranks alone know, and that never is on the wire. libc alone, no state. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t far_seal_turn(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static inline void far_seal_rounds(uint64_t v[4], int rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[1] = far_seal_turn(v[1], 13) ^ v[0];
		v[0] = far_seal_turn(v[0], 32);
		v[2] += v[3];
		v[3] = far_seal_turn(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = far_seal_turn(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = far_seal_turn(v[1], 17) ^ v[2];
		v[2] = far_seal_turn(v[2], 32);
	}
}

static inline void far_seal_add(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	far_seal_rounds(v, 2);
	v[0] ^= word;
}

/* Of the challenge, then of `words` words at `data`. */
static inline uint64_t far_seal(const uint64_t key[2], uint64_t challenge, const void *data,
				size_t words)
{
	uint64_t word, v[4] = { key[0] ^ UINT64_C(0x736f6d6570736575),
				key[1] ^ UINT64_C(0x646f72616e646f6d),
				key[0] ^ UINT64_C(0x6c7967656e657261),
				key[1] ^ UINT64_C(0x7465646279746573) };

	far_seal_add(v, challenge);
	for (size_t i = 0; i < words; i++) {
		memcpy(&word, (const char *)data + i * sizeof word, sizeof word);
		far_seal_add(v, word);
	}
	far_seal_add(v, (uint64_t)(words + 1) * sizeof word << 56);
	v[2] ^= 0xff;
	far_seal_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
