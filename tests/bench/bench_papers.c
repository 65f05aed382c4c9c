/* How much of what measuring costs is taken out again, in simulated runs that know what it cost;
 * and what two papers found, in kind: overhead of tiny functions on more and more ranks (paper 3,
 * figure 1), messages that arrive before they were sent because the offsets were measured long
 * before and behind the run (paper 4, table 1 and figures 3, 4, 6). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/study.h"

static double seconds(const struct study *study, const char *base)
{
	return study_value(study, base, "run_s", "");
}

/* Share of the dilation that is gone, in per cent. */
static double removed(const struct study *study)
{
	const double real = seconds(study, "true"), measured = seconds(study, "measured");
	const double left = fabs(seconds(study, "compensated") - real);

	return 100 * (1 - left / (measured - real));
}

/* Between the bounds, but for the rounding of a run's two ends to ticks. */
static bool is_between(const struct study *study)
{
	const double real = seconds(study, "true"), slack = 1e-6 * real + 2e-9;

	return seconds(study, "lower") <= real + slack && real <= seconds(study, "upper") + slack;
}

static void overhead_heading(const char *text)
{
	row_heading(text);
	row("run, ms", "aim", "%8s %8s | %8s %8s %8s | %6s | %6s %6s | %s", "true", "measured",
	    "lower", "best", "upper", "gone %", "msg us", "before", "carried");
}

/* rms of the transfer times of a base, "-" without messages. */
static const char *transfers(const struct study *study, const char *base, char text[16])
{
	const double rms = study_value(study, base, "msg", "rms");

	if (rms < 0)
		return "-";
	snprintf(text, 16, "%.2f", rms);
	return text;
}

static void overhead_row(struct study *study, const char *name, double aim)
{
	const bool there = seconds(study, "compensated") >= 0;
	const bool met = there && removed(study) >= aim && is_between(study);
	char text[64];

	snprintf(text, sizeof text, "%g %% gone, truth inside%s", aim, study_aim(study, met));
	if (!there) {
		row(name, text, "%8.3f %8.3f | nothing compensated", 1e3 * seconds(study, "true"),
		    1e3 * seconds(study, "measured"));
		return;
	}
	row(name, text, "%8.3f %8.3f | %8.3f %8.3f %8.3f | %6.2f | %6s %6s | %.3f",
	    1e3 * seconds(study, "true"), 1e3 * seconds(study, "measured"),
	    1e3 * seconds(study, "lower"), 1e3 * seconds(study, "compensated"),
	    1e3 * seconds(study, "upper"), removed(study),
	    transfers(study, "compensated", (char[16]){ 0 }),
	    transfers(study, "measured", (char[16]){ 0 }),
	    study_value(study, "overhead", "is", "carried"));
}

/* ---- what measuring costs ---- */

static const struct {
	const char *name, *options;
} programs[] = {
	{ "pi", "--steps 100 --calls 100 --tiny 2e-7" },
	{ "stencil", "--steps 200 --work 2e-5 --calls 50 --tiny 2e-7" },
	{ "sweep", "--steps 60 --work 2e-5 --calls 50 --tiny 2e-7" },
	{ "collectives", "--steps 40 --work 2e-5 --calls 50 --tiny 2e-7" },
	{ "farm", "--steps 200 --work 2e-5 --calls 50 --tiny 2e-7" },
};

static const struct {
	const char *name, *options;
	double aim;
} costs[] = {
	/* Nothing but the cost: no message is slower than another. */
	{ "exact", "--overhead 1e-7 --jitter 0 --noise 0", 99.9 },
	{ "constant", "--overhead 1e-7", 95 },
	{ "hidden, sampled", "--overhead 1e-7 --overhead-spread 0.5 --insitu 0.1", 95 },
	{ "flushes", "--overhead 1e-7 --overhead-spread 0.5 --insitu 0.1 --flush 5000:2e-4", 95 },
	{ "often", "--overhead 1e-7 --flush 500:2e-4", 95 },
	{ "often, sampled", "--overhead 1e-7 --overhead-spread 0.5 --insitu 0.1 --flush 500:2e-4",
	  95 },
	{ "clocks",
	  "--overhead 1e-7 --overhead-spread 0.5 --insitu 0.1 --offset-noise 2e-5 "
	  "--clock-drift 2e-5",
	  95 },
};
enum { PROGRAMS = sizeof programs / sizeof *programs, COSTS = sizeof costs / sizeof *costs };

void bench_overhead(const struct bench *bench)
{
	struct study study;

	study_begin(&study, bench, "overhead");
	overhead_heading("simulated overhead of 100 ns a record, 8 ranks");
	for (int c = 0; c < COSTS; c++) {
		for (int p = 0; p < PROGRAMS; p++) {
			char options[512], name[80];
			snprintf(name, sizeof name, "%s, %s", costs[c].name, programs[p].name);
			snprintf(options, sizeof options, "--program %s --ranks 8 %s %s",
				 programs[p].name, programs[p].options, costs[c].options);
			if (study_simulate(&study, name, options, ""))
				overhead_row(&study, name, costs[c].aim);
		}
	}
	study_end(&study);
}

/* ---- paper 3, figure 1 ---- */

