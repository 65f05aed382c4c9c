/* lacks: which parts of the run a trace says it does not have: the property `lacks`
 * (doc/format.md), which tvrun writes. The one place that reads it.
 *
 *	struct lack lack;
 *	for (size_t at = 0; lacks_next(trace, &at, &lack);)
 *		use(&lack);
 *
 * A trace without the property may come from a program that does not know what it lacks.
 * O(properties) each time. */
#pragma once

#include "views/facts/phrases.h"

/* In the order of the sentences. */
enum lack_kind {
	LACK_RANKS,     /* count: ranks that recorded nothing */
	LACK_THREADS,   /* count: threads that recorded nothing */
	LACK_DAMAGED,   /* ranks whose buffers were cut off or damaged */
	LACK_EARLIER,   /* count: nanoseconds of all ranks together before their last events */
	LACK_HALVES,    /* messages and collectives whose other half is before; what: which */
	LACK_STOPPED,   /* count: nanoseconds of all ranks together without recording */
	LACK_FUNCTIONS, /* the same without functions, while MPI was recorded */
	LACK_PAUSED,    /* the same, because the program switched recording off */
	LACK_SWITCHED,  /* the same of one kind of events; what: calls, regions, functions */
	LACK_MPI,       /* processes with an MPI of unknown kind */
	LACK_CALLS,     /* calls of MPI that were not recorded; what: the function */
	LACK_TIMED,     /* calls with only their time recorded; what: the function */
	LACK_REFUSED,   /* calls whose arguments MPI refused; what: the function */
	LACK_OUTSIDE,   /* messages or calls shared with processes of other jobs; what: which */
	LACK_BYPASS,    /* processes with a module whose calls of MPI were not seen; what: it */
	LACK_DROPPED,   /* records; what: why */
	LACK_EXCLUDED,  /* functions that options excluded */
	LACK_TOOL,      /* another tool was in the process; what: its module */
	LACK_SMALL,     /* procedures that tvcc gave no probe */
	LACK_LOOPS,     /* loops of which only counts were recorded */
	LACK_PYTHON,    /* processes with a Python whose frames cannot be read */
	LACK_OPENMP,    /* processes that used OpenMP, of which nothing was recorded */
	LACK_SAMPLES,   /* processes with threads that could not be sampled */
	LACK_COUNTERS,  /* processes without a counter that was wanted; what: why, and its name */
	LACK_ORDER,     /* receives from any source that are not in virtual order; what: why */
	LACK_REPLAY,  /* ranks that did not follow the order to be replayed; what: where, and why */
	LACK_SYMBOLS, /* functions without a name; what: the module */
	LACK_OTHER,   /* of a later version; what: the whole property */
	LACK_KINDS
};

struct lack {
	enum lack_kind kind;
	uint64_t count, ranks; /* ranks: those concerned, 0 not known */
	const char *what;      /* see the kinds; "" without */
};

/* The next lack from property *at on, which it moves; false: there are no more. */
bool lacks_next(const struct trace *trace, size_t *at, struct lack *lack);
bool lacks_any(const struct trace *trace);
bool lacks_kind(const struct trace *trace, enum lack_kind kind);
/* How long the run is of which the trace has all from t0 to t1: "36.3 s"; where it has no more than
 * the last events, "last 36.3 s of 121 s". */
const char *lacks_span(struct phrases *phrases, int64_t t0, int64_t t1);
const char *lack_name(enum lack_kind kind); /* as in the property; stable */

/* How the lacks can falsify figures. */
enum lack_effect {
	LACK_HIDES_WAITS = 1,    /* there may be more waits */
	LACK_HIDES_MESSAGES = 2, /* and messages */
	LACK_HIDES_MPI = 4,      /* time in MPI counts as computation */
};

unsigned lacks_hidden(const struct trace *trace); /* enum lack_effect */

/* All lacks of one kind as a sentence; "" if there are none. */
const char *lacks_sentence(struct phrases *phrases, enum lack_kind kind);
