/* The simulator of programs (traces/simulate): what it says happened, by hand and by formula, for
 * all tests of corrections that take its word. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "correct/clocks/clock_check.h"
#include "harness/invariants.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "simulate/chance.h"
#include "simulate/clock.h"
#include "simulate/engine.h"
#include "simulate/write.h"

static const char *const programs[] = { "ring", "stencil", "sweep", "collectives", "pi", "farm" };
enum { PROGRAMS = sizeof programs / sizeof *programs };

static struct run simulated(const struct settings *settings, bool measured,
			    const struct run *follow)
{
	struct run run;

	assert_true(engine_run(&run, settings, measured, follow));
	return run;
}

static struct trace *written(const struct run *run, const struct settings *settings, bool truth)
{
	struct err err = ERR_INIT;
	struct trace *trace = write_trace(run, settings, truth, "simulated", &err);

	assert_non_null(trace);
	return trace;
}

/* ---- by hand ---- */

/* Two ranks on one node, no noise, microseconds from the start:
 *
 *	rank 0 enters MPI_Init at 0, rank 1 at 20; after 0.2 of the call's own time and a hop of 5 both leave at 25.2.
 *	rank 0 works for 100, enters MPI_Send at 125.2; the message leaves at 125.4 and arrives after 5 + 1024 B / 1 GB/s
 *	at 131.424, where rank 1 has waited for it. It works for 100, sends at 231.424 (leaves 231.624), and rank 0 has the
 *	token back at 237.648. MPI_Finalize: rank 0 is there last, at 237.848; a hop later, at 242.848, all is over. */
TEST(a_ring_takes_as_long_as_by_hand)
{
	struct settings settings = SETTINGS_DEFAULTS;
	const struct happening *h;
	ENDED_BY(run_fini) struct run run;
	int64_t received[2] = { 0, 0 };

	settings.program = "ring";
	settings.ranks = settings.node_ranks = 2;
	settings.steps = 1;
	settings.latency_intra = 5e-6;
	settings.jitter = settings.noise = settings.copy = 0;
	run = simulated(&settings, false, NULL);
	for (int r = 0; r < 2; r++)
		vec_each (h, &run.of[r].events)
			if (h->kind == HAPPEN_RECV)
				received[r] = h->time - SIMULATION_START;
	assert_int_equal(received[1], 131424000);
	assert_int_equal(received[0], 237648000);
	assert_int_equal(run.end - SIMULATION_START, 242848000);
	assert_int_equal(run.messages, 2);
}

/* ---- clocks ---- */

static long double formula(const struct clock *c, int64_t t)
{
	const long double passed = (long double)(t - SIMULATION_START);

	return (long double)t + (long double)c->offset + (long double)c->drift * passed +
	       (long double)c->amplitude *
		       sinl(2 * (long double)M_PI * passed / (long double)c->period +
			    (long double)c->phase);
}

/* What a walk of the rate adds: each step goes on from its time to the end. */
static long double walked(const struct settings *s, uint32_t rank, int64_t t)
{
	const long double passed = (long double)(t - SIMULATION_START);
	long double sum = 0, at = 0;

	for (uint64_t k = 0; rank > 0 && at < passed; k++) {
		const long double u = chance_share(s->seed, CHANCE_WALK, rank, k);
		sum += (long double)s->walk * sqrtl(3) * (2 * u - 1) * (passed - at);
		at += (long double)s->walk_interval * PICO;
	}
	return sum;
}

/* Every time of the measured trace is the clock's, to the tick. */
TEST(measured_times_are_the_clocks)
{
	struct settings settings = SETTINGS_DEFAULTS;
	OWNED_TRACE *trace;
	ENDED_BY(run_fini) struct run run;
	uint64_t n = 0;

	settings.steps = 10;
	settings.clock_offset = 1e-3;
	settings.clock_drift = 2e-5;
	settings.sine = 2e-4;
	settings.sine_period = 0.01;
	settings.walk = 1e-3;
	settings.walk_interval = 1e-3;
	run = simulated(&settings, true, NULL);
	trace = written(&run, &settings, false);
	for (uint32_t r = 0; r < settings.ranks; r++) {
		const uint32_t location = trace_location_of_rank(trace, (int32_t)r);
		ENDED_BY(clock_fini) struct clock clock;
		struct cursor c;
		size_t i = 0;
		clock_init(&clock, &settings, r, run.end);
		assert_true((r == 0) == (clock.offset == 0));
		/* The first event is the trace's own, the second is the run's first. */
		assert_true(cursor_first(&c, trace, BASE_MEASURED, location));
		while (cursor_next(&c) && i < run.of[r].events.n) {
			const int64_t t = run.of[r].events.data[i++].time;
			const long double ticks =
				(formula(&clock, t) + walked(&settings, r, t)) / 1000;
			assert_true(fabsl((long double)cursor_time(&c) + 0.5L - ticks) < 0.6L);
			n++;
		}
		assert_int_equal(i, run.of[r].events.n);
	}
	assert_int_equal(n, run.events);
}

