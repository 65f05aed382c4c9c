/* One pass over each location: enters and leaves get call paths instead of sites, all other
 * provisional ids become final, and the location gets its lifetime.
 *
 * The pass also repairs the nesting. A leave belongs to the innermost open level of its region;
 * levels inside it end with it. A leave whose region is not open is a stray. But if the first enter
 * or leave of a location is a leave (the start of the trace was overwritten, PICL -914), leaves
 * without an enter show which regions were open when the trace begins. */
#include <stdlib.h>

#include "base/memory_bound.h"
#include "base/units.h"
#include "model/build/nesting.h"

static uint32_t region_of(const struct nest *nest, uint32_t path)
{
	return nest->trace->sites.data[nest->paths.data[path].site].region;
}

static uint8_t class_of(const struct nest *nest, uint32_t path)
{
	return path == 0 ? (uint8_t)CLASS_USER
			 : nest->trace->regions.data[region_of(nest, path)].cls;
}

/* What a call path takes until all are numbered, and looked at each so many of them. */
enum { BYTES_OF_PATH = 220, PATHS_A_LOOK = 1 << 16 };

static bool has_room(struct nest *nest)
{
	OWNED_STR allowed = STR_INIT;

	if (nest->paths.n % PATHS_A_LOOK != 0 || memory_left() / BYTES_OF_PATH >= nest->paths.n)
		return true;
	units_bytes(&allowed, memory_bound_bytes());
	nest->ok = false;
	return err_set(
		&nest->err, STATUS_IO,
		"%s has more than %zu call paths, up to %zu levels deep: more than --max-mem "
		"(or ulimit -d) allows, %s",
		nest->trace->path, nest->paths.n, nest->stack.n, allowed.text);
}

static uint32_t child(struct nest *nest, uint32_t parent, uint32_t site)
{
	const uint32_t known = nest->last_child.data[parent];
	uint32_t *id;

	if (known != 0 && nest->paths.data[known].site == site)
		return known;
	id = keymap_add(&nest->children, KEY_OF(parent, site));
	if (*id == UINT32_MAX) {
		if (nest->paths.n >= ID_NONE || !has_room(nest)) {
			nest->full |= nest->paths.n >= ID_NONE;
			*id = known ? known : 1;
			return *id;
		}
		*id = (uint32_t)nest->paths.n;
		vec_push(&nest->paths, ((struct callpath){ parent, site, 0,
							   nest->paths.data[parent].depth + 1 }));
		vec_push(&nest->last_child, 0u);
		shade_path(&nest->shading, class_of(nest, *id), parent, class_of(nest, parent));
	}
	nest->last_child.data[parent] = *id;
	return *id;
}

static uint32_t top(const struct nest *nest)
{
	return nest->stack.n > 0 ? *vec_last(&nest->stack) : 0;
}

static uint32_t push(struct nest *nest, uint32_t site)
{
	const uint32_t path = child(nest, top(nest), site);
	const uint32_t region = nest->trace->sites.data[site].region;

	vec_push(&nest->stack, path);
	nest->open.data[region]++;
	nest->passed |= nest->milestone[region];
	if (path > nest->highest)
		nest->highest = path;
	return path;
}

static uint32_t pop(struct nest *nest)
{
	const uint32_t path = vec_pop(&nest->stack);

	nest->open.data[region_of(nest, path)]--;
	return path;
}

static void leave(struct nest *nest, uint32_t *what)
{
	const uint32_t region = nest->trace->sites.data[what_id(*what)].region;
	uint32_t path;

	if (nest->open.data[region] == 0) {
		nest->strays++;
		*what = what_make(EV_STRAY_LEAVE, what_id(*what));
		return;
	}
	while (region_of(nest, path = pop(nest)) != region)
		nest->unclosed++;
	*what = what_make(EV_LEAVE, path);
}

/* ---- what was open at the start ---- */

static bool starts_with_leave(const struct nest *nest, uint32_t location)
{
	struct cursor c;

	for (bool ok = cursor_first(&c, nest->trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c)) {
		const enum event_kind kind = what_kind(cursor_what(&c));
		if (kind == EV_ENTER)
			return false;
		if (kind == EV_LEAVE)
			return true;
	}
	return false;
}

/* Pushes the levels that leaves without enters show: the last such leave is the outermost. */
static void open_at_start(struct nest *nest, uint32_t location)
{
	VEC(uint32_t) open = VEC_INIT;  /* sites, innermost first */
	VEC(uint32_t) inner = VEC_INIT; /* regions entered in the trace */
	struct cursor c;

	for (bool ok = cursor_first(&c, nest->trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c), site = what_id(what);
		if (what_kind(what) == EV_ENTER) {
			const uint32_t region = nest->trace->sites.data[site].region;
			vec_push(&inner, region);
			nest->open.data[region]++;
		} else if (what_kind(what) == EV_LEAVE) {
			const uint32_t region = nest->trace->sites.data[site].region;
			if (nest->open.data[region] > 0) {
				uint32_t left;
				do {
					left = vec_pop(&inner);
					nest->open.data[left]--;
				} while (left != region);
			} else if (inner.n == 0) {
				vec_push(&open, site);
			}
		}
	}
	while (inner.n > 0)
		nest->open.data[vec_pop(&inner)]--;
	nest->inferred += open.n;
	while (open.n > 0)
		push(nest, vec_pop(&open));
	vec_fini(&open);
	vec_fini(&inner);
}

