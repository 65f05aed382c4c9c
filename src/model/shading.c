/* Asking shadings. */
#include "model/shading.h"

#include <stdlib.h>
#include <string.h>

#include "model/shade.h"

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
			w->state = w->s->enter.data[w->block->path];
	}
	sweep_pass(w, t);
	if (w->slot == w->block->n && w->nth + 1 == w->list->n)
		w->state = w->s->outside;
	w->sums[w->state] += (uint64_t)t - (uint64_t)w->time;
	w->time = t;
}

uint32_t sweep_find(const struct shading *s, const struct block_ids *list, uint32_t from, int64_t t)
{
	size_t low = from, step = 1, high;

	while (low + step < list->n &&
	       store_times(s->trace, s->base, list->data[low + step])->base <= t) {
		low += step;
		step *= 2;
	}
	high = low + step < list->n ? low + step : list->n;
	while (low + 1 < high) {
		const size_t mid = low + (high - low) / 2;
		if (store_times(s->trace, s->base, list->data[mid])->base <= t)
			low = mid;
		else
			high = mid;
	}
	return (uint32_t)low;
}

/* Forward to t, which is not before the last one. */
static void forward(struct sweep *w, int64_t t)
{
	const uint32_t nth = sweep_find(w->s, w->list, w->nth, t);

	if (nth != w->nth) {
		sweep_to(w, nth);
		load_sums(w);
	}
	walk(w, t);
}

void shading_sweep(const struct shading *s, uint32_t location, const int64_t *edges, size_t cells,
		   uint64_t *sums)
{
	struct sweep w = { .s = s, .list = &s->trace->lists.data[location] };
	uint64_t before[SHADING_SLOTS];

	memset(sums, 0, cells * SHADING_SLOTS * sizeof *sums);
	if (cells == 0)
		return;
	if (w.list->n == 0) {
		for (size_t i = 0; i < cells; i++)
			sums[i * SHADING_SLOTS + s->outside] =
				(uint64_t)edges[i + 1] - (uint64_t)edges[i];
		return;
	}
	sweep_to(&w, 0);
	forward(&w, edges[0]);
	for (size_t i = 0; i < cells; i++) {
		memcpy(before, w.sums, s->slots * sizeof *before);
		forward(&w, edges[i + 1]);
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
