/* fuzz: what every fuzz target begins with. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* libFuzzer calls it with one input after another. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file with these bytes, at its start. The caller closes it. */
int fuzz_file(const void *data, size_t size);

/* Makes a folder in memory whose name has the process in it, by which scripts/fuzz removes what a
 * target that broke has left. */
enum { FUZZ_FOLDER = 64 };
void fuzz_folder(char name[FUZZ_FOLDER]);

/* 0 .. n - 1, as the bytes say: which of several costly things to try with them. */
unsigned fuzz_choice(const void *data, size_t size, unsigned n);

/* What does not hold ends the target, which keeps the input. */
static inline void must(bool holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "does not hold: %s\n", what);
		abort();
	}
}

/* What trace_broken() and the like say must be nothing. */
static inline void must_be_sound(const char *broken)
{
	must(!broken, broken);
}
