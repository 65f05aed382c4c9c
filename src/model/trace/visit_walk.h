/* visit_walk: the iterator over the open call paths of a location. Each step is an event, with the
 * stretch of time before it: the call path that was open in it, and whether the location was
 * traced.
 *
 *	struct visit_walk w;
 *	for (bool ok = visit_walk_begin(&w, trace, base, location, t0, t1); ok;
 *	     ok = visit_walk_next(&w)) {
 *		if (w.traced)
 *			time[w.path] += w.to - w.from;
 *		switch (visit_walk_kind(&w)) {
 *		case EV_ENTER: visits[w.next]++; break;
 *		case EV_LEAVE: ...
 *
 * Stretches are within the window [t0, t1), follow each other without gaps, and go from the
 * location's first event to its last. An event at t0 is a step, one at t1 is not; where an event at
 * or after t1 exists, a last step without event (`at_end`) has the stretch up to t1.
 *
 * An enter opens one call path, a child of the one that was open; a leave may close several, and
 * leaves `next` open. A call path that is open before the first event is taken as begun there.
 *
 * visit_walk_begin_all() begins at the location's first event and goes on after t1 until the caller
 * stops: for callers that need the ends of visits, too. Only its stretches are clipped to the
 * window.
 *
 * O(log events) to begin, O(1) for a step, no allocation; it reads the trace alone. */
#pragma once

#include "model/trace/trace.h"

struct visit_walk {
	struct cursor c;              /* the event; not valid at_end */
	const struct callpath *paths; /* the trace's, by id */
	int64_t t0, t1;               /* the window, ticks */
	int64_t from, to;             /* ticks: the stretch before the event, in the window */
	int64_t time;                 /* ticks: of the event, = to but for visit_walk_begin_all() */
	uint32_t what;                /* of the event, see event.h */
	uint32_t path;                /* open in the stretch, 0 none */
	uint32_t next;                /* open after the event, 0 none */
	bool traced;                  /* in the stretch */
	bool traced_next;             /* after the event */
	bool at_end;                  /* the window ends here: there is no event */
	bool all;                     /* made by visit_walk_begin_all() */
};

/* False: the window has no stretch and no event. */
bool visit_walk_begin(struct visit_walk *walk, const struct trace *trace, enum time_base base,
		      uint32_t location, int64_t t0, int64_t t1);
bool visit_walk_begin_all(struct visit_walk *walk, const struct trace *trace, enum time_base base,
			  uint32_t location, int64_t t0, int64_t t1);
/* The step at the window's end; for visit_walk_next(). */
bool visit_walk_end(struct visit_walk *walk);

/* The events that leave what is open before the cursor's event: leaves[depth - 1], EVENT_NONE
 * unknown; `depth` is how many are open. O(events up to the last of them). */
void visit_walk_leaves(const struct trace *trace, struct cursor c, uint32_t *leaves,
		       uint32_t depth);

/* The ancestor of `path` at a depth, 1 the outermost. O(depth). */
uint32_t callpath_at_depth(const struct trace *trace, uint32_t path, uint32_t depth);
/* All of them, the outermost first, and the path itself: as many as its depth. For free().
 * O(depth). */
uint32_t *callpath_chain(const struct trace *trace, uint32_t path);

static inline int64_t visit_walk_clip(const struct visit_walk *w, int64_t t)
{
	if (t < w->t0)
		return w->t0;
	return t > w->t1 ? w->t1 : t;
}

/* The kind of the step's event; at the end EV_KINDS. */
static inline enum event_kind visit_walk_kind(const struct visit_walk *w)
{
	return w->at_end ? EV_KINDS : what_kind(w->what);
}

/* Updates call path and tracing by the cursor's event. */
static inline void visit_walk_see(struct visit_walk *w)
{
	w->what = cursor_what(&w->c);
	switch (what_kind(w->what)) {
	case EV_ENTER: w->next = what_id(w->what); break;
	case EV_LEAVE: w->next = w->paths[what_id(w->what)].parent; break;
	case EV_TRACING_ON: w->traced_next = true; break;
	case EV_TRACING_OFF: w->traced_next = false; break;
	default: break;
	}
}

static inline bool visit_walk_next(struct visit_walk *w)
{
	w->path = w->next;
	w->traced = w->traced_next;
	w->from = w->to;
	if (w->at_end || !cursor_next(&w->c))
		return false;
	w->time = cursor_time(&w->c);
	if (w->time >= w->t1 && !w->all)
		return visit_walk_end(w);
	w->to = visit_walk_clip(w, w->time);
	visit_walk_see(w);
	return true;
}

/* Goes to the next event at which call path or tracing change, the last event, or the end of the
 * window, and joins the stretches between. */
static inline bool visit_walk_next_change(struct visit_walk *w)
{
	const int64_t from = w->to;

	if (w->at_end)
		return false;
	while (visit_walk_next(w)) {
		w->from = from;
		if (w->at_end || what_kind(w->what) <= EV_LEAVE || w->traced_next != w->traced)
			return true;
	}
	w->from = from;
	w->at_end = true;
	return w->to > from;
}
