/* varint: whole numbers in as few bytes as they need: seven bits a byte, the lowest first; all but
 * the last byte have the eighth. */
#pragma once

#include <stdint.h>

enum { VARINT_MOST = 10 }; /* bytes of a number */

/* Writes at p, which has room; returns the place after it. */
static inline char *varint_put(char *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = (char)(value | 0x80);
	*p++ = (char)value;
	return p;
}

/* Reads at *p, which goes on, by at most VARINT_MOST bytes whatever is there. */
static inline uint64_t varint_get(const char **p)
{
	uint64_t value = (unsigned char)*(*p)++;

	if (value < 0x80)
		return value;
	value &= 0x7f;
	for (unsigned shift = 7; shift < 7 * VARINT_MOST; shift += 7) {
		const uint64_t byte = (unsigned char)*(*p)++;
		value |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	return value;
}

/* Numbers around 0 become small ones, and back. */
static inline uint64_t varint_fold(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t varint_unfold(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}
