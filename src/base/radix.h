/* radix: sorts numbers in time that grows with their number alone.
 *
 *	keys[i] = (uint64_t)place << 32 | i;
 *	radix_sort(keys, n, 32);	by place; of equal places the one that came first
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Ascending by the bits from `bit` on (a multiple of 8); what is equal in these keeps its order.
 * O(n) for each byte that is not the same in all; 8 bytes a key meanwhile. */
void radix_sort(uint64_t *keys, size_t n, unsigned bit);
