#include "model/sums/tally.h"

#include <string.h>

#include "base/mem.h"
#include "model/sums/shade.h"

/* Passing this many events costs about as much as one swept cell. */
enum { EVENTS_A_CELL = 12 };

void tally_init(struct tally *t, const struct shading *shading, const int64_t *edges, size_t cells)
{
	const double span = (double)edges[cells] - (double)edges[0];

	*t = (struct tally){ .shading = shading, .cells = cells };
	t->edges = xcalloc(cells + 1, sizeof *t->edges);
	memcpy(t->edges, edges, (cells + 1) * sizeof *edges);
	t->cells_a_tick = span > 0 ? (double)cells / span : 0;
	t->sums = xcalloc((cells + 1) * SHADING_SLOTS, sizeof *t->sums);
	t->covers = xcalloc((cells + 1) * SHADING_SLOTS, sizeof *t->covers);
	t->swept = xcalloc((cells + 1) * SHADING_SLOTS, sizeof *t->swept);
}

void tally_fini(struct tally *t)
{
	free_all(t->edges, t->sums, t->covers, t->swept);
	*t = (struct tally){ .cells = 0 };
}

void tally_clear(struct tally *t)
{
	memset(t->sums, 0, t->cells * SHADING_SLOTS * sizeof *t->sums);
	memset(t->covers, 0, (t->cells + 1) * SHADING_SLOTS * sizeof *t->covers);
	t->covering = false;
}

/* ---- by events ---- */

/* The cell of a tick inside the edges; `near` is a guess. */
static size_t cell_of(const struct tally *t, int64_t time, size_t near)
{
	size_t i = near;

	if (time >= t->edges[i] && time < t->edges[i + 1])
		return i;
	i = (size_t)(((double)time - (double)t->edges[0]) * t->cells_a_tick);
	if (i >= t->cells)
		i = t->cells - 1;
	while (t->edges[i] > time)
		i--;
	while (t->edges[i + 1] <= time)
		i++;
	return i;
}

/* What is under way along a location. */
struct tally_walk {
	struct tally *t;
	uint8_t state; /* slot that time goes to */
	int64_t since;
	size_t cell; /* of since */
};

static void interval(struct tally_walk *w, int64_t end)
{
	struct tally *t = w->t;
	uint64_t *const sums = t->sums + w->state;
	const size_t first = w->cell;
	size_t last;

	if (end <= w->since)
		return;
	last = cell_of(t, end - 1, first);
	if (first == last) {
		sums[first * SHADING_SLOTS] += (uint64_t)end - (uint64_t)w->since;
	} else {
		sums[first * SHADING_SLOTS] += (uint64_t)t->edges[first + 1] - (uint64_t)w->since;
		sums[last * SHADING_SLOTS] += (uint64_t)end - (uint64_t)t->edges[last];
		t->covers[(first + 1) * SHADING_SLOTS + w->state]++;
		t->covers[last * SHADING_SLOTS + w->state]--;
	}
	w->since = end;
	w->cell = end < t->edges[last + 1] || last + 1 == t->cells ? last : last + 1;
}

static inline void turn(void *context, int64_t time, uint8_t state)
{
	struct tally_walk *w = context;

	if (state == w->state)
		return;
	interval(w, time);
	w->state = state;
}

/* From the nth block on, which holds what is under way at the first edge. */
static void by_events(struct tally *t, const struct block_ids *list, uint32_t nth)
{
	const struct shading *s = t->shading;
	const int64_t end = t->edges[t->cells];
	struct tally_walk w = { .t = t, .since = t->edges[0], .state = s->outside };

	sweep_turns(s, list, nth, end, turn, &w);
	interval(&w, end);
	t->covering = true;
}

/* ---- by cells ---- */

static void by_cells(struct tally *t, uint32_t location)
{
	shading_sweep(t->shading, location, t->edges, t->cells, t->swept);
	for (size_t i = 0; i < t->cells; i++)
		for (unsigned k = 0; k < t->shading->slots; k++)
			t->sums[i * SHADING_SLOTS + k] += t->swept[i * SHADING_SLOTS + k];
}

void tally_add(struct tally *t, uint32_t location)
{
	const struct shading *s = t->shading;
	const struct block_ids *list = &s->trace->lists.data[location];
	uint32_t first, last;

	if (t->cells == 0)
		return;
	if (list->n == 0) {
		struct tally_walk w = { .t = t, .since = t->edges[0], .state = s->outside };

		interval(&w, t->edges[t->cells]);
		t->covering = true;
		return;
	}
	first = sweep_find(s, list, 0, t->edges[0]);
	last = sweep_find(s, list, first, t->edges[t->cells]);
	if ((uint64_t)(last - first + 1) * BLOCK_EVENTS <= t->cells * EVENTS_A_CELL)
		by_events(t, list, first);
	else
		by_cells(t, location);
}

const uint64_t *tally_sums(struct tally *t)
{
	int64_t open[SHADING_SLOTS] = { 0 };

	if (!t->covering)
		return t->sums;
	for (size_t i = 0; i < t->cells; i++) {
		const uint64_t width = (uint64_t)t->edges[i + 1] - (uint64_t)t->edges[i];

		for (unsigned k = 0; k < SHADING_SLOTS; k++) {
			open[k] += t->covers[i * SHADING_SLOTS + k];
			t->sums[i * SHADING_SLOTS + k] += (uint64_t)open[k] * width;
		}
	}
	memset(t->covers, 0, (t->cells + 1) * SHADING_SLOTS * sizeof *t->covers);
	t->covering = false;
	return t->sums;
}
