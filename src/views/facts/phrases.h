/* phrases: texts to be printf()ed into sentences: numbers with their units, names of locations and
 * call paths. Each lives until phrases_fini(), so that a sentence reads as one format.
 *
 *	struct phrases p = { .trace = trace };
 *	report_say(s, ..., "%s: %s in %s.", title, phrase_time(&p, ticks),
 *		   phrase_count(&p, n, "wait", "waits"));
 *	phrases_fini(&p); */
#pragma once

#include "base/vec.h"
#include "model/trace/trace.h"
#include "views/query/time_share.h"

struct phrases {
	const struct trace *trace;
	VEC(char *) texts;
	int digits; /* significant ones of times; 0: 3 */
};

void phrases_fini(struct phrases *phrases);

const char *phrase(struct phrases *phrases, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* With a capital, for the beginning of a sentence. */
const char *phrase_capital(struct phrases *phrases, const char *text);
const char *phrase_time(struct phrases *phrases, double ticks); /* "27.0 ms" */
const char *phrase_part(struct phrases *phrases, double ticks); /* for a time that may be less than
								   a tick */
/* "2026-11-21T04:24:27Z" -> "2026-11-21 04:24:27 UTC"; another text as it is. */
const char *phrase_date(struct phrases *phrases, const char *date);
const char *phrase_number(struct phrases *phrases, uint64_t n); /* "2,656" */
const char *phrase_count(struct phrases *phrases, uint64_t n, const char *one, const char *many);
const char *phrase_bytes(struct phrases *phrases, uint64_t bytes);
/* "2.1 %"; "< 0.1 %" for a share above 0; from 10 on a factor: "x 2,775". */
const char *phrase_share(struct phrases *phrases, double share);
/* "87.6 %", of total time; "6.6 % of the streams' time". */
const char *phrase_time_share(struct phrases *phrases, struct time_parts part,
			      struct time_parts whole);
const char *phrase_trace(struct phrases *phrases); /* trace_add_name() */
const char *phrase_location(struct phrases *phrases, uint32_t location);
const char *phrase_path(struct phrases *phrases, uint32_t path); /* with its source line */
const char *phrase_region(struct phrases *phrases, uint32_t region);

/* "4 ranks", "4 ranks, 16 threads", without MPI "3 locations"; `locations` NULL: all. */
const char *phrase_members(struct phrases *phrases, const uint32_t *locations, uint32_t n);
/* "rank" if every location is one, else "location". */
const char *phrase_member(struct phrases *phrases);
/* "4 ranks of a node shared 2 cores, and waited 1.20 s for one (4.2 % of their time): MEANS.": a
 * whole sentence; or threads; or "4 ranks waited 1.20 s for a core (4.2 % ...): MEANS.". "" if none
 * shared cores (model/trace/crowd.h), or waited for one (core_wait.h), or it is not known. */
const char *phrase_crowd(struct phrases *phrases, const char *means);
/* What it means for times. */
#define CROWD_TIMES "in any of these times a rank may have waited for a core"