/* ---- receives that waited ---- */

static int32_t blocked_twin(int32_t picl)
{
	if (picl == -51)
		return -52;
	return picl == -60 ? -61 : picl;
}

static bool recv_waited(const struct nest *nest, const struct message *m, int64_t entered,
			uint32_t location)
{
	const struct trace *trace = nest->trace;

	if (m->flags & (MSG_NO_SEND | MSG_NO_RECV))
		return false;
	return offset_apply(trace, trace_event_location(trace, m->send),
			    trace_event_time(trace, BASE_MEASURED, m->send)) >
	       offset_apply(trace, location, entered);
}

/* The site of an enter depends on whether the receive that completes in the region waited for its
 * send. The receive comes before the next enter or leave, as it calls nothing. */
static uint32_t decide_site(struct nest *nest, uint32_t location, uint32_t event, uint32_t site)
{
	struct site twin = nest->trace->sites.data[site];
	bool waited = false;
	struct cursor c;
	int64_t entered;

	cursor_at(&c, nest->trace, BASE_MEASURED, event);
	entered = cursor_time(&c);
	while (cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		struct message *m;
		if (what_kind(what) == EV_ENTER || what_kind(what) == EV_LEAVE)
			break;
		if (what_kind(what) != EV_RECV || what_id(what) == ID_NONE)
			continue;
		m = store_message(nest->trace, build_recv(nest->b, what_id(what))->send);
		if (!recv_waited(nest, m, entered, location))
			continue;
		m->flags |= MSG_RECV_BLOCKED;
		waited = true;
	}
	if (!waited || twin.picl == blocked_twin(twin.picl))
		return site;
	twin.picl = blocked_twin(twin.picl);
	return build_site(nest->b, twin);
}

/* ---- the pass ---- */

static uint32_t member_row(const struct part *part)
{
	return part->collective == PART_UNKNOWN ? ID_NONE : part->row;
}

static uint32_t final_id(const struct nest *nest, enum event_kind kind, uint32_t id)
{
	uint32_t ref;

	if (id == ID_NONE)
		return id;
	switch (kind) {
	case EV_RECV_REQUEST:
	case EV_RECV: return build_recv(nest->b, id)->send;
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED:
		ref = nest->b->refs.data[id];
		return (ref & REQUEST_KIND_MASK) == REQUEST_RECV
			       ? build_recv(nest->b, ref >> REQUEST_KIND_BITS)->send
			       : ref >> REQUEST_KIND_BITS;
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END: return member_row(build_part(nest->b, id));
	default: return id;
	}
}

/* The traced lifetime follows the events that turn tracing on and off. */
static void switch_tracing(struct nest *nest, struct location *l, enum event_kind kind, int64_t t)
{
	nest->traced = kind == EV_TRACING_ON;
	l->end_inferred = nest->traced;
	if (!nest->traced) {
		l->end = t;
	} else if (nest->b->tails.data[l - nest->trace->locations.data].first_switch == kind &&
		   l->begin_inferred) {
		l->begin = t;
		l->begin_inferred = false;
	}
}

/* `again`: the second pass, which changes only enters and leaves. */
static void nest_block(struct nest *nest, uint32_t location, uint32_t id, bool again)
{
	struct block *block = store_block(nest->trace, id);

	block->path = top(nest);
	block->flags = nest->traced ? 0 : BLOCK_NOT_TRACED;
	for (uint32_t slot = 0; slot < block->n; slot++) {
		const enum event_kind kind = what_kind(block->what[slot]);
		uint32_t site = what_id(block->what[slot]);
		switch (kind) {
		case EV_ENTER:
			if (nest->decide_blocked && !again)
				site = decide_site(nest, location, id * BLOCK_EVENTS + slot, site);
			block->what[slot] = what_make(EV_ENTER, push(nest, site));
			break;
		case EV_LEAVE: leave(nest, &block->what[slot]); break;
		case EV_TRACING_ON:
		case EV_TRACING_OFF:
			switch_tracing(nest, &nest->trace->locations.data[location], kind,
				       store_time(nest->trace, BASE_MEASURED, id, slot));
			break;
		default:
			if (!again)
				block->what[slot] = what_make(kind, final_id(nest, kind, site));
			break;
		}
	}
}

