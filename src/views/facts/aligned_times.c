#include "views/facts/aligned_times.h"

#include <string.h>

#include "base/mem.h"
#include "model/meaning/meaning.h"
#include "views/facts/iteration_pairs.h"

enum { OLD, NEW, SIDES };

struct aligned_collective {
	int64_t end; /* ticks */
	uint32_t region;
	uint32_t nth; /* of its name, from 1 */
};

/* A function that both call: more than so many are not looked at. */
enum { FUNCTIONS_MOST = 1000 };

struct aligned_function {
	uint32_t region, old; /* UINT32_MAX: the old run does not call it */
	uint32_t calls;       /* in the old run */
};

const char *times_alignment_name(enum times_alignment by)
{
	static const char *const names[ALIGNMENTS] = { "time", "collective", "iteration" };

	return names[by];
}

uint32_t aligned_location(const struct trace *other, const struct location *location)
{
	uint32_t l = trace_location_of_rank(other, location->rank);

	/* Threads of a rank mostly follow its first location. */
	for (uint32_t n = 0; l < trace_location_count(other) && n < 1024; l++, n++) {
		const struct location *one = trace_location(other, l);
		if (one->rank == location->rank && one->thread == location->thread)
			return l;
	}
	return UINT32_MAX;
}

/* ---- collectives ---- */

void aligned_memory_fini(struct aligned_memory *m)
{
	vec_fini(&m->list[OLD]);
	vec_fini(&m->list[NEW]);
	vec_fini(&m->functions);
	*m = (struct aligned_memory){ .location = UINT32_MAX };
}

/* One pass over the events of a location. */
static void list_collectives(struct aligned_memory *m, int side, const struct trace *trace,
			     enum time_base base, uint32_t location)
{
	OWNED uint32_t *counts = xcalloc((size_t)trace_region_count(trace) + 1, sizeof *counts);
	struct cursor c;

	m->list[side].n = 0;
	for (bool ok = cursor_first(&c, trace, base, location); ok; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		uint32_t region;
		if (what_kind(what) != EV_COLLECTIVE_END)
			continue;
		region = trace_collective(trace, trace_member_collective(trace, what_id(what)))
				 ->region;
		vec_push(&m->list[side], ((struct aligned_collective){ cursor_time(&c), region,
								       ++counts[region] }));
	}
}

static bool same_function(const struct trace *a, uint32_t x, const struct trace *b, uint32_t y)
{
	char p[MPI_NAME_SIZE], q[MPI_NAME_SIZE];
	const char *one = trace_region_name(a, x), *two = trace_region_name(b, y);

	return mpi_standard_name(one, p) && mpi_standard_name(two, q) ? strcmp(p, q) == 0
								      : strcmp(one, two) == 0;
}

/* The functions of the old run, each with its calls. */
static void count_old(const struct aligned_memory *m, struct aligned_memory *counted)
{
	const struct aligned_collective *c;

	vec_each (c, &m->list[OLD]) {
		struct aligned_function *f = counted->functions.data;
		const struct aligned_function *end = f + counted->functions.n;

		while (f < end && f->old != c->region)
			f++;
		if (f < end)
			f->calls = c->nth;
		else if (counted->functions.n < FUNCTIONS_MOST)
			vec_push(&counted->functions,
				 ((struct aligned_function){ UINT32_MAX, c->region, c->nth }));
	}
}

static struct aligned_function *function_of(const struct aligned_memory *m, uint32_t region)
{
	for (size_t i = 0; i < m->functions.n; i++)
		if (m->functions.data[i].region == region)
			return &m->functions.data[i];
	return NULL;
}

/* Names are compared once for each pair of functions. */
static void pair_functions(struct aligned_memory *m)
{
	struct aligned_memory old = { .location = UINT32_MAX };
	const struct aligned_collective *c;

	count_old(m, &old);
	m->functions.n = 0;
	vec_each (c, &m->list[NEW]) {
		struct aligned_function f = { c->region, UINT32_MAX, 0 };

		if (function_of(m, c->region) || m->functions.n == FUNCTIONS_MOST)
			continue;
		for (size_t i = 0; i < old.functions.n && f.old == UINT32_MAX; i++)
			if (same_function(m->of[OLD], old.functions.data[i].old, m->of[NEW],
					  c->region)) {
				f.old = old.functions.data[i].old;
				f.calls = old.functions.data[i].calls;
			}
		vec_push(&m->functions, f);
	}
	aligned_memory_fini(&old);
}

/* The same one in the old trace; NULL: there is none. */
static const struct aligned_collective *find_old(const struct aligned_memory *m,
						 const struct aligned_collective *wanted)
{
	const struct aligned_function *f = function_of(m, wanted->region);
	const struct aligned_collective *c;

	if (f && wanted->nth <= f->calls)
		vec_each (c, &m->list[OLD])
			if (c->region == f->old && c->nth == wanted->nth)
				return c;
	return NULL;
}

