/* Virtual and compensated times beside the truth: random programs, run with probes and without. The
 * recorder of the simulation knows what a recorder knows (simulate/keep.c). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "correct/correct.h"
#include "correct/virtual/virtual_values.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "simulate/engine.h"
#include "simulate/random_script.h"
#include "simulate/write.h"

enum { PROGRAMS = 16, ROUNDED = 2000 /* picoseconds: figures are whole nanoseconds */ };

/* What probes take: up to `overhead`, some functions half of it, and a delay, which is timed. `nap`:
 * as on cores that ranks share, one in 50 of the messages, receives and records takes so much
 * longer, on average. */
struct recorder {
	double overhead, delay, jitter, nap;
};

/* Of events: with a bound, which the truth is in or not; without; and of the distances from it
 * (picoseconds) the sums. */
struct outcome {
	uint64_t events, inside, without;
	double virtual, bound, real, compensated, width;
	uint64_t compensated_events, compensated_inside;
};

static struct settings machine(const struct random_script *d, const struct recorder *recorder)
{
	struct settings s = SETTINGS_DEFAULTS;

	s.program = "script";
	s.script = d->script;
	s.ranks = s.node_ranks = d->ranks;
	s.latency_intra = 1e-6;
	s.send = 0.2e-6;
	s.take = 0.3e-6;
	s.call = s.copy = s.noise = 0;
	s.jitter = recorder->jitter;
	s.nap = recorder->nap;
	s.nap_share = 0.02;
	s.overhead = recorder->overhead;
	s.spread = 0.5;
	s.keep = s.control = true;
	s.keep_between = recorder->overhead / 4;
	s.keep_call = recorder->overhead / 2;
	s.keep_spread = 0.3;
	s.delay = recorder->delay;
	s.delay_spread = 0.1;
	s.ticks = PICO;
	return s;
}

static bool is_record(const struct cursor *c)
{
	return what_kind(cursor_what(c)) != EV_METRIC;
}

/* The next event that the truth has, too. */
static bool next(struct cursor *c)
{
	bool ok = cursor_next(c);

	while (ok && !is_record(c))
		ok = cursor_next(c);
	return ok;
}

static void compare_event(struct outcome *o, const struct trace *trace, uint32_t event,
			  int64_t bound, int64_t truth)
{
	const int64_t lower = trace_event_time(trace, BASE_LOWER, event);
	const int64_t upper = trace_event_time(trace, BASE_UPPER, event);
	const int64_t off = llabs(trace_event_time(trace, BASE_VIRTUAL, event) - truth);

	o->real += (double)llabs(trace_event_time(trace, BASE_MEASURED, event) - truth);
	o->compensated += (double)llabs(trace_event_time(trace, BASE_COMPENSATED, event) - truth);
	o->width += (double)(upper - lower) / 2;
	o->compensated_events++;
	o->compensated_inside += lower - ROUNDED <= truth && truth <= upper + ROUNDED;
	if (bound < 0) {
		o->without++;
		return;
	}
	o->events++;
	o->inside += off <= bound + ROUNDED;
	o->virtual += (double)off;
	o->bound += (double)bound;
}

static void compare(struct outcome *o, const struct trace *trace, const struct trace *truth)
{
	OWNED int64_t *bounds = virtual_bounds_new(trace);

	assert_non_null(bounds);
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		struct cursor c, t;
		bool ok = cursor_first(&c, trace, BASE_MEASURED, l);
		assert_true(cursor_first(&t, truth, BASE_MEASURED, l));
		for (; ok; ok = next(&c)) {
			assert_int_equal(what_kind(cursor_what(&c)), what_kind(cursor_what(&t)));
			compare_event(o, trace, c.id, bounds[c.id], cursor_time(&t));
			cursor_next(&t);
		}
	}
}

static void run_program(struct outcome *o, uint64_t seed, const struct recorder *recorder)
{
	struct correct_options options = CORRECT_DEFAULTS;
	struct err err = ERR_INIT;
	ENDED_BY(random_script_fini) struct random_script d;
	ENDED_BY(run_fini) struct run plain, measured;
	OWNED_TRACE *trace = NULL;
	OWNED_TRACE *truth = NULL;
	FREED_BY(corrections_free) struct corrections *corrections = NULL;
	struct settings settings;

	random_script_init(&d, seed * 7919, SCRIPT_VISITS, seed);
	settings = machine(&d, recorder);
	settings.seed = seed;
	assert_true(engine_run(&plain, &settings, false, NULL));
	assert_true(engine_run(&measured, &settings, true, NULL));
	trace = write_trace(&measured, &settings, false, "measured", &err);
	truth = write_trace(&plain, &settings, true, "truth", &err);
	assert_true(trace && truth);
	corrections = correct_run(trace, &options, NULL, &err);
	assert_non_null(corrections);
	assert_true(trace_has_base(trace, BASE_VIRTUAL));
	assert_true(trace_has_base(trace, BASE_COMPENSATED));
	compare(o, trace, truth);
}

static struct outcome run_programs(const struct recorder *recorder)
{
	struct outcome o = { 0 };
	const double micro = 1e6;

	for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
		run_program(&o, seed, recorder);
	print_message("probes of %g us and a delay of %g, jitter %g, naps of %g: %" PRIu64
		      " events; real %.3f us "
		      "from the truth; virtual %.3f, bound %.3f, %.4f inside, %" PRIu64
		      " without; compensated %.3f, bound %.3f, %.4f inside\n",
		      recorder->overhead * micro, recorder->delay * micro, recorder->jitter * micro,
		      recorder->nap * micro, o.compensated_events,
		      o.real / micro / (double)o.compensated_events,
		      o.virtual / micro / (double)o.events, o.bound / micro / (double)o.events,
		      (double)o.inside / (double)o.events, o.without,
		      o.compensated / micro / (double)o.compensated_events,
		      o.width / micro / (double)o.compensated_events,
		      (double)o.compensated_inside / (double)o.compensated_events);
	return o;
}

TEST(the_truth_is_inside_the_bounds)
{
	static const struct recorder recorders[] = {
		{ 0.1e-6, 0, 0, 0 },
		{ 0.1e-6, 0, 0.2e-6, 0 },
		{ 1e-6, 0, 0.2e-6, 0 },
		{ 0.1e-6, 1e-6, 0.2e-6, 0 },
		{ 0.1e-6, 10e-6, 0.2e-6, 0 },
		{ 0.1e-6, 100e-6, 0.2e-6, 0 },
		{ 0.1e-6, 0, 0.2e-6, 50e-6 },
		{ 0.1e-6, 10e-6, 0.2e-6, 50e-6 },
		{ 0.1e-6, 100e-6, 0.2e-6, 1e-3 },
	};

	for (size_t i = 0; i < sizeof recorders / sizeof *recorders; i++) {
		const struct outcome o = run_programs(&recorders[i]);
		/* A rank that has seen no nap yet does not know of them. */
		assert_true((double)o.inside >= 0.9995 * (double)o.events);
		assert_true(recorders[i].nap > 0 || o.inside == o.events);
		assert_int_equal(o.without, 0);
		assert_int_equal(o.compensated_inside, o.compensated_events);
		/* And bounds are such that they say something. */
		assert_true(o.virtual < 0.1 * o.real);
		assert_true(o.bound < (recorders[i].nap > 0 ? 0.6 : 0.4) * o.real);
		assert_true(o.width < 0.65 * o.real);
	}
}
