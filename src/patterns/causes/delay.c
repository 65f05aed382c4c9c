/* Finds the delays: since when two locations could have diverged, and what one did more than the
 * other. */
#include "patterns/causes/delay.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "base/order.h"

/* ---- since when: the last point at which two locations met ---- */

enum { SETS_MOST = 64 };

/* A set of locations that was met, and the last point at which it was. The latest come first. */
struct recent {
	uint32_t set, point;
};

/* When a location last met each other one, while its points are walked. */
struct last {
	uint32_t *point; /* [locations] met alone; valid where `mark` equals `now` */
	uint32_t *mark;
	uint32_t now;
	VEC(struct recent) sets;
};

struct delay_maker {
	struct delays *delays;
	const struct trace *trace;
	const struct progress *progress;
	unsigned jobs;
	struct last last[JOBS_MOST];
	struct path_sheet theirs[JOBS_MOST], mine[JOBS_MOST], longest[JOBS_MOST];
	struct path_sheet estimated[JOBS_MOST];
	uint32_t **since; /* [locations][points] of the one waited for: the start of the longest
			     interval of a collective */
	const char *what;
	atomic_uint done;
	atomic_bool stopped;
};

static void met_one(struct last *last, uint32_t location, uint32_t point)
{
	last->point[location] = point;
	last->mark[location] = last->now;
}

/* Sets that were not met for long are replaced by their members, so that the search through the
 * sets stays short however many communicators exist. */
static void met_set(const struct points *p, struct last *last, uint32_t set, uint32_t point)
{
	size_t i = 0;

	while (i < last->sets.n && last->sets.data[i].set != set)
		i++;
	if (i == SETS_MOST) {
		const struct recent old = vec_pop(&last->sets);
		const struct sync_set *members = &p->sets.data[old.set];
		for (uint32_t k = 0; k < members->n; k++) {
			const uint32_t l = p->pool.data[members->first + k];
			if (last->mark[l] != last->now || last->point[l] < old.point)
				met_one(last, l, old.point);
		}
		i--;
	}
	if (i == last->sets.n)
		vec_push(&last->sets, ((struct recent){ set, point }));
	memmove(last->sets.data + 1, last->sets.data, i * sizeof *last->sets.data);
	last->sets.data[0] = (struct recent){ set, point };
}

static void met(const struct delay_maker *m, struct last *last, uint32_t location, uint32_t row)
{
	const struct points *p = m->delays->points;
	const struct point *point = &p->of[location].data[row];

	if (point->peer == PEER_NONE)
		return;
	if (!(point->peer & PEER_SYNC)) {
		met_one(last, point->peer, row);
		return;
	}
	const struct sync *sync = &p->syncs.data[point->peer & ~PEER_SYNC];
	const struct sync_set *set = &p->sets.data[sync->met];
	if (!sync->directed) {
		met_set(p, last, sync->met, row);
		return;
	}
	for (uint32_t i = 0; i < set->n; i++)
		met_one(last, p->pool.data[set->first + i], row);
}

static uint32_t last_met(const struct delay_maker *m, const struct last *last, uint32_t other)
{
	const struct points *p = m->delays->points;
	const uint32_t alone = last->mark[other] == last->now ? last->point[other] : 0;

	for (size_t i = 0; i < last->sets.n && last->sets.data[i].point > alone; i++)
		if (sync_set_has(p, last->sets.data[i].set, other))
			return last->sets.data[i].point;
	return alone;
}

/* The start of the longest interval that any other member of a collective has here (C14). */
static uint32_t longest_since(const struct delay_maker *m, const struct last *last,
			      uint32_t location, uint32_t row)
{
	const struct points *p = m->delays->points;
	const uint32_t peer = p->of[location].data[row].peer;
	uint32_t since = row;

	if (peer == PEER_NONE || !(peer & PEER_SYNC))
		return POINT_NONE;
	const struct sync_set *set = &p->sets.data[p->syncs.data[peer & ~PEER_SYNC].members];
	for (uint32_t i = 0; i < set->n; i++) {
		const uint32_t other = p->pool.data[set->first + i];
		const uint32_t point = other == location ? since : last_met(m, last, other);
		if (point < since)
			since = point;
	}
	return since;
}

