#include "model/trace/visit_walk.h"

#include "base/mem.h"
#include "model/trace/store.h"

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

/* The cursor is on the first event. */
static bool begin(struct visit_walk *w, int64_t from)
{
	w->paths = trace_callpath(w->c.trace, 0);
	w->from = w->to = from;
	w->next = w->path = cursor_path_before(&w->c);
	w->traced_next = w->traced = traced_before(&w->c);
	w->time = cursor_time(&w->c);
	if (w->time >= w->t1 && !w->all)
		return visit_walk_end(w);
	w->to = visit_walk_clip(w, w->time);
	visit_walk_see(w);
	return true;
}

void visit_walk_leaves(const struct trace *trace, struct cursor c, uint32_t *leaves, uint32_t depth)
{
	uint32_t left = depth;

	for (uint32_t i = 0; i < depth; i++)
		leaves[i] = EVENT_NONE;
	for (bool ok = left > 0; ok && left > 0; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		uint32_t at;
		if (what_kind(what) != EV_LEAVE)
			continue;
		at = trace_callpath(trace, what_id(what))->depth;
		if (at > left)
			continue;
		leaves[at - 1] = c.id;
		left = at - 1;
	}
}

bool visit_walk_begin(struct visit_walk *w, const struct trace *trace, enum time_base base,
		      uint32_t location, int64_t t0, int64_t t1)
{
	int64_t first;

	*w = (struct visit_walk){ .t0 = t0, .t1 = t1 };
	if (!cursor_first(&w->c, trace, base, location))
		return false;
	first = cursor_time(&w->c);
	if (first >= t0)
		return first < t1 && begin(w, first);
	return cursor_seek(&w->c, trace, base, location, t0) && begin(w, t0);
}

bool visit_walk_begin_all(struct visit_walk *w, const struct trace *trace, enum time_base base,
			  uint32_t location, int64_t t0, int64_t t1)
{
	*w = (struct visit_walk){ .t0 = t0, .t1 = t1, .all = true };
	return cursor_first(&w->c, trace, base, location) &&
	       begin(w, visit_walk_clip(w, cursor_time(&w->c)));
}

bool visit_walk_end(struct visit_walk *w)
{
	w->at_end = true;
	w->time = w->to = w->t1;
	return w->to > w->from;
}

uint32_t callpath_at_depth(const struct trace *trace, uint32_t path, uint32_t depth)
{
	while (trace_callpath(trace, path)->depth > depth)
		path = trace_callpath(trace, path)->parent;
	return path;
}

uint32_t *callpath_chain(const struct trace *trace, uint32_t path)
{
	const uint32_t depth = trace_callpath(trace, path)->depth;
	uint32_t *chain = xmalloc(((size_t)depth + 1) * sizeof *chain);

	for (uint32_t d = depth; d > 0; d--) {
		chain[d - 1] = path;
		path = trace_callpath(trace, path)->parent;
	}
	return chain;
}
