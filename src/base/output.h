/* output: where an export goes: stdout, or a file that appears whole or not at all.
 *
 * A regular file is written under a temporary name beside it and renamed when everything is
 * written, compressed with zstd if its name ends in .zst; a device or a pipe is written directly.
 * The file a trace is read from is refused.
 *
 *	struct output out;
 *	if (!output_open(&out, path, trace_path, &err)) ...
 *	ok = export_table(table, &options, out.stream, &err);
 *	ok = output_close(&out, ok, &err);
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

struct output {
	FILE *stream;
	char *path; /* NULL: stdout */
	char *temp; /* NULL: written directly */
};

/* `path` NULL or "-" is stdout; `input` (may be NULL) is the file that must not be written. */
bool output_open(struct output *output, const char *path, const char *input, struct err *err);

/* Flushes and closes. Keeps the file when `ok` and everything could be written, else removes it.
 * Returns `ok`, or false with err if writing failed (disk full). */
bool output_close(struct output *output, bool ok, struct err *err);

/* Closes and removes the temporary file: a file that was there before stays as it was. */
void output_drop(struct output *output);

/* For writers: false with err when the stream has failed. */
bool output_check(FILE *stream, struct err *err);
