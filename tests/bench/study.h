/* study: a part of the benchmark that compares times with the truth: it runs the simulator and the
 * program that compares, keeps its answers, and writes all figures of all bases to
 * FOLDER/accuracy-NAME.csv. */
#pragma once

#include <stdio.h>

#include "bench/bench.h"

enum { WORDS = 64 };

/* A command line in the making. */
struct command {
	const char *argv[WORDS];
	int n;
	char text[2048]; /* the words, copied */
	size_t used;
};

struct study {
	const struct bench *bench;
	const char *name;
	FILE *csv;
	struct run run;   /* of the program that compared */
	int rows, missed; /* rows with an aim; that missed it */
};

/* Appends the words of a text; "" none. */
void command_words(struct command *c, const char *text);

void study_begin(struct study *study, const struct bench *bench, const char *name);
/* Says how many rows missed their aim. */
void study_end(struct study *study);
/* Simulates a run and compares it with its truth; `how` is for the program that compares ("" or
 * "--presync offsets"). False where that is not possible, which is said in a row. */
bool study_simulate(struct study *study, const char *name, const char *options, const char *how);
/* Compares a trace with a truth, two words. */
bool study_compare(struct study *study, const char *name, const char *trace, const char *truth,
		   const char *how);
/* "base.what.statistic" of the last comparison; -1 without. */
double study_value(const struct study *study, const char *base, const char *what,
		   const char *statistic);
/* Counts the row; "  MISSED" or "". */
const char *study_aim(struct study *study, bool met);