static bool step(struct delay_maker *m, unsigned worker)
{
	const unsigned done = atomic_fetch_add(&m->done, 1u) + 1u;

	if (worker == 0 &&
	    !progress_wanted(m->progress, m->what, done, m->delays->points->locations))
		atomic_store(&m->stopped, true);
	return !atomic_load(&m->stopped);
}

/* The delay of a waiter; those after it are prefetched. */
static struct delay *delay_of(const struct delays *d, uint32_t waiter)
{
	if (waiter + DELAYS_AHEAD < d->n)
		__builtin_prefetch(&d->data[d->waiters[waiter + DELAYS_AHEAD].row], 1);
	return &d->data[d->waiters[waiter].row];
}

static void find_since(void *context, unsigned worker, size_t location)
{
	struct delay_maker *m = context;
	struct delays *d = m->delays;
	const struct location_points *of = &d->points->of[location];
	struct last *last = &m->last[worker];

	if (!step(m, worker))
		return;
	if (!last->point) {
		last->point = xcalloc((size_t)d->points->locations + 1, sizeof *last->point);
		last->mark = xcalloc((size_t)d->points->locations + 1, sizeof *last->mark);
	}
	last->now = (uint32_t)location + 1;
	last->sets.n = 0;
	m->since[location] = delay_rows(of->n);
	for (uint32_t i = 1; i < of->n; i++) {
		if (of->data[i].delay != POINT_NONE) {
			struct delay *delay = &d->data[of->data[i].delay];
			delay->from = last_met(m, last, delay->other);
		}
		for (uint32_t w = d->at[location][i]; w < d->at[location][i + 1]; w++) {
			struct delay *delay = delay_of(d, w);
			delay->other_from = last_met(m, last, delay->location);
		}
		if (d->at[location][i] < d->at[location][i + 1])
			m->since[location][i] = longest_since(m, last, (uint32_t)location, i);
		met(m, last, (uint32_t)location, i);
	}
}

/* ---- what one did more than the other ---- */

static void profile(const struct intervals *intervals, uint32_t location, uint32_t from,
		    uint32_t to, struct path_sheet *sheet)
{
	path_sheet_clear(sheet);
	intervals_add(intervals, location, from, to, sheet);
	path_sheet_cut(sheet, from, intervals_point(intervals, location, from));
}

static void keep_excess(struct excesses *e, struct delay *delay, uint32_t path, double ticks)
{
	delay->total += ticks;
	if (e->n + 1 > e->paths_cap)
		e->paths = vec_grow(e->paths, &e->paths_cap, e->n + 1, sizeof *e->paths);
	if (e->n + 1 > e->ticks_cap)
		e->ticks = vec_grow(e->ticks, &e->ticks_cap, e->n + 1, sizeof *e->ticks);
	e->paths[e->n] = path;
	e->ticks[e->n++] = ticks;
	delay->n++;
}

/* The estimated part of both intervals. */
static void find_estimated(const struct intervals *intervals, const struct delay *d,
			   struct path_sheet *sheet)
{
	path_sheet_clear(sheet);
	intervals_estimated(intervals, d->location,
			    intervals_point(intervals, d->location, d->from)->en,
			    intervals_point(intervals, d->location, d->point)->en, sheet);
	intervals_estimated(intervals, d->other,
			    intervals_point(intervals, d->other, d->other_from)->en,
			    intervals_point(intervals, d->other, d->other_point)->en, sheet);
}

/* An excess that may be an error of estimated times stays unexplained.
 * `theirs` is the other's profile, `longest` that of a collective's longest interval, or NULL. */
static void compare(struct delay_maker *m, unsigned worker, struct delay *delay,
		    const struct path_sheet *theirs, const struct path_sheet *longest)
{
	struct delays *d = m->delays;
	struct path_sheet *mine = &m->mine[worker], *estimated = &m->estimated[worker];
	struct excesses *excess = &d->excess[delay->other];

	profile(d->intervals, delay->location, delay->from, delay->point, mine);
	delay->first = excess->n;
	delay->waited =
		intervals_waited(d->intervals, delay->other, delay->other_from, delay->other_point);
	delay->total = (double)delay->waited;
	find_estimated(d->intervals, delay, estimated);
	for (uint32_t i = 0; i < theirs->n; i++) {
		const uint32_t path = theirs->touched[i];
		const int64_t more = theirs->of[path] - mine->of[path];
		if (more <= 0 || (longest && longest->of[path] <= 0))
			continue;
		if (more > estimated->of[path])
			keep_excess(excess, delay, path, (double)more);
		else
			delay->estimated += (double)more;
	}
	delay->total += delay->estimated;
}

