#include "model/shading.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/store.h"

/* Sums are taken modulo 2^64 from a location's first event on, so that a time before it has the
 * (wrapped) negative of its distance in the outside slot, and differences come out right. */
enum { SUPER_BLOCKS = 16 };

struct shading {
	const struct trace *trace;
	enum time_base base;
	unsigned slots;
	uint8_t outside;
	/* [traced][leave][call path]: slot behind an enter of the path (its own) or behind a leave
	 * of it (its parent's); everything is outside while nothing is traced. */
	uint8_t *behind[2][2];
	struct slab sums;   /* uint32_t[block][slots]: up to the block, from its superblock on */
	struct slab supers; /* uint64_t[superblock][slots]: up to the superblock */
	struct slab wide;   /* uint64_t[][SUPER_BLOCKS][slots] */
	uint32_t *wide_row; /* [superblock] 0, or 1 + row of wide where 32 bits do not do */
	uint32_t *super_of; /* [location + 1] first superblock */
};

/* A place in a location's events, with the sums up to `time`. */
struct sweep {
	const struct shading *s;
	const struct block_ids *list;
	const struct block *block;
	const struct times *times;
	const int64_t *wide;
	uint32_t nth;  /* of the block */
	uint32_t slot; /* next event */
	uint8_t state; /* slot that time goes to now */
	uint8_t traced;
	int64_t time;
	uint64_t sums[SHADING_SLOTS];
};

static uint32_t *block_sums(const struct shading *s, uint32_t block)
{
	return (uint32_t *)(void *)s->sums.data + (size_t)block * s->slots;
}

static uint64_t *super_sums(const struct shading *s, uint32_t super)
{
	return (uint64_t *)(void *)s->supers.data + (size_t)super * s->slots;
}

static uint64_t *wide_sums(const struct shading *s, uint32_t super, uint32_t nth)
{
	return (uint64_t *)(void *)s->wide.data +
	       ((size_t)(s->wide_row[super] - 1) * SUPER_BLOCKS + nth % SUPER_BLOCKS) * s->slots;
}

/* ---- moving ---- */

static uint8_t state_of(const struct shading *s, uint32_t path, uint8_t traced)
{
	return s->behind[traced][0][path];
}

/* To the start of a block; the sums are those up to its first event. */
static void sweep_to(struct sweep *w, uint32_t nth)
{
	const struct shading *s = w->s;
	const uint32_t id = w->list->data[nth];

	w->nth = nth;
	w->block = store_block(s->trace, id);
	w->times = store_times(s->trace, s->base, id);
	w->wide = store_wide(s->trace, s->base, w->times);
	w->slot = 0;
	w->time = w->times->base;
	w->traced = !(w->block->flags & BLOCK_NOT_TRACED);
	w->state = nth == 0 ? s->outside : state_of(s, w->block->path, w->traced);
}

static void sweep_load_sums(struct sweep *w)
{
	const struct shading *s = w->s;
	const uint32_t super = s->super_of[w->block->location] + w->nth / SUPER_BLOCKS;
	const uint64_t *above = super_sums(s, super);

	if (s->wide_row[super]) {
		const uint64_t *sums = wide_sums(s, super, w->nth);
		for (unsigned i = 0; i < s->slots; i++)
			w->sums[i] = above[i] + sums[i];
	} else {
		const uint32_t *sums = block_sums(s, w->list->data[w->nth]);
		for (unsigned i = 0; i < s->slots; i++)
			w->sums[i] = above[i] + sums[i];
	}
}

static void sweep_advance(struct sweep *w, int64_t t)
{
	w->sums[w->state] += (uint64_t)t - (uint64_t)w->time;
	w->time = t;
}

/* An event that turns tracing on or off. */
static void sweep_switch(struct sweep *w, enum event_kind kind)
{
	const struct cursor c = { .trace = w->s->trace, .block = w->block, .slot = w->slot };

	if (kind != EV_TRACING_ON && kind != EV_TRACING_OFF)
		return;
	w->traced = kind == EV_TRACING_ON;
	w->state = state_of(w->s, cursor_path(&c), w->traced);
}

static inline void sweep_pass(struct sweep *w)
{
	const uint32_t what = w->block->what[w->slot];
	const enum event_kind kind = what_kind(what);

	if (kind <= EV_LEAVE)
		w->state = w->s->behind[w->traced][kind][what_id(what)];
	else if (kind >= EV_TRACING_ON)
		sweep_switch(w, kind);
	w->slot++;
}

