#include "views/facts/calls_choose.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/trace/visit_walk.h"
#include "views/facts/wait_find.h"
#include "views/query/view_common.h"

/* Events between two looks at the progress. */
enum { LOOK = 1 << 16 };

/* A call with what it is ordered by, the smaller first. */
struct candidate {
	int64_t key;
	struct call call;
};

/* An open call, with the time of the calls inside that have ended. */
struct open_call {
	uint32_t enter; /* EVENT_NONE: before the first event */
	uint32_t path;
	int64_t begin, inside;
	bool before; /* it began before the window: more is inside than was seen */
};

struct choosing {
	const struct call_source *source;
	const struct query *query;
	const struct calls_wish *wish;
	struct calls *calls;
	bool by_visit;   /* the filter has to be asked for each visit */
	uint32_t *names; /* [regions] their order by name; NULL: not asked for */
	int64_t bins[CALLS_BINS];
	VEC(struct open_call) open;
	VEC(struct candidate) best; /* at most twice as many as are wanted */
	bool full;                  /* there were more than are wanted: */
	struct candidate last;      /* what comes after it is not among the first */
	uint64_t done, all;         /* events */
	bool stopped;
};

ORDERING(compare_calls, struct call, begin, location, enter)

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	ORDER_BY(x->key, y->key);
	return compare_calls(&x->call, &y->call);
}

/* ---- keys ---- */

struct named {
	const char *name;
	uint32_t region;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	return order ? order : ORDER(x->region, y->region);
}

/* [regions] where their names are in the alphabet, the same for equal ones. The caller frees it. */
static uint32_t *order_names(const struct trace *trace)
{
	const uint32_t n = trace_region_count(trace);
	OWNED struct named *named = xcalloc((size_t)n + 1, sizeof *named);
	uint32_t *order = xcalloc((size_t)n + 1, sizeof *order);

	for (uint32_t i = 0; i < n; i++)
		named[i] = (struct named){ trace_region_name(trace, i), i };
	SORT(named, n, by_name);
	for (uint32_t i = 1; i < n; i++)
		order[named[i].region] = order[named[i - 1].region] +
					 (strcmp(named[i].name, named[i - 1].name) != 0);
	return order;
}

static int64_t key_of(const struct choosing *c, const struct call *call)
{
	const struct trace *trace = c->source->trace;

	switch (c->wish->order) {
	case CALLS_DURATION: return call->end - call->begin;
	case CALLS_EXCLUSIVE: return call->exclusive;
	case CALLS_WAITING:
		return c->wish->analysis ? waits_of_visit(c->wish->analysis, call->location,
							  call->path, call->begin, call->end)
						   .length
					 : 0;
	case CALLS_BYTES:
		return (int64_t)(call_traffic(c->source, call).bytes + 1); /* unknown: 0 */
	case CALLS_RANK: return trace_location(trace, call->location)->rank;
	case CALLS_REGION: return c->names[trace_callpath_region(trace, call->path)];
	default: return call->begin;
	}
}

/* ---- the first ones ---- */

/* Keeps as many as are wanted. */
static void drop_last(struct choosing *c)
{
	vec_sort(&c->best, compare);
	if (c->best.n > c->wish->most) {
		c->best.n = c->wish->most;
		c->full = true;
	}
	if (c->full && c->best.n)
		c->last = *vec_last(&c->best);
}

static bool is_asked_for(const struct choosing *c, uint32_t enter, uint32_t path, uint32_t location)
{
	const struct query *q = c->query;

	if (c->wish->region != UINT32_MAX &&
	    trace_callpath_region(q->trace, path) != c->wish->region)
		return false;
	return c->by_visit ? filter_event(q->filter, q->base, enter)
			   : filter_callpath(q->filter, location, path);
}

static void count(struct choosing *c, int64_t duration)
{
	size_t low = 0, high = CALLS_BINS;

	BISECT(low, high, i, c->bins[i] <= duration);
	c->calls->bins[low ? low - 1 : 0]++;
}

static void take(struct choosing *c, const struct call *call)
{
	const int64_t duration = call->end - call->begin;
	struct candidate candidate;

	if (!is_asked_for(c, call->enter, call->path, call->location))
		return;
	count(c, duration);
	if (duration < c->wish->shortest || duration > c->wish->longest)
		return;
	c->calls->matching++;
	candidate = (struct candidate){ key_of(c, call), *call };
	if (c->wish->descending)
		candidate.key = ~candidate.key; /* -key overflows */
	if (c->wish->most == 0 || (c->full && compare(&candidate, &c->last) >= 0))
		return;
	vec_push(&c->best, candidate);
	if (c->best.n >= 2 * c->wish->most)
		drop_last(c);
}

