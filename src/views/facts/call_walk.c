#include "views/facts/call_walk.h"

#include "base/order.h"

/* Handles of calls from before the window follow those of events. */
#define BEFORE ((uint64_t)EVENT_NONE + 1)

static bool matches(const struct call_walk *w, uint32_t enter, uint32_t location, uint32_t path)
{
	const struct query *q = w->query;

	return w->by_visit ? filter_event(q->filter, q->base, enter)
			   : filter_callpath(q->filter, location, path);
}

/* From the current event on. */
static uint64_t next_call(struct call_walk *w, bool ok)
{
	for (; ok; ok = event_merge_next(&w->merge)) {
		const struct cursor *c = event_merge_cursor(&w->merge);
		const uint32_t what = cursor_what(c);
		if (what_kind(what) == EV_ENTER && matches(w, c->id, c->location, what_id(what)))
			return c->id;
	}
	return ROW_NONE;
}

uint64_t call_walk_first(struct call_walk *w)
{
	return w->before.n ? BEFORE : next_call(w, event_merge_first(&w->merge));
}

uint64_t call_walk_next(struct call_walk *w, uint64_t row)
{
	if (row < BEFORE)
		return next_call(w, event_merge_next(&w->merge));
	return ++row - BEFORE < w->before.n ? row : next_call(w, event_merge_first(&w->merge));
}

struct call call_walk_call(const struct call_walk *w, uint64_t row)
{
	struct call call;

	if (row >= BEFORE)
		return w->before.data[row - BEFORE].call;
	call = call_of(&w->source, (uint32_t)row);
	call.exclusive = call_exclusive(&w->source, &call);
	return call;
}

static struct row_key key_of_call(const struct query *q, uint32_t enter)
{
	const uint32_t id = trace_event_location(q->trace, enter);
	const struct location *l = trace_location(q->trace, id);

	return (struct row_key){ { trace_event_time(q->trace, q->base, enter), l->rank, l->thread,
				   l->process, id } };
}

struct row_key call_walk_key(const struct call_walk *w, uint64_t row)
{
	return row < BEFORE ? key_of_call(w->query, (uint32_t)row)
			    : w->before.data[row - BEFORE].key;
}

uint64_t call_walk_most(const struct call_walk *w)
{
	return w->before.n + w->merge.events;
}

static int by_place(const void *a, const void *b)
{
	const struct placed_call *x = a, *y = b;

	for (unsigned i = 0; i < ROW_KEYS; i++)
		ORDER_BY(x->key.of[i], y->key.of[i]);
	return ORDER(x->call.enter, y->call.enter);
}

static void add_before(struct call_walk *w, uint32_t location)
{
	struct call_enters enters = { VEC_INIT };
	const uint32_t *enter;

	calls_open_before(&w->source, location, w->query->t0, &enters);
	vec_each (enter, &enters.list) {
		struct placed_call p;
		if (*enter == EVENT_NONE)
			continue;
		p.call = call_of(&w->source, *enter);
		if (!matches(w, *enter, location, p.call.path))
			continue;
		p.call.exclusive = call_exclusive(&w->source, &p.call);
		p.key = key_of_call(w->query, *enter);
		vec_push(&w->before, p);
	}
	vec_fini(&enters.list);
}

void call_walk_init(struct call_walk *w, const struct query *query)
{
	*w = (struct call_walk){ .query = query };
	call_source_init(&w->source, query);
	w->by_visit = filter_by_visit(query->filter);
	event_merge_init(&w->merge, query);
	for (uint32_t i = 0; i < query_location_count(query); i++)
		add_before(w, query_location(query, i));
	vec_sort(&w->before, by_place);
}

void call_walk_fini(struct call_walk *w)
{
	vec_fini(&w->before);
	event_merge_fini(&w->merge);
	call_source_fini(&w->source);
}
