/* The stages of an analysis: the walk over the locations, the groups, then the order of the
 * findings. */
#include "patterns/analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/heap.h"
#include "base/jobs.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/runs.h"
#include "patterns/analysis/analysis_state.h"

/* What analyses keep and use beside the trace, measured: 24 to 40. */
enum { BYTES_OF_EVENT = 40 };

/* ---- stages ---- */

static void walk_one(void *context, unsigned worker, size_t location)
{
	struct stage *stage = context;

	if (stage_step(stage, worker, location, trace_location_count(stage->analysis->trace)))
		walk_location(stage, worker, (uint32_t)location);
}

static bool on_locations(struct analysis *a, const char *what, const struct progress *progress,
			 void (*work)(void *, unsigned, size_t))
{
	struct stage stage = { .analysis = a, .progress = progress, .what = what };

	jobs_run(a->jobs, trace_location_count(a->trace), work, &stage);
	return !stage.stopped;
}

/* ---- the order of the findings ---- */

static int compare_waits(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	ORDER_BY(x->begin, y->begin);
	ORDER_BY(y->length, x->length);
	ORDER_BY(x->event, y->event);
	ORDER_BY(x->metric, y->metric);
	return ORDER(x->partner, y->partner);
}

ORDERING(compare_marks, struct metric_mark, time, metric, path)

static void make_latest(struct location_findings *place)
{
	int64_t latest = INT64_MIN;

	place->latest = xmalloc((place->n / WAITS_COARSE + 1) * sizeof *place->latest);
	for (uint32_t i = 0; i < place->n; i++) {
		const int64_t end = place->waits[i].begin + place->waits[i].length;
		if (end > latest)
			latest = end;
		place->latest[i / WAITS_COARSE] = latest;
	}
}

/* Where only counters are recorded, activities are unknown. */
static bool records_calls(const struct analysis *a, uint32_t location)
{
	return location_has_states(trace_location(a->trace, location));
}

/* Whether waits have to be cut before they become severities (wait_parts.h). */
static bool is_to_cut(const struct analysis *a, uint32_t location)
{
	const struct location_findings *place = &a->places[location];

	if (place->n == 0)
		return false;
	if (place->nested || !records_calls(a, location) || waits_overlap(place->waits, place->n))
		return true;
	for (uint32_t i = 0; i < place->n; i++)
		if (calls_kind(a->calls, place->waits[i].path) == CALL_OTHER)
			return true;
	return false;
}

static void put_in_order(void *context, unsigned worker, size_t location)
{
	struct stage *stage = context;
	struct location_findings *place = &stage->analysis->places[location];
	uint32_t at = place->n;

	(void)worker;
	place->waits = xmalloc((place->n + 1) * sizeof *place->waits);
	while (place->chunks) {
		OWNED struct wait_chunk *chunk = place->chunks;
		at -= chunk->n;
		memcpy(place->waits + at, chunk->waits, chunk->n * sizeof *chunk->waits);
		place->chunks = chunk->before;
	}
	/* Each kind was found in nearly that order. */
	runs_merge(place->waits, place->n, sizeof *place->waits, compare_waits);
	runs_merge(place->marks.data, place->marks.n, sizeof *place->marks.data, compare_marks);
	make_latest(place);
	place->cut = is_to_cut(stage->analysis, (uint32_t)location);
	if (place->cut)
		wait_parts_make(&place->parts, stage->analysis->trace, stage->analysis->base,
				(uint32_t)location, place->waits, place->n);
}

static void share_counts(struct analysis *a)
{
	uint64_t *const counts[] = { &a->counts.violations, &a->counts.unmatched,
				     &a->counts.incomplete, &a->counts.skipped,
				     &a->counts.extended };
	int128 sums[sizeof counts / sizeof *counts];

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		sums[i] = *counts[i];
	exchange_sum(trace_exchange(a->trace), sums, sizeof counts / sizeof *counts);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] = (uint64_t)sums[i];
}

static void sum_counts(struct analysis *a)
{
	for (uint32_t l = 0; l < trace_location_count(a->trace); l++) {
		const struct analysis_counts *counts = &a->places[l].counts;
		a->counts.violations += counts->violations;
		a->counts.unmatched += counts->unmatched;
		a->counts.incomplete += counts->incomplete;
		a->counts.skipped += counts->skipped;
		a->counts.extended += counts->extended;
	}
	share_counts(a);
}

/* ---- construction ---- */

static void listens(struct listeners *listeners, unsigned pattern)
{
	listeners->of[listeners->n++] = (uint8_t)pattern;
}

