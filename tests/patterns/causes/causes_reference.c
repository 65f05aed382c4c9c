#include "patterns/causes/causes_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const enum cube_metric metric_of[DELAY_CLASSES][2] = {
	[DELAY_LATE_SENDER] = { CUBE_DELAY_LATESENDER, CUBE_DELAY_LATESENDER_LONGTERM },
	[DELAY_LATE_RECEIVER] = { CUBE_DELAY_LATERECEIVER, CUBE_DELAY_LATERECEIVER_LONGTERM },
	[DELAY_PROBE] = { CUBE_DELAY_PROBE, CUBE_DELAY_PROBE_LONGTERM },
	[DELAY_POLLING] = { CUBE_DELAY_POLLING, CUBE_DELAY_POLLING_LONGTERM },
	[DELAY_WINDOW] = { CUBE_DELAY_WINDOW, CUBE_DELAY_WINDOW_LONGTERM },
	[DELAY_FENCE] = { CUBE_DELAY_FENCE, CUBE_DELAY_FENCE_LONGTERM },
	[DELAY_EPOCH] = { CUBE_DELAY_EPOCH, CUBE_DELAY_EPOCH_LONGTERM },
	[DELAY_LOCK] = { CUBE_DELAY_LOCK, CUBE_DELAY_LOCK_LONGTERM },
	[DELAY_BARRIER] = { CUBE_DELAY_BARRIER, CUBE_DELAY_BARRIER_LONGTERM },
	[DELAY_N_TO_N] = { CUBE_DELAY_N2N, CUBE_DELAY_N2N_LONGTERM },
	[DELAY_ONE_TO_N] = { CUBE_DELAY_12N, CUBE_DELAY_12N_LONGTERM },
	[DELAY_N_TO_ONE] = { CUBE_DELAY_N21, CUBE_DELAY_N21_LONGTERM },
	[DELAY_PREFIX] = { CUBE_DELAY_SCAN, CUBE_DELAY_SCAN_LONGTERM },
	[DELAY_CREATION] = { CUBE_DELAY_CREATION, CUBE_DELAY_CREATION_LONGTERM },
	[DELAY_FILE] = { CUBE_DELAY_FILE, CUBE_DELAY_FILE_LONGTERM },
	[DELAY_TEAM] = { CUBE_DELAY_OMPBARRIER, CUBE_DELAY_OMPBARRIER_LONGTERM },
};

/* A wait and what made it. */
struct cause {
	uint32_t location, point, other, other_point, from;
	uint8_t cls;
	double w, waited, d;
	double *excess; /* [paths] */
	double cost[DELAY_CLASSES];
};

struct reference {
	const struct causes *causes;
	const struct trace *trace;
	uint32_t paths, locations;
	struct cause *causes_of;
	size_t n;
};

static const struct point *point_of(const struct reference *r, uint32_t location, uint32_t row)
{
	return &r->causes->points->of[location].data[row];
}

static uint32_t last_common(const struct reference *r, uint32_t location, uint32_t before,
			    uint32_t other)
{
	while (--before > 0)
		if (points_meets(r->causes->points, location, point_of(r, location, before), other))
			return before;
	return 0;
}

/* Takes the waiting of polling off the call paths that it was in. */
static void take_polling(const struct reference *r, uint32_t location, const struct point *point,
			 double *x)
{
	const int64_t end = point->en + point->w;
	uint32_t path = 0;
	int64_t time = 0;
	struct cursor c;

	for (bool ok = cursor_first(&c, r->trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c)) {
		const int64_t from = time > point->en ? time : point->en;
		const int64_t to = cursor_time(&c) < end ? cursor_time(&c) : end;
		if (to > from)
			x[path] -= (double)(to - from);
		path = trace_callpath(r->trace, cursor_path(&c))->canon;
		time = cursor_time(&c);
	}
}

/* X of 8.2 (C12). What polling used is without its waiting. */
static double *profile(const struct reference *r, uint32_t location, uint32_t from, uint32_t to)
{
	const struct point *a = point_of(r, location, from), *e = point_of(r, location, to);
	double *x = xcalloc((size_t)r->paths + 1, sizeof *x);
	uint32_t path = 0;
	int64_t time = 0;
	struct cursor c;
	uint32_t at = 0;

	for (bool ok = cursor_first(&c, r->trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c), at++) {
		if (at > a->enter && at <= e->enter)
			x[path] += (double)(cursor_time(&c) - time);
		path = trace_callpath(r->trace, cursor_path(&c))->canon;
		time = cursor_time(&c);
	}
	for (uint32_t i = from; i < to; i++) {
		const struct point *p = point_of(r, location, i);
		if (p->cls == DELAY_POLLING)
			take_polling(r, location, p, x);
		else if (i > from)
			x[p->path] -= (double)p->w;
	}
	for (uint32_t p = 0; p < r->paths; p++)
		x[p] = x[p] > 0 ? x[p] : 0;
	if (from > 0)
		x[a->path] = x[a->path] > (double)a->used ? x[a->path] - (double)a->used : 0;
	return x;
}

/* Of a collective: the call paths that count are those of the longest interval (C14). */
static double *longest(const struct reference *r, const struct cause *c)
{
	const struct points *points = r->causes->points;
	const struct point *late = point_of(r, c->other, c->other_point);
	uint32_t since = c->other_point;

	if (c->cls <= DELAY_OF_TWO)
		return NULL;
	for (uint32_t l = 0; l < r->locations; l++) {
		const struct sync *sync = &points->syncs.data[late->peer & ~PEER_SYNC];
		if (l == c->other || !sync_set_has(points, sync->members, l))
			continue;
		const uint32_t from = last_common(r, c->other, c->other_point, l);
		since = from < since ? from : since;
	}
	return profile(r, c->other, since, c->other_point);
}

