/* instrument: probes for procedures, loops, call statements and communication statements, put into
 * a C or C++ translation unit.
 *
 * In: what `cc -E` wrote, with its line markers. Out: text for `cc -fpreprocessed`, in which every
 * line of the input has the number it had (nothing that is inserted holds a line break, markers are
 * not touched), after a preface of its own: the prologue (prologue.inc) and the unit's static
 * table (capture/lib/sites.h). The text does what the input did: expressions keep their type,
 * value, value category and order of evaluation, and every way out of a procedure or loop is seen.
 * Statements that cannot be instrumented correctly are listed with the reason.
 *
 * The text is parsed by libclang in a process of its own: whatever it is given, nothing here
 * crashes, hangs (`seconds`) or grows beyond bounds. Time and memory are linear in the text.
 *
 *	struct instrument_options options = { .language = INSTRUMENT_C, .flags = flags,
 *					      .loops = true, .source = "app.c" };
 *	struct instrument_result result;
 *	if (!instrument(text, size, &options, &result, &err))
 *		... compile the original; err says why
 *	write(result.text, result.size);
 *	instrument_free(&result);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "capture/lib/sites.h"

enum instrument_language { INSTRUMENT_C, INSTRUMENT_CXX };

enum instrument_loops { INSTRUMENT_NO_LOOPS, INSTRUMENT_LOOPS, INSTRUMENT_ITERATIONS };

/* All is borrowed, for the call alone. */
struct instrument_options {
	enum instrument_language language;
	/* For libclang, NULL-terminated: -std=, -target, -m*, -f* that change the language
	 * (-funsigned-char, -fshort-enums, -fno-exceptions ...). What clang does not know of them
	 * is ignored. No -I, -D, -fopenmp: the text is preprocessed, pragmas are read here. */
	const char *const *flags;
	bool loops;      /* probes for loops; else they are neither in the text nor the table */
	bool iterations; /* a probe in every iteration, too (TV_SITE_ITERATIONS) */
	bool sparing;    /* small procedures have no probe, innermost loops without calls are
			    counted, not timed (TV_SITE_UNTIMED) */
	/* Whether a procedure has probes: its file as in the line markers, and its name
	 * ("ns::Class::method" in C++). NULL: all. Called in the child process: what it changes is
	 * lost. */
	bool (*wanted)(void *data, const char *file, const char *procedure);
	/* What the loops of a procedure get, asked like `wanted`; NULL: `loops` and `iterations`
	 * are for all. */
	enum instrument_loops (*loops_of)(void *data, const char *file, const char *procedure);
	void *data;
	const char *source;    /* the file that was compiled, as it is to be recorded; NULL: that of
				  the first line marker */
	const char *directory; /* where; NULL: the working directory */
	unsigned seconds;      /* of CPU time for the child; 0: 600 */
};

/* Something that has no probe, though it could be looked for, or only counts. Ordered as in the
 * text. */
struct instrument_excluded {
	enum tv_site_kind kind;
	bool counted;
	uint32_t line, column;            /* of the user's file */
	const char *file, *name, *reason; /* in `strings` */
};

struct instrument_result {
	char *text;
	size_t size;
	struct instrument_excluded *excluded;
	size_t excluded_count;
	char *strings;
	uint32_t sites;  /* in the static table */
	uint32_t probes; /* of those: with a probe; 0: `text` is the input (with a table only if
			    there are sites) */
	uint32_t kinds[TV_SITE_COMMUNICATION + 1]; /* with a probe, by kind */
};

/* False where libclang could not take the text: `result` is then as by instrument_free(). Threads:
 * as often as you like at a time. */
bool instrument(const char *text, size_t size, const struct instrument_options *options,
		struct instrument_result *result, struct err *err);
void instrument_free(struct instrument_result *result);
