/* Clocks that are set while a simulated program runs: which one, when, and by how much are known. */
#include <math.h>
#include <string.h>

#include "correct/correct.h"
#include "correct/truth.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "simulate/clock.h"
#include "simulate/write.h"

/* A run with corrections. */
struct stepped {
	struct settings settings;
	struct run run;
	struct trace *trace;
	struct corrections *corrections;
};

static struct settings usual(uint64_t seed)
{
	struct settings s = SETTINGS_DEFAULTS;

	s.program = "stencil";
	s.ranks = 6;
	s.steps = 200;
	s.work = 2e-3;
	s.calls = 1;
	s.seed = seed;
	s.latency = 20e-6;
	s.jitter = 10e-6;
	s.offset_noise = 2e-5;
	s.clock_offset = 1e-3;
	s.clock_drift = 2e-5;
	return s;
}

static void stepped_begin(struct stepped *c, const struct settings *settings)
{
	struct correct_options options = CORRECT_DEFAULTS;
	struct err err = ERR_INIT;

	memset(c, 0, sizeof *c);
	c->settings = *settings;
	assert_true(engine_run(&c->run, settings, true, NULL));
	c->trace = write_trace(&c->run, settings, false, "simulated", &err);
	assert_non_null(c->trace);
	c->corrections = correct_run(c->trace, &options, NULL, &err);
	assert_non_null(c->corrections);
}

static void stepped_end(struct stepped *c)
{
	corrections_free(c->corrections);
	trace_free(c->trace);
	run_fini(&c->run);
}

static double fitted_error(const struct stepped *c)
{
	return truth_rms(c->trace, &c->run, trace_default_base(c->trace));
}

static void print_steps(const struct stepped *c)
{
	const struct fit_report *fit = &c->corrections->fit;

	print_message("# %s, seed %d: linear %.2f us, %s %.2f us; %s\n", c->settings.program,
		      (int)c->settings.seed, truth_rms(c->trace, &c->run, BASE_LINEAR),
		      time_base_name(trace_default_base(c->trace)), fitted_error(c), fit->why);
	for (uint32_t i = 0; i < fit->n_steps; i++)
		print_message("#   location %u: %lld (%lld to %lld) at %lld, %lld .. %lld, %d\n",
			      fit->steps[i].location, (long long)fit->steps[i].size,
			      (long long)fit->steps[i].least, (long long)fit->steps[i].most,
			      (long long)fit->steps[i].at, (long long)fit->steps[i].from,
			      (long long)fit->steps[i].to, (int)fit->steps[i].uncertain);
}

/* Half through the run, and not measured by the clocks. */
static double middle_of(const struct settings *settings)
{
	struct run run;
	double middle;

	assert_true(engine_run(&run, settings, true, NULL));
	middle = (double)(run.end - SIMULATION_START) / 2 / (double)PICO;
	run_fini(&run);
	return middle;
}

/* The events around the step are those where the clock was set, to within two steps of the
 * program, in which there are few messages. */
static void assert_placed(const struct stepped *c, const struct fit_step *step)
{
	const uint32_t rank = (uint32_t)trace_location(c->trace, step->location)->rank;
	const double at = c->settings.step_at * (double)PICO + (double)SIMULATION_START;
	const double near = 2 * c->settings.work * (double)PICO;
	const struct history *of = &c->run.of[rank];
	struct cursor cursor;
	double behind = -1, before = -1;

	assert_true(truth_first(&cursor, c->trace, BASE_MEASURED, rank));
	for (size_t i = 0; i < of->events.n; i++, cursor_next(&cursor)) {
		if (cursor_time(&cursor) < step->at)
			before = (double)of->events.data[i].time;
		else if (behind < 0)
			behind = (double)of->events.data[i].time;
	}
	assert_true(before >= 0 && behind >= 0);
	assert_true(before < at + near && at <= behind + near);
}

/* One clock is set: it is found, when, and by how much; the times are then as near to the truth as
 * without. A writer holds back times that would decrease, so that some are lost. */
