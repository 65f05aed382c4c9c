/* One pass over each location: enters and leaves get call paths instead of sites, every other
 * provisional id its final one, the location its lifetime.
 *
 * Nesting is repaired on the way. A leave belongs to the innermost open level of its region; levels
 * inside it end with it. A leave whose region is not open is a stray. But when the first enter or
 * leave of a location is a leave (the start of the trace was overwritten, PICL -914), leaves that
 * have no enter tell what was open when the trace begins. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/shade.h"

struct nest {
	struct builder *b;
	struct trace *trace;
	bool decide_blocked;
	bool full;                /* there are more call paths than ids */
	struct keymap children;   /* (parent, site): call path */
	VEC(uint32_t) last_child; /* [call path] found last */
	VEC(uint32_t) stack;      /* call paths that are open */
	VEC(uint32_t) open;       /* [region] levels of it on the stack */
	VEC(uint8_t) milestone;   /* [region] enum milestone */
	uint8_t passed;           /* milestones of the location */
	struct keymap moved;      /* events that the repair of equal times exchanged */
	struct shading *shading;  /* the default one, made on the way */
	bool traced;              /* tracing is on */
	struct err *err;          /* of the shading; ok is false then */
	bool ok;
	uint64_t unclosed, strays, inferred, reordered;
};

/* Calls that tell whether a rank came to its end. */
enum milestone { MILESTONE_NONE, MILESTONE_INIT = 1, MILESTONE_FINALIZE = 2 };

static uint32_t region_of(const struct nest *nest, uint32_t path)
{
	return nest->trace->sites.data[nest->trace->paths.data[path].site].region;
}

static uint32_t child(struct nest *nest, uint32_t parent, uint32_t site)
{
	const uint32_t known = nest->last_child.data[parent];
	uint32_t *id;

	if (known != 0 && nest->trace->paths.data[known].site == site)
		return known;
	id = keymap_add(&nest->children, (struct key){ { parent, site } });
	if (*id == UINT32_MAX) {
		if (nest->trace->paths.n >= ID_NONE) {
			nest->full = true;
			*id = known ? known : 1;
			return *id;
		}
		*id = (uint32_t)nest->trace->paths.n;
		vec_push(&nest->trace->paths,
			 ((struct callpath){ parent, site, 0,
					     nest->trace->paths.data[parent].depth + 1 }));
		vec_push(&nest->last_child, 0u);
		shade_path(nest->shading, (uint8_t)trace_callpath_class(nest->trace, *id),
			   (uint8_t)trace_callpath_class(nest->trace, parent));
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
	nest->passed |= nest->milestone.data[region];
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

/* The site of an enter, by whether the receive that the region completes waited for its send. It
 * lies before the next enter or leave: a receive calls nothing. */
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
	return store_site(nest->trace, &nest->b->sites, twin);
}

/* ---- the pass ---- */

/* Brings the members, which are in the order of the file, to their rows. */
static void move_members(const struct builder *b)
{
	const uint32_t n = build_part_count(b);
	uint32_t kept = n;

	for (uint32_t i = 0; i < n; i++) {
		struct part *part = build_part(b, i);
		kept -= part->collective == PART_UNKNOWN;
		while (part->row != i) {
			const uint32_t to = part->row;
			const struct member member = *store_member(b->trace, i);
			*store_member(b->trace, i) = *store_member(b->trace, to);
			*store_member(b->trace, to) = member;
			part->row = build_part(b, to)->row;
			build_part(b, to)->row = to;
		}
	}
	b->trace->members.size = kept * sizeof(struct member);
}

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

/* `again`: only enters and leaves are left to do. */
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
	nest->traced = nest->b->tails.data[location].first_switch != EV_TRACING_ON;
	for (uint32_t i = 0; i < list->n && nest->ok; i++) {
		store_prefetch(nest->trace, BASE_MEASURED, list, i + 2);
		nest_block(nest, location, list->data[i], again);
		nest->ok = shade_block(nest->shading, &w, i, nest->err);
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

/* Sites instead of call paths once more. */
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
				block->what[slot] = what_make(kind, trace->paths.data[id].site);
			else if (kind == EV_STRAY_LEAVE)
				block->what[slot] = what_make(EV_LEAVE, id);
		}
	}
}

/* The nesting of a location has not come out even: perhaps because the order of equal times was
 * lost. Mends that and nests again. */