/* Passes the events of the block that are not later than t, and advances to t. */
static void sweep_walk(struct sweep *w, int64_t t)
{
	while (w->slot < w->block->n) {
		const int64_t next =
			w->wide ? w->wide[w->slot] : w->times->base + w->times->delta[w->slot];
		if (next > t)
			break;
		sweep_advance(w, next);
		if (w->nth == 0 && w->slot == 0) /* the location begins */
			w->state = state_of(w->s, w->block->path, w->traced);
		sweep_pass(w);
	}
	if (w->slot == w->block->n && w->nth + 1 == w->list->n)
		w->state = w->s->outside;
	sweep_advance(w, t);
}

/* The last block that begins at or before t; the first where none does. Gallops from `from`. */
static uint32_t find_block(const struct shading *s, const struct block_ids *list, uint32_t from,
			   int64_t t)
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

static bool sweep_begin(struct sweep *w, const struct shading *s, uint32_t location)
{
	w->s = s;
	w->list = &s->trace->lists.data[location];
	if (w->list->n == 0)
		return false;
	sweep_to(w, 0);
	sweep_load_sums(w);
	return true;
}

/* Forward to t, which is not before the last one. */
static void sweep_forward(struct sweep *w, int64_t t)
{
	const uint32_t nth = find_block(w->s, w->list, w->nth, t);

	if (nth != w->nth) {
		sweep_to(w, nth);
		sweep_load_sums(w);
	}
	sweep_walk(w, t);
}

/* ---- making ---- */

static bool widen(struct shading *s, const struct block_ids *list, uint32_t super, uint32_t nth,
		  struct err *err)
{
	uint64_t *row = slab_extend(&s->wide, SUPER_BLOCKS * s->slots * sizeof *row, err);

	if (!row)
		return false;
	s->wide_row[super] = (uint32_t)(s->wide.size / (SUPER_BLOCKS * s->slots * sizeof *row));
	for (uint32_t i = nth / SUPER_BLOCKS * SUPER_BLOCKS; i < nth; i++)
		for (unsigned k = 0; k < s->slots; k++)
			wide_sums(s, super, i)[k] = block_sums(s, list->data[i])[k];
	return true;
}

static bool store_sums(struct shading *s, const struct block_ids *list, const struct sweep *w,
		       struct err *err)
{
	const uint32_t super = s->super_of[w->block->location] + w->nth / SUPER_BLOCKS;
	uint64_t *above = super_sums(s, super);
	uint32_t *sums = block_sums(s, list->data[w->nth]);

	if (w->nth % SUPER_BLOCKS == 0)
		memcpy(above, w->sums, s->slots * sizeof *above);
	for (unsigned i = 0; i < s->slots; i++) {
		const uint64_t sum = w->sums[i] - above[i];
		if (sum > UINT32_MAX && !s->wide_row[super] && !widen(s, list, super, w->nth, err))
			return false;
		sums[i] = (uint32_t)sum;
	}
	if (s->wide_row[super])
		for (unsigned i = 0; i < s->slots; i++)
			wide_sums(s, super, w->nth)[i] = w->sums[i] - above[i];
	return true;
}

static bool shade_location(struct shading *s, uint32_t location, struct err *err)
{
	struct sweep w = { .s = s, .list = &s->trace->lists.data[location] };

	for (uint32_t nth = 0; nth < w.list->n; nth++) {
		struct sweep next = w;
		store_prefetch(s->trace, s->base, w.list, nth + 2);
		sweep_to(&next, nth);
		if (nth > 0) {
			sweep_advance(&w, next.time);
			memcpy(next.sums, w.sums, sizeof w.sums);
		}
		w = next;
		if (!store_sums(s, w.list, &w, err))
			return false;
		if (nth == 0)
			w.state = state_of(s, w.block->path, w.traced);
		while (w.slot < w.block->n) {
			sweep_advance(&w, w.wide ? w.wide[w.slot]
						 : w.times->base + w.times->delta[w.slot]);
			sweep_pass(&w);
		}
	}
	return true;
}

