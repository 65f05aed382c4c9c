/* sequence: patterns over the calls of a location, one after the other as they begin, in the words
 * of the filter (filter.h); doc/filter.md is its manual.
 *
 *	MPI_Irecv+ MPI_Isend+ MPI_Waitall
 *	solve (MPI_Send | MPI_Isend[bytes > 1M]){2,} ... /Barrier/ within 5ms
 *
 * Elements: a name, "a name", /regular expression/, `.` (any call), each with a condition of the
 * filter in brackets; a condition alone; `!` before it: a call that is not so. `...`: calls up to
 * the first one that may go on the pattern. Repetition: * + ? {n} {n,} {n,m}; | between
 * alternatives; parentheses. Then `within TIME`, and `among ELEMENT`: the calls that there are
 * besides those do not count. Where all names are those of MPI and other libraries, and nothing is
 * said, calls of the program's own functions do not count.
 *
 * Matches do not overlap: the next one begins with the first call after the last one from which on
 * there is a match, and is the longest one from there; with a limit of time, if that takes too
 * long, the shortest one, and none if that does, too.
 *
 * A pass over the calls of a location from the last one to the first keeps, for each place in the
 * pattern, only the end of the longest (shortest) match that goes on from there: time is calls x
 * places in the pattern, whatever the pattern, and nothing is tried twice. Memory is 28 bytes for
 * each call with which a match could begin and end, of one location.
 *
 * Read-only once compiled: any number of threads may search. Borrows the trace. */
#pragma once

#include "base/vec.h"
#include "model/filter/filter.h"

struct sequence;

enum {
	SEQUENCE_ELEMENTS_MAX = 64, /* in the text */
	SEQUENCE_PLACES_MAX = 1024, /* with what joins them, repetitions written out */
};

/* NULL with err: a sentence with the place in the text. Costs what its conditions do. */
struct sequence *sequence_compile(const char *text, const struct trace *trace, struct err *err);
void sequence_free(struct sequence *sequence);
const char *sequence_text(const struct sequence *sequence);
/* Whether calls of the program's own functions are left out because the pattern names none. */
bool sequence_skips_user(const struct sequence *sequence);

struct sequence_match {
	int64_t begin,
		end; /* of the first call, of the last one: that of the run where it is open */
	uint32_t location;
	uint32_t first, last; /* enters of its calls */
	uint32_t calls;
};
typedef VEC(struct sequence_match) sequence_matches;

/* Of the calls that match a filter (NULL: all), with the times of a base, which is made. Borrows
 * all; of one thread. */
struct sequence_finder;
struct sequence_finder *sequence_finder_new(const struct sequence *sequence, enum time_base base,
					    const struct filter *filter);
void sequence_finder_free(struct sequence_finder *finder);
/* Begins with a location, and goes on over so many of its events: true while there is more to do;
 * at the end its matches are appended, by their begin. */
void sequence_find_begin(struct sequence_finder *finder, uint32_t location);
bool sequence_find_more(struct sequence_finder *finder, uint32_t events, sequence_matches *matches);
