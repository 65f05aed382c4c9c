#include "views/facts/calls_choose.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/visit_walk.h"
#include "views/facts/wait_find.h"
#include "views/query/view_common.h"

/* Events between two looks at the clock. */
enum { LOOK = 1 << 12 };

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

struct calls_choice {
	const struct call_source *source;
	struct query query;
	struct calls_wish wish;
	uint64_t matching, counts[CALLS_BINS]; /* as in struct calls */
	bool by_visit;                         /* the filter has to be asked for each visit */
	uint32_t *names; /* [regions] their order by name; NULL: not asked for */
	int64_t bins[CALLS_BINS];
	VEC(struct open_call) open;
	VEC(struct candidate) best; /* at most twice as many as are wanted */
	bool full;                  /* there were more than are wanted: */
	struct candidate last;      /* what comes after it is not among the first */
	uint64_t done, all;         /* events */
	uint32_t next;              /* location, by its place in the query */
	struct visit_walk walk;     /* where it is on the one before */
	bool inside;                /* it is on one */
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

static int64_t key_of(const struct calls_choice *c, const struct call *call)
{
	const struct trace *trace = c->source->trace;

	switch (c->wish.order) {
	case CALLS_DURATION: return call->end - call->begin;
	case CALLS_EXCLUSIVE: return call->exclusive;
	case CALLS_WAITING:
		return c->wish.analysis ? waits_of_visit(c->wish.analysis, call->location,
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
static void drop_last(struct calls_choice *c)
{
	vec_sort(&c->best, compare);
	if (c->best.n > c->wish.most) {
		c->best.n = c->wish.most;
		c->full = true;
	}
	if (c->full && c->best.n)
		c->last = *vec_last(&c->best);
}

static bool is_asked_for(const struct calls_choice *c, uint32_t enter, uint32_t path,
			 uint32_t location)
{
	const struct query *q = &c->query;

	if (c->wish.region != UINT32_MAX && trace_callpath_region(q->trace, path) != c->wish.region)
		return false;
	return c->by_visit ? filter_event(q->filter, q->base, enter)
			   : filter_callpath(q->filter, location, path);
}

static void count(struct calls_choice *c, int64_t duration)
{
	size_t low = 0, high = CALLS_BINS;

	BISECT(low, high, i, c->bins[i] <= duration);
	c->counts[low ? low - 1 : 0]++;
}

static void take(struct calls_choice *c, const struct call *call)
{
	const int64_t duration = call->end - call->begin;
	struct candidate candidate;

	if (!is_asked_for(c, call->enter, call->path, call->location))
		return;
	count(c, duration);
	if (duration < c->wish.shortest || duration > c->wish.longest)
		return;
	c->matching++;
	candidate = (struct candidate){ key_of(c, call), *call };
	if (c->wish.descending)
		candidate.key = ~candidate.key; /* -key overflows */
	if (c->wish.most == 0 || (c->full && compare(&candidate, &c->last) >= 0))
		return;
	vec_push(&c->best, candidate);
	if (c->best.n >= 2 * c->wish.most)
		drop_last(c);
}

/* ---- the calls of a location ---- */

static void open_call(struct calls_choice *c, uint32_t enter, uint32_t path, bool before)
{
	const int64_t begin = enter == EVENT_NONE
				      ? 0
				      : trace_event_time(c->source->trace, c->source->base, enter);

	vec_push(&c->open, ((struct open_call){ enter, path, begin, 0, before }));
}

/* Those that are open where the window begins. */
static void open_before(struct calls_choice *c, uint32_t location)
{
	struct call_enters enters = { VEC_INIT };
	const uint32_t path = calls_open_before(c->source, location, c->query.t0, &enters);
	OWNED uint32_t *chain = callpath_chain(c->source->trace, path);

	for (uint32_t d = 0; d < enters.list.n; d++)
		open_call(c, enters.list.data[d], chain[d], true);
	vec_fini(&enters.list);
}

/* A call ends, with this leave. */
static void close_call(struct calls_choice *c, const struct cursor *at)
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
static void cut_call(struct calls_choice *c)
{
	const struct open_call o = vec_pop(&c->open);
	struct call call;

	if (o.enter == EVENT_NONE)
		return;
	call = call_of(c->source, o.enter);
	call.exclusive = call_exclusive(c->source, &call);
	take(c, &call);
}

static void step(struct calls_choice *c)
{
	const struct visit_walk *w = &c->walk;

	c->done++;
	if (visit_walk_kind(w) == EV_ENTER)
		open_call(c, w->c.id, what_id(w->what), false);
	else if (visit_walk_kind(w) == EV_LEAVE)
		for (const uint32_t depth = w->paths[what_id(w->what)].depth;
		     c->open.n >= depth && c->open.n;)
			close_call(c, &w->c);
}

/* The next location; false: that was the last one. */
static bool begin_location(struct calls_choice *c)
{
	const struct query *q = &c->query;
	uint32_t location;

	if (c->next >= query_location_count(q))
		return false;
	location = query_location(q, c->next++);
	c->open.n = 0;
	open_before(c, location);
	c->inside = visit_walk_begin(&c->walk, q->trace, q->base, location, q->t0, q->t1);
	return true;
}

static void end_location(struct calls_choice *c)
{
	while (c->open.n)
		cut_call(c);
	c->inside = false;
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

struct calls_choice *calls_choice_new(const struct call_source *source, const struct query *query,
				      const struct calls_wish *wish)
{
	struct calls_choice *c = xcalloc(1, sizeof *c);

	*c = (struct calls_choice){ .source = source,
				    .query = *query,
				    .wish = *wish,
				    .by_visit = filter_by_visit(query->filter) };
	for (uint32_t i = 0; i < query_location_count(query); i++)
		c->all += trace_location(query->trace, query_location(query, i))->events;
	if (wish->order == CALLS_REGION)
		c->names = order_names(query->trace);
	for (unsigned i = 0; i < CALLS_BINS; i++)
		c->bins[i] = calls_bin_from(query->trace, i);
	return c;
}

void calls_choice_free(struct calls_choice *c)
{
	if (!c)
		return;
	vec_fini(&c->best);
	vec_fini(&c->open);
	free_all(c->names, c);
}

bool calls_choice_work(struct calls_choice *c, int64_t nanoseconds)
{
	const int64_t deadline = clock_cpu_ns() + nanoseconds;

	for (unsigned i = 1; i % LOOK != 0 || clock_cpu_ns() < deadline; i++) {
		if (!c->inside && !begin_location(c))
			return false;
		if (c->inside) {
			step(c);
			c->inside = visit_walk_next(&c->walk);
		}
		if (!c->inside)
			end_location(c);
	}
	return true;
}

double calls_choice_done(const struct calls_choice *c)
{
	return c->done < c->all ? (double)c->done / (double)c->all : 1;
}

void calls_choice_take(struct calls_choice *c, struct calls *calls)
{
	drop_last(c);
	calls->matching = c->matching;
	memcpy(calls->bins, c->counts, sizeof c->counts);
	calls->chosen.n = 0;
	for (size_t i = 0; i < c->best.n; i++)
		vec_push(&calls->chosen, c->best.data[i].call);
}

void calls_fini(struct calls *calls)
{
	vec_fini(&calls->chosen);
	*calls = (struct calls){ .matching = 0 };
}
