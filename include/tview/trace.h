/* tview/trace.h: reads traces of parallel programs, with corrected clocks and wait states, from any
 * program. Link with -ltview (pkg-config tview).
 *
 * A trace is asked for tables: the same that `tview export` writes, with the same names, columns,
 * units and order (tview(1)). Options choose as on the command line, without the dashes.
 *
 *	struct tview_error error;
 *	tview_trace *trace = tview_open("run.trc", NULL, &error);
 *	const char *of_two[] = { "ranks=0-1", "filter=region =~ /^MPI_/", NULL };
 *	tview_table *calls = trace ? tview_table_open(trace, "calls", of_two, &error) : NULL;
 *	if (!calls)
 *		return fprintf(stderr, "%s\n", error.text), error.status;
 *	const int region = tview_column(calls, "region"), took = tview_column(calls, "duration_s");
 *	while (tview_next(calls))
 *		printf("%s %g\n", tview_text(calls, region), tview_real(calls, took));
 *	tview_table_close(calls);
 *	tview_close(trace);
 *
 * Cache files of the user are read, and nothing is written. Several threads may use a trace at the
 * same time, each with tables of its own; a table belongs to one thread at a time. A process that
 * has no memory left is ended (SIGABRT). While traces are open, faults of mapped files (SIGBUS,
 * SIGSEGV) go first to a handler that asks whether they are the library's, then to yours. */
#ifndef TVIEW_TRACE_H
#define TVIEW_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* What went wrong, as a sentence without control characters. */
struct tview_error {
	int status; /* 1: the trace cannot answer, 2: wrong name or option, 3: cannot be read */
	char text[1024];
};

typedef struct tview_trace tview_trace;
typedef struct tview_table tview_table;

/* "0.1.0" */
const char *tview_version(void);

/* Opens a trace of any format by its content, and corrects its times. `options` (NULL: none) ends
 * with NULL: "base=measured", "time=0.1s:250ms", "ranks=0-3", "filter=...", "no-cache"; they hold
 * for all tables. NULL with `error` (which may be NULL) where it cannot be read. The caller closes
 * it after its tables. */
tview_trace *tview_open(const char *path, const char *const *options, struct tview_error *error);
/* The same of the JSON files of one run, a process each, as profilers of training jobs write them.
 * `paths` ends with NULL; one path is a trace of any format. */
tview_trace *tview_open_files(const char *const *paths, const char *const *options,
			      struct tview_error *error);
void tview_close(tview_trace *trace);

/* What is damaged in it, as a sentence; NULL: nothing. Good until the trace is closed. */
const char *tview_damage(const tview_trace *trace);

/* The names of all tables, and what they have; NULL after the last. */
const char *tview_table_name(unsigned i);
const char *tview_table_help(unsigned i);

/* Makes a table. `options` as above, in addition: "by=rank", "sort=duration_s up",
 * "columns=rank,bytes", "metric=...". The first table that needs wait states waits for their
 * analysis, which may take seconds. NULL with `error`: no such table or option, or the run was not
 * recorded in a way that could fill it. */
tview_table *tview_table_open(tview_trace *trace, const char *name, const char *const *options,
			      struct tview_error *error);
void tview_table_close(tview_table *table);

enum tview_type {
	TVIEW_TEXT,    /* clean: valid UTF-8 without control characters */
	TVIEW_INTEGER, /* counts, bytes, ids, ranks (TVIEW_HOST is PICL's host) */
	TVIEW_REAL     /* times and durations in seconds, shares from 0 to 1 */
};
enum { TVIEW_HOST = 32767 };

unsigned tview_column_count(const tview_table *table);
/* With its unit: "duration_s", "bytes". */
const char *tview_column_name(const tview_table *table, unsigned column);
enum tview_type tview_column_type(const tview_table *table, unsigned column);
/* The column of a name; -1: there is none. */
int tview_column(const tview_table *table, const char *name);

/* Goes to the next row, at first the first one; false after the last. */
bool tview_next(tview_table *table);

/* Cells of the present row. A cell that is not known is NULL or 0; so is a number of a column of
 * texts, a text of numbers, and the integer of a real number. Texts are good until the next
 * row. */
bool tview_known(const tview_table *table, int column);
const char *tview_text(const tview_table *table, int column);
int64_t tview_integer(const tview_table *table, int column);
double tview_real(const tview_table *table, int column);

/* ---- whole columns ---- */

/* Numbers in memory: element (i, j) is at data + i * stride[0] + j * stride[1]; with one dimension
 * there is no j. `format` is that of Python's module struct: 'q' int64_t, 'd' double, 'i' int32_t,
 * 'I' uint32_t, 'Q' uint64_t, '?' bool. */
struct tview_array {
	const void *data;
	int64_t shape[2];  /* elements */
	int64_t stride[2]; /* bytes */
	char format;
	uint8_t dims; /* 1 or 2 */
	bool shared;  /* it is the trace's own memory: nothing was copied */
	uint8_t reserved[5];
};

/* Reads the rows that were not read yet into columns of the table, which are good until it is
 * closed; returns how many. After the first call it only returns that number. */
int64_t tview_read(tview_table *table);
/* A column that was read, one element a row: of texts their codes ('i', from 0 in the order of
 * first appearance, -1 not known), of integers 'q' (0 not known), of reals 'd' (NaN not known).
 * False: no such column, or nothing was read. */
bool tview_values(const tview_table *table, int column, struct tview_array *array);
/* Of integers, which ones are known ('?'). False where all are, and for other columns. */
bool tview_known_values(const tview_table *table, int column, struct tview_array *array);
/* The text of a code; NULL after the last one. */
const char *tview_category(const tview_table *table, int column, int64_t code);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