/* Cristian's bound: a measurement is wrong by at most half of its round trip; and by as much as was
 * asked for. */
TEST(offsets_are_as_noisy_as_asked_for)
{
	const double noise = 3e-5;
	struct settings settings = SETTINGS_DEFAULTS;
	OWNED_TRACE *trace;
	ENDED_BY(run_fini) struct run run;
	double squares = 0, n = 0;

	settings.ranks = 400;
	settings.steps = 1;
	settings.clock_offset = 1e-2;
	settings.offset_noise = noise;
	run = simulated(&settings, true, NULL);
	trace = written(&run, &settings, false);
	assert_int_equal(trace_offset_count(trace), 1 + 2 * 399);
	for (size_t i = 0; i < trace_offset_count(trace); i++) {
		const struct offset *o = trace_offset(trace, i);
		struct clock clock;
		double error;
		clock_init(&clock, &settings, (uint32_t)trace_location(trace, o->location)->rank,
			   run.end);
		error = (double)o->offset + clock.offset / 1000;
		assert_true(fabs(error) <= (double)o->rtt / 2 + 2);
		squares += error * error;
		n++;
	}
	assert_true(fabs(sqrt(squares / n) / (1e9 * noise) - 1) < 0.15);
}

/* Over links that are slower one way, every measurement is wrong by half of the difference. */
TEST(offsets_over_the_links)
{
	struct settings settings = SETTINGS_DEFAULTS;
	OWNED_TRACE *trace;
	ENDED_BY(run_fini) struct run run;

	settings.steps = 1;
	settings.clock_offset = 1e-2;
	settings.latency = 5e-6;
	settings.latency_spread = settings.jitter = 0;
	settings.latency_down = 205e-6;
	settings.offset_links = true;
	run = simulated(&settings, true, NULL);
	trace = written(&run, &settings, false);
	for (size_t i = 0; i < trace_offset_count(trace); i++) {
		const struct offset *o = trace_offset(trace, i);
		const uint32_t rank = (uint32_t)trace_location(trace, o->location)->rank;
		struct clock clock;
		clock_init(&clock, &settings, rank, run.end);
		if (rank > 0) {
			assert_true(fabs((double)o->offset + clock.offset / 1000 - 100e3) <= 2);
			assert_true(llabs(o->rtt - 210000) <= 2);
		}
	}
}

/* A step of one rank, or of all of its node. */
TEST(a_node_is_set)
{
	struct settings settings = SETTINGS_DEFAULTS;

	settings.node_ranks = 2;
	settings.step_rank = 3;
	settings.step_at = 0.1;
	settings.step = 5e-4;
	for (int node = 0; node < 2; node++) {
		settings.step_node = node;
		for (uint32_t r = 0; r < 6; r++) {
			ENDED_BY(clock_fini) struct clock clock;
			clock_init(&clock, &settings, r, PICO);
			assert_true(clock_error(&clock, SIMULATION_START + PICO / 20) == 0);
			assert_true(clock_error(&clock, SIMULATION_START + PICO / 5) ==
				    (r == 3 || (node && r == 2) ? 5e8 : 0));
		}
	}
}

/* ---- two runs of one program ---- */

static bool same_happening(const struct happening *a, const struct happening *b)
{
	return a->kind == b->kind && a->region == b->region && a->peer == b->peer &&
	       a->tag == b->tag && a->bytes == b->bytes && a->request == b->request;
}

/* The same events in the same order, the measured run never the faster one. */
static void compare_runs(const struct run *measured, const struct run *real)
{
	for (uint32_t r = 0; r < measured->ranks; r++) {
		const struct history *a = &measured->of[r], *b = &real->of[r];
		assert_int_equal(a->events.n, b->events.n);
		for (size_t i = 0; i < a->events.n; i++) {
			assert_true(same_happening(&a->events.data[i], &b->events.data[i]));
			assert_true(a->events.data[i].time >= b->events.data[i].time);
			assert_true(!i || a->events.data[i].time >= a->events.data[i - 1].time);
			assert_true(!i || b->events.data[i].time >= b->events.data[i - 1].time);
		}
	}
}

