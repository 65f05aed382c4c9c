/* How many locations are busy at once: their stretches of use, merged in a heap by their ends. */
#include <stdlib.h>

#include "base/mem.h"
#include "model/trace/visit_walk.h"
#include "views/facts/utilisation.h"

enum { STRETCHES_A_STEP = 1 << 14 };

/* A location's present stretch of one use. */
struct use_lane {
	struct visit_walk walk;
	int64_t until; /* INT64_MAX: there is no other one */
	enum use_kind use;
	bool walks; /* `walk` has a stretch */
	bool early; /* before its first record: the walk's stretch comes next */
};

struct use_merge {
	const struct utilisation *u;
	struct use_lane *lanes; /* [u->n] */
	uint32_t *heap;         /* [u->n] lanes, the one that ends first on top */
	uint32_t counts[USE_KINDS];
};

static void show_stretch(const struct utilisation *u, struct use_lane *lane)
{
	lane->use = !lane->walks        ? USE_UNRECORDED
		    : lane->walk.traced ? utilisation_of_path(u, lane->walk.path)
					: USE_UNRECORDED;
	lane->until = lane->walks ? lane->walk.to : INT64_MAX;
}

static void lane_begin(const struct utilisation *u, struct use_lane *lane, uint32_t location,
		       int64_t t0, int64_t t1)
{
	lane->walks =
		visit_walk_begin(&lane->walk, u->query->trace, u->query->base, location, t0, t1);
	lane->early = lane->walks && lane->walk.from > t0;
	show_stretch(u, lane);
	if (lane->early) {
		lane->use = USE_UNRECORDED;
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
	const uint32_t lane = m->heap[at], n = m->u->n;

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
		lane_begin(u, &m->lanes[i], u->locations[i], t0, t1);
		m->counts[m->lanes[i].use]++;
		m->heap[i] = i;
	}
	for (uint32_t i = u->n / 2; i-- > 0;)
		sift_down(m, i);
}

/* Up to a time, counts are what they are now. */
static void spend(struct concurrency *c, const struct use_merge *m, uint64_t time)
{
	const uint32_t busy = m->counts[USE_BUSY];

	c->time[busy] += time;
	if (m->counts[USE_UNRECORDED] || m->counts[USE_FILTERED])
		c->partial[busy] += time;
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
	while (go_on && u->n && m.lanes[m.heap[0]].until < t1) {
		struct use_lane *lane = &m.lanes[m.heap[0]];

		spend(c, &m, (uint64_t)lane->until - (uint64_t)now);
		now = lane->until;
		m.counts[lane->use]--;
		lane_next(u, lane);
		m.counts[lane->use]++;
		sift_down(&m, 0);
		if (++steps % STRETCHES_A_STEP == 0)
			go_on = progress_step(u->query->progress, "concurrency", steps, 0);
	}
	spend(c, &m, (uint64_t)t1 - (uint64_t)now);
	free_all(m.lanes, m.heap);
	return go_on;
}

void concurrency_fini(struct concurrency *c)
{
	free_all(c->time, c->partial);
	*c = (struct concurrency){ 0 };
}
