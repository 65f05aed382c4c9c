/* recent_facts: what a job that runs did in the last seconds before a look at it, beside all the
 * look has. Of statistics alone (tvrun --statistics) by what they grew since an earlier look. */
#pragma once

#include "views/query/view.h"

struct recent_facts {
	int64_t end;              /* of the look, ticks */
	double seconds;           /* of the recent past, which the look may not have all of */
	uint64_t messages, bytes; /* sent then */
	double waits, all;        /* ticks of all locations then: in communication; together */
	bool alone;               /* statistics alone: these are of the run so far */
	uint64_t calls, sent;     /* of communication; bytes */
	/* Ticks of all that the look has: in communication, of statistics alone of it what is known
	 * to be waiting, or under way; together. */
	double all_waits, whole;
	bool cut; /* the look does not have the run's first events */
};

/* The last `seconds` of the query's trace. */
void recent_facts_make(struct recent_facts *facts, const struct query *query, int seconds);
/* Appends them for a line; `earlier`: of a look before, NULL: none. Nothing where there is nothing
 * to say yet. */
void recent_facts_text(const struct recent_facts *facts, const struct recent_facts *earlier,
		       int64_t second, struct str *out);