static bool shading_init(struct shading *s, const uint8_t *slot_of, struct err *err)
{
	const struct trace *trace = s->trace;
	const size_t blocks = store_block_count(trace), paths = trace->paths.n;
	uint32_t supers = 0;

	s->super_of = xmalloc((trace->locations.n + 1) * sizeof *s->super_of);
	for (size_t l = 0; l < trace->locations.n; l++) {
		s->super_of[l] = supers;
		supers += (uint32_t)((trace->lists.data[l].n + SUPER_BLOCKS - 1) / SUPER_BLOCKS);
	}
	s->super_of[trace->locations.n] = supers;
	s->wide_row = xcalloc(supers, sizeof *s->wide_row);
	s->behind[0][0] = xmalloc(paths);
	s->behind[0][1] = s->behind[0][0];
	s->behind[1][0] = xmalloc(paths);
	s->behind[1][1] = xmalloc(paths);
	memset(s->behind[0][0], s->outside, paths);
	memcpy(s->behind[1][0], slot_of, paths);
	for (size_t p = 0; p < paths; p++)
		s->behind[1][1][p] = slot_of[trace->paths.data[p].parent];
	return slab_init(&s->sums, (blocks + 1) * s->slots * sizeof(uint32_t) + (4u << 20), err) &&
	       slab_init(&s->supers,
			 ((size_t)supers + 1) * s->slots * sizeof(uint64_t) + (4u << 20), err) &&
	       slab_init(&s->wide,
			 ((size_t)supers + 1) * SUPER_BLOCKS * s->slots * sizeof(uint64_t) +
				 (4u << 20),
			 err) &&
	       slab_extend(&s->sums, blocks * s->slots * sizeof(uint32_t), err) &&
	       slab_extend(&s->supers, (size_t)supers * s->slots * sizeof(uint64_t), err);
}

struct shading *shading_new(const struct trace *trace, enum time_base base, const uint8_t *slot_of,
			    unsigned slots, uint8_t outside_slot, const struct progress *progress,
			    struct err *err)
{
	struct shading *s = xcalloc(1, sizeof *s);
	bool ok;

	assert(slots <= SHADING_SLOTS && outside_slot < slots && trace->columns[base].made);
	s->trace = trace;
	s->base = base;
	s->slots = slots;
	s->outside = outside_slot;
	ok = shading_init(s, slot_of, err);
	for (uint32_t l = 0; l < trace->locations.n && ok; l++)
		ok = progress_step(progress, "shading", l, trace->locations.n) &&
		     shade_location(s, l, err);
	if (!ok) {
		shading_free(s);
		return NULL;
	}
	return s;
}

void shading_free(struct shading *s)
{
	if (!s)
		return;
	slab_fini(&s->sums);
	slab_fini(&s->supers);
	slab_fini(&s->wide);
	free(s->wide_row);
	free(s->super_of);
	free(s->behind[0][0]);
	free(s->behind[1][0]);
	free(s->behind[1][1]);
	free(s);
}

const struct shading *trace_class_shading(const struct trace *trace, enum time_base base)
{
	struct trace *owner = (struct trace *)(uintptr_t)trace;
	struct err err = ERR_INIT;
	uint8_t *slot_of;

	if (trace->class_shading[base])
		return trace->class_shading[base];
	slot_of = xmalloc(trace->paths.n);
	for (uint32_t p = 0; p < trace->paths.n; p++)
		slot_of[p] = (uint8_t)trace_callpath_class(trace, p);
	owner->class_shading[base] =
		shading_new(trace, base, slot_of, CLASS_COUNT, CLASS_OUTSIDE, NULL, &err);
	free(slot_of);
	if (!owner->class_shading[base])
		mem_exhausted(trace->blocks.size / 16);
	return owner->class_shading[base];
}

unsigned shading_slots(const struct shading *shading)
{
	return shading->slots;
}

enum time_base shading_base(const struct shading *shading)
{
	return shading->base;
}

/* ---- asking ---- */

void shading_sweep(const struct shading *s, uint32_t location, const int64_t *edges, size_t cells,
		   uint64_t *sums)
{
	struct sweep w;
	uint64_t before[SHADING_SLOTS];

	memset(sums, 0, cells * SHADING_SLOTS * sizeof *sums);
	if (cells == 0)
		return;
	if (!sweep_begin(&w, s, location)) {
		for (size_t i = 0; i < cells; i++)
			sums[i * SHADING_SLOTS + s->outside] =
				(uint64_t)edges[i + 1] - (uint64_t)edges[i];
		return;
	}
	sweep_forward(&w, edges[0]);
	for (size_t i = 0; i < cells; i++) {
		memcpy(before, w.sums, s->slots * sizeof *before);
		sweep_forward(&w, edges[i + 1]);
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
