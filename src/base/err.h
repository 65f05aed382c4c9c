/* err: what went wrong in the world (a file, a pattern, the terminal, a limit), as a whole
 * sentence.
 *
 * Three kinds of trouble are distinguished: a bug is an assert; no memory ends the program
 * (base/mem.h); everything else comes back as false, NULL or a negative number with a filled
 * `struct err`. The first error wins: a second err_set() on a filled err is ignored, so cleanup
 * code cannot hide the cause. A function leaves err alone when it succeeds. `err` is the last
 * parameter and may be NULL where the caller needs only the fact.
 *
 *	struct err err = ERR_INIT;
 *	struct trace *trace = trace_open(path, &opts, &err);
 *	if (!trace) {
 *		fprintf(stderr, "tview: %s\n", err.text);
 *		return err.status;
 *	}
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Exit statuses of tview (tview(1), EXIT STATUS). */
enum status {
	STATUS_OK = 0,
	STATUS_NO = 1,    /* the answer is 'no': damage found, --strict or --fail-on holds */
	STATUS_USAGE = 2, /* wrong command line */
	STATUS_IO = 3,    /* cannot read or write, or the terminal is gone */
	STATUS_OPEN = 4,  /* neither yes nor no: what was recorded does not answer the question */
};

struct err {
	int status;      /* STATUS_*, what main() returns; 0 while nothing happened */
	char text[1024]; /* the sentence: place, reason, hint; free of control characters, but for
			    the line breaks of err_set_at() */
};

#define ERR_INIT      \
	{             \
		0, "" \
	}

/* Fills err with a formatted sentence and an exit status, unless it is filled already. Control
 * characters that came in with the arguments are replaced. Returns false, so that `return
 * err_set(...)` reads well. */
bool err_set(struct err *err, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": <strerror>" appended for the errno of a failed system call. */
bool err_errno(struct err *err, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for something typed by a person, `text`, that is wrong at a byte: "WHAT, column 7: " and
 * the sentence, and below it the text (its surroundings, where it is long) and a caret under the
 * place. A column is a character, from 1. */
bool err_set_at(struct err *err, const char *what, const char *text, size_t offset, const char *fmt,
		...) __attribute__((format(printf, 5, 6)));

/* True when something went wrong. */
static inline bool err_is_set(const struct err *err)
{
	return err && err->status != 0;
}