static void make_states(struct analysis *a)
{
	const uint32_t locations = trace_location_count(a->trace);

	for (unsigned i = 0; a->registry[i]; i++) {
		const struct pattern *p = a->registry[i];
		a->local[i] = p->local ? xcalloc(locations + 1, p->local) : NULL;
		a->whole[i] = p->whole ? xcalloc(1, p->whole) : NULL;
		for (int s = 0; s < SUBJECTS; s++)
			if (p->subjects & 1u << s)
				listens(&a->subjects[s], i);
		for (int k = 0; k < EV_KINDS; k++)
			if (p->events & 1u << k)
				listens(&a->events[k], i);
		a->n_patterns++;
	}
}

ORDERING(by_wait, struct elsewhere, location, event)

static void finish(struct analysis *a)
{
	for (unsigned i = 0; a->registry[i]; i++)
		if (a->registry[i]->finish)
			a->registry[i]->finish(a, a->registry[i]);
	if (a->elsewhere.n)
		vec_sort(&a->elsewhere, by_wait);
}

static bool make(struct analysis *a, const struct progress *progress, struct err *err)
{
	a->calls = calls_new(a->trace, a->base, a->jobs, progress);
	if (!a->calls || !on_locations(a, "wait states", progress, walk_one) ||
	    !group_stage(a, progress, err))
		return false;
	finish(a);
	on_locations(a, "wait states", NULL, put_in_order);
	sum_counts(a);
	return true;
}

struct analysis *analysis_new(const struct pattern *const *registry, const struct trace *trace,
			      enum time_base base, const struct analysis_options *options,
			      const struct progress *progress, struct err *err)
{
	struct analysis *a = xcalloc(1, sizeof *a);
	const struct progress whole = progress_whole(progress);

	a->trace = trace;
	a->base = base;
	a->registry = registry;
	a->jobs = jobs_count(options ? options->jobs : 0);
	a->iteration = options ? options->iteration : NULL;
	a->places = xcalloc(trace_location_count(trace) + 1, sizeof *a->places);
	pthread_mutex_init(&a->lock, NULL);
	make_states(a);
	heap_expect((size_t)trace_event_count(trace) * BYTES_OF_EVENT);
	if (grids_make(&a->grids, trace, options ? options->topology : NULL, err) &&
	    make(a, &whole, err))
		return a;
	analysis_free(a);
	return NULL;
}

/* Results come first: they may borrow from the states of any pattern. */
static void free_states(struct analysis *a)
{
	for (unsigned i = 0; i < a->n_patterns; i++)
		if (a->made[i])
			a->registry[i]->unmake(a->made[i]);
	for (unsigned i = 0; i < a->n_patterns; i++) {
		const struct pattern *p = a->registry[i];
		for (uint32_t l = 0; p->release && l < trace_location_count(a->trace); l++)
			p->release(a->local[i] + l * p->local);
		if (p->release_whole)
			p->release_whole(a->whole[i]);
		free_all(a->local[i], a->whole[i]);
	}
}

static void place_fini(struct location_findings *place)
{
	while (place->chunks) {
		OWNED struct wait_chunk *chunk = place->chunks;
		place->chunks = chunk->before;
	}
	free_all(place->waits, place->latest);
	wait_parts_fini(&place->parts);
	vec_fini(&place->marks);
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	free_states(a);
	for (uint32_t l = 0; l < trace_location_count(a->trace); l++)
		place_fini(&a->places[l]);
	vec_fini(&a->elsewhere);
	free(a->places);
	calls_free(a->calls);
	grids_fini(&a->grids);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

/* ---- queries ---- */

const struct trace *analysis_trace(const struct analysis *a)
{
	return a->trace;
}

enum time_base analysis_base(const struct analysis *a)
{
	return a->base;
}

const struct analysis_counts *analysis_counts(const struct analysis *a)
{
	return &a->counts;
}

const struct wait *analysis_waits(const struct analysis *a, uint32_t location, size_t *n)
{
	*n = a->places[location].n;
	return a->places[location].waits;
}

size_t analysis_wait_at(const struct analysis *a, uint32_t location, int64_t t)
{
	const struct location_findings *place = &a->places[location];
	size_t low = 0, high = place->n ? (place->n - 1) / WAITS_COARSE + 1 : 0;

	BISECT(low, high, middle, place->latest[middle] <= t);
	low *= WAITS_COARSE;
	while (low < place->n && place->waits[low].begin + place->waits[low].length <= t)
		low++;
	return low < place->n ? low : place->n;
}

const struct grids *analysis_grids(const struct analysis *a)
{
	return &a->grids;
}

const struct grid *analysis_grid(const struct analysis *a)
{
	return grids_best(&a->grids);
}
