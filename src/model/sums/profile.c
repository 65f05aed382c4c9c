/* The profile of a window: the sums of the superblocks wholly inside it, and a walk
 * through those that it cuts. */
#include "model/sums/profile.h"
#include "base/order.h"

#include <assert.h>
#include <stdlib.h>

#include "model/sums/profile_sums.h"
#include "model/sums/sums.h"
#include "model/trace/store.h"

/* An open visit that began in the window. */
struct visit {
	int64_t enter;
	uint32_t path;
};

struct profiler {
	const struct trace *trace;
	enum time_base base;
	enum profile_key key;
	int64_t t0, t1;
	const struct profile_sums *sums;
	struct profile_row *rows;
	int64_t *own; /* [call path] time in which it was innermost, traced or not */
	VEC(struct visit) stack;
};

static uint32_t row_of(const struct profiler *p, uint32_t path)
{
	if (p->key == PROFILE_CALLPATH)
		return p->trace->paths.data[path].canon;
	return p->trace->sites.data[p->trace->paths.data[path].site].region;
}

/* ---- adding to rows ---- */

/* Time goes to the innermost open visit. */
static void spend(struct profiler *p, uint32_t path, bool traced, int64_t time)
{
	add_time(&p->own[path], time);
	if (!traced)
		return;
	if (p->key == PROFILE_CALLPATH)
		add_time(&p->rows[0].inclusive, time);
	if (path != 0 || p->key == PROFILE_CALLPATH)
		add_time(&p->rows[row_of(p, path)].exclusive, time);
}

static void add_marks(struct profiler *p, uint32_t site, uint64_t count)
{
	if (p->key == PROFILE_REGION)
		add_visits(&p->rows[p->trace->sites.data[site].region], count, 0, 0, 0);
}

static void add_sum(struct profiler *p, const struct profile_sum *sum)
{
	const enum sum_kind kind = (enum sum_kind)(sum->key >> WHAT_ID_BITS);
	const uint32_t id = sum->key & WHAT_ID_MASK;

	if (kind == SUM_MARK) {
		add_marks(p, id, sum->count);
		return;
	}
	spend(p, id, kind == SUM_PATH, sum->self);
	if (sum->count > 0)
		add_visits(&p->rows[row_of(p, id)], sum->count, sum->min, sum->max, sum->visit_sum);
}

/* What the time of the paths below adds to each path. Children are after their parents. */
static void add_inclusive(struct profiler *p)
{
	for (uint32_t path = (uint32_t)p->trace->paths.n; path-- > 1;) {
		if (p->own[path] == 0)
			continue;
		add_time(&p->own[p->trace->paths.data[path].parent], p->own[path]);
		if (p->key == PROFILE_CALLPATH || p->sums->outermost[path])
			add_time(&p->rows[row_of(p, path)].inclusive, p->own[path]);
	}
}

/* ---- a superblock by its events ---- */

/* A walk through a superblock of a location. */
struct profile_walk {
	struct profiler *p;
	uint32_t path;
	bool traced;
	int64_t time; /* of the last event, or where the walk begins; within the window */
};

static bool inside(const struct profiler *p, int64_t t)
{
	return t >= p->t0 && t < p->t1;
}

static void walk_to(struct profile_walk *w, int64_t t)
{
	const struct profiler *p = w->p;
	const int64_t end = t < p->t0 ? p->t0 : t > p->t1 ? p->t1 : t;

	if (end > w->time)
		spend(w->p, w->path, w->traced, end - w->time);
	w->time = end;
}

static void visit_begin(struct profiler *p, uint32_t path, int64_t t)
{
	const struct visit visit = { t, path };

	if (inside(p, t))
		vec_push(&p->stack, visit);
}

static void visit_end(struct profiler *p, int64_t t)
{
	const struct visit visit = vec_pop(&p->stack);
	const int64_t length = t - visit.enter;

	add_visits(&p->rows[row_of(p, visit.path)], 1, length, length, length);
}

static void visits_end(struct profiler *p, uint32_t depth, int64_t t)
{
	while (p->stack.n > 0 && p->trace->paths.data[vec_last(&p->stack)->path].depth >= depth)
		visit_end(p, t);
}