/* A true trace is whole, and nothing in it arrives before it was sent. */
static void check_truth(struct trace *trace)
{
	const struct lmin_options options = LMIN_DEFAULTS;
	struct err err = ERR_INIT;
	FREED_BY(logical_free) struct logical *logical = logical_new(trace, NULL, &err);
	ENDED_BY(check_fini) struct check check;
	struct lmin lmin;

	assert_non_null(logical);
	assert_null(trace_broken(trace));
	assert_int_equal(trace_finding_count(trace), 0);
	assert_int_equal(logical_counts(logical)->unmatched, 0);
	assert_int_equal(logical_counts(logical)->incomplete, 0);
	lmin = lmin_make(logical, BASE_MEASURED, &options);
	assert_true(check_make(&check, logical, BASE_MEASURED, &lmin, NULL));
	assert_true(check.all.messages > 0);
	assert_int_equal(check.all.reversed, 0);
}

TEST(truth_has_the_same_events)
{
	for (int p = 0; p < PROGRAMS; p++) {
		struct settings settings = SETTINGS_DEFAULTS;
		ENDED_BY(run_fini) struct run measured, real;
		OWNED_TRACE *trace;
		settings.program = programs[p];
		settings.ranks = 9;
		settings.node_ranks = 2;
		settings.steps = 12;
		settings.overhead = 2e-7;
		settings.spread = 0.5;
		settings.insitu = 0.2;
		settings.flush_every = 100;
		settings.flush = 1e-4;
		measured = simulated(&settings, true, NULL);
		real = simulated(&settings, false, &measured);
		compare_runs(&measured, &real);
		assert_true(real.end < measured.end);
		trace = written(&real, &settings, true);
		check_truth(trace);
	}
}

static bool is_user(const struct happening *h)
{
	return h->kind <= HAPPEN_LEAVE && region_info[h->region].cls == CLASS_USER;
}

/* Between two records of functions a probe costs what it was said to cost, to the picosecond. */
TEST(a_record_costs_what_it_should)
{
	struct settings settings = SETTINGS_DEFAULTS;
	ENDED_BY(run_fini) struct run measured, real;
	uint64_t n = 0;

	settings.program = "pi";
	settings.ranks = 3;
	settings.steps = 3;
	settings.calls = 50;
	settings.overhead = 1e-8;
	measured = simulated(&settings, true, NULL);
	real = simulated(&settings, false, &measured);
	for (uint32_t r = 0; r < measured.ranks; r++) {
		const struct happening *m = measured.of[r].events.data, *t = real.of[r].events.data;
		for (size_t i = 1; i < measured.of[r].events.n; i++) {
			if (!is_user(&m[i]) || !is_user(&m[i - 1]))
				continue;
			assert_int_equal(m[i].time - m[i - 1].time,
					 t[i].time - t[i - 1].time + 10000);
			n++;
		}
	}
	assert_true(n > 500);
}

/* A tenth of the segments has no probes; each stands there from the call before to the call behind
 * it. */
TEST(segments_are_left_out)
{
	struct settings settings = SETTINGS_DEFAULTS;
	ENDED_BY(run_fini) struct run run;
	uint64_t n = 0;

	settings.program = "pi";
	settings.ranks = 20;
	settings.steps = 100;
	settings.calls = 10;
	settings.overhead = 1e-8;
	settings.insitu = 0.1;
	run = simulated(&settings, true, NULL);
	for (uint32_t r = 0; r < run.ranks; r++) {
		const struct happening *e = run.of[r].events.data;
		for (size_t i = 1; i + 2 < run.of[r].events.n; i++) {
			if (e[i].region != REGION_UNRECORDED || e[i].kind != HAPPEN_ENTER)
				continue;
			n++;
			assert_int_equal(e[i - 1].kind, HAPPEN_LEAVE);
			assert_int_equal(e[i - 1].time, e[i].time);
			assert_int_equal(e[i + 1].region, REGION_UNRECORDED);
			assert_int_equal(e[i + 1].time, e[i + 2].time);
			assert_int_equal(e[i + 2].kind, HAPPEN_ENTER);
			assert_true(region_info[e[i + 2].region].cls == CLASS_P2P);
		}
	}
	assert_int_equal(n, run.left_out);
	/* A step of a worker has the segment between its two calls, one that may be left out. */
	assert_true(n > 19 * 100 / 10 / 2 && n < 2 * (19 * 100 + 38 * 100) / 10);
}

/* The same seed gives the same run, another one another. */
TEST(the_seed_decides)
{
	struct settings settings = SETTINGS_DEFAULTS;
	ENDED_BY(run_fini) struct run a, b, other;

	settings.program = "farm";
	settings.steps = 20;
	a = simulated(&settings, true, NULL);
	b = simulated(&settings, true, NULL);
	settings.seed++;
	other = simulated(&settings, true, NULL);
	compare_runs(&a, &b);
	assert_int_equal(a.end, b.end);
	assert_int_not_equal(a.end, other.end);
}
