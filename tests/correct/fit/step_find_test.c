/* Clocks that are set while a simulated program runs: which one, when, and by how much are known. */
#include <math.h>
#include <stdio.h>
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

TEST(trial)
{
	static const double sizes[] = { 0, 500e-6, -500e-6, 20e-3, 1 };

	for (int k = 0; k < 5; k++)
		for (uint64_t seed = 1; seed <= 4; seed++) {
			struct settings s = usual(seed);
			struct stepped c;
			s.step_rank = 2;
			s.step_at = 0.2;
			s.step = sizes[k];
			stepped_begin(&c, &s);
			print_message("# step %g\n", sizes[k]);
			print_steps(&c);
			stepped_end(&c);
		}
}
