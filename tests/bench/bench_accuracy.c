/* How true synchronised times are: simulated runs with errors of clocks, and real ones with clocks
 * of known error. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/study.h"

/* ---- errors of clocks ---- */

static const struct {
	const char *name, *few, *many; /* options with 8 and with 64 ranks: half a second each */
} programs[] = {
	{ "ring", "--steps 100 --work 6e-4", "--steps 40 --work 2e-4" },
	{ "stencil", "--steps 200 --work 2e-3 --calls 1", "--steps 200 --work 2e-3 --calls 1" },
	{ "sweep", "--steps 100 --work 6e-4 --calls 1", "--steps 60 --work 5e-4 --calls 1" },
	{ "collectives", "--steps 40 --work 1e-3 --calls 1", "--steps 40 --work 1e-3 --calls 1" },
	{ "pi", "--steps 400 --calls 10 --tiny 1e-4", "--steps 300 --calls 10 --tiny 1e-4" },
	{ "farm", "--steps 200 --work 2e-3 --calls 1", "--steps 100 --work 4e-3 --calls 1" },
};

static const struct error {
	const char *name, *options;
	double aim; /* fitted, of linear: rms of all events */
} errors[] = {
	{ "noisy offsets", "", 1 },
	{ "offsets", "--clock-offset 1e-3", 1 },
	{ "drift", "--clock-offset 1e-3 --clock-drift 2e-5", 0.5 },
	{ "slow sine", "--clock-offset 1e-3 --clock-sine 2e-4:0.4", 0.25 },
	{ "fast sine", "--clock-offset 1e-3 --clock-sine 1e-4:0.1", 0.25 },
	{ "slews", "--clock-offset 1e-3 --clock-drift 2e-5 --clock-slew 4e-4:0.1", 1 },
	{ "jitter", "--clock-drift 2e-5 --clock-jitter 1e-7", 0.5 },
	{ "1 us", "--clock-drift 2e-5 --resolution 1e-6", 0.5 },
};
enum { PROGRAMS = sizeof programs / sizeof *programs, ERRORS = sizeof errors / sizeof *errors };

/* A figure, "-" where there is none. */
static const char *figure(const struct study *study, char text[16], const char *base,
			  const char *what)
{
	const double x = study_value(study, base, what, "rms");

	if (x < 0)
		return "-";
	snprintf(text, 16, "%.*f", x < 10 ? 3 : 1, x);
	return text;
}
#define FIGURE(base, what) figure(study, (char[16]){ 0 }, base, what)

/* What a row of clock errors says: the aims are those of the logical messages, too. */
static void clock_row(struct study *study, const char *name, double aim)
{
	const double linear = study_value(study, "linear", "abs", "rms");
	const char *best = study_value(study, "clc", "abs", "rms") >= 0      ? "clc"
			   : study_value(study, "fitted", "abs", "rms") >= 0 ? "fitted"
									     : "linear";
	const double rms = study_value(study, best, "abs", "rms");
	/* Not worse: but for what a tick and a thousandth make. */
	const double bound = aim < 1 ? aim * linear : 1.001 * linear + 0.002;
	const double reversed = study_value(study, best, "logical", "") >= 0
					? study_value(study, best, "logical", "")
					: study_value(study, best, "reversed", "");
	const bool fine = rms <= bound && reversed == 0;
	char text[64];

	snprintf(text, sizeof text, "best <= %.2f of linear, 0 reversed%s", aim,
		 study_aim(study, fine));
	row(name, text, "%8s %8s %8s %8s | %7s %7s | %6s %6s | %5.0f %3.0f",
	    FIGURE("measured", "abs"), FIGURE("linear", "abs"), FIGURE("fitted", "abs"),
	    FIGURE("clc", "abs"), FIGURE("linear", "msg"), FIGURE(best, "msg"),
	    FIGURE("linear", "ivl"), FIGURE(best, "ivl"),
	    study_value(study, "linear", "logical", ""), reversed);
}

