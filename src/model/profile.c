#include "model/profile.h"

#include <stdlib.h>
#include <string.h>

#include "model/store.h"

/* An open visit. */
struct visit {
	int64_t enter; /* where it began, or the window's begin */
	uint32_t path;
	uint32_t row;
	bool counted; /* it began in the window */
};

struct profiler {
	const struct trace *trace;
	enum time_base base;
	enum profile_key key;
	int64_t t0, t1;
	struct profile_row *rows;
	uint32_t *open; /* [row] visits on the stack */
	VEC(struct visit) stack;
	size_t counted; /* visits on the stack that began in the window */
};

static uint32_t row_of(const struct profiler *p, uint32_t path)
{
	if (p->key == PROFILE_CALLPATH)
		return p->trace->paths.data[path].canon;
	return p->trace->sites.data[p->trace->paths.data[path].site].region;
}

static int64_t clip(const struct profiler *p, int64_t t)
{
	if (t < p->t0)
		return p->t0;
	return t > p->t1 ? p->t1 : t;
}

static void visit_begin(struct profiler *p, uint32_t path, int64_t t, bool counted)
{
	const struct visit visit = { t, path, row_of(p, path), counted };

	vec_push(&p->stack, visit);
	p->open[visit.row]++;
	p->counted += counted;
}

/* Sums over many locations may pass 64 bits where a hostile file's times lie at the limits: they stay
 * at the largest value then. */
static void add(int64_t *sum, int64_t time)
{
	if (__builtin_add_overflow(*sum, time, sum))
		*sum = INT64_MAX;
}

static void count_visit(struct profile_row *row, int64_t length)
{
	if (row->count == 0 || length < row->min)
		row->min = length;
	if (row->count == 0 || length > row->max)
		row->max = length;
	row->count++;
	add(&row->visit_sum, length);
}

static void visit_end(struct profiler *p, int64_t t)
{
	const struct visit visit = vec_pop(&p->stack);
	struct profile_row *row = &p->rows[visit.row];

	p->counted -= visit.counted;
	if (--p->open[visit.row] == 0)
		add(&row->inclusive, clip(p, t) - clip(p, visit.enter));
	if (visit.counted)
		count_visit(row, t - visit.enter);
}

/* What is open before the first event at or behind the window's begin; `enter`: since when. */
static void open_before(struct profiler *p, uint32_t path, int64_t enter, bool counted)
{
	const struct callpath *paths = p->trace->paths.data;
	uint32_t depth = paths[path].depth;
	uint32_t *levels = xmalloc(depth * sizeof *levels);

	for (uint32_t i = depth; i-- > 0; path = paths[path].parent)
		levels[i] = path;
	for (uint32_t i = 0; i < depth; i++)
		visit_begin(p, levels[i], enter, counted);
	free(levels);
}

static void mark(struct profiler *p, uint32_t site)
{
	if (p->key == PROFILE_REGION)
		count_visit(&p->rows[p->trace->sites.data[site].region], 0);
}

static void pass_event(struct profiler *p, const struct cursor *c, int64_t t, bool *traced)
{
	const uint32_t what = cursor_what(c), id = what_id(what);
	const bool inside = t < p->t1;

	switch (what_kind(what)) {
	case EV_ENTER: visit_begin(p, id, t, inside); break;
	case EV_LEAVE: {
		const uint32_t depth = p->trace->paths.data[id].depth;
		while (p->stack.n >= depth)
			visit_end(p, t);
		break;
	}
	case EV_MARK:
		if (inside)
			mark(p, id);
		break;
	case EV_TRACING_ON: *traced = true; break;
	case EV_TRACING_OFF: *traced = false; break;
	default: break;
	}
}

/* Was tracing on just before the event under the cursor? */
static bool traced_before(const struct cursor *c)
{
	bool traced = !(c->block->flags & BLOCK_NOT_TRACED);

	for (uint32_t slot = 0; slot < c->slot; slot++) {
		const enum event_kind kind = what_kind(c->block->what[slot]);
		if (kind == EV_TRACING_ON || kind == EV_TRACING_OFF)
			traced = kind == EV_TRACING_ON;
	}
	return traced;
}

/* Time goes to the innermost open visit. */
static void spend(struct profiler *p, int64_t time)
{
	if (p->stack.n > 0)
		add(&p->rows[vec_last(&p->stack)->row].exclusive, time);
	else if (p->key == PROFILE_CALLPATH)
		add(&p->rows[0].exclusive, time);
	if (p->key == PROFILE_CALLPATH)
		add(&p->rows[0].inclusive, time);
}

static void profile_location(struct profiler *p, uint32_t location)
{
	struct cursor c;
	int64_t last;
	bool traced;

	if (!cursor_seek(&c, p->trace, p->base, location, p->t0))
		return;
	traced = traced_before(&c);
	/* What is open before the location's first event began there, as far as anybody knows. */
	if (cursor_ordinal(&c) == 0) {
		last = cursor_time(&c);
		open_before(p, cursor_path_before(&c), last, last < p->t1);
	} else {
		last = p->t0;
		open_before(p, cursor_path_before(&c), last, false);
	}
	do {
		const int64_t t = cursor_time(&c);
		if (traced)
			spend(p, clip(p, t) - clip(p, last));
		last = t;
		/* Behind the window only the ends of visits that began in it matter. */
		if (t >= p->t1 && p->counted == 0)
			break;
		pass_event(p, &c, t, &traced);
	} while (cursor_next(&c));
	while (p->stack.n > 0)
		visit_end(p, last);
}

bool profile_make(struct profile *profile, const struct trace *trace, enum time_base base,
		  enum profile_key key, const uint32_t *locations, size_t n, int64_t t0, int64_t t1,
		  const struct progress *progress, struct err *err)
{
	struct profiler p = { .trace = trace, .base = base, .key = key, .t0 = t0, .t1 = t1 };
	const size_t count = locations ? n : trace->locations.n;
	bool ok = true;

	(void)err;
	profile->n =
		key == PROFILE_REGION ? trace_region_count(trace) : trace_callpath_count(trace);
	profile->rows = p.rows = xcalloc(profile->n, sizeof *profile->rows);
	p.open = xcalloc(profile->n, sizeof *p.open);
	for (size_t i = 0; i < count && ok; i++) {
		ok = progress_step(progress, "profile", i, count);
		if (ok)
			profile_location(&p, locations ? locations[i] : (uint32_t)i);
	}
	free(p.open);
	vec_fini(&p.stack);
	if (!ok)
		profile_fini(profile);
	return ok;
}

void profile_fini(struct profile *profile)
{
	free(profile->rows);
	profile->rows = NULL;
	profile->n = 0;
}
