/* Random traces: what must hold of every analysis, and the same figures from brute force: calls
 * from a stack over all events of a location, statistics from a sorted list, windows that add up to
 * the whole, times that are the profile's, and one result whatever the number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "harness/load_trace.h"
#include "harness/owners.h"
#include "harness/patience.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "model/sums/profile.h"
#include "patterns/analysis/analysis.h"
#include "patterns/analysis/calls.h"
#include "patterns/patterns.h"

enum { SEEDS = 12, STEPS = 400 };

FREES(calls_free, struct calls)

/* Of real programs, and by hand. */
static const char *const real[] = {
	"traces/otf2/sweep3d-4", "traces/otf2/mg.S-4", "traces/otf2/comd-4",
	"traces/stencil.trc",    "traces/sweep.trc",   "traces/collectives.trc",
};
enum { REAL = sizeof real / sizeof *real };

static struct analysis *analyse(const struct trace *t, int jobs)
{
	const struct analysis_options options = { .jobs = jobs };
	struct err err = ERR_INIT;
	struct analysis *a = analysis_new(patterns, t, BASE_MEASURED, &options, NULL, &err);

	if (!a)
		fail_msg("%s", err.text);
	return a;
}

static struct cube *cube_of(const struct analysis *a, int64_t t0, int64_t t1)
{
	struct cube *cube =
		analysis_cube(a, t0, t1, CUBE_TIMES | CUBE_WAITS | CUBE_BALANCE, NULL, NULL);

	assert_non_null(cube);
	return cube;
}

/* ---- calls ---- */

struct open {
	uint32_t enter, path;
	int64_t en;
};

/* The innermost region at each event, found on the way; its end by going on from there. */
static void assert_call(const struct trace *t, const struct calls *calls, const struct cursor *at,
			const struct open *open, size_t depth, int64_t first, int64_t last)
{
	const struct call_span span = calls_of(calls, at->id);
	const enum event_kind kind = what_kind(cursor_what(at));
	struct cursor c = *at;
	uint32_t leave = EVENT_NONE;
	bool ok = kind == EV_LEAVE || cursor_next(&c);

	assert_int_equal(span.path, depth ? trace_callpath(t, open[depth - 1].path)->canon : 0);
	for (; ok && depth; ok = cursor_next(&c))
		if (what_kind(cursor_what(&c)) == EV_LEAVE &&
		    trace_callpath(t, what_id(cursor_what(&c)))->depth <= depth) {
			leave = c.id;
			break;
		}
	assert_int_equal(span.enter, depth ? open[depth - 1].enter : EVENT_NONE);
	assert_int_equal(span.leave, leave);
	assert_int_equal(span.en, depth ? open[depth - 1].en : first);
	assert_int_equal(span.lv, leave == EVENT_NONE ? last : cursor_time(&c));
}

static void assert_calls(const struct trace *t, const struct calls *calls, uint32_t location)
{
	VEC(struct open) open = VEC_INIT;
	struct cursor c;
	int64_t first, last;

	if (!cursor_last(&c, t, BASE_MEASURED, location))
		return;
	last = cursor_time(&c);
	cursor_first(&c, t, BASE_MEASURED, location);
	first = cursor_time(&c);
	for (uint32_t p = c.block->path; p; p = trace_callpath(t, p)->parent)
		vec_push(&open, ((struct open){ EVENT_NONE, p, first }));
	for (size_t i = 0; i < open.n / 2; i++) {
		const struct open swap = open.data[i];
		open.data[i] = open.data[open.n - 1 - i];
		open.data[open.n - 1 - i] = swap;
	}
	do {
		const uint32_t id = what_id(cursor_what(&c));
		size_t depth = open.n;
		if (what_kind(cursor_what(&c)) == EV_ENTER) {
			open.n = trace_callpath(t, id)->depth - 1;
			vec_push(&open, ((struct open){ c.id, id, cursor_time(&c) }));
			depth = open.n;
		} else if (what_kind(cursor_what(&c)) == EV_LEAVE) {
			depth = trace_callpath(t, id)->depth;
			open.n = depth - 1;
		}
		assert_call(t, calls, &c, open.data, depth, first, last);
	} while (cursor_next(&c));
	vec_fini(&open);
}