static void walk_event(struct profile_walk *w, uint32_t what, int64_t t)
{
	const uint32_t id = what_id(what);

	walk_to(w, t);
	switch (what_kind(what)) {
	case EV_ENTER:
		visit_begin(w->p, id, t);
		w->path = id;
		break;
	case EV_LEAVE:
		visits_end(w->p, w->p->trace->paths.data[id].depth, t);
		w->path = w->p->trace->paths.data[id].parent;
		break;
	case EV_MARK:
		if (inside(w->p, t))
			add_marks(w->p, id, 1);
		break;
	case EV_TRACING_ON:
	case EV_TRACING_OFF: w->traced = what_kind(what) == EV_TRACING_ON; break;
	default: break;
	}
}

/* After the window only the ends of visits that began in it matter. */
static bool walk_block(struct profile_walk *w, uint32_t id)
{
	const struct profiler *p = w->p;
	const struct block *block = store_block(p->trace, id);
	const struct times *times = store_times(p->trace, p->base, id);
	const int64_t *wide = store_wide(p->trace, p->base, times);

	for (uint32_t slot = 0; slot < block->n; slot++) {
		const int64_t t = wide ? wide[slot] : times->base + times->delta[slot];
		if (t >= p->t1 && p->stack.n == 0) {
			walk_to(w, t);
			return false;
		}
		walk_event(w, block->what[slot], t);
	}
	return true;
}

/* Regions that are open before the location's first event count as begun there. */
static void open_at_start(struct profiler *p, uint32_t path, int64_t t)
{
	const struct callpath *paths = p->trace->paths.data;
	const uint32_t depth = paths[path].depth;

	if (!inside(p, t))
		return;
	vec_reserve(&p->stack, depth);
	p->stack.n = depth;
	for (uint32_t i = depth; i-- > 0; path = paths[path].parent)
		p->stack.data[i] = (struct visit){ t, path };
}

/* ---- what was estimated ---- */

/* The parts of a gap are measured ticks of all of it: what a window cuts out has its share. */
static void add_gap(struct profiler *p, const struct gap *gap)
{
	const int64_t begin = gap_begin_time(p->trace, p->base, gap);
	const int64_t end = gap_end_time(p->trace, p->base, gap);
	const int64_t length = gap_end_time(p->trace, BASE_MEASURED, gap) -
			       gap_begin_time(p->trace, BASE_MEASURED, gap);
	const int64_t from = begin > p->t0 ? begin : p->t0, to = end < p->t1 ? end : p->t1;
	size_t n;
	const struct gap_part *parts = gap_parts(p->trace, gap, &n);

	if (to <= from || length <= 0)
		return;
	for (size_t i = 0; i < n; i++) {
		const uint32_t path = parts[i].path;
		const double share = (double)(to - from) / (double)length;
		const int64_t inclusive = (int64_t)((double)parts[i].inclusive * share);
		struct profile_estimated *e;
		if (path == 0 && p->key == PROFILE_REGION)
			continue;
		e = &p->rows[row_of(p, path)].estimated;
		add_time(&e->exclusive, (int64_t)((double)parts[i].own * share));
		add_time(&e->visits, inclusive);
		if (p->key == PROFILE_CALLPATH || p->sums->outermost[path])
			add_time(&e->inclusive, inclusive);
	}
}

static void add_gaps(struct profiler *p, uint32_t location)
{
	size_t n;
	const struct gap *gaps = gaps_of(p->trace, location, &n);

	for (size_t i = 0; i < n; i++)
		add_gap(p, &gaps[i]);
}

static int64_t block_time(const struct profiler *p, const struct block_ids *list, size_t nth)
{
	return store_times(p->trace, p->base, list->data[nth])->base;
}

static void walk_super(struct profiler *p, const struct block_ids *list, size_t nth,
		       const struct super *super)
{
	size_t from = nth * SUMS_BLOCKS, end = from + SUMS_BLOCKS;
	const struct block *block;
	struct profile_walk w = { .p = p };

	if (end > list->n)
		end = list->n;
	while (from + 1 < end && block_time(p, list, from + 1) < p->t0)
		from++;
	block = store_block(p->trace, list->data[from]);
	w.path = block->path;
	w.traced = !(block->flags & BLOCK_NOT_TRACED);
	w.time = block_time(p, list, from) > p->t0 ? block_time(p, list, from) : p->t0;
	if (from == 0)
		open_at_start(p, w.path, block_time(p, list, 0));
	for (; from < end; from++)
		if (!walk_block(&w, list->data[from]))
			return;
	if (end < list->n)
		walk_to(&w, block_time(p, list, end));
	while (p->stack.n > 0) {
		const uint32_t depth = p->trace->paths.data[vec_last(&p->stack)->path].depth;
		const uint64_t place = super->first_end + depth - super->level;
		assert(depth >= super->level && place < super[1].first_end);
		visit_end(p, p->sums->ends.data[place]);
	}
}

