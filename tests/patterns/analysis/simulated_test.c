/* Simulated runs with known waits: what the simulator's engine says about when each rank was
 * blocked and by whom, against what an analysis finds in the trace of the true times, to the
 * picosecond. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/test.h"
#include "patterns/analysis/analysis.h"
#include "patterns/patterns.h"
#include "simulate/engine.h"
#include "simulate/write.h"

/* What waiting in a call is called; MPI_Init synchronises nobody that could be late. */
static enum cube_metric metric_of(uint8_t region)
{
	switch (region) {
	case REGION_RECV:
	case REGION_WAITALL: return CUBE_MPI_LATESENDER;
	case REGION_BARRIER: return CUBE_MPI_BARRIER_WAIT;
	case REGION_ALLREDUCE:
	case REGION_ALLTOALL: return CUBE_MPI_WAIT_NXN;
	case REGION_BCAST:
	case REGION_SCATTER: return CUBE_MPI_LATEBROADCAST;
	case REGION_REDUCE:
	case REGION_GATHER: return CUBE_MPI_EARLYREDUCE;
	case REGION_SCAN: return CUBE_MPI_EARLYSCAN;
	case REGION_FINALIZE: return CUBE_MPI_FINALIZE_WAIT;
	default: return CUBE_NONE;
	}
}

static const enum cube_metric kinds[] = {
	CUBE_MPI_LATESENDER,  CUBE_MPI_BARRIER_WAIT, CUBE_MPI_WAIT_NXN,      CUBE_MPI_LATEBROADCAST,
	CUBE_MPI_EARLYREDUCE, CUBE_MPI_EARLYSCAN,    CUBE_MPI_FINALIZE_WAIT,
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct outcome {
	struct run run;
	struct trace *trace;
	struct analysis *analysis;
	struct cube *cube;
};

static void simulate(struct outcome *o, const struct settings *settings)
{
	const struct analysis_options options = { .jobs = 1 };
	struct err err = ERR_INIT;

	assert_true(engine_run(&o->run, settings, true, NULL));
	o->trace = write_trace(&o->run, settings, true, "simulated", &err);
	if (!o->trace)
		fail_msg("%s", err.text);
	o->analysis = analysis_new(patterns, o->trace, BASE_MEASURED, &options, NULL, &err);
	assert_non_null(o->analysis);
	o->cube = analysis_cube(o->analysis, INT64_MIN, INT64_MAX, CUBE_TIMES | CUBE_WAITS, NULL,
				&err);
	assert_non_null(o->cube);
}

static void outcome_fini(struct outcome *o)
{
	cube_free(o->cube);
	analysis_free(o->analysis);
	trace_free(o->trace);
	run_fini(&o->run);
}

/* How much of [from, until) a location spent in measuring itself: offsets are measured inside
 * MPI_Finalize, and what of a wait lies there is no waiting of the call's. */
static int64_t measuring_within(const struct outcome *o, uint32_t location, int64_t from,
				int64_t until)
{
	int64_t enter = 0, sum = 0;
	struct cursor c;

	for (bool ok = cursor_first(&c, o->trace, BASE_MEASURED, location); ok;
	     ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);
		if (what_kind(what) > EV_LEAVE ||
		    trace_callpath_class(o->trace, what_id(what)) != CLASS_OVERHEAD)
			continue;
		if (what_kind(what) == EV_ENTER) {
			enter = cursor_time(&c);
			continue;
		}
		const int64_t a = enter > from ? enter : from;
		const int64_t b = cursor_time(&c) < until ? cursor_time(&c) : until;
		sum += b > a ? b - a : 0;
	}
	return sum;
}

/* By rank and kind of waiting. */
static void assert_sums(const struct outcome *o, const struct settings *s)
{
	bool *one = xcalloc(s->ranks, sizeof *one);

	for (uint32_t r = 0; r < s->ranks; r++) {
		const uint32_t l = trace_location_of_rank(o->trace, (int32_t)r);
		one[l] = true;
		for (int k = 0; k < KINDS; k++) {
			int64_t truth = 0;
			for (size_t i = 0; i < o->run.blocked.n; i++) {
				const struct blocked *b = &o->run.blocked.data[i];
				if (b->rank != r || metric_of(b->region) != kinds[k])
					continue;
				truth += b->until - b->from;
				if (kinds[k] == CUBE_MPI_FINALIZE_WAIT)
					truth -= measuring_within(o, l, b->from, b->until);
			}
			const double sum = cube_total(o->cube, kinds[k], one);
			if (sum != (double)truth)
				fail_msg("%s on %u ranks, seed %" PRIu64 ": rank %u, %s: %.0f ps, "
					 "it was %" PRId64,
					 s->program, s->ranks, s->seed, r,
					 cube_metric_info(kinds[k])->name, sum, truth);
		}
		one[l] = false;
	}
	free(one);
}

/* Each wait by itself: on its rank, from then to then, for that one. */
static size_t assert_each(const struct outcome *o, const struct settings *s)
{
	size_t found = 0, known = 0;

	for (size_t i = 0; i < o->run.blocked.n; i++) {
		const struct blocked *b = &o->run.blocked.data[i];
		const uint32_t l = trace_location_of_rank(o->trace, (int32_t)b->rank);
		size_t n, at;
		const struct wait *waits = analysis_waits(o->analysis, l, &n);
		if (metric_of(b->region) == CUBE_NONE)
			continue;
		known++;
		for (at = analysis_wait_at(o->analysis, l, b->from);
		     at < n &&
		     (waits[at].begin != b->from || waits[at].metric != metric_of(b->region));
		     at++)
			if (waits[at].begin > b->from)
				at = n - 1;
		if (at >= n || waits[at].length != b->until - b->from)
			fail_msg("%s on %u ranks, seed %" PRIu64 ": rank %u at %" PRId64
				 ": no wait of %" PRId64 " ps",
				 s->program, s->ranks, s->seed, b->rank, b->from,
				 b->until - b->from);
		assert_int_equal(trace_event_location(o->trace, waits[at].partner),
				 trace_location_of_rank(o->trace, (int32_t)b->by));
	}
	for (uint32_t l = 0; l < trace_location_count(o->trace); l++) {
		size_t n;
		const struct wait *waits = analysis_waits(o->analysis, l, &n);
		for (size_t i = 0; i < n; i++)
			for (int k = 0; k < KINDS; k++)
				found += waits[i].metric == kinds[k];
	}
	assert_int_equal(found, known);
	return known;
}

TEST(waits_are_those_that_were)
{
	static const char *const programs[] = { "ring",        "stencil", "sweep",
						"collectives", "pi",      "farm" };
	static const uint32_t ranks[] = { 4, 9, 16, 64 };

	for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
		for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
			for (uint64_t seed = 1; seed <= 3; seed++) {
				struct settings s = SETTINGS_DEFAULTS;
				ENDED_BY(outcome_fini) struct outcome o;
				s.program = programs[p];
				s.ranks = ranks[r];
				s.steps = ranks[r] > 16 ? 4 : 12;
				s.seed = seed;
				s.noise = 0.2;
				s.ticks = PICO;
				s.slow_rank = 2;
				s.slow = seed == 2 ? 3 : 0;
				simulate(&o, &s);
				assert_true(assert_each(&o, &s) >= s.ranks - 1);
				assert_sums(&o, &s);
			}
}
