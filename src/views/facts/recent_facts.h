/* recent_facts: what a job that runs did in the last seconds before a look at it, beside all the
 * look has. Of statistics alone (tvrun --statistics) by what they grew since an earlier look. */
#pragma once

#include "views/query/view.h"

enum { RECENT_SECONDS = 10 };

struct recent_facts {
	int64_t begin, end;       /* of the recent past and of the look, ticks */
	double seconds;           /* of the recent past, which the look may not have all of */
	uint64_t messages, bytes; /* sent then */
	bool alone;               /* statistics alone: these are of the run so far */
	uint64_t calls, sent;     /* of communication; bytes */
	/* True: `waits` are waits. False: time in communication, as the wait states of the look's
	 * events are not known yet. */
	bool waiting;
	/* Ticks of all locations, then and of all that the look has: in waits, those of open calls
	 * with them; together. Statistics alone have no `waits` and `all`. */
	double waits, all;
	double all_waits, whole;
	bool cut; /* the look does not have the run's first events */
};

/* The last `seconds` of the query's trace. */
void recent_facts_make(struct recent_facts *facts, const struct query *query, int seconds);
/* Those of a look at statistics alone, for a later one; false: it is not such a look. */
bool recent_facts_of_look(struct recent_facts *facts, struct trace *trace);
/* Takes waits for the time in communication; false: the query's analyses do not have them yet. */
bool recent_facts_add_waits(struct recent_facts *facts, const struct query *query);

/* The figures of a sentence. Of statistics alone those since `earlier`, of a look before; NULL:
 * there is none. False where there is nothing to say yet. */
struct recent_rates {
	double seconds;
	double units, bytes;     /* a second: messages, of statistics alone calls; bytes sent */
	double recent, all;      /* shares of waiting, or of communication */
	const char *what, *span; /* "waiting" of the "run" */
};
bool recent_facts_rates(const struct recent_facts *facts, const struct recent_facts *earlier,
			int64_t second, struct recent_rates *rates);
/* Appends them for a line. */
void recent_facts_text(const struct recent_facts *facts, const struct recent_facts *earlier,
		       int64_t second, struct str *out);
