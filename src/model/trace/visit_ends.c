#include "model/trace/visit_ends.h"

#include "base/mem.h"
#include "base/vec.h"

/* The leave of a visit at depth d is the first leave after its enter of a path at depth <= d; seen
 * backwards, the enter is the first enter of a path at depth <= d. Both
 * are found by skipping whatever is deeper, over a tree of minima. */

enum { FAN = 64, LEVELS = 6 }; /* 64^6 blocks are more than 2^32 */

struct visit_ends {
	const struct trace *trace;
	uint32_t *first;      /* by location: its first block in `blocks`; one more at the end */
	VEC(uint32_t) blocks; /* ids of all blocks, location by location */
	VEC(uint32_t) minima[LEVELS]; /* smallest depth in a block, in 64 of them, ... */
};

static uint32_t depth_of(const struct trace *trace, uint32_t what)
{
	const enum event_kind kind = what_kind(what);

	if (kind != EV_ENTER && kind != EV_LEAVE)
		return UINT32_MAX;
	return trace_callpath(trace, what_id(what))->depth;
}

static void add_blocks(struct visit_ends *v, uint32_t location)
{
	struct cursor c;

	if (!cursor_first(&c, v->trace, BASE_MEASURED, location))
		return;
	do {
		uint32_t least = UINT32_MAX;
		for (uint32_t i = 0; i < c.block->n; i++) {
			const uint32_t depth = depth_of(v->trace, c.block->what[i]);
			if (depth < least)
				least = depth;
		}
		vec_push(&v->blocks, c.id / BLOCK_EVENTS);
		vec_push(&v->minima[0], least);
	} while (cursor_next_block(&c));
}

struct visit_ends *visit_ends_new(const struct trace *trace)
{
	struct visit_ends *const v = xcalloc(1, sizeof *v);
	const uint32_t n = trace_location_count(trace);

	v->trace = trace;
	v->first = xcalloc(n + 1u, sizeof *v->first);
	for (uint32_t i = 0; i < n; i++) {
		v->first[i] = (uint32_t)v->blocks.n;
		add_blocks(v, i);
	}
	v->first[n] = (uint32_t)v->blocks.n;
	for (int level = 1; level < LEVELS; level++) {
		const size_t below = v->minima[level - 1].n;
		const uint32_t *const data = v->minima[level - 1].data;
		for (size_t i = 0; i < below; i++) {
			if (i % FAN == 0)
				vec_push(&v->minima[level], UINT32_MAX);
			if (data[i] < *vec_last(&v->minima[level]))
				*vec_last(&v->minima[level]) = data[i];
		}
	}
	return v;
}

void visit_ends_free(struct visit_ends *v)
{
	if (!v)
		return;
	for (int level = 0; level < LEVELS; level++)
		vec_fini(&v->minima[level]);
	vec_fini(&v->blocks);
	free_all(v->first, v);
}

/* The first block at or after i that holds a depth <= d; SIZE_MAX without. */
static size_t block_behind(const struct visit_ends *v, size_t i, uint32_t d)
{
	int level = 0;

	while (i >= v->minima[level].n || v->minima[level].data[i] > d) {
		if (i >= v->minima[level].n)
			return SIZE_MAX;
		if (++i % FAN == 0) {
			if (level + 1 == LEVELS)
				return SIZE_MAX;
			i /= FAN;
			level++;
		}
	}
	while (level-- > 0)
		for (i *= FAN; v->minima[level].data[i] > d;)
			i++;
	return i;
}

/* The last block before `end` that holds one. */
static size_t block_before(const struct visit_ends *v, size_t end, uint32_t d)
{
	int level = 0;

	/* end is exclusive: at every level the blocks (groups) from end on are out of the
	 * question. */
	while (end == 0 || v->minima[level].data[end - 1] > d) {
		if (end == 0 || level + 1 == LEVELS)
			return SIZE_MAX;
		if (--end % FAN == 0) {
			end /= FAN;
			level++;
		}
	}
	for (end--; level-- > 0;)
		for (end = end * FAN + FAN - 1;
		     end >= v->minima[level].n || v->minima[level].data[end] > d;)
			end--;
	return end;
}

/* The other end of a visit at depth d: of an enter the leave (step 1), of a leave the enter
 * (step -1). */
static uint32_t other_end(const struct visit_ends *v, struct cursor c, uint32_t d, int step)
{
	const size_t first = v->first[c.location], own = first + c.block->nth;
	size_t i;

	do /* below 0, the slot is large */
		c.slot += (uint32_t)step;
	while (c.slot < c.block->n && depth_of(v->trace, c.block->what[c.slot]) > d);
	if (c.slot >= c.block->n) {
		i = step > 0 ? block_behind(v, own + 1, d) : block_before(v, own, d);
		if (i < first || i >= v->first[c.location + 1])
			return EVENT_NONE;
		cursor_at(&c, v->trace, BASE_MEASURED, v->blocks.data[i] * BLOCK_EVENTS);
		c.slot = step > 0 ? 0 : c.block->n - 1;
		while (depth_of(v->trace, c.block->what[c.slot]) > d)
			c.slot += (uint32_t)step;
	}
	if (what_kind(c.block->what[c.slot]) != (step > 0 ? EV_LEAVE : EV_ENTER))
		return EVENT_NONE;
	return c.id / BLOCK_EVENTS * BLOCK_EVENTS + c.slot;
}

uint32_t visit_ends_partner(const struct visit_ends *v, uint32_t event)
{
	struct cursor c;
	enum event_kind kind;

	cursor_at(&c, v->trace, BASE_MEASURED, event);
	kind = what_kind(cursor_what(&c));
	return kind == EV_ENTER || kind == EV_LEAVE
		       ? other_end(v, c, depth_of(v->trace, cursor_what(&c)),
				   kind == EV_ENTER ? 1 : -1)
		       : EVENT_NONE;
}

uint32_t visit_ends_enter(const struct visit_ends *v, uint32_t event, uint32_t depth)
{
	struct cursor c;

	cursor_at(&c, v->trace, BASE_MEASURED, event);
	return what_kind(cursor_what(&c)) == EV_ENTER &&
			       depth_of(v->trace, cursor_what(&c)) <= depth
		       ? event
		       : other_end(v, c, depth, -1);
}
