/* output: where an export goes: stdout, or a file that appears whole or not at all.
 *
 * A regular file gets its name when everything is written: until then it has none, so that nothing
 * is left of it if the process is killed, or, on file systems without such files, a temporary one
 * beside it. It is compressed with zstd if its name ends in .zst. A device or a pipe is written
 * directly.
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
	char *path;  /* NULL: stdout */
	char *temp;  /* NULL: it has no name yet, or is written directly */
	int unnamed; /* descriptor of the file without a name; -1: there is none */
};

/* `path` NULL or "-" is stdout; `input` (may be NULL) is the file that must not be written. */
bool output_open(struct output *output, const char *path, const char *input, struct err *err);

/* The same for a library that writes a file by its name, `temp`; `stream` is not used. False with
 * err for stdout, a device or a pipe, too. */
bool output_open_named(struct output *output, const char *path, const char *input, struct err *err);

/* Flushes and closes. Keeps the file when `ok` and everything could be written, else removes it.
 * Returns `ok`, or false with err if writing failed (disk full). */
bool output_close(struct output *output, bool ok, struct err *err);

/* Closes and removes what was written: a file that was there before stays as it was. */
void output_drop(struct output *output);

/* For writers: false with err when the stream has failed. */
bool output_check(FILE *stream, struct err *err);