static void nest_blocks(struct nest *nest, uint32_t location, bool again)
{
	const struct block_ids *list = &nest->trace->lists.data[location];
	struct location *l = &nest->trace->locations.data[location];
	struct sweep w = { .list = list };

	if (list->n == 0)
		return;
	const uint32_t last = list->data[list->n - 1];
	l->begin = store_time(nest->trace, BASE_MEASURED, list->data[0], 0);
	l->end = store_time(nest->trace, BASE_MEASURED, last,
			    store_block(nest->trace, last)->n - 1u);
	l->begin_inferred = l->end_inferred = true;
	/* A location that records only counters does not show what its code does. */
	nest->traced = nest->b->tails.data[location].first_switch != EV_TRACING_ON &&
		       l->type != LOCATION_METRICS;
	for (uint32_t i = 0; i < list->n && nest->ok; i++) {
		store_prefetch(nest->trace, BASE_MEASURED, list, i + 2);
		nest_block(nest, location, list->data[i], again);
		if (nest->shades && nest->ok)
			nest->ok = shade_block(&nest->shading, &w, i, &nest->err);
	}
	if (l->end_inferred)
		l->end = store_time(nest->trace, BASE_MEASURED, last,
				    store_block(nest->trace, last)->n - 1u);
}

static void clear_stack(struct nest *nest)
{
	while (nest->stack.n > 0)
		pop(nest);
}

/* Puts sites back where call paths are. */
static void take_back(const struct nest *nest, uint32_t location)
{
	const struct trace *trace = nest->trace;
	const struct block_ids *list = &trace->lists.data[location];

	for (size_t i = 0; i < list->n; i++) {
		struct block *block = store_block(trace, list->data[i]);
		for (uint32_t slot = 0; slot < block->n; slot++) {
			const enum event_kind kind = what_kind(block->what[slot]);
			const uint32_t id = what_id(block->what[slot]);
			if (kind == EV_ENTER || kind == EV_LEAVE)
				block->what[slot] = what_make(kind, nest->paths.data[id].site);
			else if (kind == EV_STRAY_LEAVE)
				block->what[slot] = what_make(EV_LEAVE, id);
		}
	}
}

/* The location does not nest evenly, perhaps because a sort lost the order of equal times. Restores
 * that order and nests again. */
static void nest_again(struct nest *nest, uint32_t location)
{
	VEC(uint32_t) start = VEC_INIT; /* regions */
	uint32_t path = store_block(nest->trace, nest->trace->lists.data[location].data[0])->path;
	const uint32_t depth = nest->paths.data[path].depth;

	vec_reserve(&start, depth);
	vec_reserve(&nest->stack, depth);
	start.n = nest->stack.n = depth;
	for (uint32_t i = depth; i-- > 0; path = nest->paths.data[path].parent) {
		nest->stack.data[i] = path;
		start.data[i] = region_of(nest, path);
	}
	take_back(nest, location);
	nest->reordered += build_repair(nest->trace, location, start.data, depth, nest->open.data,
					&nest->moved);
	for (uint32_t i = 0; i < depth; i++)
		nest->open.data[start.data[i]]++;
	vec_fini(&start);
	nest_blocks(nest, location, true);
}

void nest_location(struct nest *nest, uint32_t location)
{
	const uint64_t unclosed = nest->unclosed, strays = nest->strays;
	struct location *l = &nest->trace->locations.data[location];

	nest->passed = MILESTONE_NONE;
	nest->highest = 0;
	if (starts_with_leave(nest, location))
		open_at_start(nest, location);
	nest_blocks(nest, location, false);
	if (nest->unclosed + nest->strays > unclosed + strays) {
		clear_stack(nest);
		nest->unclosed = unclosed;
		nest->strays = strays;
		nest_again(nest, location);
	}
	l->cut_off = nest->stack.n > 0;
	/* If tracing was turned off on purpose, the trace does not show how the program ended. */
	l->unfinished = nest->passed == MILESTONE_INIT && (l->cut_off || l->end_inferred);
	l->stopped = nest->passed == MILESTONE_INIT && !l->unfinished;
	clear_stack(nest);
}

void nest_init(struct nest *nest, struct builder *b, struct shading *shading,
	       const uint8_t *milestone)
{
	*nest = (struct nest){ .b = b, .trace = b->trace, .milestone = milestone, .ok = true };
	shade_part(&nest->shading, shading);
	vec_push(&nest->paths, ((struct callpath){ 0, 0, 0, 0 }));
	vec_push(&nest->last_child, 0u);
	shade_path(&nest->shading, CLASS_USER, 0, CLASS_USER);
	for (size_t i = 0; i < b->trace->regions.n; i++)
		vec_push(&nest->open, 0u);
}

void nest_fini(struct nest *nest)
{
	shade_part_fini(&nest->shading);
	vec_fini(&nest->paths);
	keymap_fini(&nest->children);
	vec_fini(&nest->last_child);
	vec_fini(&nest->stack);
	vec_fini(&nest->open);
	keymap_fini(&nest->moved);
}