TEST(calls_are_those_of_a_walk)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		OWNED_TRACE *t = random_trace(seed, STEPS, 1000000000);
		FREED_BY(calls_free) struct calls *calls = calls_new(t, BASE_MEASURED, 2, NULL);
		for (uint32_t l = 0; l < trace_location_count(t); l++)
			assert_calls(t, calls, l);
	}
}

/* ---- one result ---- */

static void assert_same_cubes(const struct cube *a, const struct cube *b)
{
	for (int m = 0; m < CUBE_METRICS; m++) {
		size_t n, k;
		const struct cube_cell *x = cube_cells(a, (enum cube_metric)m, &n);
		const struct cube_cell *y = cube_cells(b, (enum cube_metric)m, &k);
		assert_int_equal(n, k);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(x[i].path, y[i].path);
			assert_int_equal(x[i].location, y[i].location);
			assert_true(x[i].value == y[i].value);
		}
	}
}

/* Returns how many waits there are. */
static size_t assert_same_with_threads(const struct trace *t)
{
	struct analysis *one = analyse(t, 1), *many = analyse(t, 5);
	struct cube *a = analysis_cube(one, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, NULL),
		    *b = analysis_cube(many, INT64_MIN, INT64_MAX, CUBE_ALL, NULL, NULL);
	size_t found = 0;

	assert_non_null(a);
	assert_non_null(b);
	assert_same_cubes(a, b);
	assert_memory_equal(analysis_counts(one), analysis_counts(many),
			    sizeof(struct analysis_counts));
	for (uint32_t l = 0; l < trace_location_count(t); l++) {
		size_t n, k;
		const struct wait *x = analysis_waits(one, l, &n), *y = analysis_waits(many, l, &k);
		assert_int_equal(n, k);
		if (n)
			assert_memory_equal(x, y, n * sizeof *x);
		found += n;
	}
	cube_free(a);
	cube_free(b);
	analysis_free(one);
	analysis_free(many);
	return found;
}

TEST(threads_change_nothing)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		OWNED_TRACE *t = random_trace(seed, STEPS, 1000000000);
		assert_same_with_threads(t);
	}
	for (size_t i = 0; i < REAL; i++) {
		OWNED_TRACE *t = load_trace(real[i]);
		assert_true(assert_same_with_threads(t) > 10);
	}
}

/* ---- windows ---- */

/* Cells of the whole run are the sums of those of the parts: as far as a metric has instances or
 * counts. */
static void assert_adds_up(const struct trace *t, const struct analysis *a, const int64_t *cuts,
			   int n)
{
	FREED_BY(cube_free) struct cube *whole = cube_of(a, INT64_MIN, INT64_MAX);
	struct cube *parts[4];

	for (int i = 0; i + 1 < n; i++)
		parts[i] = cube_of(a, cuts[i], cuts[i + 1]);
	for (int m = 0; m < CUBE_METRICS; m++) {
		if (cube_metric_within((enum cube_metric)m, CUBE_IMBALANCE))
			continue;
		for (uint32_t p = 0; p < trace_callpath_count(t); p++)
			for (uint32_t l = 0; l < trace_location_count(t); l++) {
				double sum = 0;
				for (int i = 0; i + 1 < n; i++)
					sum += cube_value(parts[i], (enum cube_metric)m, p, l);
				if (fabs(cube_value(whole, (enum cube_metric)m, p, l) - sum) >
				    1e-12 * fabs(sum))
					fail_msg("%s, call path %u, location %u: %g, parts %g",
						 cube_metric_info((enum cube_metric)m)->name, p, l,
						 cube_value(whole, (enum cube_metric)m, p, l), sum);
			}
	}
	for (int i = 0; i + 1 < n; i++)
		cube_free(parts[i]);
}

TEST(windows_add_up)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		OWNED_TRACE *t = random_trace(seed, 120, 1000000000);
		FREED_BY(analysis_free) struct analysis *a = analyse(t, 2);
		int64_t begin, end;
		trace_span(t, BASE_MEASURED, &begin, &end);
		assert_adds_up(t, a,
			       (const int64_t[]){ INT64_MIN, begin + (end - begin) / 3,
						  begin + (end - begin) * 5 / 7, INT64_MAX },
			       4);
		/* On an event's time, and in the past. */
		assert_adds_up(t, a,
			       (const int64_t[]){ INT64_MIN, begin,
						  trace_event_time(t, BASE_MEASURED, 70),
						  INT64_MAX },
			       4);
	}
}