static void remember(struct aligned_memory *m, const struct query *query,
		     const struct other_trace *other, uint32_t location, uint32_t there)
{
	if (m->of[NEW] == query->trace && m->of[OLD] == other->trace &&
	    m->base[NEW] == query->base && m->base[OLD] == other->base && m->location == location)
		return;
	list_collectives(m, NEW, query->trace, query->base, location);
	list_collectives(m, OLD, other->trace, other->base, there);
	m->of[NEW] = query->trace;
	m->of[OLD] = other->trace;
	m->base[NEW] = (uint8_t)query->base;
	m->base[OLD] = (uint8_t)other->base;
	m->location = location;
	pair_functions(m);
}

static bool find_collective(struct aligned_times *a, const struct aligned_memory *m, int64_t t)
{
	size_t at = 0;

	while (at < m->list[NEW].n && m->list[NEW].data[at].end <= t)
		at++;
	/* The old run may not have the last ones. */
	for (size_t i = at ? at : m->list[NEW].n ? 1 : 0; i-- > 0;) {
		const struct aligned_collective *new = &m->list[NEW].data[i];
		const struct aligned_collective *old = find_old(m, new);
		if (!old)
			continue;
		a->at = (struct other_point){ new->end, old->end };
		a->nth = new->nth;
		a->region = new->region;
		return true;
	}
	return false;
}

/* ---- iterations ---- */

/* Of the location, or of its rank's first one. */
static const int64_t *begins_of(const struct trace *trace, const struct iterations *iterations,
				size_t level, uint32_t location)
{
	const int64_t *begins = iterations_at(iterations, level, location);
	const int32_t rank = trace_location(trace, location)->rank;
	const uint32_t first = rank < 0 ? UINT32_MAX : trace_location_of_rank(trace, rank);

	return begins || first == UINT32_MAX ? begins : iterations_at(iterations, level, first);
}

static bool find_iteration(struct aligned_times *a, const struct query *query,
			   const struct other_trace *other, uint32_t there, int64_t t, int level)
{
	struct query old = { .trace = other->trace,
			     .base = other->base,
			     .t0 = INT64_MIN,
			     .t1 = INT64_MAX,
			     .analyses = other->analyses,
			     .callpath = UINT32_MAX,
			     .progress = query->progress };
	const struct iterations *of[SIDES] = { NULL, NULL };
	const struct iteration_level *levels[SIDES];
	const int64_t *begins[SIDES];
	size_t n[SIDES], at[SIDES];
	struct err err = ERR_INIT;
	uint32_t k = 0, most;

	if (!query_iterations(query, level, &of[NEW], &err) || !of[NEW] ||
	    !query_iterations(&old, LEVEL_MAIN, &of[OLD], &err) || !of[OLD])
		return false;
	for (int side = 0; side < SIDES; side++)
		levels[side] = iterations_levels(of[side], &n[side], &at[side]);
	if (level >= 0 && (size_t)level < n[NEW])
		at[NEW] = (size_t)level;
	if (at[NEW] >= n[NEW])
		return false;
	at[OLD] = iteration_pairs_level(old.trace, of[OLD], query->trace, &levels[NEW][at[NEW]]);
	if (at[OLD] >= n[OLD] || !query_iterations(&old, (int)at[OLD], &of[OLD], &err))
		return false;
	begins[NEW] = begins_of(query->trace, of[NEW], at[NEW], a->location);
	begins[OLD] = begins_of(old.trace, of[OLD], at[OLD], there);
	if (!begins[NEW] || !begins[OLD])
		return false;
	most = levels[NEW][at[NEW]].n < levels[OLD][at[OLD]].n ? levels[NEW][at[NEW]].n
							       : levels[OLD][at[OLD]].n;
	while (k + 1 < most && begins[NEW][k + 1] <= t)
		k++;
	a->at = (struct other_point){ begins[NEW][k], begins[OLD][k] };
	a->nth = k + 1;
	return true;
}

/* ---- all ---- */

struct aligned_times aligned_times_find(const struct query *query, const struct other_trace *other,
					enum times_alignment by, uint32_t location, int64_t t,
					int level, struct aligned_memory *memory)
{
	struct aligned_times a = { .by = by, .location = location, .region = UINT32_MAX };
	const uint32_t there =
		location < trace_location_count(query->trace)
			? aligned_location(other->trace, trace_location(query->trace, location))
			: UINT32_MAX;
	bool found = false;

	if (by == ALIGNED_BY_COLLECTIVE && there != UINT32_MAX) {
		remember(memory, query, other, location, there);
		found = find_collective(&a, memory, t);
	} else if (by == ALIGNED_BY_ITERATION && there != UINT32_MAX && other->analyses) {
		found = find_iteration(&a, query, other, there, t, level);
	}
	if (!found) {
		a.by = ALIGNED_BY_TIME;
		a.at = other_begin(other, query);
	}
	return a;
}

const char *aligned_times_text(struct phrases *p, const struct aligned_times *a)
{
	switch (a->by) {
	case ALIGNED_BY_COLLECTIVE:
		return phrase(p, "aligned at the end of %s %s of %s", phrase_region(p, a->region),
			      phrase_number(p, a->nth), phrase_location(p, a->location));
	case ALIGNED_BY_ITERATION:
		return phrase(p, "aligned at iteration %s of %s", phrase_number(p, a->nth),
			      phrase_location(p, a->location));
	default: return "aligned at the first event";
	}
}
