#include "harness/mutate_pieces.h"

#include <string.h>

size_t pieces_below(struct change *c, size_t n)
{
	return n ? (size_t)(rng_next(&c->rng) % n) : 0;
}

struct change pieces_change(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return (struct change){ data, size, most, { seed * UINT64_C(0x9e3779b97f4a7c15) | 1 } };
}

void pieces_replace(struct change *c, struct piece p, const void *with, size_t n)
{
	if (c->size - p.n + n > c->most)
		return;
	memmove(c->data + p.at + n, c->data + p.at + p.n, c->size - p.at - p.n);
	memcpy(c->data + p.at, with, n);
	c->size += n - p.n;
}

void pieces_copy(struct change *c, struct piece from, struct piece to)
{
	uint8_t bytes[PIECE_MOST];
	const size_t n = from.n < PIECE_MOST ? from.n : PIECE_MOST;

	memcpy(bytes, c->data + from.at, n);
	pieces_replace(c, to, bytes, n);
}

static void swap(struct change *c, struct piece a, struct piece b)
{
	uint8_t first[PIECE_MOST], second[PIECE_MOST];

	if (a.at > b.at) {
		const struct piece t = a;
		a = b;
		b = t;
	}
	if (a.at + a.n > b.at || a.n > PIECE_MOST || b.n > PIECE_MOST)
		return;
	memcpy(first, c->data + a.at, a.n);
	memcpy(second, c->data + b.at, b.n);
	pieces_replace(c, b, first, a.n);
	pieces_replace(c, a, second, b.n);
}

void pieces_alter(struct change *c, struct piece a, struct piece b)
{
	switch (pieces_below(c, 4)) {
	case 0: pieces_replace(c, a, "", 0); break;
	case 1: pieces_copy(c, a, (struct piece){ b.at, 0 }); break;
	case 2: pieces_copy(c, a, b); break;
	default: swap(c, a, b);
	}
}