static void clock_heading(const char *text)
{
	row_heading(text);
	row("errors, us", "aim", "%8s %8s %8s %8s | %7s %7s | %6s %6s | %5s %3s", "measured",
	    "linear", "fitted", "clc", "msg lin", "best", "ivl l", "best", "rev l", "best");
}

static void clocks(struct study *study, uint32_t ranks)
{
	char text[80];

	snprintf(text, sizeof text,
		 "simulated clocks, %u ranks: rms error of times, of transfers, of visits (us)",
		 ranks);
	clock_heading(text);
	for (int e = 0; e < ERRORS; e++) {
		for (int p = 0; p < PROGRAMS; p++) {
			char options[512], name[80];
			snprintf(name, sizeof name, "%s, %s, %u", errors[e].name, programs[p].name,
				 ranks);
			snprintf(options, sizeof options,
				 "--program %s --ranks %u --offset-noise 2e-5 %s %s",
				 programs[p].name, ranks,
				 ranks > 8 ? programs[p].many : programs[p].few, errors[e].options);
			if (study_simulate(study, name, options, ""))
				clock_row(study, name, errors[e].aim);
		}
	}
}

/* ---- real programs with clocks of known error ---- */

static void skewed_run(struct study *study, const char *program, const char *arguments,
		       const char *drift, const char *amplitude, double aim)
{
	struct command c = { .n = 0 };
	char path[PATH], library[PATH], trace[PATH], truth[PATH], name[80];
	struct timespec now;
	bool fine;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	snprintf(name, sizeof name, "%s, %s, 8 ranks", *amplitude == '0' ? "drift" : "sine",
		 program);
	snprintf(trace, sizeof trace, "%s/skewed.trc", study->bench->files);
	snprintf(truth, sizeof truth, "%s/skewed", study->bench->files);
	setenv("SKEW_TRUTH", truth, 1);
	snprintf(truth, sizeof truth, "--skew %s/skewed", study->bench->files);
	bench_program(study->bench, "libskew.so", library);
	snprintf(path, sizeof path, "%lld000000000", (long long)now.tv_sec);
	setenv("SKEW_START", path, 1);
	setenv("SKEW_OFFSET", "1e-3", 1);
	setenv("SKEW_DRIFT", drift, 1);
	setenv("SKEW_AMPLITUDE", amplitude, 1);
	setenv("SKEW_PERIOD", "0.4", 1);
	bench_program(study->bench, "tvrun", path);
	command_words(&c, path);
	command_words(&c, "-q --clock monotonic --clock-domain rank --yield -o");
	command_words(&c, trace);
	command_words(&c, "mpiexec.mpich -n 8");
	bench_program(study->bench, "programs/", path);
	strncat(path, program, sizeof path - strlen(path) - 1);
	command_words(&c, path);
	command_words(&c, arguments);
	setenv("LD_PRELOAD", library, 1);
	fine = process_run(&study->run, c.argv);
	unsetenv("LD_PRELOAD");
	if (!fine)
		row(name, "", "not measured: it cannot be run here");
	else if (study_compare(study, name, trace, truth, ""))
		clock_row(study, name, aim);
}

void bench_skewed(const struct bench *bench)
{
	static const struct {
		const char *program, *arguments;
	} runs[] = { { "stencil", "64 1000" }, { "sweep", "400" }, { "collectives", "16 200" } };
	struct study study;

	study_begin(&study, bench, "skewed");
	clock_heading("real programs, clocks of known error (two cores, so waits are coarse)");
	for (int i = 0; i < 3; i++) {
		skewed_run(&study, runs[i].program, runs[i].arguments, "2e-5", "0", 0.5);
		skewed_run(&study, runs[i].program, runs[i].arguments, "2e-5", "2e-4", 0.25);
	}
	study_end(&study);
}

void bench_clocks(const struct bench *bench)
{
	struct study study;

	study_begin(&study, bench, "clocks");
	clocks(&study, 8);
	clocks(&study, 64);
	study_end(&study);
}
