#include "ui/timeline/picture/timeline_item.h"

#include "model/trace/copy.h"
#include "model/trace/visit_walk.h"

/* Bounds of the search, in events: for what is in a cell, for the ends of a visit, for its
 * messages. All of them together stay far below a millisecond or two. */
enum { CELL_EVENTS = 4096, END_EVENTS = 1 << 18, VISIT_EVENTS = 8192 };

/* ---- which visit ---- */

static uint32_t at_depth(const struct trace *trace, uint32_t path, unsigned depth)
{
	return depth ? callpath_at_depth(trace, path, depth) : path;
}

/* Call path that is open after an event, known before it. */
static uint32_t path_behind(const struct trace *trace, uint32_t what, uint32_t path)
{
	switch (what_kind(what)) {
	case EV_ENTER: return what_id(what);
	case EV_LEAVE: return trace_callpath(trace, what_id(what))->parent;
	default: return path;
	}
}

struct found {
	uint32_t path;
	int64_t time; /* its part of the cell */
	int64_t t0, t1;
};

static uint32_t message_of(uint32_t what)
{
	const enum event_kind kind = what_kind(what);

	return (kind == EV_SEND || kind == EV_RECV) && what_id(what) != ID_NONE ? what_id(what)
										: NO_ROW;
}

/* The longest visit in the cell, and how many there are. Parts of one visit that a child of a
 * deeper level interrupts count together only where nothing else is between. */
static struct found longest_visit(struct timeline_item *item, const struct query *query,
				  struct span cell, unsigned depth)
{
	const struct trace *trace = query->trace;
	struct cursor c;
	bool ok = cursor_seek(&c, trace, query->base, item->location, cell.t0);
	uint32_t leaf = ok ? cursor_path_before(&c)
			   : trace_path_at(trace, query->base, item->location, cell.t0);
	struct found best = { 0, -1, cell.t0, cell.t1 };
	uint32_t path = at_depth(trace, leaf, depth);
	int64_t begin = cell.t0;
	uint64_t visits = 0;
	unsigned steps = 0;

	item->more_exact = true;
	for (;;) {
		const bool end = !ok || cursor_time(&c) >= cell.t1 || steps == CELL_EVENTS;
		const int64_t t = end ? cell.t1 : cursor_time(&c);
		uint32_t next = path;

		if (!end) {
			if (item->near == NO_ROW)
				item->near = message_of(cursor_what(&c));
			leaf = path_behind(trace, cursor_what(&c), leaf);
			next = at_depth(trace, leaf, depth);
		}
		if ((end || next != path) && t > begin) {
			visits++;
			if (t - begin > best.time)
				best = (struct found){ path, t - begin, begin, t };
			begin = t;
		}
		path = next;
		if (end)
			break;
		steps++;
		ok = cursor_next(&c);
	}
	item->more = visits ? visits - 1 : 0;
	item->more_exact = steps < CELL_EVENTS;
	return best;
}

/* ---- its ends ---- */

/* The enter of a visit of `path` that is open just before event c: the last one before it, as a
 * call path cannot be open inside itself. */
static void find_enter(struct timeline_item *item, struct cursor c)
{
	const uint32_t wanted = what_make(EV_ENTER, item->path);

	for (unsigned i = 0; i < END_EVENTS; i++) {
		if (cursor_what(&c) == wanted) {
			item->enter = c.id;
			item->t0 = cursor_time(&c);
			item->t0_known = true;
			return;
		}
		if (!cursor_prev(&c))
			return;
	}
	item->t0 = cursor_time(&c);
}

/* The event that ends it, at or after c: its leave, or that of something around it. */
static void find_leave(struct timeline_item *item, const struct trace *trace, struct cursor c)
{
	const uint32_t depth = trace_callpath(trace, item->path)->depth;

	for (unsigned i = 0; i < END_EVENTS; i++) {
		const uint32_t what = cursor_what(&c);

		if (what_kind(what) == EV_LEAVE &&
		    trace_callpath(trace, what_id(what))->depth <= depth) {
			item->leave = c.id;
			item->t1 = cursor_time(&c);
			item->t1_known = true;
			return;
		}
		if (!cursor_next(&c))
			return;
	}
	item->t1 = cursor_time(&c);
}