/* ---- conservation ---- */

/* No value is negative; none exceeds its parent's, but for counts of Late Receivers, which belong
 * to the call that waited while sends belong to the one that sent. */
static void assert_within_parents(const struct trace *t, const struct cube *cube)
{
	for (int m = 0; m < CUBE_METRICS; m++) {
		const struct cube_metric_info *info = cube_metric_info((enum cube_metric)m);
		for (uint32_t p = 0; p < trace_callpath_count(t); p++)
			for (uint32_t l = 0; l < trace_location_count(t); l++) {
				const double value = cube_value(cube, (enum cube_metric)m, p, l);
				assert_true(value >= 0);
				if (info->parent == CUBE_NONE || m == CUBE_MPI_SLR_COUNT ||
				    m == CUBE_MPI_CLR_COUNT)
					continue;
				if (value > cube_value(cube, info->parent, p, l) + 1e-6)
					fail_msg("%s, call path %u, location %u: %g of %g",
						 info->name, p, l, value,
						 cube_value(cube, info->parent, p, l));
			}
	}
}

TEST(parts_are_within_the_whole)
{
	for (size_t i = 0; i < REAL; i++) {
		OWNED_TRACE *t = load_trace(real[i]);
		FREED_BY(analysis_free) struct analysis *a = analyse(t, 2);
		int64_t begin, end;
		struct cube *cube = cube_of(a, INT64_MIN, INT64_MAX);
		assert_within_parents(t, cube);
		cube_free(cube);
		trace_span(t, BASE_MEASURED, &begin, &end);
		cube = cube_of(a, begin + (end - begin) / 3, begin + (end - begin) / 2);
		assert_within_parents(t, cube);
		cube_free(cube);
	}
}

TEST(times_are_the_profile_s)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		OWNED_TRACE *t = random_trace(seed, STEPS, 1000000000);
		const uint32_t paths = trace_callpath_count(t);
		FREED_BY(analysis_free) struct analysis *a = analyse(t, 2);
		double *times = test_calloc(paths + 1, sizeof *times),
		       *idle = test_calloc(paths + 1, sizeof *idle),
		       *visits = test_calloc(paths + 1, sizeof *visits);
		int64_t begin, end;
		trace_span(t, BASE_MEASURED, &begin, &end);
		for (int part = 0; part < 3; part++) {
			const int64_t t0 = part ? begin + (end - begin) * part / 4 : INT64_MIN,
				      t1 = part ? begin + (end - begin) * (part + 1) / 4
						: INT64_MAX;
			FREED_BY(cube_free) struct cube *cube = cube_of(a, t0, t1);
			ENDED_BY(profile_fini) struct profile profile;
			struct err err = ERR_INIT;
			assert_true(profile_make(&profile, t, BASE_MEASURED, PROFILE_CALLPATH, NULL,
						 0, t0, t1, NULL, &err));
			cube_by_path(cube, CUBE_TIME, NULL, times);
			cube_by_path(cube, CUBE_OMP_IDLE_THREADS, NULL, idle);
			cube_by_path(cube, CUBE_VISITS, NULL, visits);
			for (uint32_t p = 0; p < paths; p++) {
				/* Threads may be idle before and behind what they recorded. */
				if (p == 0 && idle[0] > 0)
					assert_true(times[0] >= (double)profile.rows[0].exclusive);
				else
					assert_true(times[p] == (double)profile.rows[p].exclusive);
				if (p > 0) /* the program itself is a visit here */
					assert_true(visits[p] == (double)profile.rows[p].count);
			}
		}
		test_free(times);
		test_free(idle);
		test_free(visits);
	}
}

/* ---- instances ---- */

