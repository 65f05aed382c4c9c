/* overview_facts: the numbers behind the overview: one pass over the events of the chosen
 * locations, one over the messages and one over the collectives of the window.
 *
 * Waiting is what the matched records show: a receive waits from its call's enter (of the call
 * that completes it) until the message's send began, where the send came later; at a collective in
 * which everybody needs everybody a member waits until the last one has begun. Both are bounded by
 * the end of the call; several messages completed by one call count once. */
#ifndef TVIEW_UI_OVERVIEW_FACTS_H
#define TVIEW_UI_OVERVIEW_FACTS_H

#include "ui/view.h"

struct waiting {
	int64_t sum;       /* ticks, of all chosen locations */
	int64_t most;      /* of the location that waited most */
	uint32_t location; /* that one; UINT32_MAX: nobody waited */
	uint32_t region;   /* in which most was waited; UINT32_MAX none */
	int64_t region_sum;
	uint64_t count; /* calls that waited */
};

struct overview_facts {
	uint32_t locations;
	uint64_t events; /* in the window */
	int64_t t0, t1;  /* window, clamped to the run */
	__int128 whole;  /* locations * (t1 - t0) */
	__int128 by_class[CLASS_COUNT];
	__int128 in_no_region; /* traced, but no region was open */

	uint32_t top
		[3]; /* regions with the most exclusive time, measurement, start and end of MPI left out;
			    UINT32_MAX none */
	int64_t top_exclusive[3];
	int64_t start_and_end;     /* exclusive time in MPI_Init, MPI_Finalize and the like */
	uint64_t top_count;        /* visits of the first */
	uint32_t top_location;     /* that deviates most from the mean of the first */
	int64_t top_location_time; /* its exclusive time there */

	struct waiting late_sender, collective;

	uint64_t messages, bytes, largest; /* largest: bytes */
	bool bytes_known;
	uint64_t unmatched, guessed, reversed;
	int64_t worst_reversed;

	uint64_t collectives, incomplete;
	uint32_t slowest; /* collective with the longest span, UINT32_MAX none */
	int64_t slowest_time;
};

/* Those of the whole run are kept with the trace. */
void overview_facts_make(struct overview_facts *facts, const struct query *query);

/* Has a trace compute all that the first screen shows, for its cache file. */
void overview_prepare(struct trace *trace);
void overview_prepare_with(struct trace *trace, const struct progress *progress);

#endif
