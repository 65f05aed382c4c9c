/* workshop: a folder in which tests preprocess, instrument, compile and run programs.
 *
 * Commands run by the shell with the repository's root as their working directory; %s in them is
 * nothing special. What fails fails the test, with the command. Programs are linked with
 * tests/cc/units/double.c, whose account lands in counts. */
#ifndef TVIEW_TESTS_WORKSHOP_H
#define TVIEW_TESTS_WORKSHOP_H

#include "base/str.h"
#include "capture/cc/instrument/instrument.h"
#include "harness/files.h"

struct workshop {
	char folder[FOLDER_NAME];
};

/* What double.c says, by line: [0] procedures entered, [1] iterations, [2] calls taken, [3]
 * statements told, [4] iterations that had a probe. */
enum { WORKSHOP_LINES = 20000 };
struct account {
	unsigned long by_line[5][WORKSHOP_LINES];
	long lost, open, bad;
};

/* Of a group of tests, whose state it is: struct workshop. */
int workshop_setup(void **state);
int workshop_teardown(void **state);
/* "FOLDER/name", good until this was called 16 times more. */
const char *workshop_path(const struct workshop *w, const char *name);
/* Runs a command, which must end with 0. */
void workshop_must(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* NAME.i -> NAME.t.i, with the checks that hold for every result: lines keep their numbers, and
 * what was there is there in its order. The caller frees `result`. */
void workshop_instrument(const struct workshop *w, const char *name,
			 const struct instrument_options *options,
			 struct instrument_result *result);
/* What holds for every result of an input. */
void workshop_check(const char *text, size_t size, const struct instrument_result *result);
/* Reads the account of the last run; only lines of `file` are counted by line, NULL: of all. */
void workshop_account(const struct workshop *w, const char *file, struct account *account);

#endif