TEST(the_first_wait_behind_a_time)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		OWNED_TRACE *t = random_trace(seed, STEPS, 1000000000);
		FREED_BY(analysis_free) struct analysis *a = analyse(t, 2);
		for (uint32_t l = 0; l < trace_location_count(t); l++) {
			size_t n;
			const struct wait *waits = analysis_waits(a, l, &n);
			for (size_t i = 0; i <= n; i++) {
				const int64_t at =
					i < n ? waits[i].begin + waits[i].length : INT64_MIN;
				size_t first = 0;
				while (first < n && waits[first].begin + waits[first].length <= at)
					first++;
				assert_int_equal(analysis_wait_at(a, l, at), first);
				if (i > 0 && i < n)
					assert_true(waits[i - 1].begin <= waits[i].begin);
			}
			assert_int_equal(analysis_wait_at(a, l, INT64_MAX), n);
		}
	}
}

static int compare_lengths(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Interpolated at (n - 1) p. */
static double quantile(const int64_t *x, size_t n, double p)
{
	const double at = (double)(n - 1) * p;
	const size_t i = (size_t)floor(at);

	return i + 1 < n ? (double)x[i] + (at - floor(at)) * (double)(x[i + 1] - x[i])
			 : (double)x[i];
}

static void assert_statistics(const struct trace *t, const struct analysis *a, const bool *chosen,
			      int64_t t0, int64_t t1)
{
	VEC(int64_t) x = VEC_INIT;
	struct wait_statistics s;
	double sum = 0, squares = 0;

	for (uint32_t l = 0; l < trace_location_count(t); l++) {
		size_t n;
		const struct wait *waits = analysis_waits(a, l, &n);
		for (size_t i = 0; i < n; i++)
			if ((!chosen || chosen[l]) && waits[i].metric == CUBE_MPI_LATESENDER &&
			    waits[i].begin >= t0 && waits[i].begin < t1)
				vec_push(&x, waits[i].length);
	}
	analysis_statistics(a, (const enum cube_metric[]){ CUBE_MPI_LATESENDER }, 1, chosen, t0, t1,
			    &s);
	assert_int_equal(s.count, x.n);
	if (x.n) {
		qsort(x.data, x.n, sizeof *x.data, compare_lengths);
		for (size_t i = 0; i < x.n; i++) {
			sum += (double)x.data[i];
			squares += (double)x.data[i] * (double)x.data[i];
		}
		assert_true(s.sum == sum);
		assert_true(fabs(s.mean - sum / (double)x.n) < 1e-6);
		assert_true(fabs(s.variance - (squares / (double)x.n - s.mean * s.mean)) <=
			    1e-9 * squares);
		assert_int_equal(s.min, x.data[0]);
		assert_int_equal(s.max, x.data[x.n - 1]);
		assert_true(fabs((double)s.lower - quantile(x.data, x.n, 0.25)) <= 0.5);
		assert_true(fabs((double)s.median - quantile(x.data, x.n, 0.5)) <= 0.5);
		assert_true(fabs((double)s.upper - quantile(x.data, x.n, 0.75)) <= 0.5);
	}
	vec_fini(&x);
}

TEST(statistics_are_exact)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		OWNED_TRACE *t = random_trace(seed, STEPS, 1000000000);
		FREED_BY(analysis_free) struct analysis *a = analyse(t, 2);
		const uint32_t locations = trace_location_count(t);
		bool *chosen = test_calloc(locations + 1, sizeof *chosen);
		int64_t begin, end;
		trace_span(t, BASE_MEASURED, &begin, &end);
		for (uint32_t l = 0; l < locations; l += 2)
			chosen[l] = true;
		assert_statistics(t, a, NULL, INT64_MIN, INT64_MAX);
		assert_statistics(t, a, chosen, begin + (end - begin) / 4,
				  begin + (end - begin) * 3 / 4);
		test_free(chosen);
	}
}

/* ---- stopping ---- */

TEST(stops_at_any_step)
{
	OWNED_TRACE *t = random_trace(3, STEPS, 1000000000);
	const struct analysis_options options = { .jobs = 2 };
	FREED_BY(analysis_free) struct analysis *a = NULL;
	struct err err = ERR_INIT;

	for (int steps = 0; !a; steps++) {
		atomic_int left = steps;
		const struct progress progress = patience(&left);
		assert_true(steps < 10000);
		a = analysis_new(patterns, t, BASE_MEASURED, &options, &progress, &err);
	}
}
