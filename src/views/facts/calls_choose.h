/* calls_choose: of all calls of a query the first so many in any order, and how many there are of
 * each duration: one pass over the events of the window, whatever the number of calls, in slices.
 *
 *	struct calls_wish wish = { .order = CALLS_DURATION, .descending = true, .most = 10000,
 *				   .region = UINT32_MAX, .longest = INT64_MAX };
 *	struct calls_choice *choice = calls_choice_new(&source, &query, &wish);
 *	while (calls_choice_work(choice, 5000000))
 *		...
 *	calls_choice_take(choice, &calls); ... calls.chosen.data[i] ...
 *	calls_fini(&calls);
 *	calls_choice_free(choice);
 *
 * A call is of the query if it reaches into its window, on a chosen location, and its filter
 * matches. */
#pragma once

#include "patterns/analysis/analysis.h"
#include "views/facts/call_facts.h"

enum calls_order {
	CALLS_BEGIN,
	CALLS_DURATION,
	CALLS_EXCLUSIVE,
	CALLS_WAITING,
	CALLS_BYTES,
	CALLS_RANK,
	CALLS_REGION, /* by name */
	CALLS_ORDERS
};

struct calls_wish {
	enum calls_order order;
	bool descending;
	size_t most;
	uint32_t region;                 /* UINT32_MAX: all */
	int64_t shortest, longest;       /* ticks: durations of the chosen ones, both inside */
	const struct analysis *analysis; /* of waits, NULL: there are none */
};

/* Durations in steps of 1, 2, 5, 10, ... ns; the first bin also has what is shorter, the last what
 * is longer. */
enum { CALLS_BINS = 45 };

struct calls {
	/* In the order of the wish; equal ones by begin, location, event. */
	VEC(struct call) chosen;
	uint64_t matching;         /* that the wish asks for: as many as `most` are chosen */
	uint64_t bins[CALLS_BINS]; /* of the region, of any duration */
};

/* Of a bin: durations from this one on, ticks. */
int64_t calls_bin_from(const struct trace *trace, unsigned bin);
/* Appends that: "1 us", "200 ms", "5000 s". */
void calls_bin_name(unsigned bin, struct str *out);
/* Borrows the source, and what the query and the wish lead to. */
struct calls_choice;
struct calls_choice *calls_choice_new(const struct call_source *source, const struct query *query,
				      const struct calls_wish *wish);
void calls_choice_free(struct calls_choice *choice);
/* Goes on for about so many ns of CPU time; true while there is more to do. */
bool calls_choice_work(struct calls_choice *choice, int64_t nanoseconds);
/* How much has been seen, 0 to 1, by events. */
double calls_choice_done(const struct calls_choice *choice);
/* Those seen so far: replaces *calls, which are zeroed or were taken before. */
void calls_choice_take(struct calls_choice *choice, struct calls *calls);
void calls_fini(struct calls *calls);
