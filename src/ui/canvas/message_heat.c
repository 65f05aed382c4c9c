#include "ui/canvas/message_heat.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"

enum { LABEL = 5, CELL = 3, TALLEST = 3 };

void heat_map_clear(struct heat_map *map)
{
	map->pairs.n = map->ranks.n = 0;
	map->by_bytes = false;
}

void heat_map_fini(struct heat_map *map)
{
	vec_fini(&map->pairs);
	vec_fini(&map->ranks);
}

void heat_map_add(struct heat_map *map, const struct heat_pair *pair)
{
	vec_push(&map->pairs, *pair);
	map->by_bytes |= pair->bytes > 0;
}

ORDERING_OF_NUMBERS(compare_ranks, int32_t)

void heat_map_finish(struct heat_map *map)
{
	map->ranks.n = 0;
	for (size_t i = 0; i < map->pairs.n; i++) {
		vec_push(&map->ranks, map->pairs.data[i].src);
		vec_push(&map->ranks, map->pairs.data[i].dst);
	}
	if (map->ranks.n == 0)
		return;
	vec_sort(&map->ranks, compare_ranks);
	size_t kept = 1;
	for (size_t i = 1; i < map->ranks.n; i++)
		if (map->ranks.data[i] != map->ranks.data[kept - 1])
			map->ranks.data[kept++] = map->ranks.data[i];
	map->ranks.n = kept;
}

/* How the ranks fall into bins of an area: `per` ranks a bin, bins `cell` columns and `tall` rows
 * large. */
struct grid {
	int bins, per, cell, tall;
};

static struct grid grid_of(const struct heat_map *map, int w, int h)
{
	const int ranks = (int)map->ranks.n;
	const int rows = h - 2 > 1 ? h - 2 : 1, columns = w - LABEL > 1 ? w - LABEL : 1;
	int cell = CELL, tall = 1;
	while (cell > 1 && ranks * cell > columns)
		cell--;
	/* Where there is room, bins grow, about square. */
	while (tall < TALLEST && ranks * (tall + 1) <= rows && ranks * (cell + 2) <= columns / 2) {
		tall++;
		cell += 2;
	}
	const int most = rows < columns / cell ? rows : columns / cell;
	const int wanted = most > 0 ? (ranks + most - 1) / most : ranks;
	const int per = wanted > 0 ? wanted : 1;
	return (struct grid){ (ranks + per - 1) / per, per, cell, per > 1 ? 1 : tall };
}

int heat_map_width(const struct heat_map *map, int w, int h)
{
	const struct grid grid = grid_of(map, w, h);
	const int wanted = LABEL + grid.bins * grid.cell;
	return wanted < w ? wanted : w;
}

static int bin_of(const struct heat_map *map, const struct grid *grid, int32_t rank)
{
	const int32_t *at =
		bsearch(&rank, map->ranks.data, map->ranks.n, sizeof rank, compare_ranks);
	assert(grid->per > 0);
	return at ? (int)(at - map->ranks.data) / grid->per : -1;
}

/* Binary logarithm, rounded up: 0 only for 0. */
static int magnitude(uint64_t n)
{
	int bits = 0;
	for (; n; n >>= 1)
		bits++;
	return bits;
}

static void draw_labels(const struct heat_map *map, struct canvas *canvas, struct rect area,
			const struct grid *grid)
{
	canvas_write(canvas, area.x, area.y, area.w, "to", ROLE_HEADER);
	canvas_write(canvas, area.x, area.y + 1, area.w, "from", ROLE_HEADER);
	int free_from = 0;
	for (int b = 0; b < grid->bins; b++) {
		char text[16];
		const int32_t rank = map->ranks.data[b * grid->per];
		const int n = snprintf(text, sizeof text, "%d", rank);
		const int x = LABEL + b * grid->cell + (grid->cell - 1) / 2;
		if (x >= free_from && x + n <= area.w) {
			canvas_write(canvas, area.x + x, area.y, n, text, ROLE_LABEL);
			free_from = x + n + 1;
		}
		canvas_text_right(canvas, area.x, area.y + 2 + b * grid->tall + grid->tall / 2,
				  LABEL - 1, text, ROLE_LABEL, ROLE_DEFAULT);
	}
}

static void draw_bin(struct canvas *canvas, struct rect bin, int step, bool marked)
{
	const int middle = bin.y + bin.h / 2;
	if (step < 0)
		canvas_glyph(canvas, bin.x + bin.w / 2, middle, GLYPH_DOT, ROLE_FRAME);
	else
		canvas_heat(canvas, bin, step);
	if (!marked)
		return;
	canvas_put(canvas, bin.x, middle, '[', ROLE_DEFAULT, ROLE_KEEP, ATTR_BOLD);
	canvas_put(canvas, bin.x + bin.w - 1, middle, ']', ROLE_DEFAULT, ROLE_KEEP, ATTR_BOLD);
}

void heat_map_draw(const struct heat_map *map, struct canvas *canvas, struct rect area, int32_t src,
		   int32_t dst)
{
	const struct grid grid = grid_of(map, area.w, area.h);
	if (grid.bins == 0 || area.h < 3)
		return;
	const size_t n = (size_t)grid.bins * (size_t)grid.bins;
	OWNED uint64_t *sums = xcalloc(n, sizeof *sums);
	uint64_t least = UINT64_MAX, most = 0;
	for (size_t i = 0; i < map->pairs.n; i++) {
		const struct heat_pair *pair = &map->pairs.data[i];
		const int from = bin_of(map, &grid, pair->src), to = bin_of(map, &grid, pair->dst);
		sums[from * grid.bins + to] += map->by_bytes ? pair->bytes : pair->messages;
	}
	for (size_t i = 0; i < n; i++) {
		most = sums[i] > most ? sums[i] : most;
		least = sums[i] && sums[i] < least ? sums[i] : least;
	}
	draw_labels(map, canvas, area, &grid);
	const int high = magnitude(most), span = high - magnitude(least);
	const int range = span > HEAT_STEPS - 1 ? span : HEAT_STEPS - 1;
	const int here_from = bin_of(map, &grid, src), here_to = bin_of(map, &grid, dst);
	for (int from = 0; from < grid.bins; from++) {
		for (int to = 0; to < grid.bins; to++) {
			const uint64_t sum = sums[from * grid.bins + to];
			/* A step less is half as much, or less where the range is wide. */
			const int step = sum == 0 ? -1
						  : HEAT_STEPS - 1 -
							    (high - magnitude(sum)) *
								    (HEAT_STEPS - 1) / range;
			const struct rect bin = { area.x + LABEL + to * grid.cell,
						  area.y + 2 + from * grid.tall, grid.cell,
						  grid.tall };
			draw_bin(canvas, bin, step, from == here_from && to == here_to);
		}
	}
}