static void nest_again(struct nest *nest, uint32_t location)
{
	VEC(uint32_t) start = VEC_INIT; /* regions */
	uint32_t path = store_block(nest->trace, nest->trace->lists.data[location].data[0])->path;
	const uint32_t depth = nest->trace->paths.data[path].depth;

	vec_reserve(&start, depth);
	vec_reserve(&nest->stack, depth);
	start.n = nest->stack.n = depth;
	for (uint32_t i = depth; i-- > 0; path = nest->trace->paths.data[path].parent) {
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

static void move_attributes(const struct nest *nest)
{
	struct event_attribute *attribute;

	vec_each (attribute, &nest->trace->attributes) {
		const uint32_t *to =
			keymap_find(&nest->moved, (struct key){ { attribute->event } });
		if (to)
			attribute->event = *to;
	}
}

/* Extras follow the records that were exchanged. */
static void move_texts(const struct nest *nest, struct event_texts *texts)
{
	struct event_text *text;

	vec_each (text, &texts->rows) {
		const uint32_t *to = keymap_find(&nest->moved, (struct key){ { text->event } });
		if (to)
			text->event = *to;
	}
}

static void nest_location(struct nest *nest, uint32_t location)
{
	const uint64_t unclosed = nest->unclosed, strays = nest->strays;
	struct location *l = &nest->trace->locations.data[location];

	nest->passed = MILESTONE_NONE;
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
	/* Tracing that was turned off on purpose says nothing of the program's end. */
	l->unfinished = nest->passed == MILESTONE_INIT && (l->cut_off || l->end_inferred);
	clear_stack(nest);
}

/* The representatives: call paths with the same regions and call sites, whatever the event types. */
static void set_canons(struct nest *nest)
{
	struct trace *trace = nest->trace;
	struct keymap map = { NULL, 0, 0 };
	uint32_t *canon = xmalloc(trace->sites.n * sizeof *canon);

	for (uint32_t s = 0; s < trace->sites.n; s++) {
		const struct site *site = &trace->sites.data[s];
		uint32_t *first =
			keymap_add(&map, (struct key){ { site->region, site->file, site->line } });
		if (*first == UINT32_MAX)
			*first = s;
		canon[s] = *first;
	}
	/* A parent is older than its children, and representatives that are new come last. */
	for (uint32_t p = 1; p < trace->paths.n; p++) {
		const uint32_t parent = trace->paths.data[trace->paths.data[p].parent].canon;
		const uint32_t site = canon[trace->paths.data[p].site];
		const uint32_t id =
			parent == trace->paths.data[p].parent && site == trace->paths.data[p].site
				? p
				: child(nest, parent, site);
		trace->paths.data[p].canon = id;
	}
	keymap_fini(&map);
	free(canon);
}

/* A finding on those locations for which `holds` is true; their names end the sentence. */
static void report_locations(struct trace *trace, const char *code, const char *sentence,
			     bool (*holds)(const struct location *))
{
	enum { NAMED = 4 };
	struct str text = STR_INIT;
	const struct location *l;
	uint64_t n = 0;

	str_add(&text, sentence);
	vec_each (l, &trace->locations) {
		if (!holds(l))
			continue;
		if (n++ < NAMED)
			str_add_fmt(&text, "%s%s", n > 1 ? ", " : " ",
				    trace_string(trace, l->name));
	}
	if (n > NAMED)
		str_add_fmt(&text, " and %llu more", (unsigned long long)(n - NAMED));
	store_finding(trace, FINDING_INFO, code, 0, n, text.text);
	str_fini(&text);
}

static bool is_cut_off(const struct location *l)
{
	return l->cut_off;
}

static bool is_unfinished(const struct location *l)
{
	return l->unfinished;
}

static void report(const struct nest *nest)
{
	struct trace *trace = nest->trace;

	store_finding(trace, FINDING_ODDITY, "unclosed-enter", 0, nest->unclosed,
		      "a region is not left before the one around it: it was taken to end there");
	store_finding(trace, FINDING_ODDITY, "stray-leave", 0, nest->strays,
		      "a region is left that was not entered");
	store_finding(trace, FINDING_ODDITY, "equal-time-order", 0, nest->reordered,
		      "enters and leaves of one time stand in an order that does not nest: they "
		      "were put in one that does");
	store_finding(trace, FINDING_GUESS, "open-at-start", 0, nest->inferred,
		      "a region was open before the first record, as its leave tells");
	report_locations(trace, "cut-off", "regions are still open at the last record of",
			 is_cut_off);
	report_locations(trace, "not-finalised",
			 "ended without MPI_Finalize (crashed, killed or cut off):", is_unfinished);
}

static enum milestone milestone_of(const char *name)
{
	if (strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0)
		return MILESTONE_INIT;
	return strcmp(name, "MPI_Finalize") == 0 ? MILESTONE_FINALIZE : MILESTONE_NONE;
}

static bool nest_all(struct nest *nest, const struct progress *progress)
{
	const struct trace *trace = nest->trace;
	uint64_t done = 0;

	vec_push(&nest->last_child, 0u);
	shade_path(nest->shading, CLASS_USER, CLASS_USER);
	for (uint32_t i = 0; i < trace->regions.n; i++) {
		vec_push(&nest->open, 0u);
		vec_push(&nest->milestone, (uint8_t)milestone_of(trace_region_name(trace, i)));
	}
	for (uint32_t l = 0; l < trace->locations.n; l++) {
		if (!progress_step(progress, "call paths", done, trace->events))
			return false;
		nest_location(nest, l);
		done += trace->locations.data[l].events;
		if (nest->full)
			return err_set(nest->err, STATUS_IO,
				       "%s has more call paths than tview can hold (2^27)",
				       trace->path);
		if (!nest->ok)
			return false;
	}
	return true;
}

bool build_nest(struct builder *b, const struct builder_options *options,
		const struct progress *progress, struct err *err)
{
	struct nest nest = { .b = b,
			     .trace = b->trace,
			     .decide_blocked = options->decide_blocked,
			     .err = err,
			     .ok = true };
	bool ok;

	nest.shading = shade_begin(b->trace, BASE_MEASURED, CLASS_COUNT, CLASS_OUTSIDE, err);
	if (!nest.shading)
		return false;
	b->trace->class_shading[BASE_MEASURED] = nest.shading;
	ok = nest_all(&nest, progress);
	if (ok) {
		move_members(b);
		set_canons(&nest);
		move_texts(&nest, &b->trace->extras);
		move_texts(&nest, &b->trace->time_texts);
		move_attributes(&nest);
		report(&nest);
	}
	keymap_fini(&nest.moved);
	keymap_fini(&nest.children);
	vec_fini(&nest.last_child);
	vec_fini(&nest.stack);
	vec_fini(&nest.open);
	vec_fini(&nest.milestone);
	return ok;
}
