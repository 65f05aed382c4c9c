#include "ui/timeline/picture/timeline_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/exchange.h"
#include "base/mem.h"
#include "base/memory_bound.h"
#include "model/sums/pyramid.h"
#include "model/sums/turns.h"
#include "model/trace/halo.h"

/* Nanoseconds of a slice; groups kept; locations between two looks at the clock. */
enum { KEPT_GROUPS = 512, LOOK = 8 };
/* Of a group: putting more in order would hold up a key. */
enum { MOST_TURNS = 1 << 21 };

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
	uint64_t turns_bytes, turns_taken;
	bool moved;           /* columns have changed: turns are worth their memory */
	struct turns **turns; /* [groups] NULL: not made, or there is no room for them */
	struct turns *making;
	uint32_t turned;      /* groups whose turns were made, or left out */
	uint32_t next_turned; /* member of the one that is being made */
	bool left_out;        /* some groups have none */
};

struct timeline_sums *timeline_sums_new(int64_t frame_ns, uint64_t turns_bytes)
{
	struct timeline_sums *s = xcalloc(1, sizeof *s);

	s->frame_ns = frame_ns;
	s->turns_bytes = turns_bytes;
	return s;
}

static void forget_turns(struct timeline_sums *s)
{
	for (uint32_t g = 0; g < s->turned; g++)
		turns_free(s->turns[g]);
	turns_free(s->making);
	free(s->turns);
	s->turns = NULL;
	s->making = NULL;
	s->turned = s->next_turned = 0;
	s->turns_taken = 0;
	s->left_out = false;
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
	forget_turns(s);
	free(s->exact);
	s->exact = NULL;
	s->groups = 0;
	s->moved = false;
	pyramid_free(s->pyramid);
	s->pyramid = NULL;
}

void timeline_sums_forget(struct timeline_sums *s)
{
	if (!s)
		return;
	forget_all(s);
	s->rows = NULL;
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

static size_t sums_size(const struct timeline_sums *s)
{
	return (s->edges.n - 1) * SHADING_SLOTS * sizeof(uint64_t);
}

/* Room for the sums of a group. */
static uint64_t *add_exact(struct timeline_sums *s, uint32_t group)
{
	if (!s->exact[group]) {
		s->exact[group] = xmalloc(sums_size(s) + waiting_size(s) + 1);
		s->kept++;
	}
	return s->exact[group];
}

static void keep_group(struct timeline_sums *s)
{
	const size_t size = sums_size(s);
	struct exchange *x = trace_exchange(s->rows->trace);

	add_exact(s, s->group);
	memcpy(s->exact[s->group], tally_sums(&s->tally), size);
	memcpy((char *)s->exact[s->group] + size, s->waiting, waiting_size(s));
	exchange_sums(x, s->exact[s->group], (size + waiting_size(s)) / sizeof(uint64_t));
	s->summing = false;
}

static bool has_turns(const struct timeline_sums *s, uint32_t group)
{
	return group < s->turned && s->turns[group];
}

static void sum_turns(struct timeline_sums *s, uint32_t group)
{
	uint64_t *sums = add_exact(s, group);

	turns_sums(s->turns[group], s->edges.data, s->edges.n - 1, sums,
		   sums + (s->edges.n - 1) * SHADING_SLOTS);
}

/* Continues the group's sum; false if the time ran out first. */
static bool sum_group(struct timeline_sums *s, uint32_t group, int64_t deadline)
{
	const struct location_group *g = &s->rows->grouping.groups.data[group];

	if (has_turns(s, group)) {
		sum_turns(s, group);
		return true;
	}
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
		s->moved = true;
		if (s->waits != level->waits)
			forget_turns(s);
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

	if (!s->exact[group] && (has_turns(s, group) || clock_cpu_ns() < s->deadline))
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

static void add_turns(struct timeline_sums *s, uint32_t location)
{
	const size_t parts = s->wait_slots ? wait_sums_parts(s->waits, location) : 0;

	turns_add(s->making, location);
	for (size_t i = 0; i < parts; i++) {
		int64_t t0, t1;
		const unsigned slot = wait_sums_part(s->waits, location, i, &t0, &t1);

		turns_add_interval(s->making, t0, t1, slot);
	}
}

/* The turns of the next group are complete, or there shall be none. */
static void end_turns(struct timeline_sums *s, bool fits)
{
	struct turns *made = fits && turns_ready(s->making) ? s->making : NULL;

	s->turns_taken += made ? turns_bytes(made) : 0;
	if (!made)
		turns_free(s->making);
	s->left_out = s->left_out || !made;
	s->turns[s->turned++] = made;
	s->making = NULL;
	s->next_turned = 0;
}

/* Makes turns until the time runs out. True while there are more to make. */
static bool make_turns(struct timeline_sums *s, int64_t deadline)
{
	const struct grouping *all = &s->rows->grouping;
	const uint64_t left = memory_left() / 4;
	const uint64_t most = s->turns_bytes < left ? s->turns_bytes : left;

	if (!s->turns)
		s->turns = xcalloc((size_t)s->groups + 1, sizeof *s->turns);
	while (s->turned < s->groups && clock_cpu_ns() < deadline) {
		const struct location_group *g = &all->groups.data[s->turned];
		bool fits;

		if (!s->making)
			s->making = turns_new(s->shading, s->wait_slots, s->t0);
		for (int i = 0; s->making && i < LOOK && s->next_turned < g->n; i++)
			add_turns(s, all->members[g->first + s->next_turned++]);
		fits = s->making && turns_count(s->making) <= MOST_TURNS &&
		       s->turns_taken + turns_bytes(s->making) <= most;
		if (!fits || s->next_turned == g->n)
			end_turns(s, fits);
	}
	return s->turned < s->groups;
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
	if (s->moved && s->turned < s->groups && make_turns(s, deadline))
		return true;
	if (!s->late || (s->moved && !s->left_out))
		return false;
	if (!s->pyramid)
		begin_pyramid(s);
	left = deadline - clock_cpu_ns();
	return pyramid_work(s->pyramid, left > 0 ? left : 0);
}
