/* Queries of shadings. */
#include "model/sums/shading.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "model/sums/shade.h"
#include "model/sums/sums.h"

const struct shading *trace_class_shading(const struct trace *trace, enum time_base base)
{
	struct trace *owner = (struct trace *)(uintptr_t)trace;
	uint8_t *slot_of;

	if (trace->class_shading[base])
		return trace->class_shading[base];
	slot_of = xmalloc(trace->paths.n);
	for (uint32_t p = 0; p < trace->paths.n; p++)
		slot_of[p] = (uint8_t)trace_callpath_class(trace, p);
	owner->class_shading[base] =
		shading_new(trace, base, slot_of, CLASS_COUNT, CLASS_OUTSIDE, NULL, NULL);
	sums_attach(owner);
	free(slot_of);
	if (!owner->class_shading[base])
		mem_exhausted(trace->blocks.size / 16);
	return owner->class_shading[base];
}

unsigned shading_slots(const struct shading *shading)
{
	return shading->slots;
}

static void load_sums(struct sweep *w)
{
	const struct shading *s = w->s;
	const uint32_t super = s->super_of[w->block->location] + w->nth / SUPER_BLOCKS;
	const uint64_t *above = shade_super(s, super);

	if (s->wide_row[super]) {
		const uint64_t *sums = shade_wide(s, super, w->nth);
		for (unsigned i = 0; i < s->slots; i++)
			w->sums[i] = above[i] + sums[i];
	} else {
		const uint32_t *sums = shade_sums(s, w->list->data[w->nth]);
		for (unsigned i = 0; i < s->slots; i++)
			w->sums[i] = above[i] + sums[i];
	}
}

/* Passes the events of the block that are not later than t, and advances to t. */
static void walk(struct sweep *w, int64_t t)
{
	if (w->nth == 0 && w->slot == 0 && w->times->base <= t) { /* the location begins */
		w->sums[w->state] += (uint64_t)w->times->base - (uint64_t)w->time;
		w->time = w->times->base;
		if (w->traced)
			w->state = shade_open(w->s, w->block);
	}
	sweep_pass(w, t);
	if (w->slot == w->block->n && w->nth + 1 == w->list->n)
		w->state = w->s->outside;
	w->sums[w->state] += (uint64_t)t - (uint64_t)w->time;
	w->time = t;
}

static int64_t begin_of(const struct shading *s, const struct block_ids *list, size_t nth)
{
	return store_times(s->trace, s->base, list->data[nth])->base;
}

/* sweep_find() that starts at a guess, not before `from`, and gallops from there in either
 * direction. */
static uint32_t find_near(const struct shading *s, const struct block_ids *list, uint32_t from,
			  uint32_t guess, int64_t t)
{
	size_t low = guess, high, step = 1;

	if (guess > from && begin_of(s, list, guess) > t) {
		high = guess;
		while (step < high - from && begin_of(s, list, high - step) > t) {
			high -= step;
			step *= 2;
		}
		low = step < high - from ? high - step : from;
	} else {
		while (low + step < list->n && begin_of(s, list, low + step) <= t) {
			low += step;
			step *= 2;
		}
		high = low + step < list->n ? low + step : list->n;
	}
	low++;
	BISECT(low, high, mid, begin_of(s, list, mid) <= t);
	return (uint32_t)low - 1;
}

/* Where t would be if the location's events were spread evenly over the run: mostly close to the
 * true place. */
static uint32_t place_of(const struct shading *s, const struct block_ids *list, int64_t t)
{
	int64_t begin, end;
	double share;

	trace_span(s->trace, s->base, &begin, &end);
	if (t <= begin || list->n == 0)
		return 0;
	share = ((double)t - (double)begin) / ((double)end - (double)begin);
	return share < 1 ? (uint32_t)(share * (double)list->n) : (uint32_t)list->n - 1;
}

uint32_t sweep_find(const struct shading *s, const struct block_ids *list, uint32_t from, int64_t t)
{
	const uint32_t guess = from == 0 ? place_of(s, list, t) : from;

	return find_near(s, list, from, guess, t);
}

/* Forward to t, which is not before the last one; nth is the block that sweep_find() gives. */
static void forward(struct sweep *w, uint32_t nth, int64_t t)
{
	if (nth != w->nth) {
		sweep_to(w, nth);
		load_sums(w);
	}
	walk(w, t);
}

/* Edges that are looked up together. */
enum { AHEAD = 32 };

/* Finds the blocks of n edges and asks for their memory, so that the walks over them need not wait
 * for it one by one: in a long run the blocks are far apart. `from` is the block before the
 * first; cells of one width take steps of about one length. */
static void look_ahead(const struct sweep *w, const int64_t *edges, size_t n, uint32_t from,
		       uint32_t *nth)
{
	uint32_t step = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t guess = (size_t)from + step;
		nth[i] = find_near(w->s, w->list, from,
				   (uint32_t)(guess < w->list->n ? guess : w->list->n - 1),
				   edges[i]);
		step = nth[i] - from;
		if (step > 0) {
			store_prefetch(w->s->trace, w->s->base, w->list, nth[i]);
			__builtin_prefetch(shade_sums(w->s, w->list->data[nth[i]]));
		}
		from = nth[i];
	}
}

void shading_sweep(const struct shading *s, uint32_t location, const int64_t *edges, size_t cells,
		   uint64_t *sums)
{
	struct sweep w = { .s = s, .list = &s->trace->lists.data[location] };
	uint64_t before[SHADING_SLOTS];
	uint32_t nth[AHEAD];

	memset(sums, 0, cells * SHADING_SLOTS * sizeof *sums);
	if (cells == 0)
		return;
	if (w.list->n == 0) {
		for (size_t i = 0; i < cells; i++)
			sums[i * SHADING_SLOTS + s->outside] =
				(uint64_t)edges[i + 1] - (uint64_t)edges[i];
		return;
	}
	sweep_to(&w, sweep_find(s, w.list, 0, edges[0]));
	if (w.nth > 0)
		load_sums(&w);
	walk(&w, edges[0]);
	for (size_t i = 0; i < cells; i++) {
		if (i % AHEAD == 0)
			look_ahead(&w, edges + i + 1, cells - i < AHEAD ? cells - i : AHEAD, w.nth,
				   nth);
		memcpy(before, w.sums, s->slots * sizeof *before);
		forward(&w, nth[i % AHEAD], edges[i + 1]);
		for (unsigned k = 0; k < s->slots; k++)
			sums[i * SHADING_SLOTS + k] = w.sums[k] - before[k];
	}
}

void shading_window(const struct shading *s, uint32_t location, int64_t t0, int64_t t1,
		    uint64_t sums[SHADING_SLOTS])
{
	const int64_t edges[2] = { t0, t1 };

	shading_sweep(s, location, edges, 1, sums);
}

uint64_t shading_events(const struct shading *s, uint32_t location, int64_t t0, int64_t t1)
{
	const struct block_ids *list = &s->trace->lists.data[location];
	const uint32_t first = list->n ? sweep_find(s, list, 0, t0) : 0;

	return list->n ? (uint64_t)(sweep_find(s, list, first, t1) - first) * BLOCK_EVENTS : 0;
}
