#include "ui/timeline/picture/timeline_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/exchange.h"
#include "base/mem.h"
#include "model/sums/pyramid.h"
#include "model/trace/halo.h"

/* Nanoseconds of a slice; groups kept; locations between two looks at the clock. */
enum { SLICE_NS = 6000000, KEPT_GROUPS = 512, LOOK = 8 };

struct timeline_sums {
	int64_t frame_ns;
	const struct timeline_rows *rows; /* of the frame, and later: its owner keeps them */
	uint64_t generation;
	const struct shading *shading;
	VEC(int64_t) edges;
	uint64_t **exact; /* [groups] of the rows, NULL where not known; after the sums those of
			     waiting */
	const struct wait_sums *waits; /* of the shading's level, NULL unknown */
	unsigned wait_slots;
	uint64_t *waiting; /* of the group that is being summed */
	uint32_t groups, kept;
	VEC(uint32_t) wanted; /* groups of the frame that are not exact */
	/* The group that is being summed. */
	struct tally tally;
	bool summing;
	uint32_t group, next;
	int64_t deadline; /* of the frame */
	bool late; /* a frame was over before its groups were: a pyramid is worth its memory */
	struct pyramid *pyramid;
	int64_t t0, t1; /* of the pyramid */
};

struct timeline_sums *timeline_sums_new(int64_t frame_ns)
{
	struct timeline_sums *s = xcalloc(1, sizeof *s);

	s->frame_ns = frame_ns;
	return s;
}

static void forget_exact(struct timeline_sums *s)
{
	for (uint32_t g = 0; g < s->groups; g++) {
		free(s->exact[g]);
		s->exact[g] = NULL;
	}
	s->kept = 0;
	s->wanted.n = 0;
	s->summing = false;
	tally_fini(&s->tally);
}

static void forget_all(struct timeline_sums *s)
{
	forget_exact(s);
	free(s->exact);
	s->exact = NULL;
	s->groups = 0;
	pyramid_free(s->pyramid);
	s->pyramid = NULL;
}

void timeline_sums_free(struct timeline_sums *s)
{
	if (!s)
		return;
	forget_all(s);
	vec_fini(&s->edges);
	vec_fini(&s->wanted);
	free_all(s->waiting, s);
}

/* ---- exact sums ---- */

static size_t waiting_size(const struct timeline_sums *s)
{
	return (s->edges.n - 1) * s->wait_slots * sizeof(uint64_t);
}

static void begin_group(struct timeline_sums *s, uint32_t group)
{
	if (s->tally.cells == 0)
		tally_init(&s->tally, s->shading, s->edges.data, s->edges.n - 1);
	else
		tally_clear(&s->tally);
	s->waiting = xrealloc(s->waiting, waiting_size(s) + 1);
	memset(s->waiting, 0, waiting_size(s));
	s->summing = true;
	s->group = group;
	s->next = 0;
}

/* Of several processes each adds its own. */
static void add_location(struct timeline_sums *s, uint32_t location)
{
	if (!trace_has_location(s->rows->trace, location))
		return;
	tally_add(&s->tally, location);
	if (s->wait_slots)
		wait_sums_add(s->waits, location, s->edges.data, s->edges.n - 1, s->waiting);
}

static void keep_group(struct timeline_sums *s)
{
	const size_t size = (s->edges.n - 1) * SHADING_SLOTS * sizeof(uint64_t);
	struct exchange *x = trace_exchange(s->rows->trace);

	if (!s->exact[s->group]) {
		s->exact[s->group] = xmalloc(size + waiting_size(s) + 1);
		s->kept++;
	}
	memcpy(s->exact[s->group], tally_sums(&s->tally), size);
	memcpy((char *)s->exact[s->group] + size, s->waiting, waiting_size(s));
	exchange_sums(x, s->exact[s->group], (size + waiting_size(s)) / sizeof(uint64_t));
	s->summing = false;
}

/* Continues the group's sum; false if the time ran out first. */
static bool sum_group(struct timeline_sums *s, uint32_t group, int64_t deadline)
{
	const struct location_group *g = &s->rows->grouping.groups.data[group];

	if (!s->summing || s->group != group)
		begin_group(s, group);
	while (s->next < g->n) {
		for (int i = 0; i < LOOK && s->next < g->n; i++)
			add_location(s, s->rows->grouping.members[g->first + s->next++]);
		if (s->next < g->n && clock_cpu_ns() >= deadline)
			return false;
	}
	keep_group(s);
	return true;
}

