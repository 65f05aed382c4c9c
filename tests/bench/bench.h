/* bench: what the parts of the benchmark share: where things are, which traces there are, how a row
 * is printed. Nothing here fails a build: what cannot be measured is said in its row. */
#pragma once

#include <stdbool.h>

#include "bench/process.h"

enum { PATH = 512 };

struct bench {
	const char *out;   /* folder of the build: programs */
	const char *files; /* folder of the traces that are made */
	bool full;
};

/* A trace's path, made if it is not there yet; false where it cannot be made (and that is said).
 * `events` as the generator takes it: "10M". */
bool bench_trace(const struct bench *bench, const char *events, const char *locations, bool otf2,
		 char path[PATH]);
/* A program of the build by its name below it. */
void bench_program(const struct bench *bench, const char *name, char path[PATH]);

/* Runs argv[0] `rounds` times and takes the medians of what it prints behind n keys, with the last
 * run for the rest; false where it fails, and that is said in a row. */
bool bench_medians(struct run *last, const char *const argv[], int rounds, const char *const *keys,
		   int n, double *medians);

void row_heading(const char *text);
/* "what | figure | target", text and target as printf would write them. */
void row(const char *what, const char *target, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Loading against its yardstick, memory, threads, growth (bench_load.c). */
void bench_load(const struct bench *bench);
/* Queries and exports in the loaded process (bench_load.c). */
void bench_queries(const struct bench *bench);
/* The logical clock against loading (bench_correct.c). */
void bench_correct(const struct bench *bench);
/* Wait states and severities against loading (bench_patterns.c). */
void bench_patterns(const struct bench *bench);
/* tvrun's merge of ranks' files, by form of the trace (bench_merge.c). */
void bench_merge(const struct bench *bench);
/* First screen, keys, bytes, search (bench_screen.c). */
void bench_screen(const struct bench *bench);
/* Errors of times against the truth: of clocks, simulated and real (bench_accuracy.c); of
 * measuring, and what two papers found (bench_papers.c). */
void bench_clocks(const struct bench *bench);
void bench_skewed(const struct bench *bench);
void bench_bounds(const struct bench *bench);
void bench_overhead(const struct bench *bench);
void bench_papers(const struct bench *bench);
