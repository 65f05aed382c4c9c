/* How true the times are: simulated runs with errors of clocks and costs of measuring, real ones with clocks of known
 * error, and the two papers' results in kind. All figures of all bases go to FOLDER/accuracy.csv. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"

enum { WORDS = 64 };

/* A command line in the making. */
struct command {
	const char *argv[WORDS];
	int n;
	char text[2048]; /* the words that are copied */
	size_t used;
};

/* Appends the words of a text. */
static void words(struct command *c, const char *text)
{
	while (*text && c->n < WORDS - 1) {
		const size_t n = strcspn(text, " ");
		if (c->used + n + 1 > sizeof c->text)
			return;
		if (n) {
			memcpy(c->text + c->used, text, n);
			c->argv[c->n++] = c->text + c->used;
			c->text[c->used + n] = '\0';
			c->used += n + 1;
		}
		text += n + (text[n] == ' ');
	}
	c->argv[c->n] = NULL;
}

struct study {
	const struct bench *bench;
	FILE *csv;
	struct run run;   /* of the program that compared */
	int rows, missed; /* rows with an aim; that missed it */
	double worst;     /* CPU of corrections against that of loading, over the rows */
};

static const char *const bases[] = { "measured",    "linear", "fitted", "clc",
				     "compensated", "lower",  "upper" };
static const char *const figures[] = { "abs", "msg", "ivl" };
static const char *const statistics[] = { "rms", "mean", "p95", "max" };
enum { BASES = sizeof bases / sizeof *bases };

/* base.what.statistic, -1 without. */
static double value(const struct study *study, const char *base, const char *what,
		    const char *statistic)
{
	char key[64];

	snprintf(key, sizeof key, "\n%s.%s%s%s ", base, what, *statistic ? "." : "", statistic);
	return run_value(&study->run, key);
}

static void write_csv(const struct study *study, const char *name)
{
	if (!study->csv)
		return;
	for (int b = 0; b < BASES; b++) {
		if (value(study, bases[b], "abs", "rms") < 0)
			continue;
		fprintf(study->csv, "%s,%s", name, bases[b]);
		for (int f = 0; f < 3; f++)
			for (int s = 0; s < 4; s++)
				fprintf(study->csv, ",%g",
					value(study, bases[b], figures[f], statistics[s]));
		fprintf(study->csv, ",%g,%g,%.9g\n", value(study, bases[b], "reversed", ""),
			value(study, bases[b], "logical", ""), value(study, bases[b], "run_s", ""));
	}
}

/* Compares a trace with its truth; the answers are in study->run. */
static bool compare(struct study *study, const char *name, const char *trace, const char *truth,
		    bool skewed)
{
	struct command c = { .n = 0 };
	char program[PATH];

	bench_program(study->bench, "tests/bench/programs/accuracy", program);
	words(&c, program);
	words(&c, trace);
	words(&c, skewed ? "--skew" : "");
	words(&c, truth);
	if (!process_run(&study->run, c.argv)) {
		row(name, "", "not measured: %.60s", study->run.output);
		return false;
	}
	write_csv(study, name);
	return true;
}

/* Simulates a run and compares. */
static bool simulate(struct study *study, const char *name, const char *options)
{
	struct command c = { .n = 0 };
	char program[PATH], trace[PATH], truth[PATH];
	bool fine;

	bench_program(study->bench, "simulate", program);
	snprintf(trace, sizeof trace, "%s/accuracy.otf2", study->bench->files);
	snprintf(truth, sizeof truth, "%s/accuracy-true.otf2", study->bench->files);
	words(&c, program);
	words(&c, options);
	words(&c, "-o");
	words(&c, trace);
	fine = process_run(&study->run, c.argv);
	if (!fine)
		row(name, "", "cannot be simulated");
	return fine && compare(study, name, trace, truth, false);
}

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