/* ---- locations ---- */

/* How many superblocks begin before t. */
static size_t supers_before(const struct profiler *p, const struct block_ids *list, int64_t t)
{
	size_t low = 0, high = (list->n + SUMS_BLOCKS - 1) / SUMS_BLOCKS;

	BISECT(low, high, mid, block_time(p, list, mid * SUMS_BLOCKS) < t);
	return low;
}

/* True if all of the location's last superblock is before t. */
static bool ends_before(const struct profiler *p, uint32_t location, int64_t t)
{
	struct cursor c;

	return cursor_last(&c, p->trace, p->base, location) && cursor_time(&c) < t;
}

static void profile_location(struct profiler *p, uint32_t location)
{
	const struct block_ids *list = &p->trace->lists.data[location];
	const size_t all = (list->n + SUMS_BLOCKS - 1) / SUMS_BLOCKS;
	const size_t before = supers_before(p, list, p->t0), stop = supers_before(p, list, p->t1);
	const struct super *supers = p->sums->supers.data + p->sums->super_of[location];
	size_t nth = before;

	/* The last superblock that begins before t0, and the last one that begins before t1 if it
	 * goes on after, are cut. */
	if (before > 0)
		walk_super(p, list, before - 1, &supers[before - 1]);
	for (; nth < stop; nth++) {
		const bool whole =
			nth + 1 < stop || (stop == all && ends_before(p, location, p->t1));
		if (supers[nth].walked || !whole) {
			walk_super(p, list, nth, &supers[nth]);
			continue;
		}
		for (uint64_t i = supers[nth].first_sum; i < supers[nth + 1].first_sum; i++)
			add_sum(p, &p->sums->sums.data[i]);
	}
}

/* The sums of a base are made when first needed, those of a location with its first profile. */
static struct profile_sums *base_sums(const struct trace *trace, enum time_base base)
{
	struct trace *owner = (struct trace *)(uintptr_t)trace;

	if (!owner->profile_sums[base])
		owner->profile_sums[base] = profile_sums_new(trace);
	sums_attach(owner);
	return owner->profile_sums[base];
}

bool profile_make(struct profile *profile, const struct trace *trace, enum time_base base,
		  enum profile_key key, const uint32_t *locations, size_t n, int64_t t0, int64_t t1,
		  const struct progress *progress, struct err *err)
{
	struct profile_sums *sums = base_sums(trace, base);
	struct profiler p = { trace, base, key, t0, t1, sums, NULL, NULL, VEC_INIT };
	const size_t count = locations ? n : trace->locations.n;
	struct sums_maker *maker = NULL;
	bool ok = true;

	(void)err;
	profile->n =
		key == PROFILE_REGION ? trace_region_count(trace) : trace_callpath_count(trace);
	profile->rows = p.rows = xcalloc(profile->n, sizeof *profile->rows);
	p.own = xcalloc(trace->paths.n, sizeof *p.own);
	for (size_t i = 0; i < count && ok; i++) {
		const uint32_t location = locations ? locations[i] : (uint32_t)i;
		ok = progress_step(progress, "profile", i, count);
		if (!ok)
			break;
		if (sums->super_of[location] == UINT64_MAX) {
			if (!maker)
				maker = sums_maker_new(sums, trace, base);
			sums_maker_add(maker, location);
		}
		profile_location(&p, location);
		add_gaps(&p, location);
	}
	if (ok)
		add_inclusive(&p);
	else
		profile_fini(profile);
	sums_maker_free(maker);
	free(p.own);
	vec_fini(&p.stack);
	return ok;
}

void profile_fini(struct profile *profile)
{
	free(profile->rows);
	profile->rows = NULL;
	profile->n = 0;
}