/* ---- a frame ---- */

void timeline_sums_begin(struct timeline_sums *s, const struct timeline_level *level,
			 const struct timeline_rows *rows, uint64_t generation,
			 const struct query *query, const struct time_cells *cells)
{
	const size_t n = cells->intervals + 1;

	s->deadline = s->frame_ns == INT64_MAX ? INT64_MAX : clock_cpu_ns() + s->frame_ns;
	s->wanted.n = 0;
	if (s->rows != rows || s->generation != generation || s->shading != level->shading) {
		forget_all(s);
		s->groups = (uint32_t)rows->grouping.groups.n;
		s->exact = xcalloc((size_t)s->groups + 1, sizeof *s->exact);
	} else if (s->edges.n != n ||
		   memcmp(s->edges.data, cells->edges, n * sizeof *cells->edges) != 0 ||
		   s->kept > KEPT_GROUPS || s->waits != level->waits) {
		forget_exact(s);
	}
	s->rows = rows;
	s->generation = generation;
	s->shading = level->shading;
	s->waits = level->waits;
	s->wait_slots = s->waits ? wait_sums_slots(s->waits, NULL) : 0;
	s->edges.n = 0;
	for (size_t i = 0; i < n; i++)
		vec_push(&s->edges, cells->edges[i]);
	trace_span(query->trace, query->base, &s->t0, &s->t1);
	s->t1 = s->t1 > s->t0 ? s->t1 : s->t0 + 1;
}

enum sums_state timeline_sums_get(struct timeline_sums *s, uint32_t group, uint64_t *out)
{
	const size_t cells = s->edges.n - 1;

	if (!s->exact[group] && clock_cpu_ns() < s->deadline)
		sum_group(s, group, s->deadline);
	if (s->exact[group]) {
		memcpy(out, s->exact[group], cells * SHADING_SLOTS * sizeof *out);
		return SUMS_EXACT;
	}
	vec_push(&s->wanted, group);
	s->late = true;
	if (s->pyramid && pyramid_has(s->pyramid, group)) {
		pyramid_sums(s->pyramid, group, s->edges.data, cells, out);
		return SUMS_COARSE;
	}
	memset(out, 0, cells * SHADING_SLOTS * sizeof *out);
	return SUMS_NONE;
}

const uint64_t *timeline_sums_waits(const struct timeline_sums *s, uint32_t group)
{
	return s->exact[group] && s->wait_slots ? s->exact[group] + (s->edges.n - 1) * SHADING_SLOTS
						: NULL;
}

/* ---- between frames ---- */

bool timeline_sums_open(const struct timeline_sums *s)
{
	for (size_t i = 0; i < s->wanted.n; i++)
		if (!s->exact[s->wanted.data[i]])
			return true;
	return false;
}

static void begin_pyramid(struct timeline_sums *s)
{
	const struct grouping *g = &s->rows->grouping;
	OWNED uint32_t *first = xcalloc((size_t)s->groups + 1, sizeof *first);

	for (uint32_t k = 0; k < s->groups; k++) {
		first[k] = g->groups.data[k].first;
		first[k + 1] = first[k] + g->groups.data[k].n;
	}
	s->pyramid =
		pyramid_new(s->shading, s->t0, s->t1, s->groups, first, g->members, PYRAMID_BYTES);
}

bool timeline_sums_work(struct timeline_sums *s, bool *changed)
{
	const int64_t deadline = clock_cpu_ns() + SLICE_NS;
	int64_t left;

	if (!s->rows || s->groups == 0 || s->edges.n < 2)
		return false;
	for (size_t i = 0; i < s->wanted.n; i++) {
		if (s->exact[s->wanted.data[i]])
			continue;
		if (!sum_group(s, s->wanted.data[i], deadline))
			return true;
		*changed = true;
		if (clock_cpu_ns() >= deadline)
			return true;
	}
	if (!s->late)
		return false;
	if (!s->pyramid)
		begin_pyramid(s);
	left = deadline - clock_cpu_ns();
	return pyramid_work(s->pyramid, left > 0 ? left : 0);
}