/* What a row of clock errors says: the aims are those of the logical messages, too. */
static void clock_row(struct study *study, const char *name, double aim)
{
	const double linear = value(study, "linear", "abs", "rms");
	const double fitted = value(study, "fitted", "abs", "rms");
	const double clc = value(study, "clc", "abs", "rms");
	const char *best = clc >= 0 ? "clc" : fitted >= 0 ? "fitted" : "linear";
	const double rms = value(study, best, "abs", "rms");
	/* Not worse: but for what a tick and a thousandth make. */
	const double bound = aim < 1 ? aim * linear : 1.001 * linear + 0.002;
	const double reversed = value(study, best, "logical", "") >= 0
					? value(study, best, "logical", "")
					: value(study, best, "reversed", "");
	const bool fine = rms <= bound && reversed == 0;
	char text[64];

	study->rows++;
	study->missed += !fine;
	snprintf(text, sizeof text, "best <= %.2f of linear, 0 reversed%s", aim,
		 fine ? "" : "  MISSED");
	row(name, text, "%8.2f %8.2f %8.3f %8.3f | %7.2f %7.3f | %6.3f %6.3f | %5.0f %3.0f",
	    value(study, "measured", "abs", "rms"), linear, fitted, clc,
	    value(study, "linear", "msg", "rms"), value(study, best, "msg", "rms"),
	    value(study, "linear", "ivl", "rms"), value(study, best, "ivl", "rms"),
	    value(study, "linear", "logical", ""), reversed);
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
			if (simulate(study, name, options))
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
	bench_program(study->bench, "libskew.so", library);
	snprintf(path, sizeof path, "%lld000000000", (long long)now.tv_sec);
	setenv("SKEW_START", path, 1);
	setenv("SKEW_OFFSET", "1e-3", 1);
	setenv("SKEW_DRIFT", drift, 1);
	setenv("SKEW_AMPLITUDE", amplitude, 1);
	setenv("SKEW_PERIOD", "0.4", 1);
	setenv("SKEW_TRUTH", truth, 1);
	bench_program(study->bench, "tvrun", path);
	words(&c, path);
	words(&c, "-q --clock monotonic --clock-domain rank --yield -o");
	words(&c, trace);
	words(&c, "mpiexec.mpich -n 8");
	bench_program(study->bench, "programs/", path);
	strncat(path, program, sizeof path - strlen(path) - 1);
	words(&c, path);
	words(&c, arguments);
	setenv("LD_PRELOAD", library, 1);
	fine = process_run(&study->run, c.argv);
	unsetenv("LD_PRELOAD");
	if (!fine)
		row(name, "", "not measured: it cannot be run here");
	else if (compare(study, name, trace, truth, true))
		clock_row(study, name, aim);
}

static void skewed(struct study *study)
{
	static const struct {
		const char *program, *arguments;
	} runs[] = { { "stencil", "64 1000" }, { "sweep", "100" }, { "collectives", "16 200" } };

	clock_heading("real programs, clocks of known error (two cores, so waits are coarse)");
	for (int i = 0; i < 3; i++) {
		skewed_run(study, runs[i].program, runs[i].arguments, "2e-5", "0", 0.5);
		skewed_run(study, runs[i].program, runs[i].arguments, "2e-5", "2e-4", 0.25);
	}
}

void bench_accuracy(const struct bench *bench)
{
	struct study study = { .bench = bench };
	char path[PATH];

	snprintf(path, sizeof path, "%s/accuracy.csv", bench->files);
	study.csv = fopen(path, "w");
	if (study.csv)
		fprintf(study.csv, "row,base,abs_rms,abs_mean,abs_p95,abs_max,msg_rms,msg_mean,"
				   "msg_p95,msg_max,ivl_rms,ivl_mean,ivl_p95,ivl_max,reversed,"
				   "logical_reversed,run_s\n");
	clocks(&study, 8);
	clocks(&study, 64);
	skewed(&study);
	printf("\n%d rows with an aim, %d missed; all figures: %s\n", study.rows, study.missed,
	       path);
	if (study.csv)
		fclose(study.csv);
}
