/* Finds the delays: since when two locations could have diverged, and which waits made others
 * wait. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "patterns/causes/delay_make.h"
#include "patterns/causes/points_far.h"

/* ---- since when: the last point at which two locations met ---- */

enum { SETS_MOST = 64 };

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

bool delay_step(struct delay_maker *m, unsigned worker)
{
	const unsigned done = atomic_fetch_add(&m->done, 1u) + 1u;

	if (worker == 0 &&
	    !progress_wanted(m->progress, m->what, done, m->delays->points->locations))
		atomic_store(&m->stopped, true);
	return !atomic_load(&m->stopped);
}

static void find_since(void *context, unsigned worker, size_t location)
{
	struct delay_maker *m = context;
	struct delays *d = m->delays;
	const struct location_points *of = &d->points->of[location];
	struct last *last = &m->last[worker];

	if (!delay_step(m, worker))
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

/* ---- waits that made others wait ---- */

double delay_scale(const struct delays *d, const struct delay *delay)
{
	const struct point *point;
	double scale;

	if (delay >= d->data + d->own)
		return d->far[delay - (d->data + d->own)].scale;
	if (delay->total <= 0)
		return 0;
	point = &d->points->of[delay->location].data[delay->point];
	scale = (double)point->w / delay->total;
	return scale > 1 && point->cls <= DELAY_OF_TWO ? 1 : scale;
}

static uint8_t class_of(const struct delays *d, const struct delay *delay)
{
	return delay < d->data + d->own ? d->points->of[delay->location].data[delay->point].cls
					: d->far[delay - (d->data + d->own)].cls;
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

	if (!delay_step(m, worker))
		return;
	for (uint32_t i = 1; i < of->n; i++)
		for (uint32_t w = d->at[location][i]; w < d->at[location][i + 1]; w++) {
			const struct delay *y = delay_of(d, w);
			if (y->waited > 0 && class_of(d, y) <= DELAY_OF_TWO)
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
	for (uint32_t w = 0; w < d->n_waiters; w++) {
		struct delay *delay = delay_of(d, w);
		if (delay->waited > 0)
			d->waiters[w].slot = delay->slot = d->slots++;
	}
	for (size_t i = d->n; i-- > 0;) {
		struct delay *delay = &d->data[i];
		if (delay->slot == POINT_NONE)
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

static bool share(struct delay_maker *m)
{
	delay_share_compare(m);
	return true;
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
	delay_share_free(m->share);
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
	m->share = delay_share_new(d);
	const bool done = stage(m, "searching for causes: synchronisation points", find_since) &&
			  stage(m, "searching for causes: delays", delay_compare_location) &&
			  share(m) && stage(m, "searching for causes: chains of waits", paint);
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
	free_all(d->excess, d->at, d->from, d->waiters, d->data, d->far, d);
}
