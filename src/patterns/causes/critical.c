/* The walk backwards in time. */
#include "patterns/causes/critical.h"

#include <stdlib.h>

#include "base/mem.h"

/* Where the path ends: in the MPI_Finalize that was entered last, else at the last event of the
 * trace. */
static bool find_end(const struct trace *trace, enum time_base base, const struct points *p,
		     struct critical_piece *end)
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
	for (uint32_t l = 0; !found && l < p->locations; l++) {
		struct cursor c;
		if (cursor_last(&c, trace, base, l) &&
		    (end->location == UINT32_MAX || cursor_time(&c) > end->t1))
			*end = (struct critical_piece){ .location = l,
							.to = (uint32_t)p->of[l].n,
							.t1 = cursor_time(&c) };
	}
	return end->location != UINT32_MAX;
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

struct critical *critical_new(const struct trace *trace, enum time_base base,
			      const struct points *points, const struct intervals *intervals)
{
	struct critical *c = xcalloc(1, sizeof *c);
	struct critical_piece now = { .location = UINT32_MAX };
	uint64_t budget = 1;

	c->points = points;
	c->intervals = intervals;
	for (uint32_t l = 0; l < points->locations; l++)
		budget += 2 * points->of[l].n;
	for (bool more = find_end(trace, base, points, &now); more;) {
		uint32_t next = POINT_NONE, other = 0;
		const uint32_t row =
			wait_before(points, now.location, now.to, &budget, &other, &next);
		const struct point *point = &points->of[now.location].data[row];
		more = row > 0;
		now.from = more ? row : find_begin(points, now.location, now.to);
		now.t0 = points->of[now.location].data[now.from].en + (more ? point->w : 0);
		vec_push(c, now);
		if (more) {
			now.location = other;
			now.to = next;
			now.t1 = points->of[now.location].data[next].en;
		}
	}
	c->path = xcalloc(c->n + 1, sizeof *c->path);
	for (size_t i = 0; i < c->n; i++) {
		const struct critical_piece *s = &c->data[c->n - 1 - i];
		const struct critical_piece *after = i + 1 < c->n ? s - 1 : NULL;
		c->path[i] = (struct path_stretch){
			.location = s->location,
			.from = s->t0,
			.to = s->t1,
			.wait_location = after ? after->location : UINT32_MAX,
			.wait = after ? points->of[after->location].data[after->from].wait
				      : UINT32_MAX
		};
	}
	straighten(c->path, c->n);
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
