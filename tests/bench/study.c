#include "bench/study.h"

#include <stdlib.h>
#include <string.h>

void command_words(struct command *c, const char *text)
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

static const char *const bases[] = { "measured",    "linear", "fitted", "clc",
				     "compensated", "lower",  "upper" };
static const char *const figures[] = { "abs", "msg", "ivl" };
static const char *const statistics[] = { "rms", "mean", "p95", "max" };
enum { BASES = sizeof bases / sizeof *bases };

double study_value(const struct study *study, const char *base, const char *what,
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
		if (study_value(study, bases[b], "abs", "rms") < 0)
			continue;
		fprintf(study->csv, "\"%s\",%s", name, bases[b]);
		for (int f = 0; f < 3; f++)
			for (int s = 0; s < 4; s++)
				fprintf(study->csv, ",%g",
					study_value(study, bases[b], figures[f], statistics[s]));
		fprintf(study->csv, ",%g,%g,%.9g\n", study_value(study, bases[b], "reversed", ""),
			study_value(study, bases[b], "logical", ""),
			study_value(study, bases[b], "run_s", ""));
	}
}

bool study_compare(struct study *study, const char *name, const char *trace, const char *truth,
		   const char *how)
{
	struct command c = { .n = 0 };
	char program[PATH];

	bench_program(study->bench, "tests/bench/programs/accuracy", program);
	command_words(&c, program);
	command_words(&c, how);
	command_words(&c, trace);
	command_words(&c, truth);
	if (!process_run(&study->run, c.argv)) {
		row(name, "", "not measured: %.60s", study->run.output);
		return false;
	}
	write_csv(study, name);
	return true;
}

bool study_simulate(struct study *study, const char *name, const char *options, const char *how)
{
	struct command c = { .n = 0 };
	char program[PATH], trace[PATH], truth[PATH];

	bench_program(study->bench, "simulate", program);
	snprintf(trace, sizeof trace, "%s/accuracy.otf2", study->bench->files);
	snprintf(truth, sizeof truth, "%s/accuracy-true.otf2", study->bench->files);
	command_words(&c, program);
	command_words(&c, options);
	command_words(&c, "-o");
	command_words(&c, trace);
	if (!process_run(&study->run, c.argv)) {
		row(name, "", "cannot be simulated");
		return false;
	}
	return study_compare(study, name, trace, truth, how);
}

const char *study_aim(struct study *study, bool met)
{
	study->rows++;
	study->missed += !met;
	return met ? "" : "  MISSED";
}

void study_begin(struct study *study, const struct bench *bench, const char *name)
{
	char path[PATH];

	memset(study, 0, sizeof *study);
	study->bench = bench;
	study->name = name;
	snprintf(path, sizeof path, "%s/accuracy-%s.csv", bench->files, name);
	study->csv = fopen(path, "w");
	if (study->csv)
		fprintf(study->csv, "row,base,abs_rms,abs_mean,abs_p95,abs_max,msg_rms,msg_mean,"
				    "msg_p95,msg_max,ivl_rms,ivl_mean,ivl_p95,ivl_max,reversed,"
				    "logical_reversed,run_s\n");
}

void study_end(struct study *study)
{
	printf("  %d rows with an aim, %d missed; all figures: %s/accuracy-%s.csv\n", study->rows,
	       study->missed, study->bench->files, study->name);
	if (study->csv)
		fclose(study->csv);
}
