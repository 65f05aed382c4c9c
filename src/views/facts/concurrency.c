/* How many locations are busy at once: their stretches of use, merged in a heap by their ends. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "model/trace/visit_walk.h"
#include "views/facts/utilisation.h"

enum { STRETCHES_A_STEP = 1 << 14 };

/* A location's present stretch of one use. */
struct use_lane {
	struct visit_walk walk;
	uint32_t location;
	int64_t until; /* INT64_MAX: there is no other one */
	enum use_kind use;
	bool walks; /* `walk` has a stretch */
	bool early; /* before its first record: the walk's stretch comes next */
};

/* How many locations of a process are busy, not known, and in MPI or file I/O, from a time on. */
struct use_level {
	int64_t time;
	int32_t busy, unknown, other;
};

struct use_levels {
	struct use_level *data;
	size_t n, cap;
};

struct use_merge {
	const struct utilisation *u;
	uint32_t n;             /* locations of this process */
	struct use_lane *lanes; /* [n] */
	uint32_t *heap;         /* [n] lanes, the one that ends first on top */
	uint32_t counts[USE_KINDS];
	struct use_levels levels; /* where several processes share the trace */
};

static void show_stretch(const struct utilisation *u, struct use_lane *lane)
{
	lane->use = lane->walks && lane->walk.traced
			    ? utilisation_of_path(u, lane->location, lane->walk.path)
			    : utilisation_of_nothing(u, lane->location);
	lane->until = lane->walks ? lane->walk.to : INT64_MAX;
}

static void lane_begin(const struct utilisation *u, struct use_lane *lane, uint32_t location,
		       int64_t t0, int64_t t1)
{
	lane->location = location;
	lane->walks =
		visit_walk_begin(&lane->walk, u->query->trace, u->query->base, location, t0, t1);
	lane->early = lane->walks && lane->walk.from > t0;
	show_stretch(u, lane);
	if (lane->early) {
		lane->use = utilisation_of_nothing(u, location);
		lane->until = lane->walk.from;
	}
}

static void lane_next(const struct utilisation *u, struct use_lane *lane)
{
	if (!lane->early)
		lane->walks = visit_walk_next_change(&lane->walk);
	lane->early = false;
	show_stretch(u, lane);
}

static bool ends_before(const struct use_merge *m, uint32_t a, uint32_t b)
{
	return m->lanes[a].until < m->lanes[b].until;
}

static void sift_down(struct use_merge *m, uint32_t at)
{
	const uint32_t lane = m->heap[at], n = m->n;

	for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && ends_before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!ends_before(m, m->heap[child], lane))
			break;
		m->heap[at] = m->heap[child];
	}
	m->heap[at] = lane;
}

static void merge_begin(struct use_merge *m, const struct utilisation *u, int64_t t0, int64_t t1)
{
	*m = (struct use_merge){ .u = u };
	m->lanes = xcalloc((size_t)u->n + 1, sizeof *m->lanes);
	m->heap = xcalloc((size_t)u->n + 1, sizeof *m->heap);
	for (uint32_t i = 0; i < u->n; i++) {
		if (!trace_has_location(u->query->trace, u->locations[i]))
			continue;
		lane_begin(u, &m->lanes[m->n], u->locations[i], t0, t1);
		m->counts[m->lanes[m->n].use]++;
		m->heap[m->n] = m->n;
		m->n++;
	}
	for (uint32_t i = m->n / 2; i-- > 0;)
		sift_down(m, i);
}

static void merge_end(struct use_merge *m)
{
	free_all(m->lanes, m->heap, m->levels.data);
}

static void add_level(struct concurrency *c, const struct use_level *level, uint64_t time)
{
	c->time[level->busy] += time;
	if (level->unknown)
		c->partial[level->busy] += time;
	if (!level->busy && level->other)
		c->only_other += time;
}

static bool are_alike(const struct use_level *a, const struct use_level *b)
{
	return a->busy == b->busy && a->unknown == b->unknown && a->other == b->other;
}