struct ordered_delay {
	uint32_t from, row;
};

ORDERING(compare_from, struct ordered_delay, from, row)

struct ordered_list {
	struct ordered_delay *data;
	size_t n, cap;
};

/* Prefetches for the next waiters: usually they are compared in the order of their list. */
static void look_ahead(const struct delays *d, uint32_t waiter)
{
	if (waiter + 2 * DELAYS_AHEAD < d->n)
		__builtin_prefetch(&d->data[d->waiters[waiter + 2 * DELAYS_AHEAD].row], 1);
	if (waiter + DELAYS_AHEAD < d->n) {
		const struct delay *delay = &d->data[d->waiters[waiter + DELAYS_AHEAD].row];
		intervals_near(d->intervals, delay->location, delay->from);
	}
	if (waiter + DELAYS_AHEAD / 2 < d->n) {
		const struct delay *delay = &d->data[d->waiters[waiter + DELAYS_AHEAD / 2].row];
		intervals_here(d->intervals, delay->location, delay->from);
	}
}

/* Compares all that waited for a point: those whose intervals begin together share its profile. */
static void compare_point(struct delay_maker *m, unsigned worker, uint32_t location, uint32_t row,
			  struct ordered_list *waiters)
{
	struct delays *d = m->delays;
	struct path_sheet *theirs = &m->theirs[worker], *longest = NULL;
	const uint32_t since = m->since[location][row];
	bool ordered = true;

	waiters->n = 0;
	for (uint32_t w = d->at[location][row]; w < d->at[location][row + 1]; w++) {
		const struct ordered_delay one = { delay_of(d, w)->other_from, d->waiters[w].row };
		ordered = ordered && (waiters->n == 0 || one.from >= vec_last(waiters)->from);
		vec_push(waiters, one);
	}
	if (!ordered)
		vec_sort(waiters, compare_from);
	if (since != POINT_NONE &&
	    (waiters->data[0].from != since || vec_last(waiters)->from != since)) {
		longest = &m->longest[worker];
		profile(d->intervals, location, since, row, longest);
	}
	for (size_t i = 0; i < waiters->n; i++) {
		look_ahead(d, d->at[location][row] + (uint32_t)i);
		if (i == 0 || waiters->data[i].from != waiters->data[i - 1].from)
			profile(d->intervals, location, waiters->data[i].from, row, theirs);
		compare(m, worker, &d->data[waiters->data[i].row], theirs, longest);
	}
}

static void compare_location(void *context, unsigned worker, size_t location)
{
	struct delay_maker *m = context;
	struct delays *d = m->delays;
	struct ordered_list waiters = VEC_INIT;
	const uint32_t paths = trace_callpath_count(m->trace);

	if (!step(m, worker))
		return;
	if (!m->mine[worker].of) {
		path_sheet_init(&m->mine[worker], paths);
		path_sheet_init(&m->theirs[worker], paths);
		path_sheet_init(&m->longest[worker], paths);
		path_sheet_init(&m->estimated[worker], paths);
	}
	for (uint32_t i = 1; i < d->points->of[location].n; i++)
		if (d->at[location][i] < d->at[location][i + 1])
			compare_point(m, worker, (uint32_t)location, i, &waiters);
	vec_fini(&waiters);
}

/* ---- waits that made others wait ---- */

double delay_scale(const struct delays *d, const struct delay *delay)
{
	const struct point *point = &d->points->of[delay->location].data[delay->point];
	double scale;

	if (delay->total <= 0)
		return 0;
	scale = (double)point->w / delay->total;
	return scale > 1 && point->cls <= DELAY_LATE_RECEIVER ? 1 : scale;
}

struct stroke {
	double scale;
	uint32_t from, to; /* points strictly between */
};

static int compare_strokes(const void *a, const void *b)
{
	const struct stroke *x = a, *y = b;

	ORDER_BY(y->scale, x->scale);
	return ORDER(x->from, y->from);
}

static uint32_t next_free(uint32_t *next, uint32_t i)
{
	while (next[i] != i) {
		next[i] = next[next[i]];
		i = next[i];
	}
	return i;
}

/* Finds for each wait the largest scale of the point-to-point delays that contain it (8.5, C15):
 * with the largest scale first each point is painted once. */
