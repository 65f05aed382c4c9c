/* The walk backwards in time. */
#include "patterns/causes/critical.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"

/* The MPI_Finalize of this process' locations that was entered last. */
static bool find_finalize(const struct points *p, struct critical_piece *end)
{
	bool found = false;

	for (uint32_t l = 0; l < p->locations; l++)
		for (size_t i = p->of[l].n; i-- > 1;)
			if (p->of[l].data[i].finalize) {
				const struct point *point = &p->of[l].data[i];
				if (!found || point->en > end->t1)
					*end = (struct critical_piece){ .location = l,
									.to = (uint32_t)i,
									.t1 = point->en };
				found = true;
				break;
			}
	return found;
}

/* Their last event. */
static bool find_last(const struct trace *trace, enum time_base base, const struct points *p,
		      struct critical_piece *end)
{
	bool found = false;

	for (uint32_t l = 0; l < p->locations; l++) {
		struct cursor c;
		if (cursor_last(&c, trace, base, l) && (!found || cursor_time(&c) > end->t1)) {
			*end = (struct critical_piece){ .location = l,
							.to = (uint32_t)p->of[l].n,
							.t1 = cursor_time(&c) };
			found = true;
		}
	}
	return found;
}

/* The latest end of all processes, of those the lowest location. */
static bool latest(const struct trace *trace, bool found, struct critical_piece *end)
{
	struct exchange *x = trace_exchange(trace);
	struct exchange_parts all;
	bool any = false;

	if (!x)
		return found;
	x->gather(x, end, found ? sizeof *end : 0, &all);
	for (uint32_t p = 0; p < x->processes; p++) {
		const struct critical_piece *of =
			(const struct critical_piece *)(const void *)(all.data + all.first[p]);
		if (all.first[p] == all.first[p + 1])
			continue;
		if (!any || of->t1 > end->t1 || (of->t1 == end->t1 && of->location < end->location))
			*end = *of;
		any = true;
	}
	exchange_parts_fini(&all);
	return any;
}

/* Where the path ends: in the MPI_Finalize that was entered last, else at the last event of the
 * trace. */
static bool find_end(const struct trace *trace, enum time_base base, const struct points *p,
		     struct critical_piece *end)
{
	return latest(trace, find_finalize(p, end), end) ||
	       latest(trace, find_last(trace, base, p, end), end);
}

/* The last point before `to` at which the location waited for a known point, and that point.
 * `budget`: points that may still be looked at; in a trace that contradicts itself they may form a
 * cycle. */
static uint32_t wait_before(const struct points *p, uint32_t location, uint32_t to,
			    uint64_t *budget, uint32_t *other, uint32_t *match)
{
	while (to-- > 1 && *budget > 0) {
		const struct point *point = &p->of[location].data[to];
		--*budget;
		if (point->w <= 0 || point->finalize)
			continue;
		*match = points_match(p, point, other, NULL);
		if (*match != POINT_NONE)
			return to;
	}
	return 0;
}

/* The beginning: the first point where it is MPI_Init's, else the first event. */
static uint32_t find_begin(const struct points *p, uint32_t location, uint32_t to)
{
	for (uint32_t i = 1; i < p->of[location].n && i <= to; i++)
		if (p->of[location].data[i].init)
			return i;
	return 0;
}

/* Makes each stretch begin where the one before ends. Where the walk overlaps itself within a call
 * that met several others, the overlap is removed from the later stretches: such time counts once,
 * for the location that was on the path first. If the waiter continued a little after the event
 * that it waited for (ranks that leave a collective late), that time is the waiter's. */
static void straighten(struct path_stretch *path, size_t n)
{
	const int64_t end = n ? path[n - 1].to : 0;
	int64_t now = 0;

	for (size_t i = 0; i < n; i++) {
		struct path_stretch *s = &path[i];
		s->from = i > 0 ? now : s->from < end ? s->from : end;
		s->to = s->to < end ? s->to : end;
		now = s->to = s->to > s->from ? s->to : s->from;
	}
}

/* A walk through the locations of this process, until the path leaves it. */
struct path_walk {
	const struct trace *trace;
	const struct points *points;
	struct critical_piece now;
	uint64_t budget;
	bool more;
};

