#include "ui/terminal/shift.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* So many cells side by side tell a place; so many cells must be spared in a row, for moving it
 * costs some bytes, too. */
enum { GRAM = 6, WORTH = 12, TWICE = -1 };

static bool same_gram(const struct cell *a, const struct cell *b)
{
	for (int i = 0; i < GRAM; i++)
		if (!cell_same(&a[i], &b[i]))
			return false;
	return true;
}

static uint32_t hash(const struct cell *gram)
{
	uint32_t h = 2166136261u;

	for (int i = 0; i < GRAM; i++) {
		const uint32_t look = (uint32_t)gram[i].fg << 16 | (uint32_t)gram[i].bg << 8 |
				      (uint32_t)gram[i].attr;

		h = (h ^ gram[i].ch) * 16777619u;
		h = (h ^ look) * 16777619u;
	}
	return h ^ h >> 15;
}

/* Places of the grams that occur once in the row: place + 1, 0 if there is none. A gram whose slot
 * is taken is not searched. */
static void index_row(const struct cell *row, int w, int *places, uint32_t mask)
{
	memset(places, 0, ((size_t)mask + 1) * sizeof *places);
	for (int x = 0; x + GRAM <= w; x++) {
		int *place = &places[hash(&row[x]) & mask];

		if (*place == 0)
			*place = x + 1;
		else if (*place != TWICE && same_gram(&row[*place - 1], &row[x]))
			*place = TWICE;
	}
}

int shift_guess(const struct cell *new, const struct cell *old, int w, int h)
{
	uint32_t mask = 255;
	int *places, *votes, best = 0;

	while (mask < 4 * (uint32_t)w)
		mask = 2 * mask + 1;
	places = xmalloc(((size_t)mask + 1) * sizeof *places);
	votes = xcalloc(2 * (size_t)w + 1, sizeof *votes);
	for (int y = 0; y < h; y++, new += w, old += w) {
		int x = 0;

		while (x < w && cell_same(&new[x], &old[x]))
			x++;
		if (x == w)
			continue;
		index_row(old, w, places, mask);
		for (x = 0; x + GRAM <= w; x++) {
			const int place = places[hash(&new[x]) & mask] - 1;

			if (place >= 0 && same_gram(&old[place], &new[x]))
				votes[w + place - x]++;
		}
	}
	for (int by = 1 - w; by < w; by++)
		if (votes[w + by] > votes[w + best])
			best = by;
	free_all(places, votes);
	return best;
}

int shift_from(const struct cell *new, const struct cell *old, int w, int by)
{
	const struct cell blank = { .ch = ' ' };
	int from = -1, spared = 0;

	for (int x = 0; x < w; x++) {
		const bool stands = cell_same(&new[x], &old[x]);
		int source;

		if (old[x].ch == 0)
			return -1;
		if (from < 0 && !stands)
			from = x;
		if (from < 0)
			continue;
		/* Nothing comes from before the place where the row is parted. */
		source = x + by < from ? w : x + by;
		spared += cell_same(&new[x], source < w ? &old[source] : &blank) - stands;
	}
	return spared >= WORTH ? from : -1;
}

void shift_row(void *row, size_t size, int w, int from, int by, const void *blank)
{
	char *at = (char *)row + (size_t)from * size;
	const int gap = abs(by) < w - from ? abs(by) : w - from;
	const size_t kept = (size_t)(w - from - gap) * size, moved = (size_t)gap * size;
	char *in = by > 0 ? at + kept : at;

	if (by > 0)
		memmove(at, at + moved, kept);
	else
		memmove(at + moved, at, kept);
	for (int i = 0; i < gap; i++)
		memcpy(in + (size_t)i * size, blank, size);
}
