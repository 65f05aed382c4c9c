/* Stretches of the critical path: what holds for any run, and parts of it against going over
 * all. */
#include <stdlib.h>

#include "base/mem.h"
#include "harness/load_trace.h"
#include "harness/owners.h"
#include "harness/random.h"
#include "harness/test.h"
#include "patterns/causes/critical_stretch.h"
#include "patterns/kinds/waiting_run.h"
#include "patterns/patterns.h"

enum { RUNS = 60, STEPS = 120, WINDOWS = 20 };

struct fixture {
	struct trace *trace;
	struct analysis *analysis;
	const struct causes *causes;
	const struct path_stretch *path;
	size_t n;
};

static void analyse(struct fixture *f, struct trace *trace)
{
	struct err err = ERR_INIT;

	assert_non_null(trace);
	f->trace = trace;
	f->analysis = analysis_new(patterns, trace, BASE_MEASURED, &(struct analysis_options){ 0 },
				   NULL, &err);
	assert_non_null(f->analysis);
	f->causes = causes_of(f->analysis, NULL, &err);
	assert_non_null(f->causes);
	f->path = causes_critical_path(f->causes, &f->n);
}

static void fini(struct fixture *f)
{
	analysis_free(f->analysis);
	trace_free(f->trace);
}

/* The part of [a, b) in [t0, t1). */
static int64_t common(int64_t a, int64_t b, int64_t t0, int64_t t1)
{
	const int64_t from = a > t0 ? a : t0, to = b < t1 ? b : t1;

	return to > from ? to - from : 0;
}

static void follow_each_other(const struct fixture *f)
{
	assert_true(f->n > 0);
	for (size_t i = 0; i < f->n; i++) {
		assert_true(f->path[i].from <= f->path[i].to);
		if (i > 0)
			assert_int_equal(f->path[i].from, f->path[i - 1].to);
	}
}

static void check_window(const struct fixture *f, int64_t t0, int64_t t1)
{
	int64_t all = 0;
	size_t first = 0;

	while (first < f->n && f->path[first].to <= t0)
		first++;
	assert_int_equal(critical_stretch_at(f->path, f->n, t0), first);
	for (uint32_t l = 0; l < trace_location_count(f->trace); l++) {
		int64_t sum = 0;
		for (size_t i = 0; i < f->n; i++)
			if (f->path[i].location == l)
				sum += common(f->path[i].from, f->path[i].to, t0, t1);
		assert_int_equal(critical_stretch_sum(f->path, f->n, l, t0, t1), sum);
		all += sum;
	}
	assert_int_equal(all, common(f->path[0].from, f->path[f->n - 1].to, t0, t1));
}

/* The call path that most of the time is in is that with the largest cell of the window's cube. */
static void check_callpaths(const struct fixture *f, int64_t t0, int64_t t1)
{
	OWNED uint32_t *paths = xcalloc(f->n, sizeof *paths);
	struct err err = ERR_INIT;

	assert_true(critical_stretch_callpaths(f->causes, f->path, f->n, t0, t1, paths, NULL));
	for (size_t i = 0; i < f->n; i++) {
		const struct path_stretch *s = &f->path[i];
		const int64_t from = s->from > t0 ? s->from : t0, to = s->to < t1 ? s->to : t1;
		FREED_BY(cube_free) struct cube *cube = NULL;
		double most = 0;
		if (from >= to) {
			assert_int_equal(paths[i], 0);
			continue;
		}
		cube = analysis_cube(f->analysis, from, to, CUBE_ALL, NULL, &err);
		for (uint32_t p = 0; p < trace_callpath_count(f->trace); p++) {
			const double value = cube_value(cube, CUBE_TIME, p, s->location);
			most = value > most ? value : most;
		}
		assert_true(most > 0);
		assert_float_equal(cube_value(cube, CUBE_TIME, paths[i], s->location), most, 1e-9);
	}
}

TEST(of_random_runs)
{
	uint64_t random = 11;

	for (unsigned r = 0; r < RUNS; r++) {
		ENDED_BY(fini) struct fixture f;
		int64_t begin, end;
		analyse(&f, waiting_random(r + 1, 2 + r % 7, STEPS));
		follow_each_other(&f);
		trace_span(f.trace, BASE_MEASURED, &begin, &end);
		for (int w = 0; w < WINDOWS; w++) {
			const uint64_t span = (uint64_t)(end - begin) + 20;
			const int64_t t0 = begin - 10 + (int64_t)(next_random(&random) % span);
			const int64_t t1 = t0 + (int64_t)(next_random(&random) % span);
			check_window(&f, t0, t1);
			if (r % 10 == 0 && w == 0)
				check_callpaths(&f, t0, t1);
		}
		check_window(&f, INT64_MIN, INT64_MAX);
	}
}

/* traces/critical.trc: rank 0 works 11 ms, then 1 until 31 ms, then 2 until it ends the run at 40
 * ms. */
TEST(by_hand)
{
	static const int64_t edges[] = { 0, 11000000, 31000000, 40000000 };
	uint32_t paths[3];
	ENDED_BY(fini) struct fixture f;

	analyse(&f, load_trace("traces/critical.trc"));
	assert_int_equal(f.n, 3);
	assert_true(
		critical_stretch_callpaths(f.causes, f.path, 3, INT64_MIN, INT64_MAX, paths, NULL));
	for (uint32_t i = 0; i < 3; i++) {
		static const char *const in[] = { "assemble", "solve", "write" };
		assert_int_equal(f.path[i].location, i);
		assert_int_equal(f.path[i].from, edges[i]);
		assert_int_equal(f.path[i].to, edges[i + 1]);
		assert_string_equal(trace_region_name(f.trace,
						      trace_callpath_region(f.trace, paths[i])),
				    in[i]);
	}
	assert_int_equal(critical_stretch_sum(f.path, f.n, 1, 4000000, 31100000), 20000000);
}

/* Calls that complete several messages: walked backwards, but never shown so. */
TEST(several_in_one_call)
{
	struct waiting_run run;
	ENDED_BY(fini) struct fixture f;

	waiting_begin(&run, 3, true);
	for (int i = 0; i < 20; i++) {
		waiting_post(&run, 1, 0);
		waiting_post(&run, 2, 0);
		waiting_work(&run, 1, 0, 100 + 10 * i);
		waiting_work(&run, 2, 1, 300 - 10 * i);
		waiting_complete(&run, 0);
		waiting_message(&run, 0, 1, true);
		waiting_message(&run, 0, 2, true);
	}
	analyse(&f, waiting_end(&run, true));
	follow_each_other(&f);
}

/* With clocks that are wrong, and ranks that leave collectives late. */
TEST(real_traces)
{
	static const char *const names[] = { "traces/otf2/ez-pp-2/eztrace_log.otf2",
					     "traces/otf2/ez-lu.S-4/eztrace_log.otf2",
					     "traces/otf2/comd-4/traces.otf2", "traces/ring.trc" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		ENDED_BY(fini) struct fixture f;
		analyse(&f, load_trace(names[i]));
		follow_each_other(&f);
		check_window(&f, f.path[f.n / 2].from, f.path[f.n - 1].to);
	}
}
