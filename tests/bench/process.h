/* process: runs a program and says what it cost. CPU time, user and system: machines are shared and
 * wall time is noise; wall time is kept for what is about threads. */
#pragma once

#include <stdbool.h>

enum { OUTPUT = 16384 };

struct run {
	double cpu;    /* seconds, user and system */
	double system; /* seconds of it */
	double wall;   /* seconds */
	double mib;    /* peak resident */
	char output[OUTPUT];
};

/* Runs argv[0] to its end with its output kept; false when it failed or cannot be run. */
bool process_run(struct run *run, const char *const argv[]);
/* The number behind `key` in the output; -1 without. */
double run_value(const struct run *run, const char *key);

double now_seconds(void);
/* Sorts; the value at a share (0.5: the median) of n, 0 of none. */
double quantile(double *values, int n, double share);
