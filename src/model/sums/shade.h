/* shade: the inside of a shading, for the files that make one (shade.c, nest.c) or read it
 * (shading.c).
 *
 * Sums are taken modulo 2^64 from a location's first event on, so that a time before it has the
 * (wrapped) negative of its distance in the outside slot, and differences come out right. */
#pragma once

#include <pthread.h>

#include "model/sums/shading.h"
#include "model/trace/store.h"

enum { SUPER_BLOCKS = 16 };

struct shading {
	const struct trace *trace;
	struct shading *whole;   /* of a part: the shading that it belongs to */
	pthread_mutex_t growing; /* held by parts while they extend `wide` */
	enum time_base base;
	unsigned slots;
	uint8_t outside;
	/* [call path] slot after an enter of the path (its own), after a leave of it (its
	 * parent's; on a device's stream outside where that is the root, for between its kernels
	 * it runs nothing), and while nothing is traced (outside). */
	VEC(uint8_t) enter;
	VEC(uint8_t) leave;
	VEC(uint8_t) leave_stream;
	VEC(uint8_t) none;
	struct slab sums;   /* uint32_t[block][slots]: up to the block, from its superblock on */
	struct slab supers; /* uint64_t[superblock][slots]: up to the superblock */
	struct slab wide;   /* uint64_t[][SUPER_BLOCKS][slots] */
	uint32_t *wide_row; /* [superblock] 0, or 1 + row of `wide` if 32 bits are too few */
	uint32_t *super_of; /* [location + 1] first superblock */
};

/* A part of a shading, with call paths of its own, for one of the threads that make it location by
 * location; the sums are the whole's. */
void shade_part(struct shading *part, struct shading *whole);
void shade_part_fini(struct shading *part);

/* A place in a location's events, with the sums up to `time`. */
struct sweep {
	const struct shading *s;
	const struct block_ids *list;
	const struct block *block;
	const struct times *times;
	const int64_t *wide;
	uint32_t nth;  /* of the block */
	uint32_t slot; /* next event */
	uint8_t state; /* slot to which time is added now */
	uint8_t traced;
	int64_t time;
	uint64_t sums[SHADING_SLOTS];
};

/* A shading without call paths and sums. NULL with err when there is no address space. */
struct shading *shade_begin(const struct trace *trace, enum time_base base, unsigned slots,
			    uint8_t outside, struct err *err);
/* Adds the next call path: its slot, its parent (0 for the root) and that one's slot. */
void shade_path(struct shading *s, uint8_t slot, uint32_t parent, uint8_t parent_slot);
/* Makes the sums of a location's nth block; called for each in turn, when the block has its call
 * paths, flags and path. At the first block `w` is zeroed except for its list. */
bool shade_block(struct shading *s, struct sweep *w, uint32_t nth, struct err *err);

/* Moves to the start of a block, leaving the sums. */
void sweep_to(struct sweep *w, uint32_t nth);
/* The last block of a location, at or after block `from`, that begins at or before t; 0 if none
 * does. Galloping search. */
uint32_t sweep_find(const struct shading *s, const struct block_ids *list, uint32_t from,
		    int64_t t);

static inline uint32_t *shade_sums(const struct shading *s, uint32_t block)
{
	return (uint32_t *)(void *)s->sums.data + (size_t)block * s->slots;
}

static inline uint64_t *shade_super(const struct shading *s, uint32_t super)
{
	return (uint64_t *)(void *)s->supers.data + (size_t)super * s->slots;
}

static inline uint64_t *shade_wide(const struct shading *s, uint32_t super, uint32_t nth)
{
	return (uint64_t *)(void *)s->wide.data +
	       ((size_t)(s->wide_row[super] - 1) * SUPER_BLOCKS + nth % SUPER_BLOCKS) * s->slots;
}

/* The slot by call path after a leave on the block's location. */
static inline const uint8_t *shade_leave(const struct shading *s, const struct block *block)
{
	return s->trace->locations.data[block->location].type == LOCATION_ACCELERATOR
		       ? s->leave_stream.data
		       : s->leave.data;
}

/* The slot under way where the block starts. */
static inline uint8_t shade_open(const struct shading *s, const struct block *block)
{
	return block->path ? s->enter.data[block->path] : shade_leave(s, block)[0];
}

/* Handles an event that turns tracing on or off. */
void sweep_switch(struct sweep *w);

/* Passes the events of the block that are not later than t; the sums are then those up to the last
 * of them. */
static inline void sweep_pass(struct sweep *w, int64_t t)
{
	const uint8_t *const behind[2][2] = { { w->s->none.data, w->s->none.data },
					      { w->s->enter.data, shade_leave(w->s, w->block) } };
	const uint32_t n = w->block->n;
	uint32_t slot = w->slot;
	int64_t time = w->time;
	uint8_t state = w->state;

	for (; slot < n; slot++) {
		const int64_t next =
			w->wide ? w->wide[slot] : w->times->base + w->times->delta[slot];
		const uint32_t what = w->block->what[slot];
		const enum event_kind kind = what_kind(what);
		if (next > t)
			break;
		w->sums[state] += (uint64_t)next - (uint64_t)time;
		time = next;
		if (kind <= EV_LEAVE) {
			state = behind[w->traced][kind][what_id(what)];
		} else if (kind >= EV_TRACING_ON) {
			w->slot = slot;
			sweep_switch(w);
			state = w->state;
		}
	}
	w->slot = slot;
	w->time = time;
	w->state = state;
}

/* ---- changes of slot ---- */

/* What is called for a time from which on a slot is under way; it may be the one before. */
typedef void sweep_turn(void *context, int64_t time, uint8_t slot);

/* Those of a block's events before `end`; false when it met one that is not. Inlined, as is what
 * is called: a step of two nanoseconds. */
static inline __attribute__((always_inline)) bool sweep_block_turns(struct sweep *b, int64_t end,
								    sweep_turn *turn, void *context)
{
	const struct shading *s = b->s;
	const uint8_t *leave = shade_leave(s, b->block);

	for (b->slot = 0; b->slot < b->block->n; b->slot++) {
		const int64_t time =
			b->wide ? b->wide[b->slot] : b->times->base + b->times->delta[b->slot];
		const uint32_t what = b->block->what[b->slot];
		const enum event_kind kind = what_kind(what);

		if (time >= end)
			return false;
		if (kind >= EV_TRACING_ON)
			sweep_switch(b);
		else if (kind <= EV_LEAVE && b->traced)
			b->state = (kind == EV_ENTER ? s->enter.data : leave)[what_id(what)];
		else
			continue;
		turn(context, time, b->state);
	}
	return true;
}

/* Those of a location before `end`, from the nth block on, where its own slot is under way; at the
 * location's last event the outside slot. */
static inline __attribute__((always_inline)) void sweep_turns(const struct shading *s,
							      const struct block_ids *list,
							      uint32_t nth, int64_t end,
							      sweep_turn *turn, void *context)
{
	struct sweep b = { .s = s, .list = list };

	for (; nth < list->n; nth++) {
		sweep_to(&b, nth);
		if (b.time >= end)
			return;
		if (nth == 0 && b.traced) /* the location begins */
			b.state = shade_open(s, b.block);
		turn(context, b.time, b.state);
		if (!sweep_block_turns(&b, end, turn, context))
			return;
	}
	/* and ends */
	if (list->n)
		turn(context,
		     b.wide ? b.wide[b.block->n - 1u]
			    : b.times->base + b.times->delta[b.block->n - 1u],
		     s->outside);
}