static void find_cause(struct reference *r, uint32_t location, uint32_t row)
{
	const struct point *point = point_of(r, location, row);
	struct cause *c = &r->causes_of[r->n];

	if (point->w <= 0 || point->cls >= DELAY_CLASSES || point->match == POINT_NONE)
		return;
	memset(c, 0, sizeof *c);
	c->location = location;
	c->point = row;
	c->cls = point->cls;
	c->w = (double)point->w;
	c->other = points_peer(r->causes->points, point);
	for (c->other_point = 1; point_of(r, c->other, c->other_point)->at != point->match;
	     c->other_point++)
		;
	c->from = last_common(r, c->other, c->other_point, location);
	double *theirs = profile(r, c->other, c->from, c->other_point);
	double *mine = profile(r, location, last_common(r, location, row, c->other), row);
	double *all = longest(r, c);
	c->excess = xcalloc((size_t)r->paths + 1, sizeof *c->excess);
	for (uint32_t p = 0; p < r->paths; p++)
		if (theirs[p] > mine[p] && (!all || all[p] > 0)) {
			c->excess[p] = theirs[p] - mine[p];
			c->d += c->excess[p];
		}
	for (uint32_t i = c->from + 1; i < c->other_point; i++)
		c->waited += (double)point_of(r, c->other, i)->w;
	free(theirs);
	free(mine);
	free(all);
	r->n++;
}

static double scale_of(const struct cause *c)
{
	const double total = c->d + c->waited;

	if (total <= 0)
		return 0;
	return c->w > total && c->cls <= DELAY_OF_TWO ? 1 : c->w / total;
}

/* What a wait is charged for others; true: it changed. */
static bool charge(struct reference *r, struct cause *wait)
{
	double cost[DELAY_CLASSES] = { 0 };
	bool changed = false;

	for (size_t i = 0; i < r->n; i++) {
		const struct cause *c = &r->causes_of[i];
		if (c->other != wait->location || wait->point <= c->from ||
		    wait->point >= c->other_point)
			continue;
		for (int k = 0; k < DELAY_CLASSES; k++)
			cost[k] += (c->cost[k] / (c->d + c->waited) +
				    (k == c->cls ? scale_of(c) : 0)) *
				   wait->w;
	}
	for (int k = 0; k < DELAY_CLASSES; k++) {
		changed = changed || fabs(cost[k] - wait->cost[k]) > 1e-12 * fabs(cost[k]);
		wait->cost[k] = cost[k];
	}
	return changed;
}

static void compare(const struct reference *r)
{
	const size_t cells = (size_t)r->paths * r->locations;
	double *cost[DELAY_CLASSES][2];

	for (int k = 0; k < DELAY_CLASSES; k++)
		for (int way = 0; way < 2; way++)
			cost[k][way] = xcalloc(cells + 1, sizeof *cost[k][way]);
	for (size_t i = 0; i < r->n; i++) {
		const struct cause *c = &r->causes_of[i];
		for (uint32_t p = 0; p < r->paths; p++) {
			if (c->excess[p] <= 0)
				continue;
			const size_t at = (size_t)p * r->locations + c->other;
			cost[c->cls][0][at] += scale_of(c) * c->excess[p];
			for (int k = 0; k < DELAY_CLASSES; k++)
				cost[k][1][at] += c->cost[k] / (c->d + c->waited) * c->excess[p];
		}
	}
	for (int k = 0; k < DELAY_CLASSES; k++)
		for (int way = 0; way < 2; way++) {
			for (size_t i = 0; i < cells; i++) {
				const double is = cube_value(r->causes->whole, metric_of[k][way],
							     (uint32_t)(i / r->locations),
							     (uint32_t)(i % r->locations));
				const uint32_t path = (uint32_t)(i / r->locations);
				if (trace_callpath(r->trace, path)->canon == path &&
				    !(fabs(is - cost[k][way][i]) <= 1e-6 + 1e-9 * cost[k][way][i]))
					fail_msg("%s, call path %u: %.9g is not %.9g",
						 cube_metric_info(metric_of[k][way])->name, path,
						 is, cost[k][way][i]);
			}
			free(cost[k][way]);
		}
}

void causes_reference_check(const struct causes *causes)
{
	struct reference r = { .causes = causes, .trace = analysis_trace(causes->analysis) };
	size_t most = 0;
	bool changed = true;

	r.paths = trace_callpath_count(r.trace);
	r.locations = trace_location_count(r.trace);
	for (uint32_t l = 0; l < r.locations; l++)
		most += causes->points->of[l].n;
	r.causes_of = xcalloc(most + 1, sizeof *r.causes_of);
	for (uint32_t l = 0; l < r.locations; l++)
		for (uint32_t i = 1; i < causes->points->of[l].n; i++)
			find_cause(&r, l, i);
	for (size_t round = 0; changed && round <= r.n + 1; round++) {
		changed = false;
		for (size_t i = 0; i < r.n; i++)
			changed = charge(&r, &r.causes_of[i]) || changed;
	}
	assert_false(changed);
	compare(&r);
	for (size_t i = 0; i < r.n; i++)
		free(r.causes_of[i].excess);
	free(r.causes_of);
}
