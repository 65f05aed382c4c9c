/* lacks: which parts of the run a trace says it does not have: the property `lacks`
 * (doc/format.md), which tvrun writes. The one place that reads it.
 *
 *	struct lack lack;
 *	for (size_t at = 0; lacks_next(trace, &at, &lack);)
 *		use(&lack);
 *
 * A trace that says nothing may come from a program that does not know what it lacks. O(properties)
 * each time. */
#pragma once

#include "views/facts/phrases.h"

/* In the order of the sentences. */
enum lack_kind {
	LACK_RANKS,    /* that recorded nothing */
	LACK_THREADS,  /* the same */
	LACK_STOPPED,  /* count: nanoseconds of all ranks together without recording */
	LACK_PAUSED,   /* the same, where it was switched off */
	LACK_MPI,      /* processes with an MPI of unknown kind */
	LACK_CALLS,    /* of MPI that were not recorded; what: the function */
	LACK_TIMED,    /* of which only the time was recorded; what: the function */
	LACK_DROPPED,  /* records; what: why */
	LACK_EXCLUDED, /* functions that the options left out */
	LACK_TOOL,     /* what: its module */
	LACK_SMALL,    /* procedures that tvcc gave no probe */
	LACK_LOOPS,    /* of which only counts were recorded */
	LACK_SYMBOLS,  /* functions without a name; what: the module */
	LACK_OTHER,    /* of a later version; what: all that the property says */
	LACK_KINDS
};

struct lack {
	enum lack_kind kind;
	uint64_t count, ranks; /* ranks: 0 not known */
	const char *what;      /* "" nothing more */
};

/* The next one from property *at on; false: there are no more. */
bool lacks_next(const struct trace *trace, size_t *at, struct lack *lack);
bool lacks_any(const struct trace *trace);
const char *lack_name(enum lack_kind kind); /* as in the property; stable */

/* What could be different if the trace had it all. */
enum lack_effect {
	LACK_HIDES_WAITS = 1,    /* there may be more waits */
	LACK_HIDES_MESSAGES = 2, /* and messages */
	LACK_HIDES_MPI = 4,      /* time in MPI counts as computation */
};

unsigned lacks_hidden(const struct trace *trace); /* enum lack_effect */

/* All of one kind as a sentence; "" there is none. */
const char *lacks_sentence(struct phrases *phrases, enum lack_kind kind);
