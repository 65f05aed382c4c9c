/* message_heat: the matrix of senders and receivers as a heat map on the canvas.
 *
 * Cells of the map are bins of as many ranks as needed to fit. Brightness follows the logarithm of
 * the bytes (of the messages if sizes are unknown), so that small and large traffic are both
 * visible. */
#pragma once

#include "base/vec.h"
#include "ui/canvas/canvas.h"

struct heat_pair {
	int32_t src, dst;
	uint64_t messages, bytes;
};

struct heat_map {
	VEC(struct heat_pair) pairs;
	VEC(int32_t) ranks; /* those that send or receive, ascending */
	bool by_bytes;
};

void heat_map_clear(struct heat_map *map);
void heat_map_fini(struct heat_map *map);
void heat_map_add(struct heat_map *map, const struct heat_pair *pair);
/* After the last pair: collects the ranks. */
void heat_map_finish(struct heat_map *map);

/* Columns that the map needs, at most `w`, with its labels. */
int heat_map_width(const struct heat_map *map, int w, int h);
/* Draws it; the bin of the pair (src, dst) is marked. */
void heat_map_draw(const struct heat_map *map, struct canvas *canvas, struct rect area, int32_t src,
		   int32_t dst);