TEST(a_step_is_found_and_taken_out)
{
	static const char *const programs[] = { "stencil", "sweep", "farm" };
	static const double sizes[] = { 500e-6, -500e-6, 20e-3, 1 };

	for (uint64_t run = 0; run < 24; run++) {
		struct settings s = usual(run / 12 + 1);
		const double size = sizes[run % 4];
		struct stepped c;
		double error, most;
		s.program = programs[run / 4 % 3];
		s.steps = s.program[1] == 'w' ? 30 : 100;
		s.step_at = middle_of(&s);
		s.step_rank = run == 4 || run == 18 ? 0 : 2;
		s.step = size;
		stepped_begin(&c, &s);
		error = fitted_error(&c);
		most = size > 0 ? 12 : truth_rms(c.trace, &c.run, BASE_LINEAR) / 2;
		if (c.corrections->fit.n_steps != 1 || error > most)
			print_steps(&c);
		assert_int_equal(c.corrections->fit.n_steps, 1);
		const struct fit_step *step = c.corrections->fit.steps;
		assert_int_equal(trace_location(c.trace, step->location)->rank, s.step_rank);
		assert_true((double)step->least <= 1e9 * size && 1e9 * size <= (double)step->most);
		assert_true(fabs((double)step->size - 1e9 * size) < 2e4);
		assert_int_equal(step->partner, UINT32_MAX);
		assert_placed(&c, step);
		assert_true(error <= most);
		assert_true(truth_rms(c.trace, &c.run, BASE_LINEAR) > 40);
		stepped_end(&c);
	}
}

/* A node of two ranks with one clock: both are named, as one group. */
TEST(a_node_is_set_as_one)
{
	struct settings s = usual(3);
	struct stepped c;

	s.ranks = 8;
	s.node_ranks = 2;
	s.latency_intra = 2e-6;
	s.clock_of_node = true;
	s.steps = 100;
	s.step_at = middle_of(&s);
	s.step_rank = 2; /* the node of ranks 4 and 5 */
	s.step = 2e-3;
	stepped_begin(&c, &s);
	const struct fit_report *fit = &c.corrections->fit;
	uint32_t locations = 0;
	for (uint32_t i = 0; i < fit->n_steps; i++) {
		const int32_t rank = trace_location(c.trace, fit->steps[i].location)->rank;
		assert_true(rank == 4 || rank == 5);
		assert_int_equal(fit->steps[i].group, fit->steps[0].group);
		locations += fit->steps[i].locations;
	}
	assert_int_equal(locations, 2);
	assert_true(fitted_error(&c) < 7);
	stepped_end(&c);
}

/* Two ranks: whose clock it is cannot be told. */
TEST(of_two_clocks_either)
{
	struct settings s = usual(4);
	struct stepped c;

	s.program = "pi";
	s.ranks = 2;
	s.steps = 100;
	s.step_at = middle_of(&s);
	s.step_rank = 1;
	s.step = 1e-3;
	stepped_begin(&c, &s);
	assert_int_equal(c.corrections->fit.n_steps, 1);
	assert_int_equal(c.corrections->fit.steps[0].partner, trace_location_of_rank(c.trace, 0));
	assert_non_null(strstr(c.corrections->notes[0], "Rank 1's clock was set forward by "));
	assert_non_null(strstr(c.corrections->notes[0], ", or that of rank 0 back; the step is "
							"taken out."));
	stepped_end(&c);
}

/* Clocks that are not set: drift, bends, slews, slow and late ranks, one-way traffic. */
TEST(no_step_where_there_is_none)
{
	static const char *const programs[] = { "ring", "stencil", "sweep", "collectives",
						"pi",   "farm",    "chain" };

	for (uint64_t run = 0; run < 7 * 8 * 2; run++) {
		struct settings s = usual(run / 56 + 1);
		struct stepped c;
		s.program = programs[run % 7];
		s.steps = run % 7 == 2 || run % 7 == 3 ? 30 : 100;
		s.work = 1e-3;
		switch (run / 7 % 8) {
		case 1: s.sine = 2e-4, s.sine_period = 0.1; break;
		case 2: s.sine = 2e-4, s.sine_period = 0.4; break;
		case 3: s.slew = 5e-4, s.slew_interval = 0.05; break;
		case 4: s.jitter = 2e-4; break;
		case 5: s.slow_rank = 3, s.slow = 4; break;
		case 6: s.nap = 5e-4, s.nap_share = 0.1; break;
		case 7: s.latency = 2e-6, s.slew = 5e-3, s.slew_interval = 0.02; break;
		default: break;
		}
		stepped_begin(&c, &s);
		if (c.corrections->fit.n_steps)
			print_steps(&c);
		assert_int_equal(c.corrections->fit.n_steps, 0);
		stepped_end(&c);
	}
}