static void tiny_functions(struct study *study, int ranks, const char *how)
{
	char options[512], name[80];

	/* The same darts on all workers together. */
	snprintf(name, sizeof name, "pi, %d ranks%s", ranks, *how ? ", paper's model" : "");
	snprintf(options, sizeof options,
		 "--program pi --ranks %d --steps 200 --calls %d --tiny 2e-7 --overhead 1e-7 "
		 "--latency 1e-6 --jitter 2e-7 %s",
		 ranks, 3200 / (ranks - 1), *how ? "" : "--overhead-spread 0.4 --insitu 0.1");
	if (study_simulate(study, name, options, how))
		overhead_row(study, name, 95);
}

/* ---- paper 4 ---- */

/* Of the messages, collectives not counted: of n ranks these have the square of n each. Nothing
 * where the step was not needed. */
static double per_cent(const struct study *study, const char *base, const char *what,
		       const char *statistic)
{
	return 100 * fmax(0, study_value(study, base, what, statistic)) /
	       study_value(study, "linear", "p2p", "messages");
}

static void sleeping_heading(void)
{
	row_heading(
		"paper 4: offsets measured 10 minutes before and behind the run, clocks that drift");
	row("in per cent of messages, events", "aim", "%6s %6s %6s %6s | %6s %6s | %5s | %s",
	    "revers", "violat", "found", "events", "mean", "max us", "left", "CPU against loading");
}

/* A machine whose clocks wander by some 1e-8, so that lines through both measurements miss the
 * middle. */
static void sleeping_run(struct study *study, int ranks, const char *how)
{
	char options[512], name[80], text[64];
	double left;

	snprintf(name, sizeof name, "stencil, %d ranks, %s", ranks, *how ? "logical clock" : "all");
	snprintf(options, sizeof options,
		 "--program stencil --ranks %d --ranks-per-node 4 --steps 100 --work 1e-3 --calls "
		 "1 --sleep 600:600 --clock-of-node --clock-offset 1e-3 --clock-drift 1e-5 "
		 "--clock-slew 1.5e-7:200 --offset-noise 2e-6",
		 ranks);
	if (!study_simulate(study, name, options, how))
		return;
	left = study_value(study, "clc", "check", "violating");
	if (left < 0)
		left = study_value(study, *how ? "linear" : "fitted", "check", "violating");
	snprintf(text, sizeof text, "none left%s", study_aim(study, left == 0));
	row(name, text, "%6.2f %6.2f %6.2f %6.2f | %6.1f %6.1f | %5.0f | %.2f",
	    per_cent(study, "linear", "p2p", "reversed"),
	    per_cent(study, "linear", "p2p", "violating"), per_cent(study, "clc", "did", "p2p"),
	    100 * fmax(0, study_value(study, "clc", "did", "modified")) /
		    study_value(study, "trace", "has", "events"),
	    study_value(study, "linear", "p2p", "mean"),
	    study_value(study, "linear", "p2p", "worst"), left,
	    study_value(study, "cpu", "correct", "s") / study_value(study, "cpu", "load", "s"));
}

static void negative_waits(struct study *study, const char *how)
{
	char name[80], text[64];
	const char *best;

	snprintf(name, sizeof name, "barriers, 64 ranks, %s", *how ? "logical clock" : "all");
	if (!study_simulate(study, name,
			    "--program collectives --ranks 64 --ranks-per-node 4 --steps 40 --work "
			    "1e-3 --calls 1 --sleep 600:600 --clock-of-node --clock-offset 1e-3 "
			    "--clock-drift 1e-5 --clock-slew 1.5e-7:200 --offset-noise 2e-6",
			    how))
		return;
	best = study_value(study, "clc", "barrier", "negative") >= 0      ? "clc"
	       : study_value(study, "fitted", "barrier", "negative") >= 0 ? "fitted"
									  : "linear";
	snprintf(text, sizeof text, "none after%s",
		 study_aim(study, study_value(study, best, "barrier", "negative") == 0));
	row(name, text, "%5.0f, worst %.1f us | %5.0f, worst %.1f us (%s)",
	    study_value(study, "linear", "barrier", "negative"),
	    study_value(study, "linear", "barrier", "worst"),
	    study_value(study, best, "barrier", "negative"),
	    study_value(study, best, "barrier", "worst"), best);
}

void bench_papers(const struct bench *bench)
{
	static const int few[] = { 4, 8, 16, 32 }, many[] = { 16, 64, 256, 1024 };
	struct study study;

	study_begin(&study, bench, "papers");
	overhead_heading("paper 3, figure 1: tiny functions on more and more ranks");
	for (int i = 0; i < 4; i++)
		tiny_functions(&study, few[i], "--paper");
	for (int i = 0; i < 4; i++)
		tiny_functions(&study, few[i], "");
	sleeping_heading();
	for (int i = 0; i < 4; i++)
		sleeping_run(&study, many[i], "--offsets");
	for (int i = 0; i < 4; i++)
		sleeping_run(&study, many[i], "");
	row_heading("paper 4, figure 6: wait in a barrier longer than the barrier, before | after");
	negative_waits(&study, "--offsets");
	negative_waits(&study, "");
	study_end(&study);
}