static void find_ends(struct timeline_item *item, const struct query *query, int64_t t)
{
	struct cursor c;

	/* The first event after t: what is open at t was entered before it. */
	if (t < INT64_MAX && cursor_seek(&c, query->trace, query->base, item->location, t + 1)) {
		find_leave(item, query->trace, c);
		if (cursor_prev(&c))
			find_enter(item, c);
	} else if (cursor_last(&c, query->trace, query->base, item->location)) {
		item->t1 = cursor_time(&c);
		find_enter(item, c);
	}
}

/* ---- its messages and collective ---- */

static void note_event(struct timeline_item *item, uint32_t what)
{
	const uint32_t id = what_id(what);

	switch (what_kind(what)) {
	case EV_SEND:
	case EV_RECV:
	case EV_RECV_REQUEST:
	case EV_SEND_COMPLETE:
		if (id == ID_NONE)
			break;
		if (item->message == NO_ROW)
			item->message = id;
		item->messages++;
		break;
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END:
		if (id != ID_NONE && item->member == NO_ROW)
			item->member = id;
		break;
	default: break;
	}
}

static void find_hits(struct timeline_item *item, const struct query *query)
{
	const struct trace *trace = query->trace;
	struct cursor c;

	/* What a user's function calls is shown where it is called. */
	if (item->enter == EVENT_NONE || trace_callpath_class(trace, item->path) == CLASS_USER)
		return;
	cursor_at(&c, trace, query->base, item->enter);
	for (unsigned i = 0; i < VISIT_EVENTS && c.id != item->leave; i++) {
		note_event(item, cursor_what(&c));
		if (!cursor_next(&c))
			break;
	}
}

/* Recording may have been off for a time (tview_off()), inside regions, too. */
static bool is_traced(const struct timeline_item *item, const struct query *query, uint32_t event)
{
	const struct location *l = trace_location(query->trace, item->location);
	struct cursor c;
	int64_t t;

	if (event != EVENT_NONE)
		return trace_event_traced(query->trace, event);
	if (item->t1 <= l->begin || item->t0 >= l->end)
		return false;
	t = item->t0 < l->begin ? l->begin : item->t0;
	return t == INT64_MAX ||
	       !cursor_seek(&c, query->trace, query->base, item->location, t + 1) ||
	       !cursor_prev(&c) || trace_event_traced(query->trace, c.id);
}

static void find_copy(struct timeline_item *item, const struct query *query, struct span cell)
{
	struct copy_query q;

	copies_of_location(&q, query->trace, query->base, item->location, cell.t0, cell.t1);
	if (!copy_query_next(&q, &item->copy))
		item->copy = NO_ROW;
}

void timeline_item_find(struct timeline_item *item, const struct query *query, uint32_t location,
			const struct time_scale *scale, int64_t column, uint32_t event,
			unsigned depth)
{
	const struct trace *trace = query->trace;
	struct found found = { 0 };

	*item = (struct timeline_item){ .location = location,
					.enter = EVENT_NONE,
					.leave = EVENT_NONE,
					.message = NO_ROW,
					.near = NO_ROW,
					.member = NO_ROW,
					.copy = NO_ROW,
					.event = event,
					.more_exact = true };
	if (location >= trace_location_count(trace))
		return;
	item->known = true;
	if (event != EVENT_NONE) {
		found.t0 = found.t1 = trace_event_time(trace, query->base, event);
		found.path = at_depth(trace, trace_event_path(trace, event), depth);
		note_event(item, trace_event_what(trace, event));
		item->copy = trace_copy_of(trace, event);
	} else {
		const int last = scale->n - 1;
		const int x = column < 0 ? 0 : column > last ? last : (int)column;

		find_copy(item, query, time_scale_window(scale, x));
		found = longest_visit(item, query, time_scale_window(scale, x), depth);
	}
	item->path = found.path;
	item->t0 = found.t0;
	item->t1 = found.t1;
	item->traced = is_traced(item, query, event);
	if (item->path == 0)
		return;
	if (event == EVENT_NONE) {
		find_ends(item, query, found.t0);
	} else {
		struct cursor c;

		cursor_at(&c, trace, query->base, event);
		find_enter(item, c);
		if (item->enter != event || cursor_next(&c))
			find_leave(item, trace, c);
	}
	if (item->message == NO_ROW && item->member == NO_ROW)
		find_hits(item, query);
}