/* From `now` to `until`, counts are what they are. */
static void spend(struct concurrency *c, struct use_merge *m, int64_t now, int64_t until)
{
	const uint32_t *n = m->counts;
	const struct use_level level = {
		.time = now,
		.busy = (int32_t)n[USE_BUSY],
		.unknown = (int32_t)(n[USE_UNRECORDED] + n[USE_FILTERED]),
		.other = (int32_t)(n[USE_TRANSFER] + n[USE_WAITING] + n[USE_MANAGEMENT]),
	};

	if (until == now)
		return;
	if (!trace_exchange(m->u->query->trace))
		add_level(c, &level, (uint64_t)until - (uint64_t)now);
	else if (!m->levels.n || !are_alike(vec_last(&m->levels), &level))
		vec_push(&m->levels, level);
}

/* ---- several processes ---- */

/* Adds those of [begin, end) of one's levels, each as its difference to the one before. */
static void cut_levels(const struct use_levels *levels, int64_t begin, int64_t end,
		       struct use_levels *steps)
{
	struct use_level before = { .time = begin };
	size_t i = 0, high = levels->n;

	BISECT(i, high, mid, levels->data[mid].time <= begin);
	for (i -= i > 0; i < levels->n && levels->data[i].time < end; i++) {
		const struct use_level *level = &levels->data[i];
		const int64_t time = level->time < begin ? begin : level->time;
		vec_push(steps, ((struct use_level){ time, level->busy - before.busy,
						     level->unknown - before.unknown,
						     level->other - before.other }));
		before = *level;
	}
}

ORDERING(by_time, struct use_level, time)

/* All processes' steps of a stretch of time. */
static void add_stretch(struct concurrency *c, struct use_levels *steps, int64_t begin, int64_t end)
{
	const struct use_level *step;
	struct use_level now = { .time = begin };

	vec_sort(steps, by_time);
	vec_each (step, steps) {
		add_level(c, &now, (uint64_t)step->time - (uint64_t)now.time);
		now = (struct use_level){ step->time, now.busy + step->busy,
					  now.unknown + step->unknown, now.other + step->other };
	}
	add_level(c, &now, (uint64_t)end - (uint64_t)now.time);
}

/* Each process adds up a stretch of the window, for which all tell it their steps. */
static void share(struct concurrency *c, const struct use_levels *levels, struct exchange *x,
		  int64_t t0, int64_t t1)
{
	OWNED int64_t *edges = xcalloc(exchange_processes(x) + 1u, sizeof *edges);
	const size_t stretches = utilisation_edges(t0, t1, exchange_processes(x), edges);
	const uint32_t own = exchange_process(x);
	OWNED_VEC(uint32_t) to = VEC_INIT;
	struct use_levels steps = VEC_INIT;

	for (uint32_t i = 0; i < stretches; i++) {
		cut_levels(levels, edges[i], edges[i + 1], &steps);
		while (to.n < steps.n)
			vec_push(&to, i);
	}
	exchange_deal_rows(x, &steps, to.data);
	if (own < stretches)
		add_stretch(c, &steps, edges[own], edges[own + 1]);
	vec_fini(&steps);
	exchange_sums(x, c->time, c->n + (size_t)1);
	exchange_sums(x, c->partial, c->n + (size_t)1);
	exchange_sums(x, &c->only_other, 1);
}

bool concurrency_make(struct concurrency *c, const struct utilisation *u, int64_t t0, int64_t t1)
{
	struct use_merge m;
	uint64_t steps = 0;
	int64_t now = t0;
	bool go_on = true;

	*c = (struct concurrency){ .n = u->n };
	c->time = xcalloc((size_t)u->n + 1, sizeof *c->time);
	c->partial = xcalloc((size_t)u->n + 1, sizeof *c->partial);
	merge_begin(&m, u, t0, t1);
	while (go_on && m.n && m.lanes[m.heap[0]].until < t1) {
		struct use_lane *lane = &m.lanes[m.heap[0]];

		spend(c, &m, now, lane->until);
		now = lane->until;
		m.counts[lane->use]--;
		lane_next(u, lane);
		m.counts[lane->use]++;
		sift_down(&m, 0);
		if (++steps % STRETCHES_A_STEP == 0)
			go_on = progress_step(u->query->progress, "concurrency", steps, 0);
	}
	spend(c, &m, now, t1);
	if (go_on && trace_exchange(u->query->trace))
		share(c, &m.levels, trace_exchange(u->query->trace), t0, t1);
	merge_end(&m);
	return go_on;
}

void concurrency_fini(struct concurrency *c)
{
	free_all(c->time, c->partial);
	*c = (struct concurrency){ 0 };
}