/* ---- the calls of a location ---- */

static void open_call(struct choosing *c, uint32_t enter, uint32_t path, bool before)
{
	const int64_t begin = enter == EVENT_NONE
				      ? 0
				      : trace_event_time(c->source->trace, c->source->base, enter);

	vec_push(&c->open, ((struct open_call){ enter, path, begin, 0, before }));
}

/* Those that are open where the window begins. */
static void open_before(struct choosing *c, uint32_t location)
{
	struct call_enters enters = { VEC_INIT };
	const uint32_t path = calls_open_before(c->source, location, c->query->t0, &enters);

	for (uint32_t d = 1; d <= enters.list.n; d++)
		open_call(c, enters.list.data[d - 1], callpath_at_depth(c->source->trace, path, d),
			  true);
	vec_fini(&enters.list);
}

/* A call ends, with this leave. */
static void close_call(struct choosing *c, const struct cursor *at)
{
	const struct open_call o = vec_pop(&c->open);
	struct call call = { o.enter, at->id, at->location, o.path, o.begin, cursor_time(at), 0 };

	if (c->open.n)
		vec_last(&c->open)->inside += call.end - call.begin;
	if (o.enter == EVENT_NONE)
		return;
	call.exclusive =
		o.before ? call_exclusive(c->source, &call) : call.end - call.begin - o.inside;
	take(c, &call);
}

/* The window ends inside of a call. */
static void cut_call(struct choosing *c)
{
	const struct open_call o = vec_pop(&c->open);
	struct call call;

	if (o.enter == EVENT_NONE)
		return;
	call = call_of(c->source, o.enter);
	call.exclusive = call_exclusive(c->source, &call);
	take(c, &call);
}

static void step(struct choosing *c, const struct visit_walk *w)
{
	const struct trace *trace = c->source->trace;

	if (++c->done % LOOK == 0)
		c->stopped = !progress_step(c->query->progress, "listing calls", c->done, c->all);
	if (visit_walk_kind(w) == EV_ENTER)
		open_call(c, w->c.id, what_id(w->what), false);
	else if (visit_walk_kind(w) == EV_LEAVE)
		for (const uint32_t depth = trace_callpath(trace, what_id(w->what))->depth;
		     c->open.n >= depth && c->open.n;)
			close_call(c, &w->c);
}

static void choose_of(struct choosing *c, uint32_t location)
{
	const struct query *q = c->query;
	struct visit_walk w;
	bool ok = visit_walk_begin(&w, q->trace, q->base, location, q->t0, q->t1);

	c->open.n = 0;
	open_before(c, location);
	for (; ok && !c->stopped; ok = visit_walk_next(&w))
		step(c, &w);
	while (c->open.n && !c->stopped)
		cut_call(c);
}

/* ---- the query ---- */

static const int mantissa[] = { 1, 2, 5 };

int64_t calls_bin_from(const struct trace *trace, unsigned bin)
{
	return units_ticks(mantissa[bin % 3], (int)(bin / 3) - 9, trace_scale(trace));
}

void calls_bin_name(unsigned bin, struct str *out)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned power = bin / 3;
	const unsigned unit = power / 3 < 3 ? power / 3 : 3;
	int value = mantissa[bin % 3];

	for (power -= 3 * unit; power > 0; power--)
		value *= 10;
	str_add_fmt(out, "%d %s", value, units[unit]);
}

bool calls_choose(struct calls *calls, const struct call_source *source, const struct query *query,
		  const struct calls_wish *wish)
{
	struct choosing c = { .source = source,
			      .query = query,
			      .wish = wish,
			      .calls = calls,
			      .by_visit = filter_by_visit(query->filter),
			      .all = trace_event_count(query->trace) };

	*calls = (struct calls){ .matching = 0 };
	if (wish->order == CALLS_REGION)
		c.names = order_names(query->trace);
	for (unsigned i = 0; i < CALLS_BINS; i++)
		c.bins[i] = calls_bin_from(query->trace, i);
	for (uint32_t i = 0; i < query_location_count(query) && !c.stopped; i++)
		choose_of(&c, query_location(query, i));
	drop_last(&c);
	for (size_t i = 0; i < c.best.n; i++)
		vec_push(&calls->chosen, c.best.data[i].call);
	vec_fini(&c.best);
	vec_fini(&c.open);
	free(c.names);
	if (c.stopped)
		calls_fini(calls);
	return !c.stopped;
}

void calls_fini(struct calls *calls)
{
	vec_fini(&calls->chosen);
	*calls = (struct calls){ .matching = 0 };
}