static void paint(void *context, unsigned worker, size_t location)
{
	struct delay_maker *m = context;
	struct delays *d = m->delays;
	const struct location_points *of = &d->points->of[location];
	OWNED_VEC(struct stroke) strokes = VEC_INIT;

	if (!step(m, worker))
		return;
	for (uint32_t i = 1; i < of->n; i++)
		for (uint32_t w = d->at[location][i]; w < d->at[location][i + 1]; w++) {
			const struct delay *y = delay_of(d, w);
			if (y->waited > 0 &&
			    d->points->of[y->location].data[y->point].cls <= DELAY_LATE_RECEIVER)
				vec_push(&strokes,
					 ((struct stroke){ delay_scale(d, y), y->other_from, i }));
		}
	if (strokes.n > 0) {
		OWNED uint32_t *next = xmalloc((of->n + 1) * sizeof *next);
		for (uint32_t i = 0; i <= of->n; i++)
			next[i] = i;
		vec_sort(&strokes, compare_strokes);
		for (size_t s = 0; s < strokes.n; s++)
			for (uint32_t i = next_free(next, strokes.data[s].from + 1);
			     i < strokes.data[s].to; i = next_free(next, i)) {
				if (of->data[i].delay != POINT_NONE)
					d->data[of->data[i].delay].most = strokes.data[s].scale;
				next[i] = i + 1;
			}
	}
}

/* ---- the delays ---- */

/* Delays that charge something to the points between are listed where they begin. */
static void link_from(struct delays *d)
{
	for (uint32_t w = 0; w < d->n; w++) {
		struct delay *delay = delay_of(d, w);
		if (delay->waited > 0)
			d->waiters[w].slot = delay->slot = d->slots++;
	}
	for (size_t i = d->n; i-- > 0;) {
		struct delay *delay = &d->data[i];
		if (delay->waited <= 0)
			continue;
		delay->next_from = d->from[delay->other][delay->other_from];
		d->from[delay->other][delay->other_from] = (uint32_t)i;
	}
}

static bool stage(struct delay_maker *m, const char *what,
		  void (*work)(void *context, unsigned worker, size_t thing))
{
	m->what = what;
	atomic_store(&m->done, 0u);
	if (!atomic_load(&m->stopped))
		jobs_run(m->jobs, m->delays->points->locations, work, m);
	return !atomic_load(&m->stopped);
}

static void making_fini(struct delay_maker *m)
{
	for (int i = 0; i < JOBS_MOST; i++) {
		free_all(m->last[i].point, m->last[i].mark);
		vec_fini(&m->last[i].sets);
		path_sheet_fini(&m->mine[i]);
		path_sheet_fini(&m->theirs[i]);
		path_sheet_fini(&m->longest[i]);
		path_sheet_fini(&m->estimated[i]);
	}
	for (uint32_t l = 0; l < m->delays->points->locations; l++)
		free(m->since[l]);
	free_all(m->since, m);
}

struct delays *delays_new(const struct trace *trace, struct points *points,
			  const struct intervals *intervals, unsigned jobs,
			  const struct progress *progress)
{
	const size_t n = points->locations;
	struct delays *d = xcalloc(1, sizeof *d);
	struct delay_maker *m = xcalloc(1, sizeof *m);

	d->points = points;
	d->intervals = intervals;
	d->excess = xcalloc(n + 1, sizeof *d->excess);
	d->at = xcalloc(n + 1, sizeof *d->at);
	d->from = xcalloc(n + 1, sizeof *d->from);
	m->delays = d;
	m->trace = trace;
	m->progress = progress;
	m->jobs = jobs;
	m->since = xcalloc(n + 1, sizeof *m->since);
	delays_pair(d, jobs);
	const bool done = stage(m, "searching for causes: synchronisation points", find_since) &&
			  stage(m, "searching for causes: delays", compare_location) &&
			  stage(m, "searching for causes: chains of waits", paint);
	link_from(d);
	making_fini(m);
	if (done)
		return d;
	delays_free(d);
	return NULL;
}

void delays_free(struct delays *d)
{
	if (!d)
		return;
	for (uint32_t l = 0; l < d->points->locations; l++)
		free_all(d->excess[l].paths, d->excess[l].ticks, d->at[l], d->from[l]);
	free_all(d->excess, d->at, d->from, d->waiters, d->data, d);
}