/* The stretch that ends at now.to; then goes on at the one that was waited for. */
static void take_stretch(struct path_walk *w, struct critical *c)
{
	const struct points *points = w->points;
	uint32_t next = POINT_NONE, other = 0;
	const uint32_t row =
		wait_before(points, w->now.location, w->now.to, &w->budget, &other, &next);
	const struct point *point = &points->of[w->now.location].data[row];

	w->more = row > 0;
	w->now.from = w->more ? row : find_begin(points, w->now.location, w->now.to);
	w->now.t0 = points->of[w->now.location].data[w->now.from].en + (w->more ? point->w : 0);
	vec_push(c, w->now);
	w->now.nth++;
	w->now.location = other;
	w->now.to = next;
}

/* The path so far, for the process that has the next location. */
struct path_token {
	uint64_t holds, location, to, nth, budget, more;
};

/* Hands the path on: all processes get the token of the one that has just walked. */
static void hand_on(struct path_walk *w, bool walked)
{
	struct exchange *x = trace_exchange(w->trace);
	struct path_token token = { walked,     w->now.location, w->now.to,
				    w->now.nth, w->budget,       w->more };
	struct exchange_parts all;

	x->gather(x, &token, sizeof token, &all);
	for (uint32_t p = 0; p < x->processes; p++) {
		const struct path_token *of =
			(const struct path_token *)(const void *)(all.data + all.first[p]);
		if (of->holds)
			token = *of;
	}
	exchange_parts_fini(&all);
	w->now.location = (uint32_t)token.location;
	w->now.to = (uint32_t)token.to;
	w->now.nth = token.nth;
	w->budget = token.budget;
	w->more = token.more;
}

static void walk(struct path_walk *w, struct critical *c)
{
	bool first = true;

	while (w->more) {
		const bool here = trace_has_location(w->trace, w->now.location);
		while (w->more && trace_has_location(w->trace, w->now.location)) {
			if (!first)
				w->now.t1 = w->points->of[w->now.location].data[w->now.to].en;
			first = false;
			take_stretch(w, c);
		}
		if (trace_exchange(w->trace))
			hand_on(w, here);
		first = false;
	}
}

/* A piece, for all processes. */
struct shown_piece {
	uint64_t nth;
	int64_t t0, t1;
	uint32_t location, wait; /* the wait that ended where it begins */
};

static int by_time(const void *a, const void *b)
{
	const struct shown_piece *x = a, *y = b;

	return ORDER(y->nth, x->nth);
}

struct path_stretch *critical_path_make(const struct critical *c, struct exchange *x, size_t *n)
{
	OWNED_VEC(struct shown_piece) pieces = VEC_INIT;
	const struct critical_piece *piece;
	struct path_stretch *path;

	vec_each (piece, c)
		vec_push(&pieces, ((struct shown_piece){
					  piece->nth, piece->t0, piece->t1, piece->location,
					  c->points->of[piece->location].data[piece->from].wait }));
	exchange_rows(x, &pieces);
	if (pieces.n)
		vec_sort(&pieces, by_time);
	path = xcalloc(pieces.n + 1, sizeof *path);
	for (size_t i = 0; i < pieces.n; i++) {
		const struct shown_piece *s = &pieces.data[i];
		const struct shown_piece *after = i + 1 < pieces.n ? s + 1 : NULL;
		path[i] = (struct path_stretch){ .location = s->location,
						 .from = s->t0,
						 .to = s->t1,
						 .wait_location =
							 after ? after->location : UINT32_MAX,
						 .wait = after ? after->wait : UINT32_MAX };
	}
	*n = pieces.n;
	straighten(path, *n);
	return path;
}

struct critical *critical_new(const struct trace *trace, enum time_base base,
			      const struct points *points, const struct intervals *intervals)
{
	struct critical *c = xcalloc(1, sizeof *c);
	struct path_walk w = { .trace = trace,
			       .points = points,
			       .now = { .location = UINT32_MAX } };

	c->points = points;
	c->intervals = intervals;
	for (uint32_t l = 0; l < points->locations; l++)
		w.budget += 2 * points->of[l].n;
	w.budget = exchange_count(trace_exchange(trace), w.budget) + 1;
	w.more = find_end(trace, base, points, &w.now);
	walk(&w, c);
	if (!trace_exchange(trace))
		c->path = critical_path_make(c, NULL, &c->stretches);
	return c;
}

void critical_free(struct critical *c)
{
	if (!c)
		return;
	free(c->path);
	vec_fini(c);
	free(c);
}
