#include "ui/terminal/scroll.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

/* Rows that must be spared: fewer may be alike by chance. */
enum { WORTH = 3 };

static uint64_t hash(const struct cell *row, int w)
{
	uint64_t h = 14695981039346656037u;

	for (int x = 0; x < w; x++) {
		const uint64_t look = (uint64_t)row[x].fg << 16 | (uint64_t)row[x].bg << 8 |
				      (uint64_t)row[x].attr;

		h = (h ^ row[x].ch ^ look << 32) * 1099511628211u;
	}
	return h ^ h >> 29;
}

static bool same_row(const struct cell *a, const struct cell *b, int w)
{
	for (int x = 0; x < w; x++)
		if (!cell_same(&a[x], &b[x]))
			return false;
	return true;
}

/* Hashes of rows, and the first and the end of those that differ. */
struct rows {
	uint64_t *new, *old;
	int first, end;
};

/* The longest stretch of rows that have moved by `by`, and how many of them differ now. */
static int stretch(const struct rows *r, int by, struct scroll *best)
{
	int spared = 0, most = 0, from = r->first;

	for (int y = r->first; y <= r->end; y++) {
		const bool on = y < r->end && y + by >= r->first && y + by < r->end &&
				r->new[y] == r->old[y + by];

		if (on) {
			spared += r->new[y] != r->old[y];
			continue;
		}
		if (spared > most) {
			most = spared;
			*best = (struct scroll){ by > 0 ? from : from + by, by > 0 ? y + by : y,
						 by };
		}
		spared = 0;
		from = y + 1;
	}
	return most;
}

/* What the hashes say is true of the cells. */
static bool holds(const struct scroll *s, const struct cell *new, const struct cell *old, int w)
{
	const int from = s->by > 0 ? s->top : s->top - s->by;
	const int to = s->by > 0 ? s->bottom - s->by : s->bottom;

	for (int y = from; y < to; y++)
		if (!same_row(&new[y * w], &old[(y + s->by) * w], w))
			return false;
	return true;
}

struct scroll scroll_find(const struct cell *new, const struct cell *old, int w, int h)
{
	OWNED uint64_t *hashes = xmalloc((2 * (size_t)h + 1) * sizeof *hashes);
	struct rows r = { hashes, hashes + h, h, 0 };
	struct scroll best = { 0, 0, 0 };
	int most = WORTH - 1;

	for (int y = 0; y < h; y++) {
		r.new[y] = hash(&new[y * w], w);
		r.old[y] = hash(&old[y * w], w);
		if (r.new[y] == r.old[y])
			continue;
		r.first = y < r.first ? y : r.first;
		r.end = y + 1;
	}
	/* The shortest way of equal ones. */
	for (int by = 1; by < r.end - r.first; by++)
		for (int sign = 1; sign >= -1; sign -= 2) {
			struct scroll s;
			const int spared = stretch(&r, sign * by, &s);

			if (spared > most) {
				most = spared;
				best = s;
			}
		}
	return best.by && holds(&best, new, old, w) ? best : (struct scroll){ 0, 0, 0 };
}
