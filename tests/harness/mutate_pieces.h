/* mutate_pieces: what the mutations of mutate.h are made of: pieces of an input that go, come twice,
 * change places, or become other bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "harness/random.h"

/* libFuzzer's own. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { PIECE_MOST = 512 /* bytes of a piece that are moved */ };

struct piece {
	size_t at, n;
};

struct change {
	uint8_t *data;
	size_t size, most;
	struct rng rng;
};

struct change pieces_change(uint8_t *data, size_t size, size_t most, unsigned seed);
/* 0 .. n - 1, 0 of none. */
size_t pieces_below(struct change *c, size_t n);
/* Puts n bytes in the place of a piece; nothing where there is no room. `with` is not in the
 * data. */
void pieces_replace(struct change *c, struct piece p, const void *with, size_t n);
/* Puts a copy of one piece in the place of another. */
void pieces_copy(struct change *c, struct piece from, struct piece to);
/* One of two pieces goes, comes twice, becomes the other, or they change places. */
void pieces_alter(struct change *c, struct piece a, struct piece b);
