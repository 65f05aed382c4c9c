/* Waits of each call path are made disjoint; then a walk over the events gives each stretch of time
 * to the wait of its call path that contains it. */
#include "patterns/analysis/wait_parts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "model/trace/visit_walk.h"

/* The part of a wait that no earlier wait covers. */
struct rest {
	int64_t begin, end;
	const struct wait *wait;
};

/* Sorted by call path, then begin; disjoint within a call path. */
struct rests {
	struct rest *data;
	size_t *next; /* [call paths] the first that has not ended; at last of all call paths */
	size_t *end;  /* [call paths + 1] */
	uint32_t paths;
};

/* The call path that a wait takes time of: polling, of any that is open. */
static uint32_t place_of(const struct rests *rests, const struct wait *wait)
{
	return wait->metric == CUBE_MPI_POLLING ? rests->paths : wait->path;
}

/* Whether a wait takes a part of the time of its call. */
static bool is_cut(const struct wait *wait)
{
	const enum cube_metric metric = (enum cube_metric)wait->metric;

	return cube_metric_within(metric, CUBE_EXECUTION) &&
	       cube_metric_info(cube_metric_info(metric)->parent)->source != SOURCE_FOUND;
}

bool waits_overlap(const struct wait *waits, size_t n)
{
	int64_t end = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		if (!is_cut(&waits[i]))
			continue;
		if (waits[i].begin < end)
			return true;
		end = waits[i].begin + waits[i].length;
	}
	return false;
}

static void add_part(struct wait_parts *parts, const struct wait *wait, uint32_t path,
		     int64_t begin, int64_t end)
{
	vec_push(parts, ((struct wait_part){ begin, end, path, wait->metric, wait->flags }));
	if (end - begin > parts->longest)
		parts->longest = end - begin;
}

/* ---- disjoint ---- */

static void rests_init(struct rests *rests, uint32_t paths, const struct wait *waits, size_t n)
{
	OWNED int64_t *over = xmalloc(((size_t)paths + 1) * sizeof *over);
	size_t sum = 0;

	rests->paths = paths;
	rests->next = xcalloc((size_t)paths + 1, sizeof *rests->next);
	rests->end = xcalloc((size_t)paths + 1, sizeof *rests->end);
	rests->data = xmalloc((n + 1) * sizeof *rests->data);
	for (size_t i = 0; i < n; i++)
		rests->end[place_of(rests, &waits[i])] += is_cut(&waits[i]);
	for (uint32_t p = 0; p <= paths; p++) {
		const size_t here = rests->end[p];
		rests->next[p] = rests->end[p] = sum;
		over[p] = INT64_MIN;
		sum += here;
	}
	for (size_t i = 0; i < n; i++) {
		const struct wait *wait = &waits[i];
		const int64_t end = wait->begin + wait->length;
		const uint32_t place = place_of(rests, wait);
		int64_t begin = wait->begin;
		if (!is_cut(wait) || end <= over[place])
			continue;
		if (begin < over[place])
			begin = over[place];
		rests->data[rests->end[place]++] = (struct rest){ begin, end, wait };
		over[place] = end;
	}
}

static void rests_fini(struct rests *rests)
{
	free_all(rests->data, rests->next, rests->end);
}

/* ---- the walk ---- */

static void add_stretch_of(struct wait_parts *parts, struct rests *rests, uint32_t place,
			   uint32_t path, int64_t from, int64_t to)
{
	size_t *next = &rests->next[place];

	for (; *next < rests->end[place]; ++*next) {
		const struct rest *rest = &rests->data[*next];
		const int64_t begin = rest->begin > from ? rest->begin : from;
		const int64_t end = rest->end < to ? rest->end : to;
		if (end > begin)
			add_part(parts, rest->wait, path, begin, end);
		if (rest->end > to)
			break;
	}
}

/* A stretch of time in which `path`, a canonical call path, is open. */
static void add_stretch(struct wait_parts *parts, struct rests *rests, uint32_t path, int64_t from,
			int64_t to)
{
	add_stretch_of(parts, rests, path, path, from, to);
	add_stretch_of(parts, rests, rests->paths, path, from, to);
}

ORDERING(by_begin, struct wait_part, begin, metric)

void wait_parts_make(struct wait_parts *parts, const struct trace *trace, enum time_base base,
		     uint32_t location, const struct wait *waits, size_t n)
{
	struct rests rests;
	struct visit_walk w;
	bool ok = visit_walk_begin(&w, trace, base, location, INT64_MIN, INT64_MAX);

	*parts = (struct wait_parts){ 0 };
	rests_init(&rests, trace_callpath_count(trace), waits, n);
	if (ok)
		add_stretch(parts, &rests, 0, INT64_MIN, w.from);
	for (; ok; ok = visit_walk_next_change(&w))
		if (w.traced)
			add_stretch(parts, &rests, w.paths[w.path].canon, w.from, w.to);
	rests_fini(&rests);
	for (size_t i = 0; i < n; i++)
		if (!is_cut(&waits[i]))
			add_part(parts, &waits[i], waits[i].path, waits[i].begin,
				 waits[i].begin + waits[i].length);
	vec_sort(parts, by_begin);
}

void wait_parts_fini(struct wait_parts *parts)
{
	vec_fini(parts);
}

size_t wait_parts_at(const struct wait_parts *parts, int64_t t)
{
	size_t low = 0, high = parts->n;

	BISECT(low, high, middle,
	       parts->data[middle].begin <= t &&
		       (uint64_t)t - (uint64_t)parts->data[middle].begin >=
			       (uint64_t)parts->longest);
	return low;
}
